// The view of a function or cycle: its figures, callers and callees.

function fact(title, ...value) {
  return make("div", {}, make("dt", {}, title), make("dd", {}, ...value));
}

function timeFacts(node) {
  const own = field(node, "self"),
    error = field(node, "self_error");
  const share = (time) => " (" + percent(shareOf(time)) + " %)";
  return [
    fact("Self", seconds(own) + (error ? " ± " + seconds(error) : "") + " " + unitName + share(own)),
    fact("In callees", seconds(field(node, "children")) + " " + unitName + share(field(node, "children"))),
    fact("Total", seconds(totalOf(node)) + " " + unitName + share(totalOf(node))),
    boundsOf(node) && fact(hasBounds ? "Bounds" : "Possible", boundsText(node, " " + unitName)),
  ];
}

function callFacts(node) {
  const calls = field(node, "calls"),
    own = field(node, "self_calls");
  if (!isCounted(node)) return [fact("Calls", "not counted")];
  const facts = [
    fact(
      "Calls",
      counted(calls) + (own > 0 ? " and " + counted(own) + (isCycle(node) ? " inside" : " recursive") : ""),
    ),
  ];
  if (hasTime && calls > 0 && totalOf(node) > 0) {
    const own = perCall(field(node, "self") / calls);
    facts.push(
      fact("Per call", (own ? own + " self, " : "") + perCall(totalOf(node) / calls) + " total"),
    );
  }
  return facts;
}

function placeFact(node) {
  const file = fileOf(node);
  if (!file) return null;
  const text = file + (functions.line[node] ? ":" + functions.line[node] : "");
  return fact("Source", placeLink(text, sourceLink(file, functions.line[node])));
}

const RESUMES = /^coroutine\.(resume|wrap \(resumed\))$/,
  CREATED_IN_PLACE = /^callback of coroutine\.(create|wrap)\b/,
  MOST_LINKS = 3; // to creators, or resumers, in a fact

// Returns the functions that resume a function of Lua as a coroutine, as far as the call tree has them.
function resumersOf(node) {
  const found = new Set(),
    { frame, parent } = data.tree || { frame: [] };
  frame.forEach((each, i) => {
    const resume = each === node ? parent[i] : 0;
    if (resume > 0 && RESUMES.test(nameOf(frame[resume]))) found.add(frame[parent[resume]]);
  });
  found.delete(ROOT);
  return [...found];
}

// Returns links to the places that created coroutines with a function. If calls were not recorded, the place is known
// only if the function is defined there.
function creatorsOf(node) {
  const { file, line } = data.created,
    own = fileOf(node),
    links = [],
    add = (name, number) => links.push(placeLink(baseName(name) + ":" + number, sourceLink(name, number)));
  data.created.node.forEach((each, i) => each === node && add(data.files[file[i]], line[i]));
  if (links.length === 0 && own && CREATED_IN_PLACE.test(nameOf(node))) add(own, functions.line[node]);
  return links;
}

// Lists the first links after a text.
function linkList(text, links) {
  if (links.length === 0) return [];
  const more = links.length - MOST_LINKS;
  return [
    text,
    ...links.slice(0, MOST_LINKS).flatMap((each, i) => [i > 0 ? ", " : "", each]),
    more > 0 ? ` and ${more} more` : "",
  ];
}

// Tells that a function runs as a coroutine, where it is created, and what resumes it.
function coroutineFact(node) {
  if (!data.scripts) return null;
  const created = linkList("created at ", creatorsOf(node)),
    resumed = linkList("resumed by ", resumersOf(node).map((each) => nodeLink(each)));
  if (!created.length && !resumed.length) return null;
  return fact("Coroutine", ...created, created.length && resumed.length ? ", " : "", ...resumed);
}

// Measured arcs may have time without counted calls: calls that became jumps, or of functions without -pg.
const isCountedArc = (arc) => wereCounted(arcs.count[arc], arcTime(arc));

