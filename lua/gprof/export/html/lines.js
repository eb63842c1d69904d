// The lines with the most time: a table of all, those of a function, and links to them.

// Each row of the data is a line and a function. Returns the rows by a key.
function lineRowsBy(keyOf) {
  const groups = new Map();
  for (let row = 0; row < data.lines.line.length; row++) {
    const key = keyOf(row);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(row);
  }
  return groups;
}

// Makes the line of rows with the same file and number.
function makeLine(rows) {
  const { file, line, self, self_error } = data.lines;
  return {
    file: data.files[file[rows[0]]],
    number: line[rows[0]],
    time: rows.reduce((sum, row) => sum + self[row], 0),
    variance: rows.reduce((sum, row) => sum + self_error[row] ** 2, 0),
    rows,
  };
}

const hotterFirst = (a, b) => b.time - a.time;

const allLines = [...lineRowsBy((row) => data.lines.file[row] + ":" + data.lines.line[row]).values()]
  .map(makeLine)
  .sort(hotterFirst);

const errorOf = (line) => Math.sqrt(line.variance);
const lineName = (line) => baseName(line.file) + ":" + line.number;

// Returns the name of the function that was inlined into a row's function; null if none was, or if it is a function of
// its own.
function inlinedIn(row) {
  const inlined = data.lines.name[row],
    node = data.lines.node[row];
  return node >= 0 && nameOf(node) === inlined ? null : inlined;
}

// Returns the name of a row's function: of the inlined one, if the line was inlined.
function rowFunction(row) {
  const inlined = inlinedIn(row),
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

const linePlace = (line) => placeLink(lineName(line), sourceLink(line.file, line.number), line.file);

// Makes the cell with a line's function, the one with most of the line's time: a link, after the name of the inlined
// function if the line was inlined.
function lineFunctions(line) {
  const node = data.lines.node[line.rows[0]],
    inlined = inlinedIn(line.rows[0]),
    more = line.rows.length - 1;
  const [own, scope] = node >= 0 ? splitOnce(nameOf(node)) : [null, ""];
  return make(
    "span",
    {},
    inlined !== null ? make("span", { title: inlined }, splitOnce(inlined)[0] + (node >= 0 ? " in " : "")) : null,
    node >= 0 ? make("a", { href: linkTo(node), title: nameOf(node) }, own) : null,
    scope ? make("span", { class: "scope" }, " " + scope) : null,
    more > 0 ? make("span", { class: "tag" }, counted(more) + " more") : null,
  );
}

// `share` returns the share that a line's time is.
function lineColumns(lines, share) {
  const most = lines.length > 0 ? lines[0].time : 0; // the hottest line comes first
  return [
    {
      title: "Self %",
      hint: "Self time as a share of the total time",
      value: (line) => line.time,
      cell: (line) => percent(share(line.time)),
      class: "",
    },
    {
      title: "Self " + unitName,
      hint: "Time in the line's own code, without the functions that it calls",
      value: (line) => line.time,
      cell: (line) => seconds(line.time),
      class: "medium self",
    },
    {
      title: "±",
      hint: "Statistical error of the self time (one standard deviation)",
      value: errorOf,
      cell: (line) => seconds(errorOf(line)),
      class: "error wide",
    },
    {
      title: "Share",
      hint: "Compared with the hottest line",
      cell: (line) => shareBar(0, most > 0 ? line.time / most : 0),
      class: "bar",
    },
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

const timeOfLines = (lines) => lines.reduce((sum, line) => sum + line.time, 0);

function describeLines(lines) {
  const number = counted(lines.length) + (lines.length === 1 ? " line" : " lines");
  return number + ", " + percent(shareOf(timeOfLines(lines))) + " % of the time";
}

function linesView() {
  const columns = [...lineColumns(allLines, shareOf), functionColumn, textColumn];
  const table = makeTable(columns, allLines, { label: "Lines", class: "lines", sorted: columns[0], isSearched: true });
  const matches = (line, test) =>
    line.rows.some((row) => isShown(data.lines.node[row])) &&
    (test(lineName(line)) || test(textOf(line)) || line.rows.some((row) => test(rowFunction(row))));
  const search = tableSearch("Filter by file, function or text, or /regex/", table, matches, describeLines);
  const { time } = data.lines,
    shares = [data.total - time, time - timeOfLines(allLines)].map((part) => part / data.total),
    places = ["code without line information", "lines with less time, which are not listed"],
    missing = places
      .map((place, i) => shares[i] >= 0.0005 && `${percent(shares[i])} % of the time is in ${place}`)
      .filter(Boolean);
  const element = make(
    "section",
    {},
    make("div", { class: "tools" }, search.input, search.status),
    missing.length > 0 ? make("p", { class: "soft" }, missing.join(", ") + ".") : null,
    table.element,
  );
  return { element, show: keepInAddress(table, search) };
}

// The lines of each function, the hottest first. A line shared by functions counts for each with its part.
const linesByNode = new Map();
for (const [node, rows] of lineRowsBy((row) => data.lines.node[row]))
  linesByNode.set(node, rows.map((row) => makeLine([row])).sort(hotterFirst));

const SHOWN_LINES = 10; // in the view of a function

const hottestLine = (node) => (linesByNode.get(node) || [])[0] || null;

// Makes the list of a function's hottest lines; null if it has none.
function lineSection(node) {
  const lines = linesByNode.get(node) || [];
  if (lines.length === 0) return null;
  const whole = Math.max(field(node, "self"), timeOfLines(lines));
  const columns = lineColumns(lines, (time) => (whole > 0 ? time / whole : 0)).map((column) =>
    column.title === "Self %" ? { ...column, hint: "Share of this function's self time" } : column,
  );
  const inlined = lines.some((line) => inlinedIn(line.rows[0]) !== null);
  const table = makeTable(
    [...columns, ...(inlined ? [{ ...functionColumn, title: "Inlined function", cell: inlinedName }] : []), textColumn],
    lines.slice(0, SHOWN_LINES),
    { label: "Hottest lines", class: "lines", sorted: columns[0] },
  );
  const rest = lines.length - SHOWN_LINES;
  return make(
    "section",
    {},
    make("h3", {}, "Hottest lines"),
    table.element,
    rest > 0
      ? make("p", { class: "soft" }, `${counted(rest)} more ${rest === 1 ? "line has" : "lines have"} less time.`)
      : null,
  );
}

function inlinedName(line) {
  const inlined = inlinedIn(line.rows[0]);
  return inlined === null ? "" : make("span", { title: inlined }, splitOnce(inlined)[0]);
}
