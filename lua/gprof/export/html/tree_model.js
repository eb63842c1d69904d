// The call tree, and the trees made of it: of callees, of callers (inverted), and those of all calls of one function.
//
// The nodes of the recorded or estimated tree are numbered depth first. An item stands for all nodes that a path of
// functions leads to. Items are made when they are first drawn, so a tree costs only what is seen of it.

const ROOT = -1, // frames without a function: the whole program;
  HIDDEN = -2, // callees that the profile's tree does not contain;
  GATHERED = -3; // siblings that are too narrow to be drawn

const ALL = -1; // in the column `certain`: the whole weight

// The tree; null if the profile has no time. A refinement replaces it.
let tree = data.tree && data.tree.weight[0] > 0 ? layOut(withOldRun(data.tree)) : null;

// Adds columns to the tree, computed when they are first used: `end`, one past a node's last descendant, and `own`, its
// self time as a weight. In a tree of two runs, `before` and `ownBefore` are the weights of the old one.
function layOut(source) {
  const columns = lazily(() => addedColumns(source)),
    byFrame = lazily(() => nodesByFrame(source));
  return {
    ...source,
    get own() {
      return columns().own;
    },
    get ownBefore() {
      return columns().ownBefore;
    },
    get end() {
      return columns().end;
    },
    get byFrame() {
      return byFrame();
    },
  };
}

function addedColumns({ parent, weight, before }) {
  const end = new Int32Array(parent.length);
  for (let i = end.length - 1; i >= 0; i--) {
    end[i] = Math.max(end[i], i + 1);
    if (i > 0) end[parent[i]] = Math.max(end[parent[i]], end[i]);
  }
  return { own: ownWeights(parent, weight), ownBefore: before && ownWeights(parent, before), end };
}

function ownWeights(parent, weight) {
  const own = Float64Array.from(weight);
  for (let i = 1; i < own.length; i++) own[parent[i]] -= weight[i];
  return own;
}

const timeOf = (weight) => Math.max(0, weight) / tree.parts;

// Names and files of frames.
function frameName(frame) {
  if (frame >= 0) return labelOf(frame);
  return { [ROOT]: "all", [HIDDEN]: "[not shown]", [GATHERED]: "[narrow frames]" }[frame];
}
const frameFile = (frame) => (frame >= 0 && frame < nodeCount ? fileOf(frame) : null);

// Makes an item. `nodes` are nodes of the tree, and `amounts` the weight that each of them contributes; `now` is their
// sum. An item of both runs also has `befores` and `before`, those of the old run; `weight`, its width, is the larger
// sum. `up` says whether its children are callers.
function makeItem(frame, parent, up, both) {
  return {
    frame, parent, up, both, key: String(frame), nodes: [], amounts: [], befores: [], weight: 0, now: 0, before: 0,
    certain: 0, certainBefore: 0, own: 0, children: null,
  };
}

function certainPart(column, node, amount) {
  const certain = column ? column[node] : ALL;
  return certain === ALL ? amount : Math.min(amount, certain);
}

function addNode(item, node, amount, before) {
  item.nodes.push(node);
  item.amounts.push(amount);
  item.now += amount;
  item.certain += certainPart(tree.certain, node, amount);
  if (item.both) {
    item.befores.push(before);
    item.before += before;
    item.certainBefore += certainPart(tree.certainBefore, node, before);
  }
  item.weight = Math.max(item.now, item.before);
}

// Whether most of an item's time is guessed.
const isGuess = (item) =>
  item.frame >= 0 && (2 * item.certain < item.now || (item.both && 2 * item.certainBefore < item.before));

// Work that can be long is done by generators, which pause after every PAUSE nodes.
const PAUSE = 2000;

function finish(generator) {
  for (;;) {
    const { done, value } = generator.next();
    if (done) return value;
  }
}

