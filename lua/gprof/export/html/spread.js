// How functions differ between the runs that were added up.

const { spread } = data;

// The functions are those of all threads in the view with which the page opens.
const spreadName = (row) => (row === spread.node.length ? "whole run" : firstNames[spread.node[row]]);

// Links to a function, if the view that is shown has it.
function spreadLink(row) {
  if (row === spread.node.length) return make("em", {}, spreadName(row));
  const isFirst = !showsOtherView && !shownThreads,
    node = isFirst ? spread.node[row] : nodeByKey.get(spreadName(row));
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

// Returns the columns of a table of times or calls; `amounts` has the values of functions and, last, of whole runs.
function spreadColumns(amounts, format) {
  const largest = amounts.lost.reduce((most, lost) => Math.max(most, lost), 0);
  const share = (row) => (largest > 0 ? amounts.lost[row] / largest : 0);
  const column = (title, hint, name, style) =>
    spreadColumn(title, hint, (row) => amounts[name][row], (row) => format(amounts[name][row]), style);
  const ratio = (row) => (amounts.ratio[row] === null ? "" : amounts.ratio[row].toFixed(2));
  return [
    column("Lost", "Maximum - mean: what would be saved if all runs were equal", "lost", ""),
    spreadColumn("Share", null, undefined, (row) => shareBar(0, share(row)), "bar medium"),
    spreadColumn("Max/mean", "Imbalance: 1 if all runs are equal", (row) => amounts.ratio[row], ratio, ""),
    column("Mean", "Mean of all runs", "mean", "medium"),
    column("Min", "Minimum; 0 if a run lacks the function", "min", "wide"),
    column("Max", "Maximum", "max", "medium"),
    column("±", "Standard deviation", "deviation", "wide"),
    spreadColumn("Runs", "Runs with the function", (row) => amounts.runs[row], (row) => counted(amounts.runs[row]), "wide"),
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

// Makes a table of times or calls, with its heading and search field.
function spreadTable(amounts, format, title) {
  const rows = [...amounts.max.keys()].filter((row) => amounts.max[row] > 0),
    columns = spreadColumns(amounts, format);
  const table = makeTable(columns, rows, { label: "Spread: " + title, class: "mid", sorted: columns[0] });
  const matches = (row, test) => test(spreadName(row)) || test(amounts.who[row] || "");
  const search = tableSearch(`Filter ${title.toLowerCase()} by function or run, or /regex/`, table, matches, (shown) =>
    counted(shown.length) + (shown.length === 1 ? " row" : " rows"),
  );
  return make(
    "section",
    {},
    make("h2", {}, title),
    make("div", { class: "tools" }, search.input, search.status),
    table.element,
  );
}

// Formats a mean of counts.
const countedRoughly = (count) => counted(count >= 100 ? Math.round(count) : count);

function spreadView() {
  const skipped =
    spread.skipped > 0 ? ` ${counted(spread.skipped)} sums without a spread of their own are not included.` : "";
  return make(
    "section",
    {},
    make("p", { class: "soft" }, `How ${counted(spread.runs)} runs differ.${skipped}${forAllThreads}`),
    aboutRuns(),
    spread.self ? spreadTable(spread.self, seconds, "Self times") : null,
    hasCounts ? spreadTable(spread.calls, countedRoughly, "Calls") : null,
  );
}
