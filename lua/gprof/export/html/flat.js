// The flat profile: a table of all functions with a filter.

const timeColumns = [
  {
    title: "Self %",
    hint: "Self time as a share of the total time",
    value: (f) => functions.self[f],
    cell: (f) => percent(shareOf(functions.self[f])),
    class: "",
  },
  {
    title: "Self " + unitName,
    hint: "Time in the function itself, without its callees",
    value: (f) => functions.self[f],
    cell: (f) => seconds(functions.self[f]),
    class: "medium",
  },
  {
    title: "±",
    hint: "Statistical error of the self time (one standard deviation: two of three runs are within it)",
    value: (f) => functions.self_error[f],
    cell: (f) => (functions.self_error[f] === null ? "" : seconds(functions.self_error[f])),
    class: "error wide",
  },
  {
    title: "Total " + unitName,
    hint: `Time in the function and its callees (${data.exact ? "measured" : "estimated from call counts"})`,
    value: totalOf,
    cell: (f) => seconds(totalOf(f)),
    class: "",
  },
  {
    title: "Self in total",
    hint: "Dark: self time; pale: total time; both as shares of all time",
    value: totalOf,
    cell: (f) => shareBar(shareOf(totalOf(f)), shareOf(functions.self[f])),
    class: "bar",
  },
];

const callColumns = [
  {
    title: "Calls",
    hint: "Calls from other functions",
    value: (f) => functions.calls[f],
    cell: (f) => counted(functions.calls[f]),
    class: "medium",
  },
  {
    title: "Self/call",
    hint: "Average self time per call",
    value: (f) => selfPerCall(f),
    cell: (f) => perCall(selfPerCall(f)),
    class: "unit wide",
  },
];

function selfPerCall(f) {
  return functions.calls[f] > 0 ? functions.self[f] / functions.calls[f] : null;
}

// Makes a link to a function, and to its cycle if it is in one.
function nameCell(f) {
  const link = nodeLink(f),
    cycle = cycleNumber(f);
  if (cycle < 0) return link;
  return make(
    "span",
    {},
    link,
    make("a", { class: "tag", href: linkTo(functionCount + cycle) }, "cycle " + (cycle + 1)),
  );
}

const nameColumns = [
  { title: "Function", value: nameOf, upwards: true, cell: nameCell, class: "name left" },
  { title: "Source", value: placeOf, upwards: true, cell: sourceCell, class: "file left wide" },
];

// The link leads to the function's hottest line.
function sourceCell(f) {
  const hot = hottestLine(f),
    target = hot ? sourceLink(hot.file, hot.number) : sourceLink(fileOf(f), functions.line[f]);
  return target ? make("a", { href: target }, placeOf(f)) : placeOf(f);
}

function flatColumns() {
  const hasPlaces = functions.file.some((file) => file >= 0);
  return [
    ...(hasTime ? timeColumns : []),
    ...(hasCalls ? callColumns.slice(0, hasTime ? 2 : 1) : []),
    ...nameColumns.slice(0, hasPlaces ? 2 : 1),
  ];
}

// Returns the number of matching functions, and their share of the time.
function describeShown(shown) {
  const all = shown.length === functionCount;
  const time = shown.reduce((sum, f) => sum + functions.self[f], 0);
  const number = all ? counted(functionCount) : counted(shown.length) + " of " + counted(functionCount);
  const share = hasTime && !all ? ", " + percent(shareOf(time)) + " % of the time" : "";
  return number + (functionCount === 1 ? " function" : " functions") + share;
}

function flatView() {
  const columns = flatColumns(),
    rows = functions.name.map((_, f) => f);
  const sorted = columns.find((column) => column.title.startsWith(hasTime ? "Self %" : "Calls"));
  const table = makeTable(columns, rows, { sorted, label: "Flat profile", class: "flat" });
  const matches = (f, test) => test(nameOf(f)) || test(placeOf(f));
  const search = tableSearch("Filter by name or file, or /regex/", table, matches, describeShown);
  return make(
    "section",
    {},
    make("div", { class: "tools" }, search.input, search.status),
    table.element,
    functionCount === 0 ? make("p", { class: "empty" }, "This profile has no samples and no calls.") : null,
  );
}
