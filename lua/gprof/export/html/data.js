// The data of the page, stored in columns. Functions and cycles are nodes. Nodes are numbered: functions first, then
// cycles. Arcs are numbered separately.

const functions = data.functions,
  arcs = data.arcs,
  cycles = data.cycles;
const functionCount = functions.name.length,
  nodeCount = functionCount + cycles.length;
const hasTime = data.total > 0;
const hasBounds = functions.total_low !== undefined; // of total times
const hasCounts = functions.calls.some((count) => count > 0) || arcs.count.some((count) => count > 0);
// Arcs may have measured times alone.
const hasCalls = arcs.caller.length > 0 || functions.calls.some((count) => count > 0);

const programName = document.querySelector("h1").textContent;

const isCycle = (node) => node >= functionCount;
const cycleOf = (node) => cycles[node - functionCount];

// Returns a field of a function or cycle.
function field(node, name) {
  return isCycle(node) ? cycleOf(node)[name] : functions[name][node];
}

const nameOf = (node) => (node < nodeCount ? field(node, "name") : data.tree.others[node - nodeCount]);
// Long names are shortened.
const labelOf = (node) => data.labels[node] || nameOf(node);
const totalOf = (node) => field(node, "self") + field(node, "children");
// Whether calls were counted; those of code compiled without -pg were not.
const wereCounted = (count, time) => count > 0 || !(time > 0);
const isCounted = (node) => wereCounted(field(node, "calls") + field(node, "self_calls"), totalOf(node));
const baseName = (path) => path.replace(/^.*\//, "");

// The limits of estimated total times that are not certain, by node.
const limits = new Map();
if (data.limits)
  data.limits.step.reduce((last, step, i) => {
    const { low, high } = data.limits;
    limits.set(last + step, [low[i] * data.period, high[i] * data.period]);
    return last + step;
  }, 0);

// Returns the bounds of a node's total time, an array of two; null if they are not known. Without the option for
// bounds, they follow from the calls alone.
function boundsOf(node) {
  if (!hasBounds) return limits.get(node) || null;
  const low = field(node, "total_low"),
    high = field(node, "total_high");
  return low === null || high === null ? null : [low, high];
}

// Returns the source file of a function, or null.
function fileOf(node) {
  return isCycle(node) || functions.file[node] < 0 ? null : data.files[functions.file[node]];
}

// Returns BASENAME:LINE of a function; empty if unknown.
function placeOf(node) {
  const file = fileOf(node);
  return file ? baseName(file) + (functions.line[node] ? ":" + functions.line[node] : "") : "";
}

// Returns a function that computes a value when it is first asked for.
function lazily(compute) {
  let value;
  return () => (value === undefined ? (value = compute()) : value);
}

// Whether less than half of a node's total time is certain.
const isVague = (node) => !data.exact && boundsOf(node) !== null && 2 * boundsOf(node)[0] < totalOf(node);

// Returns a further sentence, without a full stop, about measured times that lack samples; empty if nearly all call
// paths are complete.
const pathNote = () => (data.path_note ? `. ${data.path_note}: total times may lack the others` : "");

const arcTime = (arc) => arcs.self[arc] + arcs.children[arc];

function cycleNumber(node) {
  return isCycle(node) ? -1 : functions.cycle[node];
}

// Whether an arc leads from a function to itself, or stays within a cycle. Such arcs carry no time.
function isRecursive(arc) {
  const from = arcs.caller[arc],
    to = arcs.callee[arc];
  return from === to || (cycleNumber(from) >= 0 && cycleNumber(from) === cycleNumber(to));
}

// Returns the arcs at a node, the heaviest first; `ends` has the node at the arcs' ends. A cycle has the arcs between
// its members and functions outside. All arcs are visited: that is fast, and an index would delay the page's opening.
function arcsAt(node, ends) {
  const found = [];
  for (let arc = 0; arc < ends.length; arc++) {
    const end = ends[arc];
    if (end === node || (isCycle(node) && cycleNumber(end) === node - functionCount && !isRecursive(arc)))
      found.push(arc);
  }
  return found.sort((a, b) => arcTime(b) - arcTime(a) || arcs.count[b] - arcs.count[a] || a - b);
}

const callersOf = (node) => arcsAt(node, arcs.callee);
const calleesOf = (node) => arcsAt(node, arcs.caller);

// The keys of nodes in links. A key is the node's name. If several nodes have that name, the file is appended. If
// the key is still ambiguous, a number is also appended.
const nodeOfKey = new Map(),
  longKeys = new Map(); // of nodes that share their name

function makeKeys() {
  const sharing = new Map(); // nodes by name
  for (let node = 0; node < nodeCount; node++) {
    const name = nameOf(node),
      first = nodeOfKey.get(name);
    if (first === undefined) nodeOfKey.set(name, node);
    else if (sharing.has(name)) sharing.get(name).push(node);
    else sharing.set(name, [first, node]);
  }
  for (const name of sharing.keys()) nodeOfKey.delete(name);
  for (const [name, nodes] of sharing) addLongKeys(name, nodes);
}

function addLongKeys(name, nodes) {
  const counts = new Map(), // of nodes, by file
    numbers = new Map(); // the last one used, by key without number
  for (const node of nodes) counts.set(fileOf(node), (counts.get(fileOf(node)) || 0) + 1);
  for (const node of nodes) {
    const file = fileOf(node),
      stem = file ? name + " (" + baseName(file) + ")" : name;
    let key = stem,
      number = numbers.get(stem) || 0;
    while (nodeOfKey.has(key) || (key === stem && counts.get(file) > 1)) key = stem + " " + ++number;
    numbers.set(stem, number);
    longKeys.set(node, key);
    nodeOfKey.set(key, node);
  }
}
makeKeys();

// Returns the node of a key, or undefined. A name that is unique in this view may be followed by its file, as in views
// where others share it.
function nodeByKey(key) {
  if (nodeOfKey.has(key)) return nodeOfKey.get(key);
  const [, name, file] = /^(.+) \((.+)\)$/s.exec(key) || [],
    found = nodeOfKey.get(name);
  return found !== undefined && baseName(fileOf(found) || "") === file ? found : undefined;
}

const keyOf = (node) => longKeys.get(node) || nameOf(node);
const linkTo = (node) => "#" + encodeURIComponent(keyOf(node)).replace(/!/g, "%21");

// Figures -------------------------------------------------------------------------------

const seconds = (time) => time.toFixed(data.decimals);
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const counted = (count) => whole.format(count);
// Times of functions can add up to slightly more than the total, as in GNU gprof: the bins of a histogram are taken to
// be a little wider than they are.
let shareBase = data.total; // of which percentages are shares
const shareOf = (time) => (shareBase > 0 ? Math.min(1, time / shareBase) : 0);
const percent = (share) => (100 * share).toFixed(1);
// Makes the text of a range of shares: "0–87 %".
const rangeOf = (low, high) => [low, high].map((time) => (100 * shareOf(time)).toFixed(0)).join("–") + " %";
const unitName = data.abbreviation || data.unit || "";

// Formats a number with three digits, or with all those before the point. Below 1e-6, where toPrecision would write an
// exponent, it is "0.00".
const threeDigits = (value) =>
  value >= 100 ? value.toFixed(0) : value < 1e-6 ? "0.00" : value.toPrecision(3);

// Formats a time per call, in s, ms, µs or ns.
function perCall(time) {
  if (!(time > 0)) return "";
  if (data.unit !== "seconds" && data.unit !== "wall sec") return threeDigits(time) + " " + unitName;
  const units = [
    ["s", 1],
    ["ms", 1e-3],
    ["µs", 1e-6],
    ["ns", 1e-9],
  ];
  // 0.9996 s is rounded to 1.00 s.
  const [unit, size] = units.find((entry) => Number(threeDigits(time / entry[1])) >= 1) || units[3];
  return threeDigits(time / size) + " " + unit;
}
