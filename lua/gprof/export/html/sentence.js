// The sentence at the top: where the time is, from where that is reached, and what has certainly changed. All nouns are
// links.

// In Lua, the last component alone says little: "string" of "encoders.string", "new" of "Account.new".
const nounOf = (label) => (data.scripts ? label : splitOnce(label)[0]);

const nounLink = (node) =>
  make("a", { class: "mono", href: linkTo(node), title: nameOf(node) }, nounOf(labelOf(node)));

// Returns the function with the largest value; -1 if all values are 0.
function largest(values) {
  let best = -1;
  for (let f = 0; f < functionCount; f++) if (values[f] > (best < 0 ? 0 : values[best])) best = f;
  return best;
}

// Returns how much is in a function, and where its hottest line is.
function whereParts(node) {
  const hot = hottestLine(node),
    place = hot ? lineName(hot) : placeOf(node),
    link = hot ? sourceLink(hot.file, hot.number) : sourceLink(fileOf(node), functions.line[node]),
    error = functions.self_error[node],
    share = percent(shareOf(functions.self[node])) + (error ? " ± " + percent(shareOf(error)) : "");
  const found = place ? [" (", placeLink(place, link), ")"] : [];
  return [make("strong", {}, share + " %"), " of the time is in ", nounLink(node), ...found];
}

// Returns from where a function is reached. Estimated times say nothing of that; numbers of calls do.
function callerParts(node) {
  const amount = (arc) => (data.exact && hasTime ? arcTime(arc) : arcs.count[arc]),
    known = callersOf(node).filter((arc) => arcs.caller[arc] !== node && amount(arc) > 0);
  if (known.length === 0) return [];
  const first = known.reduce((best, arc) => (amount(arc) > amount(best) ? arc : best)),
    isMost = 2 * amount(first) > sumOf(known.map(amount)),
    how = known.length === 1 ? "" : isMost ? "mostly " : "among others ";
  return [`, reached ${how}from `, nounLink(arcs.caller[first])];
}

function callParts(node) {
  const count = functions.calls[node],
    text = counted(count) + (count === 1 ? " call" : " calls");
  return count > 0 ? ["; ", make("a", { href: tree ? linkToTree("around", keyOf(node)) : linkTo(node) }, text)] : [];
}

// Returns how the number of all calls has changed: counts are certain where times are not.
function callChange() {
  const calls = comparison.calls,
    [old, now] = calls ? [sumOf([...calls.old]), sumOf([...calls.new])] : [0, 0];
  if (old === now || old === 0) return "";
  return `, but ${((100 * Math.abs(now - old)) / old).toFixed(1)} % ${now > old ? "more" : "fewer"} calls`;
}

// Returns what has certainly changed since the old profile: the time of a run, and that of the function that changed
// most.
function changeParts() {
  const time = comparison && !comparedScope && comparison.self;
  if (!time) return [];
  const link = (text) => make("a", { href: "#!changes" }, text),
    amount = ({ change }, row) => `${seconds(Math.abs(change[row]))} ${unitName} ${change[row] > 0 ? "more" : "less"}`,
    isCertain = ({ change, noise }, row) => noise[row] === 0 && change[row] !== 0,
    size = (row) => (isCertain(time, row) ? Math.abs(time.change[row]) : 0),
    row = time.change.reduce((best, _, other) => (size(other) > size(best) ? other : best), 0),
    parts = [];
  if (isCertain(comparison.whole, 0))
    parts.push("a run takes ", link(amount(comparison.whole, 0)), ` (${changeShare(comparison.whole, 0)})`);
  if (size(row) > 0) {
    const name = rowName(row, nounLink);
    if (sumText(row)) name.append(` (${sumText(row)})`);
    parts.push(...(parts.length > 0 ? [", ", name, " "] : [name, " takes "]), link(amount(time, row)));
  }
  if (parts.length === 0) return ["; ", link("no certain change since the old profile"), callChange()];
  return ["; since the ", link("old profile"), ", ", ...parts];
}

// Says how much of the time is divided among callers by guess.
function guessedPart() {
  const share = tree && tree.guessed ? (100 * tree.guessed).toFixed(0) : "0";
  if (share === "0") return "";
  const text = ` ${share} % of the time is attributed to callers by guess; --record measures it.`;
  return make("span", { class: "soft guessed" }, text);
}

// Makes the sentence; null if nothing was measured.
function makeSentence() {
  const node = largest(hasTime ? functions.self : functions.calls);
  if (node < 0) return null;
  const parts = hasTime ? whereParts(node) : ["The most often called function is ", nounLink(node)];
  const changes = changeParts();
  parts.push(...callerParts(node), ...(changes.length > 0 ? changes : callParts(node)), ".", guessedPart());
  const text = make("span", {}, ...parts);
  return make("p", { "class": "sentence", "role": "group", "aria-label": "Summary" }, text);
}
