// The neighbourhood of a function: two levels of callers and of callees. Cycles that do not contain the function count
// as one. A function can be in several levels.

const MOST_AT_LEVEL = 8, // functions; the others are only counted
  LEVELS = 2;

// Returns what stands for an end of an arc around `node`: a cycle, unless `node` is in it.
function endFor(end, node) {
  const cycle = cycleNumber(end);
  return cycle < 0 || end === node || cycle === cycleNumber(node) ? end : functionCount + cycle;
}

// Returns the nodes at the other ends of the arcs of a node, with the sum of the arcs to each, the heaviest first:
// `node`, `time`, `count` and `isGuess`. Calls within a cycle have no time.
function neighboursOf(at, node, isUp) {
  const found = new Map();
  for (const arc of isUp ? callersOf(at) : calleesOf(at)) {
    const end = endFor((isUp ? arcs.caller : arcs.callee)[arc], node);
    if (end === at) continue;
    const sum = found.get(end) || { node: end, time: 0, count: 0, isGuess: false };
    sum.time += carriesNoTime(arc) ? 0 : arcTime(arc);
    sum.count += arcs.count[arc];
    sum.isGuess = sum.isGuess || isGuessed(arc);
    found.set(end, sum);
  }
  return [...found.values()].sort((a, b) => b.time - a.time || b.count - a.count);
}

// Adds the next level to `links`, and returns its boxes: each with a `node` and the `weight` of its links. The boxes of
// a level are near those that they are linked to.
function nextLevel(inner, node, isUp, links) {
  const boxes = new Map();
  const found = inner.flatMap((box) => neighboursOf(box.node, node, isUp).map((link) => ({ ...link, box })));
  found.sort((a, b) => b.time - a.time || b.count - a.count);
  const rest = new Set();
  for (const { node: end, box, ...link } of found) {
    if (!boxes.has(end) && boxes.size === MOST_AT_LEVEL) {
      rest.add(end);
      continue;
    }
    if (!boxes.has(end)) boxes.set(end, { node: end, weight: 0, place: 0 });
    const other = boxes.get(end),
      share = link.time + Number.EPSILON;
    other.weight += share;
    other.place += share * inner.indexOf(box);
    links.push({ ...link, from: isUp ? other : box, to: isUp ? box : other });
  }
  const level = [...boxes.values()].sort((a, b) => a.place / a.weight - b.place / b.weight || b.weight - a.weight);
  return Object.assign(level, { rest: rest.size });
}

// Returns `levels`, from the callers to the callees, arrays of boxes with `rest`, the number of functions left out; and
// `links` between boxes, with the boxes `from` and `to`, `time`, `count` and `isGuess`.
function neighbourhood(node) {
  const centre = Object.assign([{ node }], { rest: 0 }),
    levels = [centre],
    links = [];
  for (const isUp of [true, false]) {
    let last = centre;
    for (let i = 0; i < LEVELS && last.length > 0; i++) {
      last = nextLevel(last, node, isUp, links);
      if (last.length === 0) continue;
      if (isUp) levels.unshift(last);
      else levels.push(last);
    }
  }
  return { levels, links };
}
