// The call tree of both runs of a comparison: that of the new run, with the weights of the old one and its paths that
// are gone. Old weights are in the unit of new ones, for as many runs.

const comparedTree = data.comparison && !showsOtherView && shownChoice < 0 ? data.comparison.tree : null;

// Returns the frames of the old tree as numbers in the new one. Functions that only the old run has are added to the
// names of others.
function framesInNewTree({ frame, others }, names) {
  const numbers = new Map(names.map((name, i) => [name, i]));
  for (const name of others) if (!numbers.has(name)) numbers.set(name, names.push(name) - 1);
  return frame.map((each) => (each < nodeCount ? each : nodeCount + numbers.get(others[each - nodeCount])));
}

// Returns the children of nodes as lists: `first` and `next` of each node, or -1. Parents come before their children.
function childLists(parent) {
  const first = new Int32Array(parent.length).fill(-1),
    next = first.slice();
  for (let i = parent.length - 1; i > 0; i--) {
    next[i] = first[parent[i]];
    first[parent[i]] = i;
  }
  return { first, next };
}

// Returns columns in depth-first order, as a tree must be.
function inDepthFirstOrder(columns) {
  const { first, next } = childLists(columns.parent),
    order = [],
    place = new Int32Array(first.length),
    stack = [0];
  while (stack.length > 0) {
    const node = stack.pop();
    place[node] = order.push(node) - 1;
    if (next[node] >= 0) stack.push(next[node]);
    if (first[node] >= 0) stack.push(first[node]);
  }
  const sorted = {};
  for (const [name, column] of Object.entries(columns)) sorted[name] = column && order.map((node) => column[node]);
  sorted.parent = sorted.parent.map((node) => (node < 0 ? node : place[node]));
  return sorted;
}

// Merges the trees of two runs, by paths of functions. A path of the new run can stand for several of the old run:
// those of functions that were matched to the same new function.
function mergeTrees(now, old) {
  const { runs } = data.comparison.sides,
    scale = (now.parts * runs[1]) / (old.parts * runs[0]),
    oldFrame = framesInNewTree(old, now.others),
    [newLists, oldLists] = [childLists(now.parent), childLists(old.parent)];
  const frame = now.frame.slice(),
    parent = now.parent.slice(),
    weight = now.weight.slice(),
    before = weight.map(() => 0),
    certain = now.certain && now.certain.slice(),
    certainBefore = old.certain && before.slice();
  const place = new Int32Array(oldFrame.length), // of the old nodes
    childOf = new Int32Array(nodeCount + now.others.length + 3); // the last one seen, by frame + 3

  function append(number, above) {
    parent.push(above);
    weight.push(0);
    before.push(0);
    if (certain) certain.push(ALL);
    if (certainBefore) certainBefore.push(0);
    return frame.push(number) - 1;
  }
  for (let i = 0; i < place.length; i++) {
    const at = place[i];
    before[at] += scale * old.weight[i];
    if (certainBefore) certainBefore[at] += scale * (old.certain[i] === ALL ? old.weight[i] : old.certain[i]);
    if (at < now.frame.length)
      for (let child = newLists.first[at]; child >= 0; child = newLists.next[child]) childOf[frame[child] + 3] = child;
    for (let child = oldLists.first[i]; child >= 0; child = oldLists.next[child]) {
      const same = childOf[oldFrame[child] + 3];
      place[child] = same > 0 && parent[same] === at ? same : append(oldFrame[child], at);
    }
  }
  return { ...now, ...inDepthFirstOrder({ frame, parent, weight, before, certain, certainBefore }) };
}

const withOldRun = (now) => (comparedTree ? mergeTrees(now, comparedTree) : now);

// Changes of paths ----------------------------------------------------------------------

// Returns the times of an item per run: in the old run and in the new one.
const timesPerRun = (item) => [item.before, item.now].map((weight) => timeOf(weight) / data.comparison.sides.runs[1]);

const FEWEST_SAMPLES = 10; // of both runs: fewer are not compared

// Whether a difference between two times per run may be due to chance, as gprof.analysis.significance tests it.
function isNoise(old, now) {
  const { independent: [oldRate, rate], coverage } = data.comparison.sides,
    [oldSamples, samples] = [old * oldRate, now * rate];
  if (oldSamples + samples < FEWEST_SAMPLES) return true;
  const variance = Math.max(oldSamples, 1) / oldRate ** 2 + Math.max(samples, 1) / rate ** 2,
    ofEquals = Math.max(oldSamples + samples, 1) / (oldRate * rate),
    missing = (old * (1 / coverage[0] - 1)) ** 2 + (now * (1 / coverage[1] - 1)) ** 2;
  return Math.abs(now - old) <= data.comparison.factor * Math.sqrt(Math.max(variance, ofEquals) + missing);
}

const isCertainChange = (item) => !isGuess(item) && !isNoise(...timesPerRun(item));

// Returns "new" or "gone" if the path of an item certainly is that; else "".
function statusOf(item) {
  if ((item.before > 0 && item.now > 0) || !isCertainChange(item)) return "";
  return item.now > 0 ? "new" : "gone";
}

// Returns the self times, in both runs, of the function of a frame; null if there is none, or if their change is not
// certain.
function certainSelf(frame) {
  const { self } = comparison,
    row = self && frame >= 0 && frame < functionCount ? changeOf(frame) : -1;
  if (row < 0 || self.noise[row] !== 0 || self.change[row] === 0) return null;
  return [self.old[row], self.old[row] + self.change[row]];
}

// Returns the text of the certain change of a function's self time, which guessed paths share; empty if there is none.
function selfFigures(frame) {
  const times = certainSelf(frame);
  return times ? [`self in all ${times.map(seconds).join(" → ")} ${unitName}, more than chance explains`] : [];
}

// Returns the texts of an item's times in both runs, and of how certain the change is.
function changeFigures(item) {
  const [old, now] = timesPerRun(item),
    perRun = data.comparison.sides.runs.some((runs) => runs > 1) ? " per run" : "",
    share = old > 0 && now > 0 ? ` (${sign(now - old)}${counted(Math.round(100 * Math.abs(now / old - 1)))} %)` : "",
    doubt = isGuess(item) ? "not certain: the times are estimates"
      : isNoise(old, now) ? "may be due to chance" : "more than chance explains";
  return [
    `${seconds(old)} → ${seconds(now)} ${unitName}${perRun}`,
    `${sign(now - old)}${seconds(Math.abs(now - old))} ${unitName}${share}, ${doubt}`,
    ...(isGuess(item) ? selfFigures(item.frame) : []),
    ...(statusOf(item) ? [statusOf(item)] : []),
  ];
}
