// How functions differ between the runs that were added up.

const { spread } = data;

// The functions are those of all threads in the view with which the page opens.
const spreadName = (row) => (row === spread.node.length ? "whole run" : firstNames[spread.node[row]]);

const nodesById = lazily(() => new Map(functions.id.map((id, node) => [id, node])));

// Links to a function, if the view that is shown has it.
function spreadLink(row) {
  if (row === spread.node.length) return make("em", {}, spreadName(row));
  const node = nodesById().get(spread.node[row]);
  return node === undefined ? make("span", {}, spreadName(row)) : nodeLink(node);
}

// The runs are files, often with the same name in directories beside each other. Tables lack what the paths share.
const sharedByRuns = lazily(() => {
  const runs = [spread.self, spread.calls].flatMap((amounts) => (amounts ? amounts.who.filter(Boolean) : []));
  if (new Set(runs).size < 2) return null;
  const before = commonDirectory(runs),
    ending = "/" + baseName(runs[0]);
  return { before, after: runs.every((run) => run.slice(before.length).endsWith(ending)) ? ending : "" };
});

function runName(who) {
  const shared = sharedByRuns();
  if (!shared) return (who || "").replace(/^.*\/(?=[^/]*\/)/, "…/");
  return who ? who.slice(shared.before.length, who.length - shared.after.length) : "";
}

function aboutRuns() {
  const shared = sharedByRuns(),
    pattern = shared ? shared.before + "*" + shared.after : "*";
  if (pattern === "*") return null;
  return make("p", { class: "soft" }, "Runs are named by * in ", make("span", { class: "mono" }, pattern), ".");
}

const spreadColumn = (title, hint, value, cell, style) => ({ title, hint, value, cell, class: style });

// Makes a strip from 0 to the maximum of all runs: pale from the minimum on, dark where the standard deviation around
// the mean is, which is marked.
function rangeStrip({ min, max, mean, deviation }, row) {
  const most = max[row],
    strip = make("span", { "class": "share range", "aria-hidden": "true" });
  const low = Math.max(min[row], mean[row] - deviation[row]),
    high = Math.min(most, mean[row] + deviation[row]);
  const parts = [["i", min[row], most], ["i", low, high], ["b", mean[row], mean[row]]];
  for (const [tag, from, to] of parts) {
    const part = strip.appendChild(make(tag));
    part.style.left = (100 * from) / most + "%";
    if (tag === "i") part.style.width = (100 * (to - from)) / most + "%";
  }
  return strip;
}

const LEVEL_DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"; // shares of the maximum

// Makes a strip with a field for each run, in the order of the profiles: the darker, the more time. Empty if the times
// of the runs are not in the page.
function runsStrip(row) {
  const levels = spread.strips && spread.strips[row];
  if (!levels) return "";
  const strip = make("span", { "class": "share runs", "aria-hidden": "true" }),
    percentOf = (run) => ((100 * run) / levels.length).toFixed(3) + "%";
  const stops = [...levels].map((level, run) => {
    const share = (100 * LEVEL_DIGITS.indexOf(level)) / (LEVEL_DIGITS.length - 1);
    return `color-mix(in srgb, var(--deep) ${share.toFixed(0)}%, var(--wash)) ${percentOf(run)} ${percentOf(run + 1)}`;
  });
  strip.style.backgroundImage = `linear-gradient(90deg, ${stops.join(", ")})`;
  return strip;
}