// Returns why an arc carries no time or has no number of calls; empty if neither is so.
function arcRemark(arc) {
  if (arcs.caller[arc] === arcs.callee[arc]) return "recursive";
  if (isRecursive(arc)) return "in the cycle";
  if (arcs.count[arc] > 0 || !hasCounts) return "";
  return isCountedArc(arc) ? "no call recorded" : "not counted";
}

const carriesNoTime = (arc) => isRecursive(arc) || (arcs.count[arc] === 0 && isCountedArc(arc));

// Whether an arc's time is a guess: others call its callee, or the callee's cycle, as well.
const isGuessed = (arc) => !data.exact && arcTime(arc) > 0 && arcs.count[arc] < calleeCalls(arc);

// Makes a bar of an arc's share of the time.
function arcBar(arc, whole) {
  const bar = shareBar(arcTime(arc) / whole, arcs.self[arc] / whole);
  if (!isGuessed(arc)) return bar;
  const [from, to] = [arcs.caller[arc], arcs.callee[arc]].map((node) => (boundsOf(node) || [0, totalOf(node)])[1]);
  bar.classList.add("guess");
  bar.title = `0–${seconds(Math.min(from, to))} ${unitName}, ${rangeOf(0, Math.min(from, to))} of all time`;
  return bar;
}

// Makes the time columns of an arc table: the share of the node's total time, the time, and a bar. Calls into a cycle
// carry the cycle's time, so they have shares of that.
function arcTimeColumns(node) {
  const cycle = cycleNumber(node),
    wholeOf = (arc) => totalOf(cycle >= 0 && arcs.callee[arc] === node ? functionCount + cycle : node);
  const known = (arc, text) => (carriesNoTime(arc) || !(wholeOf(arc) > 0) ? "" : text(wholeOf(arc)));
  const value = (arc) => (carriesNoTime(arc) ? null : arcTime(arc));
  return [
    {
      title: "%",
      hint: "Share of this function's total time" + (cycle < 0 ? "" : "; for its callers, of its cycle's"),
      value,
      cell: (arc) => known(arc, (whole) => percent(arcTime(arc) / whole)),
    },
    {
      title: "Time " + unitName,
      hint: data.exact ? "Time of these calls, as measured" : "Time of these calls, estimated from call counts",
      value,
      cell: (arc) => (carriesNoTime(arc) ? "" : seconds(arcTime(arc))),
    },
    {
      title: "Share",
      cell: (arc) => known(arc, (whole) => arcBar(arc, whole)),
      class: "bar",
    },
  ];
}

const arcCountColumns = [
  {
    title: "Calls",
    value: (arc) => arcs.count[arc],
    cell: (arc) => (isCountedArc(arc) ? counted(arcs.count[arc]) : ""),
    class: "count",
  },
  {
    title: "of",
    hint: "All calls of the callee from other functions",
    value: (arc) => calleeCalls(arc),
    cell: (arc) => (carriesNoTime(arc) || !isCountedArc(arc) ? "" : counted(calleeCalls(arc))),
    class: "unit count medium left",
  },
];

// Returns the name of the function at the other end of an arc, with a remark. In the view of a cycle, the remark names
// the member that calls or is called.
function arcNameCell(arc, other, node) {
  const from = arcs.caller[arc],
    to = arcs.callee[arc];
  const member = from === other(arc) ? "calls " + nameOf(to) : "by " + nameOf(from);
  const remark = isCycle(node) ? member : arcRemark(arc);
  const cell = nameCell(other(arc));
  return remark ? make("span", {}, cell, make("span", { class: "tag" }, remark)) : cell;
}

function arcColumns(other, node, title) {
  const name = {
    title,
    value: (arc) => nameOf(other(arc)),
    upwards: true,
    cell: (arc) => arcNameCell(arc, other, node),
    class: "name left",
  };
  return [...(hasTime ? arcTimeColumns(node) : []), ...(hasCounts ? arcCountColumns : []), name];
}

// Returns the number of all calls of an arc's callee; if the arc enters a cycle, of all calls into the cycle.
function calleeCalls(arc) {
  const callee = arcs.callee[arc],
    cycle = cycleNumber(callee);
  return cycle >= 0 && !isRecursive(arc) ? cycles[cycle].calls : functions.calls[callee];
}

