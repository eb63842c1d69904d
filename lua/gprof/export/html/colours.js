// What the colours of the call tree mean. A colouring has a `title`; `tint(item)`, which returns the class of a frame;
// `legend`, pairs of a class and what it means; and `about`, what all of the legend is about.

const TINTS = 10; // classes t0 to t9

// Returns up to TINTS groups: in turns the one with the most self time, and the one that fills most of the picture, so
// that frames far from the leaves have colours, too. Those with the most self time come first.
function groupsWithTints(own, area) {
  const ranks = [own, area].map((times) =>
    [...times.keys()].filter((group) => times.get(group) > 0).sort((a, b) => times.get(b) - times.get(a)),
  );
  const chosen = new Set();
  for (let i = 0; i < own.size; i++)
    for (const rank of ranks) if (i < rank.length && chosen.size < TINTS) chosen.add(rank[i]);
  return [...chosen].sort((a, b) => own.get(b) - own.get(a) || area.get(b) - area.get(a));
}

// Returns how much of the picture each function fills: the weight of its frames.
const frameAreas = lazily(() => {
  const areas = new Float64Array(functionCount),
    { frame, weight } = recordedTree;
  for (let i = 0; i < frame.length; i++) if (frame[i] >= 0 && frame[i] < functionCount) areas[frame[i]] += weight[i];
  return areas;
});

// Makes a colouring with a tint for each of the groups with the most time. `groupOf(frame)` returns a group, or null.
function colouringByGroup(title, groupOf, label, others) {
  const times = new Map(), // self times, by group
    area = new Map();
  for (let f = 0; f < functionCount; f++) {
    const group = groupOf(f);
    if (group === null) continue;
    times.set(group, (times.get(group) || 0) + functions.self[f]);
    area.set(group, (area.get(group) || 0) + frameAreas()[f]);
  }
  const first = groupsWithTints(times, area);
  const tints = new Map(first.map((group, i) => [group, "t" + i]));
  const legend = first.map((group, i) => ["t" + i, `${label(group)} (${percent(shareOf(times.get(group)))} %)`]);
  if (times.size > first.length || functions.name.some((_, f) => groupOf(f) === null)) legend.push(["tr", others]);
  const tint = (item) => (item.frame >= 0 && tints.get(groupOf(item.frame))) || "tr";
  return { title, about: "Self time by " + title, legend, tint };
}

// Returns the object of a function, the program or a library; null for other frames.
function objectOf(frame) {
  if (frame >= functionCount) return null;
  const library = functions.object ? functions.object[frame] : -1;
  return library < 0 ? programName : functions.objects[library];
}

const SELF_STEPS = [0.02, 0.1, 0.25, 0.5]; // shares of a frame's time

const selfColouring = {
  title: "self time",
  about: "Self time as a share of a frame's time",
  legend: ["under 2 %", "2 to 10 %", "10 to 25 %", "25 to 50 %", "50 % or more"].map((text, i) => ["h" + i, text]),
  // Items of callers have parts of other functions' self times; their colour is that of the whole function.
  tint(item) {
    const { frame } = item;
    if (frame < 0) return "tr";
    const isNode = item.up && frame < nodeCount,
      [own, whole] = isNode ? [field(frame, "self"), totalOf(frame)] : [item.own, item.weight];
    if (!(whole > 0)) return "tr";
    return "h" + SELF_STEPS.filter((step) => own / whole >= step).length;
  },
};

// Changes since the old profile. Noise is grey.
const CHANGE_STEPS = [-0.5, -0.1, 0, 0.1, 0.5]; // of the old time

function changeColouring() {
  const time = comparison.total && comparison.total.change ? comparison.total : comparison.self;
  return {
    title: "change",
    about: "Since the old profile",
    legend: [
      ["c0", "more than 50 % faster"],
      ["c1", "10 to 50 % faster"],
      ["c2", "up to 10 % faster"],
      ["tr", "noise, not comparable, or no change"],
      ["c3", "up to 10 % slower"],
      ["c4", "10 to 50 % slower"],
      ["c5", "more than 50 % slower, or new"],
    ],
    tint(item) {
      const row = item.frame >= 0 && item.frame < functionCount ? changeOf(item.frame) : -1;
      if (row < 0 || time.noise[row] !== 0 || time.change[row] === 0) return "tr";
      const ratio = time.old[row] > 0 ? time.change[row] / time.old[row] : Infinity;
      return "c" + CHANGE_STEPS.filter((step) => ratio > step).length;
    },
  };
}

// Returns the colourings that the data has, the default one first: one with several colours, if there is one.
function colourings() {
  const found = [];
  if (comparison && comparison.self && !shownThreads) found.push(changeColouring());
  if (functions.file.some((file) => file >= 0))
    found.push(colouringByGroup("file", frameFile, baseName, "other files"));
  if (functions.object)
    found.push(colouringByGroup("object", objectOf, baseName, "other objects"));
  found.push(selfColouring);
  const hasColours = ({ legend }) => legend.length > 1;
  return [...found.filter(hasColours), ...found.filter((each) => !hasColours(each))];
}
