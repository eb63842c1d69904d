// The lines with the most time: a table of all, those of a function, and links to them.

// Each row of the data is a line and a function. A line has its `file` and `number`, `time`, `variance`, and `rows`.
const allLines = collectLines(data.lines);

function collectLines(rows) {
  const lines = new Map();
  rows.self.forEach((time, row) => {
    const key = rows.file[row] + ":" + rows.line[row];
    if (!lines.has(key))
      lines.set(key, {
        file: data.files[rows.file[row]],
        number: rows.line[row],
        time: 0,
        variance: 0,
        rows: [],
      });
    const line = lines.get(key);
    line.time += time;
    line.variance += rows.self_error[row] ** 2;
    line.rows.push(row);
  });
  return [...lines.values()].sort((a, b) => b.time - a.time);
}

const errorOf = (line) => Math.sqrt(line.variance);
const lineName = (line) => baseName(line.file) + ":" + line.number;

// Returns the name of a row's function: of the inlined one, if the line was inlined.
function rowFunction(row) {
  const inlined = data.lines.name[row],
    node = data.lines.node[row];
  return inlined !== null ? inlined : node >= 0 ? labelOf(node) : "";
}

// Returns the text of a line without indentation; empty if the page does not contain it.
const textsOfFiles = new Map();
function textOf(line) {
  const file = sourceByName.get(line.file);
  if (!file) return "";
  if (!textsOfFiles.has(file))
    textsOfFiles.set(file, new Map(linesOf(file).map(({ number, text }) => [number, text.trim()])));
  return textsOfFiles.get(file).get(line.number) || "";
}

function linePlace(line) {
  const target = sourceLink(line.file, line.number);
  return target ? make("a", { href: target, title: line.file }, lineName(line)) : lineName(line);
}

// Makes the cell with a line's function, the one with most of the line's time: a link, after the name of the inlined
// function if the line was inlined.
function lineFunctions(line) {
  const node = data.lines.node[line.rows[0]],
    inlined = data.lines.name[line.rows[0]],
    more = line.rows.length - 1;
  return make(
    "span",
    {},
    inlined !== null ? make("span", { title: inlined }, splitOnce(inlined)[0] + (node >= 0 ? " in " : "")) : null,
    node >= 0 ? make("a", { href: linkTo(node), title: nameOf(node) }, splitOnce(nameOf(node))[0]) : null,
    more > 0 ? make("span", { class: "tag" }, counted(more) + " more") : null,
  );
}

function lineColumns(whole) {
  return [
    {
      title: "Self %",
      hint: "Self time as a share of the total time",
      value: (line) => line.time,
      cell: (line) => percent(whole > 0 ? line.time / whole : 0),
      class: "",
    },
    {
      title: "Self " + unitName,
      hint: "Time in the line's own code, without the functions that it calls",
      value: (line) => line.time,
      cell: (line) => seconds(line.time),
      class: "medium",
    },
    {
      title: "±",
      hint: "Statistical error of the self time (one standard deviation)",
      value: errorOf,
      cell: (line) => seconds(errorOf(line)),
      class: "error wide",
    },
    { title: "Share", cell: (line) => shareBar(0, whole > 0 ? line.time / whole : 0), class: "bar" },
    { title: "Line", value: lineName, upwards: true, cell: linePlace, class: "place left" },
  ];
}

const functionColumn = {
  title: "Function",
  value: (line) => rowFunction(line.rows[0]),
  upwards: true,
  cell: lineFunctions,
  class: "owner left",
};

const textColumn = {
  title: "Source",
  cell: (line) => make("code", {}, textOf(line)),
  class: "code left",
};

function linesView() {
  const columns = [...lineColumns(data.total), functionColumn, textColumn];
  const table = makeTable(columns, allLines, { label: "Lines", class: "lines", sorted: columns[0] });
  const status = make("span", { class: "soft", role: "status" });
  const describe = () => {
    const shown = table.shown(),
      time = shown.reduce((sum, line) => sum + line.time, 0);
    status.textContent =
      `${counted(shown.length)} ${shown.length === 1 ? "line" : "lines"}, ` +
      `${percent(shareOf(time))} % of the time`;
  };
  const search = searchField("Filter by file, function or text, or /regex/", (query) => {
    const test = matcher(query);
    if (!test) return (status.textContent = "Invalid regular expression");
    table.filter(
      (line) => test(lineName(line)) || test(textOf(line)) || line.rows.some((row) => test(rowFunction(row))),
    );
    describe();
  });
  describe();
  const missing = 1 - shareOf(allLines.reduce((sum, line) => sum + line.time, 0));
  return make(
    "section",
    {},
    make("div", { class: "tools" }, search, status),
    missing >= 0.0005
      ? make("p", { class: "soft" }, `${percent(missing)} % of the time is in code without line information.`)
      : null,
    table.element,
  );
}

// The lines of each function, the heaviest first. A line shared by functions counts for each with its part.
const linesByNode = new Map();
data.lines.self.forEach((time, row) => {
  const node = data.lines.node[row];
  if (node < 0) return;
  if (!linesByNode.has(node)) linesByNode.set(node, []);
  linesByNode.get(node).push({
    file: data.files[data.lines.file[row]],
    number: data.lines.line[row],
    time,
    variance: data.lines.self_error[row] ** 2,
    rows: [row],
  });
});
for (const lines of linesByNode.values()) lines.sort((a, b) => b.time - a.time);

const SHOWN_LINES = 10; // in the view of a function

const hottestLine = (node) => (linesByNode.get(node) || [])[0] || null;

// Makes the list of a function's hottest lines; null if it has none.
function lineSection(node) {
  const lines = linesByNode.get(node) || [];
  if (lines.length === 0) return null;
  const columns = lineColumns(field(node, "self")).map((column) =>
    column.title === "Self %" ? { ...column, hint: "Share of this function's self time" } : column,
  );
  const inlined = lines.some((line) => data.lines.name[line.rows[0]] !== null);
  const table = makeTable(
    [...columns, ...(inlined ? [{ ...functionColumn, title: "Inlined function", cell: inlinedName }] : []), textColumn],
    lines.slice(0, SHOWN_LINES),
    { label: "Hottest lines", class: "lines" },
  );
  const rest = lines.length - SHOWN_LINES;
  return make(
    "section",
    {},
    make("h3", {}, "Hottest lines"),
    table.element,
    rest > 0 ? make("p", { class: "soft" }, `${counted(rest)} more lines have less time.`) : null,
  );
}

function inlinedName(line) {
  const inlined = data.lines.name[line.rows[0]];
  return inlined === null ? "" : make("span", { title: inlined }, splitOnce(inlined)[0]);
}
