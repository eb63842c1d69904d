// The comparison with an old profile. Changes that may be due to chance ("noise") are marked and can be hidden.

const comparison = data.comparison;

// What the comparison is made of, if the page shows something else; else empty.
const comparedScope = [
  shownThreads && "of all threads",
  showsOtherView && (data.inlines ? "without inlined functions" : "with inlined functions"),
].filter(Boolean).join(", ");

// Returns the ids of each row's functions, -1 for those that the page lacks. Rows of functions that are gone have none;
// sums have several.
function idsOfRows({ members, node }) {
  let end = 0;
  return members.map((count) => node.slice(end, (end += count)));
}

const idsOfRow = comparison ? idsOfRows(comparison) : [],
  rowOfId = new Map(idsOfRow.flatMap((ids, row) => ids.map((id) => [id, row])));

// Returns the row of a function in the comparison; -1 if it has none.
const changeOf = (node) => (isCycle(node) ? -1 : (rowOfId.get(functions.id[node]) ?? -1));

const nodesOfRow = idsOfRow.map(() => []); // those of the view that is shown
for (let node = 0; node < functionCount; node++) if (changeOf(node) >= 0) nodesOfRow[changeOf(node)].push(node);

// Returns "sum of N functions" for a row that stands for several; else "".
const sumText = (row) => (idsOfRow[row].length > 1 ? `sum of ${counted(idsOfRow[row].length)} functions` : "");

// Makes the name of a row: a link if it stands for one function.
const rowName = (row, link) =>
  sumText(row) || nodesOfRow[row].length === 0 ? make("span", {}, comparison.name[row]) : link(nodesOfRow[row][0]);

// Makes links to the functions of a sum.
const linksOfSum = (row) =>
  linkList(" ", nodesOfRow[row].map((node) => make("a", { href: linkTo(node) }, placeOf(node) || keyOf(node))));

const sign = (change) => (change > 0 ? "+" : change < 0 ? "−" : "");

// Values of `noise`.
const BY_CHANCE = 1,
  INCOMPARABLE = 2;

const isIncomparable = (time, row) => time.noise[row] === INCOMPARABLE;

// Makes the text of a change, with its sign; "~" marks noise.
function signedTime(time, row) {
  if (isIncomparable(time, row)) {
    const title = "The times are estimates, and their bounds overlap: the true change may be anything";
    return make("span", { class: "noise", title }, "not comparable");
  }
  const change = time.change[row],
    noise = time.noise[row] === BY_CHANCE;
  const kind = change === 0 || noise ? "noise" : change > 0 ? "worse" : "better";
  return make(
    "span",
    { class: kind, title: noise ? "May be due to chance: the error is " + seconds(time.error[row]) : null },
    (noise && change !== 0 ? "~ " : "") + sign(change) + seconds(Math.abs(change)),
  );
}

// Beyond this ratio, growth is shown as a factor.
const MOST_RATIO = 11;

// Whether the old program has called a function, which may have had no samples.
const isOldCallee = (time, row) => time !== comparison.whole && comparison.calls && comparison.calls.old[row] > 0;

// Makes the text of a change as a share of the old time, or as a factor; empty if there was no change.
function changeShare(time, row) {
  if (isIncomparable(time, row) || time.change[row] === 0) return "";
  if (time.old[row] === 0) return isOldCallee(time, row) ? "" : "new";
  const ratio = time.new[row] / time.old[row];
  if (ratio > MOST_RATIO) return "× " + counted(Math.round(ratio));
  const share = Math.round(100 * (ratio - 1));
  return sign(share) + counted(Math.abs(share)) + " %";
}

// Whether a function's calls were counted in either profile.
const isCountedRow = (row) => comparison.calls.old[row] + comparison.calls.new[row] > 0;
