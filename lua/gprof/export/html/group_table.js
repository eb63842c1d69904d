// The list of functions in groups, which unfold. Members of a group are numbers of functions; of a thread or a run,
// objects with the `node` of a function and its figures there.

const isGroup = (row) => row.members !== undefined;
const nodeOfMember = (member) => (typeof member === "number" ? member : member.node);

function memberFigures(member) {
  if (typeof member !== "number") return member;
  const { self, self_error, calls } = functions;
  return { self: self[member], error: self_error[member], total: totalOf(member), calls: calls[member] };
}

// Returns the figures of a group's members that are shown; `total` is that of all members, or null.
function sumOfMembers({ shown, total }) {
  const sum = { self: 0, error: 0, total, calls: 0 };
  for (const member of shown) {
    const { self, error, calls } = memberFigures(member);
    sum.self += self;
    sum.error += error ** 2;
    sum.calls += calls;
  }
  return Object.assign(sum, {
    error: Math.sqrt(sum.error), total: total === null ? null : Math.max(total, sum.self),
  });
}

const figuresOfRow = (row) => (isGroup(row) ? row.figures : memberFigures(row));

// Returns the time in functions of each group and their callees. Nested calls count once.
function totalsOfGroups({ names, of }) {
  const weights = new Float64Array(names.length);
  if (!tree) return weights;
  const { frame, weight, end } = tree,
    past = new Int32Array(names.length);
  for (let i = 1; i < frame.length; i++) {
    const group = frame[i] < 0 ? -1 : of[frame[i]];
    if (group < 0 || i < past[group]) continue;
    weights[group] += weight[i];
    past[group] = end[i];
  }
  return weights.map(timeOf);
}

const functionGroup = (name, members) => ({ name, members, shown: members, total: 0, isOpen: false, figures: null });

// Returns the functions of each thread, from the data of the choices of threads.
function threadGroups() {
  return threadChoices.map((choice, i) => {
    const { name, self, self_error, children, calls } = parsed("thread-" + i).functions;
    const members = name.map((node, row) => (
      { node, self: self[row], error: self_error[row], total: self[row] + children[row], calls: calls[row] }));
    const known = members.filter(({ node, self }) => node < functionCount && (self > 0 || !hasTime));
    return functionGroup(choiceName(choice), known);
  });
}

// Returns the functions of each run, with their self times; others are not known.
function runGroups() {
  const { node, time, name } = spread.of_runs,
    count = spread.runs;
  return Array.from({ length: count }, (_, run) => {
    const members = node.map((f, i) => ({ node: f, self: time[i * count + run], error: 0, total: null, calls: 0 }));
    const label = name.length > 0 ? runName(name[run]) || name[run] : "Run " + (run + 1);
    return { ...functionGroup(label, members.filter(({ self }) => self > 0)), total: null };
  });
}

function groupsOf({ key, groups }) {
  if (!groups) return key === "run" ? runGroups() : threadGroups();
  const { names, of } = groups(),
    list = names.map((name) => functionGroup(name, []));
  for (let f = 0; f < functionCount; f++) list[of[f]].members.push(f);
  return list.filter(({ members }) => members.length > 0);
}

const timeColumn = (title, hint, name, cell, style) => ({
  title, hint, class: style, value: (row) => figuresOfRow(row)[name],
  cell: (row) => (figuresOfRow(row)[name] === null ? "" : cell(figuresOfRow(row)[name])),
});
const shareText = (time) => percent(shareOf(time));

