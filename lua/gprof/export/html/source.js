// Annotated source: a table of files, and for each file its lines with time and counts, and a map of where in the file
// the time is.

const sourceByName = new Map(data.sources.map((file) => [file.name, file]));

// Makes the link to a line of a file; null if its source is not in the page.
function sourceLink(file, line) {
  return file && sourceByName.has(file)
    ? "#!source=" + encodeURIComponent(file) + (line ? ":" + line : "")
    : null;
}

// Returns the longest directory, with its slash, that all names begin with; may be empty.
function commonDirectory(names) {
  let common = names[0].replace(/[^/]*$/, "");
  while (!names.every((name) => name.startsWith(common))) common = common.replace(/[^/]*\/$/, "");
  return common;
}

function sourceListView() {
  if (data.sources.length === 0) {
    const why = "This page contains no source: the program has no debugging information, or the source was not found.";
    return { element: make("p", { class: "empty" }, why), show() {} };
  }
  const common = commonDirectory(data.sources.map((file) => file.name));
  const share = (file) => shareOf(file.seconds);
  const columns = [
    {
      title: "%",
      hint: "Share of all time",
      value: (file) => file.seconds,
      cell: (file) => percent(share(file)),
      class: "",
    },
    {
      title: "Self " + unitName,
      value: (file) => file.seconds,
      cell: (file) => seconds(file.seconds),
      class: "",
    },
    { title: "Share", cell: (file) => shareBar(0, share(file)), class: "bar" },
  ];
  const more = [
    {
      title: "Calls",
      hint: "Calls of functions in this file",
      value: (file) => file.calls,
      cell: (file) => counted(file.calls),
      class: "medium",
    },
    {
      title: "File",
      value: (file) => file.name,
      upwards: true,
      class: "name left",
      cell: (file) =>
        make("a", { href: sourceLink(file.name), title: file.name }, file.name.slice(common.length)),
    },
  ];
  const table = makeTable([...(hasTime ? columns : []), ...more], data.sources, {
    label: "Source files",
    class: "mid",
    sorted: hasTime ? columns[0] : more[0],
    isSearched: true,
  });
  const matches = (file, test) => isShownFile(file.name) && test(file.name),
    describe = (shown) => counted(shown.length) + (shown.length === 1 ? " file" : " files"),
    search = tableSearch("Filter by name, or /regex/", table, matches, describe);
  const element = make(
    "section",
    {},
    make("div", { class: "tools" }, search.input, search.status),
    common ? make("p", { class: "soft" }, "Files in ", make("span", { class: "mono" }, common)) : null,
    table.element,
  );
  return { element, show: keepInAddress(table, search) };
}

const linesOfFiles = new Map();

// Returns the lines of a file: { number, text, known, callees, before, isAdded, inlined, code, gap }. `known` has the
// figures, `callees` the time of the functions that the line calls, `before` its time in the old profile, `inlined` the
// callers of an inlined line, and `code` its instructions; `isAdded` means that the old text lacks the line, and `gap`
// that lines before this one are left out.
function linesOf(file) {
  if (!linesOfFiles.has(file)) linesOfFiles.set(file, makeLines(file));
  return linesOfFiles.get(file);
}

// Makes a map of a list of keys, each followed by its value.
function pairsOf(list) {
  const map = new Map();
  for (let i = 0; i < list.length; i += 2) map.set(list[i], list[i + 1]);
  return map;
}

function makeLines(file) {
  const lines = [],
    known = new Map(file.known.map((entry) => [entry[0], entry])),
    inlined = new Map(file.inlined.map((entry) => [entry[0], entry])),
    code = new Map(file.code.map((entry) => [entry[0], entry])),
    jumps = pairsOf(file.jumps),
    callees = pairsOf(file.callees),
    old = file.old || { places: [], times: [], added: [] },
    before = new Map(old.places.map((place, i) => [place, old.times[i]])),
    added = new Set(old.added);
  let number = 1;
  file.text.forEach((text, i) => {
    const gap = jumps.has(i);
    number = jumps.get(i) || number;
    const figures = { known: known.get(i), callees: callees.get(i), inlined: inlined.get(i), code: code.get(i) };
    lines.push({ number, text, ...figures, before: before.get(i), isAdded: added.has(i), gap });
    number++;
  });
  return lines;
}

// Returns the opacity of the colour behind a time, and in the map of the file.
const heatOf = (time, most) => 0.25 + (0.75 * time) / most;

function heatCell(time, most, title) {
  if (!(time > 0)) return make("td", { class: "heat" });
  const heat = make("i");
  heat.style.opacity = heatOf(time, most);
  return make("td", { class: "heat", title }, heat, make("span", {}, seconds(time)));
}

const errorText = ([, time, error]) => `${seconds(time)} ± ${seconds(error)} ${unitName}`;