// Returns a function that adds a node to the item of its frame among the children of `parent`, with its weights in the
// new run and the old one; and the children.
function grouping(parent) {
  const items = new Map(),
    { up, both } = parent,
    { frame, own } = tree;
  const add = (node, amount, before) => {
    if (!(amount > 0 || before > 0)) return;
    let item = items.get(frame[node]);
    if (!item) items.set(frame[node], (item = makeItem(frame[node], parent, up, both)));
    addNode(item, node, amount, before);
    if (!up) item.own += own[node];
  };
  return [add, () => [...items.values()].sort((a, b) => b.weight - a.weight)];
}

function* expandDown(item) {
  const [add, children] = grouping(item),
    { end, weight, before } = tree;
  let visited = 0;
  for (const node of item.nodes)
    for (let i = node + 1; i < end[node]; i = end[i]) {
      add(i, weight[i], item.both ? before[i] : 0);
      if (++visited % PAUSE === 0) yield;
    }
  return children();
}

// The callers of an item. The root's children are the functions with self time.
function* expandUp(item) {
  const [add, children] = grouping(item),
    { own, ownBefore, parent } = tree;
  if (item.frame === ROOT) {
    for (let i = 1; i < own.length; i++) {
      add(i, own[i], item.both ? ownBefore[i] : 0);
      if (i % PAUSE === 0) yield;
    }
  } else
    for (let i = 0; i < item.nodes.length; i++) {
      if (parent[item.nodes[i]] > 0) add(parent[item.nodes[i]], item.amounts[i], item.befores[i]);
      if (i % PAUSE === PAUSE - 1) yield;
    }
  return children();
}

// Makes the children of an item, the heaviest first.
function* expand(item) {
  if (item.members) item.children = membersOf(item);
  else item.children = yield* item.up ? expandUp(item) : expandDown(item);
}

function childrenOf(item) {
  if (!item.children) finish(expand(item));
  return item.children;
}

const GROUP = 100; // the largest number of children of gathered frames

// Makes an item that stands for several siblings, its `members`.
function makeGroup(parent, members, key) {
  const sum = (name) => members.reduce((total, member) => total + member[name], 0);
  return {
    ...makeItem(GATHERED, parent, parent.up, parent.both), key, members, weight: sum("weight"), now: sum("now"),
    before: sum("before"),
  };
}

// The children of a group are its members or, if there are many, groups of them, so that each can be drawn.
function membersOf(group) {
  const { members } = group;
  let size = 1;
  while (size * GROUP < members.length) size *= GROUP;
  if (size === 1) return members;
  const groups = [];
  for (let at = 0; at < members.length; at += size)
    groups.push(makeGroup(group, members.slice(at, at + size), "c" + at));
  return groups;
}

// Returns the group of the children of `item` from number `first` on.
function gather(item, first) {
  item.gathered = item.gathered || new Map();
  if (!item.gathered.has(first))
    item.gathered.set(first, makeGroup(item, childrenOf(item).slice(first), "g" + first));
  return item.gathered.get(first);
}

// The roots of trees.

// Returns the root of the whole tree; `both`: of both runs.
function wholeTree(up, both) {
  const root = makeItem(ROOT, null, up, both);
  addNode(root, 0, tree.weight[0], both ? tree.before[0] : 0);
  root.own = up ? 0 : tree.own[0];
  return root;
}

// The nodes of each frame, in their order: `nodes` from `starts[frame + 2]` to `starts[frame + 3]`.
function nodesByFrame({ frame, others }) {
  const starts = new Int32Array(nodeCount + others.length + 4),
    nodes = new Int32Array(frame.length);
  for (const number of frame) starts[number + 3]++;
  for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1];
  const next = starts.slice();
  for (let i = 0; i < frame.length; i++) nodes[next[frame[i] + 2]++] = i;
  return { starts, nodes };
}

function nodesOfFrame(frame) {
  const { starts, nodes } = tree.byFrame;
  return nodes.subarray(starts[frame + 2], starts[frame + 3]);
}

// The tree of all calls of a function: its callees, or its callers. Nested calls count once.
function treeAround(frame, up, both) {
  const root = makeItem(frame, null, up, both);
  let past = 0; // the calls counted so far, and those in them
  for (const node of nodesOfFrame(frame)) {
    if (node < past) continue;
    addNode(root, node, tree.weight[node], both ? tree.before[node] : 0);
    root.own += tree.own[node];
    past = tree.end[node];
  }
  return root;
}