function groupColumns(title, fold) {
  const name = (row) => (isGroup(row) ? row.name : nameOf(nodeOfMember(row)));
  const aboutTotal = "Time in the functions and their callees; nested calls count once";
  const times = [
    timeColumn("Self %", "Self time as a share of the total time", "self", shareText, ""),
    timeColumn("Self " + unitName, "Time in the functions themselves", "self", seconds, "medium self"),
    timeColumn("±", "Statistical error of the self time", "error",
      seconds, "error wide"),
    timeColumn("Total %", aboutTotal, "total", shareText, "wide"),
    timeColumn("Total " + unitName, aboutTotal, "total", seconds, ""),
    {
      title: "Self in total", hint: barHint, class: "bar", value: (row) => figuresOfRow(row).total,
      cell: (row) => shareBar(shareOf(figuresOfRow(row).total || 0), shareOf(figuresOfRow(row).self)),
    },
  ];
  const aboutCalls = "Calls from other functions; empty if they were not counted",
    calls = timeColumn("Calls", aboutCalls, "calls", counted, "medium");
  calls.cell = (row) => {
    const { calls: count, total, self } = figuresOfRow(row);
    return wereCounted(count, total ?? self) ? counted(count) : "";
  };
  return [
    ...(hasTime ? times : []),
    ...(hasCounts ? [calls] : []),
    {
      title: title[0].toUpperCase() + title.slice(1), value: name, upwards: true, class: "name left",
      cell: (row) => (isGroup(row) ? fold(row) : make("span", { class: "member" }, nodeLink(nodeOfMember(row)))),
    },
  ];
}

const foldKeys = makeShortcuts("Groups", [
  { keys: ["ArrowRight"], use: "unfold", act: (event) => toggleFold(event.target, true) },
  { keys: ["ArrowLeft"], use: "fold", act: (event) => toggleFold(event.target, false) },
], groupings.length > 0);

function toggleFold(target, isOpen) {
  if (!target.matches(".fold") || (target.ariaExpanded === "true") === isOpen) return false;
  target.click();
}

// Makes the table. `table`; `matches(group, test)`, as for `tableSearch`; `describe()`, what the status says.
function groupTable(grouping) {
  const groups = groupsOf(grouping);

  function fold(group) {
    const toggle = (event) => {
      group.isOpen = !group.isOpen;
      button.ariaExpanded = String(group.isOpen);
      table.update(event.target.closest("tr"));
    };
    const button = make(
      "button",
      { "class": "fold", "type": "button", "aria-expanded": String(group.isOpen), "click": toggle },
      make("i", { class: hueOf(group.name) }),
      ...breakable(group.name),
      make("span", { class: "soft" }, ` (${counted(group.shown.length)})`),
    );
    return button;
  }

  function refresh() {
    const { key, groups: numbered } = grouping;
    if (key === "run") return;
    if (!numbered) return groups.forEach((group) => (group.total = sumOf(group.members.map(({ self }) => self))));
    const totals = totalsOfGroups(numbered());
    for (const group of groups) group.total = totals[numbered().of[group.members[0]]];
  }
  refreshers.push(refresh); // before those of the search field
  refresh();
  for (const group of groups) group.figures = sumOfMembers(group);

  const columns = groupColumns(grouping.title, fold);
  const table = makeTable(columns, groups, {
    sorted: columns[0],
    label: "Functions by " + grouping.title,
    class: "flat grouped",
    isSearched: true,
    below: (group) => (group.isOpen ? group.shown.slice() : []),
  });
  table.element.addEventListener("keydown", (event) => runShortcut(foldKeys, event));

  return {
    table,
    matches(group, test) {
      group.shown = group.members.filter((member) => isListed(nodeOfMember(member), test));
      group.figures = sumOfMembers(group);
      return group.shown.length > 0;
    },
    describe(rows) {
      const shown = rows.filter(isGroup),
        members = shown.flatMap((group) => group.shown.map(nodeOfMember));
      const number = counted(shown.length) + (shown.length === 1 ? " group" : " groups");
      return number + ", " + describeShown([...new Set(members)]);
    },
  };
}

// Returns the function with the most self time in a row.
function hottestMember(row) {
  if (!isGroup(row)) return nodeOfMember(row);
  return nodeOfMember(row.shown.reduce((a, b) => (memberFigures(b).self > memberFigures(a).self ? b : a)));
}