// Makes the rows of a line's instructions.
function instructionRows({ code, text }, shown) {
  const [, first, steps, times, texts] = code,
    indent = text.match(/^\s*/)[0],
    addressOf = (step) => (BigInt("0x" + first) + BigInt(step)).toString(16);
  return texts.map((instruction, i) => make("tr", { class: "code" },
    make("td"),
    heatCell(times[i], shown.most),
    ...[shown.old, shown.callees, shown.calls, shown.blocks].filter(Boolean).map(() => make("td")),
    make("td", { class: "text" }, make("span", { class: "soft" }, indent, addressOf(steps[i]), "  "), instruction),
  ));
}

const codeOfFunctions = lazily(() => new Map(data.code.map((entry) => [entry[0], entry])));

// Makes the instructions around the hottest place of a function without source; null if they are not known.
function instructionSection(node) {
  const code = codeOfFunctions().get(node);
  if (!code) return null;
  const rows = instructionRows({ code, text: "" }, { most: Math.max(...code[3]) });
  return make(
    "section",
    { class: "excerpt" },
    make("h3", {}, "Instructions"),
    make("table", { "class": "source", "aria-label": "Instructions" }, make("tbody", {}, ...rows)),
  );
}

// Makes the button with a line's number, which shows its instructions or hides them.
function codeButton(line, shown) {
  const rows = lazily(() => instructionRows(line, shown));
  function toggle() {
    const isOpen = button.ariaExpanded !== "true";
    button.ariaExpanded = String(isOpen);
    if (isOpen) button.closest("tr").after(...rows());
    else for (const row of rows()) row.remove();
  }
  const button = make("button", { "class": "fold", "type": "button", "aria-expanded": "false", "click": toggle,
    "aria-label": `Instructions of line ${line.number}` }, String(line.number));
  return button;
}

const HOT = 0.1; // share of the hottest line's time; lines with more are visited by keys

const classOfLine = ({ number, isAdded }, target) =>
  [number === target && "here", isAdded && "added"].filter(Boolean).join(" ") || null;

function lineRow(line, shown, target) {
  const entry = line.known,
    isHot = entry && entry[1] > 0 && entry[1] >= HOT * shown.most,
    cells = [make("td", { class: "number" }, line.code ? codeButton(line, shown) : String(line.number))];
  if (hasTime) cells.push(entry ? heatCell(entry[1], shown.most, errorText(entry)) : make("td"));
  if (shown.old) cells.push(make("td", { class: "before" }, line.before ? seconds(line.before) : ""));
  if (shown.callees) cells.push(make("td", { class: "callees" }, line.callees ? seconds(line.callees) : ""));
  if (shown.calls) cells.push(make("td", {}, entry && entry[3] > 0 ? counted(entry[3]) : ""));
  if (shown.blocks) cells.push(make("td", {}, entry && entry[4] >= 0 ? counted(entry[4]) : ""));
  cells.push(make("td", { class: "text" }, ...colouredText(line)));
  return make(
    "tr",
    { "class": classOfLine(line, target), "data-line": line.number, "data-hot": Boolean(isHot) },
    ...cells,
  );
}

// Makes the row that says where a line was inlined, with the parts of the line's time.
function callersRow(line, columns) {
  const [, others, rest, ...fields] = line.inlined,
    part = (time) => " " + (100 * (time / line.known[1])).toFixed(0) + " %",
    places = [];
  for (let i = 0; i < fields.length; i += 4) {
    const [name, file, number, time] = fields.slice(i, i + 4),
      path = data.files[file],
      place = path ? baseName(path) + ":" + number : "?";
    const link = placeLink(place, sourceLink(path, number), name);
    places.push(splitOnce(name || "?")[0] + " (", link, ")" + part(time) + ", ");
  }
  if (others > 0) places.push(counted(others) + " more" + part(rest));
  else places.push(places.pop().slice(0, -2));
  const cell = make("td", { class: "text" }, line.text.match(/^\s*/)[0] + "↳ inlined in ", ...places);
  return make("tr", { class: "callers" }, make("td", { colspan: columns }), cell);
}

// Marks the next hot line of the file shown, or with -1 the previous one, and scrolls to it.
function stepToHotLine(step) {
  const rows = [...view.querySelectorAll("tr[data-line]")],
    here = rows.findIndex((row) => row.classList.contains("here"));
  let at = here + step;
  while (at >= 0 && at < rows.length && rows[at].dataset.hot === undefined) at += step;
  if (at >= 0 && at < rows.length) markLine(rows[at]);
}

// Marks the row of a line, and scrolls to it.
function markLine(row) {
  const before = view.querySelector("tr.here");
  if (before) before.classList.remove("here");
  row.classList.add("here");
  row.scrollIntoView({ block: "center" });
}

// Shows or hides the instructions of the marked line.
function toggleCode() {
  const button = view.querySelector("tr.here .fold");
  if (!button) return false;
  button.click();
}