function arcSection(heading, title, list, other, node, emptyText) {
  const columns = arcColumns(other, node, title);
  const section = make(
    "section",
    {},
    make("h3", {}, heading + (list.length > 1 ? " (" + counted(list.length) + ")" : "")),
  );
  if (list.length === 0) section.append(make("p", { class: "soft" }, emptyText));
  else section.append(makeTable(columns, list, { label: heading, class: "lists mid", sorted: columns[0] }).element);
  return section;
}

function memberSection(node) {
  const columns = flatColumns().filter((column) => !/Source|call$|Function/.test(column.title));
  columns.push({ ...nameColumns[0], cell: nodeLink });
  const table = makeTable(columns, cycleOf(node).members, { label: "Members", class: "mid" });
  return make(
    "section",
    {},
    make("h3", {}, "Members: functions that call each other"),
    table.element,
  );
}

// Describes how a function changed since the old profile, if the page has a comparison.
function changeSection(node) {
  const row = changeOf(node);
  if (row < 0) return null;
  const { self, total, calls } = comparison;
  const timeFact = (title, time) =>
    time &&
    fact(
      title,
      signedTime(time, row),
      " from " + seconds(time.old[row]) + " to " + seconds(time.new[row]) + " " + unitName + " per run",
    );
  return make(
    "section",
    {},
    make("h3", {}, "Since the old profile" + (comparedScope && ` (${comparedScope})`)),
    sumText(row) ? make("p", { class: "soft" }, `The ${sumText(row)} named ${comparison.name[row]}:`) : null,
    make(
      "dl",
      { class: "facts changed" },
      timeFact("Self", self),
      timeFact("Total", total && total.change ? total : null),
      calls && isCountedRow(row) ? fact("Calls", counted(calls.old[row]) + " to " + counted(calls.new[row])) : null,
    ),
  );
}

// Makes links that show the node in the call tree, and the tree around it; none if the tree does not contain the node.
function treeLinks(node) {
  if (!tree || !tree.frame.includes(node)) return [];
  return [
    make("a", { href: "#!tree=" + encodeURIComponent("?" + nameOf(node)) }, "Show in the call tree"),
    " · ",
    make("a", { href: linkToTree("around", keyOf(node)) }, "Callers and callees as trees"),
  ];
}

function functionView(node) {
  const cycle = cycleNumber(node);
  const title = make("h2", { class: "function" }, ...nameParts(nameOf(node)));
  const facts = [
    ...(hasTime ? timeFacts(node) : []),
    ...(hasCounts ? callFacts(node) : []),
    ...(isCycle(node) ? [] : [placeFact(node), coroutineFact(node)]),
  ];
  const bar = hasTime ? timeBar(node) : null;
  return make(
    "section",
    {},
    title,
    make("dl", { class: "facts" }, ...facts),
    bar && make("p", { title: barHint }, bar),
    cycle >= 0
      ? make(
          "p",
          {},
          "Member of ",
          nodeLink(functionCount + cycle),
          ": the time of its members is propagated to the callers of the whole cycle.",
        )
      : null,
    make("p", { class: "links" }, ...treeLinks(node)),
    changeSection(node),
    spreadSection(node),
    isCycle(node) ? memberSection(node) : lineSection(node) || instructionSection(node),
    neighbourhoodSection(node),
    arcSection(
      "Callers",
      "Caller",
      callersOf(node),
      (arc) => arcs.caller[arc],
      node,
      "No callers are known.",
    ),
    arcSection(
      "Callees",
      "Callee",
      calleesOf(node),
      (arc) => arcs.callee[arc],
      node,
      "No callees are known.",
    ),
    hasTime && arcs.caller.length > 0
      ? make(
          "p",
          { class: "soft" },
          data.exact
            ? "Call times are measured: each sample counts for the calls that led to it" + pathNote() + "."
            : "Call times are estimates: all calls of a function are assumed to take the same time. Hatched times are" +
              " divided among several callers by this guess.",
        )
      : null,
    hasTime && hasBounds ? boundsNote() : null,
  );
}
