// The flat profile: a table of all functions with a filter.

// Makes the bar of a node: self time in total time, hatched between the bounds of the total time.
function timeBar(node) {
  const between = boundsOf(node),
    isCertain = !between || seconds(between[0]) === seconds(between[1]);
  const bar = shareBar(shareOf(totalOf(node)), shareOf(field(node, "self")), isCertain ? null : between.map(shareOf));
  if (isVague(node)) bar.classList.add("guess");
  if (!isCertain)
    bar.title = `Total: ${rangeOf(...between)} of all time, ${between.map(seconds).join("–")} ${unitName}`;
  return bar;
}

const barHint =
  "Dark: self time; pale: total time; both as shares of all time" +
  (hasBounds || limits.size > 0 ? "; hatched: between the bounds of the total time" : "");

const UNCERTAIN = 0.1; // of all time: a total time with bounds further apart is marked

// Makes the text of the bounds of a node's total time: "LOW–HIGH", or one number if the time is certain.
function boundsText(node, unit = "") {
  const between = boundsOf(node);
  if (!between) return "";
  const [low, high] = between.map(seconds),
    isUncertain = hasBounds && shareOf(between[1] - between[0]) > UNCERTAIN;
  return (low === high ? low : low + "–" + high) + unit + (isUncertain ? "?" : "");
}

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
    class: "medium self",
  },
  {
    title: "±",
    hint: "Statistical error of the self time (one standard deviation: two of three runs are within it)",
    value: (f) => functions.self_error[f],
    cell: (f) => (functions.self_error[f] === null ? "" : seconds(functions.self_error[f])),
    class: "error wide",
  },
  {
    title: "Total %",
    hint: "Total time as a share of all time",
    value: totalOf,
    cell: (f) => percent(shareOf(totalOf(f))),
    class: "wide",
  },
  {
    title: "Total " + unitName,
    hint:
      `Time in the function and its callees (${data.exact ? "measured" : "estimated from call counts"})` + pathNote(),
    value: totalOf,
    cell: (f) => seconds(totalOf(f)),
    class: "",
  },
  {
    title: "Bounds",
    hint: "The lowest and the highest total time that the calls permit; ? marks those that are far apart",
    value: (f) => boundsOf(f) && boundsOf(f)[1] - boundsOf(f)[0],
    cell: boundsText,
    class: "bounds wide",
    shown: hasBounds,
  },
  { title: "Self in total", hint: barHint, value: totalOf, cell: timeBar, class: "bar" },
].filter((column) => column.shown !== false);

const callColumns = [
  {
    title: "Calls",
    hint: "Calls from other functions; empty if they were not counted",
    value: (f) => functions.calls[f],
    cell: (f) => (isCounted(f) ? counted(functions.calls[f]) : ""),
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
  return placeLink(placeOf(f), target);
}

function flatColumns() {
  const hasPlaces = functions.file.some((file) => file >= 0);
  return [
    ...(hasTime ? timeColumns : []),
    ...(hasCounts ? callColumns.slice(0, hasTime ? 2 : 1) : []),
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

// Says what the bounds assume.
function boundsNote() {
  return make(
    "p",
    { class: "soft" },
    "Bounds of total times assume one thread, a symbol for every function, and that recording was never switched off. ",
    "? marks bounds that are further apart than a tenth of the time: " +
      (data.exact ? "the times themselves were measured." : "record call paths (gprof.lua --record) to know the time."),
    cycles.length > 0 ? " Of a function in a cycle, the total time lacks that of the cycle's other members." : null,
  );
}

// Whether a function is in the list, given the test of the search field.
const isListed = (f, test) => isShown(f) && (test(nameOf(f)) || test(placeOf(f)));

function flatTable() {
  const columns = flatColumns(),
    rows = functions.name.map((_, f) => f);
  const sorted = columns.find((column) => column.title.startsWith(hasTime ? "Self %" : "Calls"));
  const table = makeTable(columns, rows, { sorted, label: "Flat profile", class: "flat", isSearched: true });
  return { table, matches: isListed, describe: describeShown };
}

// Makes the list of functions, in groups if there is a grouping.
function flatView(grouping) {
  const { table, matches, describe } = grouping ? groupTable(grouping) : flatTable();
  const search = tableSearch("Filter by name or file, or /regex/", table, matches, describe),
    bench = makeBench(table.element),
    showFilter = keepInAddress(table, search);
  // A group may be shown because of its own name.
  if (!grouping)
    search.areNames = (test) => functions.name.every((name, f) => test(name) || !isListed(f, test));
  // Shows what the address says.
  function show() {
    const selected = nodeByKey(addressParameters().get("at"));
    showFilter();
    const [first] = table.shown();
    if (selected !== undefined) bench.show(selected);
    else if (first !== undefined) bench.show(hottestMember(first));
  }
  wideScreen.addEventListener("change", () => element.isConnected && show());

  const element = make(
    "section",
    { class: "functions" },
    make("div", { class: "tools" }, search.input, search.status),
    bench.element,
    hasTime && hasBounds ? boundsNote() : null,
    functionCount === 0 ? make("p", { class: "empty" }, "This profile has no samples and no calls.") : null,
  );
  return { element, show };
}