// Makes the map of a file: a mark for each line with time, at its place in the file. A click leads to the nearest one.
function sourceMap(lines, shown) {
  const map = make("div", { "class": "map", "aria-hidden": "true", "title": "Where in the file the time is" });
  const timed = lines.map((line, i) => [line, i]).filter(([line]) => line.known && line.known[1] > 0);
  for (const [line, i] of timed) {
    const mark = make("i");
    mark.style.top = (100 * i) / lines.length + "%";
    mark.style.opacity = heatOf(line.known[1], shown.most);
    map.append(mark);
  }
  map.addEventListener("click", (event) => {
    const wanted = ((event.clientY - map.getBoundingClientRect().top) / map.clientHeight) * lines.length;
    const nearest = timed.reduce((best, entry) =>
      Math.abs(entry[1] - wanted) < Math.abs(best[1] - wanted) ? entry : best,
    );
    markLine(view.querySelector(`[data-line="${nearest[0].number}"]`));
  });
  return timed.length > 0 ? map : null;
}

// Returns the number of a file's hottest line; 0 if no line has time.
function hottestNumber(file) {
  const most = Math.max(0, ...file.known.map((entry) => entry[1]));
  const line = most > 0 && linesOf(file).find((found) => found.known && found.known[1] === most);
  return line ? line.number : 0;
}

// Returns what figures the lines of a file have: the most time, and whether there are old times, callees, calls and
// blocks.
const figuresOf = ({ known, callees, old }) => ({
  old: hasTime && Boolean(old) && !shownThreads,
  callees: hasTime && callees.length > 0,
  most: Math.max(0, ...known.map((entry) => entry[1])),
  calls: known.some((entry) => entry[3] > 0),
  blocks: known.some((entry) => entry[4] >= 0),
});

// Returns the columns of a file's figures: arrays of a title, a class and a hint.
function columnsOfSource(shown) {
  const estimate = data.exact
    ? "measured" + pathNote()
    : "estimated: all calls of a function are taken to be equally long";
  return [
    ["Line"],
    hasTime && ["Self " + unitName, "", "Time in the line's own code"],
    shown.old && ["Old " + unitName, "", "Time of the line in the old profile, for as many runs"],
    shown.callees && ["Callees " + unitName, "callees", "Time of what the line calls, with its callees; " + estimate],
    shown.calls && ["Calls"],
    shown.blocks && ["Blocks"],
  ].filter(Boolean);
}

function sourceHead(columns, name) {
  const cells = columns.map(([title, style, hint]) => make("th", { scope: "col", class: style, title: hint }, title));
  return make("thead", {}, make("tr", {}, ...cells, make("th", { scope: "col", class: "left" }, name)));
}

// Says which lines are new, or why there are no old times; null if there is nothing to say.
function oldNote({ old }) {
  if (shownThreads || old === null || (old && old.added.length === 0)) return null;
  const text = old ? "Lines with + are not in the old source." :
    "Old times of lines are not known: the source that the old program was built from was not found, or has changed.";
  return make("p", { class: "soft" }, text);
}

// Makes the view of a file. `target` is the line to mark.
function sourceView(name, target) {
  const file = sourceByName.get(name);
  if (!file) return make("p", { class: "empty" }, "This page does not contain the source of " + name + ".");
  const shown = figuresOf(file);
  const columns = columnsOfSource(shown);
  const body = make("tbody"),
    directory = file.name.slice(0, -baseName(file.name).length),
    lines = linesOf(file);
  colourLines(lines, file.name);
  for (const line of lines) {
    if (line.gap)
      body.append(
        make(
          "tr",
          { class: "gap" },
          make("td", { colspan: columns.length + 1 }, "… lines without figures are left out"),
        ),
      );
    body.append(lineRow(line, shown, target));
    if (line.inlined && line.known) body.append(callersRow(line, columns.length));
  }
  const last = lines.length > 0 ? lines[lines.length - 1].number : 0;
  if (last < file.count)
    body.append(
      make(
        "tr",
        { class: "gap" },
        make("td", { colspan: columns.length + 1 }, "… lines up to " + counted(file.count) + " are left out"),
      ),
    );
  return make(
    "section",
    {},
    make("h2", { class: "function file" }, make("span", { class: "scope" }, directory), baseName(file.name)),
    data.sources.length > 1
      ? make("p", { class: "links" }, make("a", { href: "#!files" }, `All files (${counted(data.sources.length)})`))
      : null,
    oldNote(file),
    make(
      "div",
      // On a phone, the box is scrolled. Without buttons in it, it is a stop of its own.
      {
        "class": "sourcebox", "role": "group", "aria-label": "Source",
        "tabindex": file.code.length === 0 ? "0" : null,
      },
      make("table", { "class": "source", "aria-label": "Annotated source" },
        sourceHead(columns, "Source of " + baseName(file.name)), body),
      hasTime ? sourceMap(lines, shown) : null,
    ),
  );
}