// Paths of items in links: the keys from below the root, joined by dots.

function ancestorsOf(item) {
  const list = [];
  for (let at = item.parent; at; at = at.parent) list.unshift(at);
  return list;
}

const pathOf = (item) =>
  [...ancestorsOf(item), item]
    .slice(1)
    .map((at) => at.key)
    .join(".");

// Returns the item of a path, or the last one on the way that exists.
function itemAt(root, path) {
  let item = root;
  for (const key of path ? path.split(".") : []) {
    const first = /^g\d+$/.test(key) ? Number(key.slice(1)) : -1;
    const isGroup = first >= 0 && first < childrenOf(item).length;
    const next = isGroup ? gather(item, first) : childrenOf(item).find((child) => child.key === key);
    if (!next) break;
    item = next;
  }
  return item;
}

// Returns the frames whose names match, how many nodes have them, and the share of all time below these. Nested matches
// count once. Without `both`, paths that only the old run has do not count.
function searchTree(test, both) {
  const { frame, weight, end } = tree,
    { starts } = tree.byFrame,
    hits = new Set(),
    isHit = new Uint8Array(starts.length); // by frame + 2
  let sum = 0,
    count = 0,
    past = 0;
  for (let number = HIDDEN; number < starts.length - 3; number++) {
    const nodes = starts[number + 3] - starts[number + 2];
    if (number === ROOT || nodes === 0 || !test(number < 0 ? frameName(number) : nameOf(number))) continue;
    hits.add(number);
    isHit[number + 2] = 1;
  }
  for (let i = 1; i < frame.length; i++) {
    if (!isHit[frame[i] + 2] || !(both || weight[i] > 0)) continue;
    count++;
    if (i < past) continue;
    sum += weight[i];
    past = end[i];
  }
  return { hits, count, share: weight[0] > 0 ? sum / weight[0] : 0 };
}

// Layout --------------------------------------------------------------------------------

const NARROW = 3, // pixels: narrower frames are gathered,
  LEAST = 0.5; // and not drawn if they are narrower than this together

// Generates the rows of boxes to draw: the ancestors of `root`, `root`, and what is below it. Also generates undefined,
// for pauses. A box has its `item`, `left` and `wide` (fractions of the width), `row`, `above` (whether it is an
// ancestor of the root), the box it is `under`, and the boxes `below` it.
function* rowsOf(root, width) {
  const put = (item, under, left, wide, above) => {
    const box = { item, under, left, wide, above, row: under ? under.row + 1 : 0, below: [] };
    if (under) under.below.push(box);
    return box;
  };
  let last = null;
  for (const item of ancestorsOf(root)) yield [(last = put(item, last, 0, 1, true))];
  let row = [put(root, last, 0, 1, false)];
  while (row.length > 0) {
    yield row;
    const next = [];
    for (const box of row) {
      if (!box.item.children && !isClosed(box)) yield* expand(box.item);
      let left = box.left;
      for (const [item, wide] of widthsOf(box, width)) {
        next.push(put(item, box, left, wide, false));
        left += wide;
      }
      yield;
    }
    row = next;
  }
}

// Below gathered frames nothing is drawn, unless they are zoomed in to.
const isClosed = (box) => box.item.frame === GATHERED && box.wide < 1;

// Returns the items to draw below a box, each with its width as a fraction.
function widthsOf(box, width) {
  if (isClosed(box)) return [];
  // In both runs together, callees can need more room than their caller has.
  const list = [],
    children = childrenOf(box.item),
    needed = children.reduce((sum, { weight }) => sum + weight, 0),
    scale = box.item.weight > 0 ? box.wide / Math.max(box.item.weight, needed) : 0;
  for (let i = 0; i < children.length; i++) {
    const wide = children[i].weight * scale;
    if (wide * width >= NARROW) list.push([children[i], wide]);
    else {
      const rest = i === children.length - 1 ? children[i] : gather(box.item, i);
      if (rest.weight * scale * width >= LEAST) list.push([rest, rest.weight * scale]);
      break;
    }
  }
  return list;
}