// Returns the columns of a table of times or calls; `amounts` has the values of functions and, last, of whole runs.
function spreadColumns(amounts, format) {
  const column = (title, hint, name, style) =>
    spreadColumn(title, hint, (row) => amounts[name][row], (row) => format(amounts[name][row]), style);
  const ratio = (row) => (amounts.ratio[row] === null ? "" : amounts.ratio[row].toFixed(2));
  return [
    column("Lost", "Maximum - mean: what would be saved if all runs were equal", "lost", ""),
    spreadColumn("Range", "From 0 to the maximum: pale from the minimum on, dark a standard deviation around the mean",
      undefined, (row) => rangeStrip(amounts, row), "bar medium"),
    ...(amounts === spread.self && spread.strips
      ? [spreadColumn("By run", "A field for each run, in the order of the profiles: the darker, the more time",
          undefined, runsStrip, "bar wide")]
      : []),
    spreadColumn("Max/mean", "Imbalance: 1 if all runs are equal", (row) => amounts.ratio[row], ratio, ""),
    column("Mean", "Mean of all runs", "mean", "medium"),
    column("Min", "Minimum; 0 if a run lacks the function", "min", "wide"),
    column("Max", "Maximum", "max", "medium"),
    column("±", "Standard deviation", "deviation", "wide"),
    spreadColumn("Runs", "Runs with the function", (row) => amounts.runs[row],
      (row) => counted(amounts.runs[row]), "wide"),
    { title: "Function", value: spreadName, upwards: true, cell: spreadLink, class: "name left" },
    {
      title: "Maximum in",
      hint: "The run with the maximum",
      value: (row) => amounts.who[row],
      upwards: true,
      cell: (row) => make("span", { title: amounts.who[row] || "" }, runName(amounts.who[row])),
      class: "run left",
    },
  ];
}

// Makes a table of times or calls, with its heading and search field. `element`; `show()`.
function spreadTable(amounts, format, title) {
  const rows = [...amounts.max.keys()].filter((row) => amounts.max[row] > 0),
    columns = spreadColumns(amounts, format);
  const table = makeTable(columns, rows, {
    label: "Spread: " + title, class: "mid", sorted: columns[0], isSearched: true,
  });
  const matches = (row, test) => test(spreadName(row)) || test(amounts.who[row] || "");
  const search = tableSearch(`Filter ${title.toLowerCase()} by function or run, or /regex/`, table, matches, (shown) =>
    counted(shown.length) + (shown.length === 1 ? " row" : " rows"),
  );
  const element = make(
    "section",
    {},
    make("h2", {}, title),
    make("div", { class: "tools" }, search.input, search.status),
    table.element,
  );
  return { element, show: keepInAddress(table, search, amounts === spread.self ? "" : "2") };
}

// Makes what the view of a function says of the spread; null if that is not known.
function spreadSection(node) {
  if (!spread) return null;
  const row = isCycle(node) ? -1 : spread.node.indexOf(functions.id[node]),
    { self, calls } = spread;
  if (row < 0) return null;
  const spreadFact = (title, amounts, format, unit) =>
    amounts && amounts.max[row] > 0 && fact(title, rangeStrip(amounts, row), amounts === self ? runsStrip(row) : "",
      `${format(amounts.min[row])} to ${format(amounts.max[row])}${unit}, mean ${format(amounts.mean[row])}`);
  return make("section", {}, make("h3", {}, `Between ${counted(spread.runs)} runs`),
    make("dl", { class: "facts changed" }, spreadFact("Self", self, seconds, " " + unitName) || null,
      spreadFact("Calls", calls, countedRoughly, "") || null));
}

// Formats a mean of counts.
const countedRoughly = (count) => counted(count >= 100 ? Math.round(count) : count);

function spreadView() {
  const skipped =
    spread.skipped > 0 ? ` ${counted(spread.skipped)} sums without a spread of their own are not included.` : "",
    ofAll = shownThreads ? " All threads are taken together." : "";
  const shown = [
    spread.self && spreadTable(spread.self, seconds, "Self times"),
    hasCounts && spreadTable(spread.calls, countedRoughly, "Calls"),
  ].filter(Boolean);
  const element = make(
    "section",
    {},
    make("p", { class: "soft" }, `How ${counted(spread.runs)} runs differ.${skipped}${ofAll}`),
    aboutRuns(),
    ...shown.map((table) => table.element),
  );
  return { element, show: () => shown.forEach((table) => table.show()) };
}
