// What the colours of the call tree mean. A colouring has a `title`; `tint(item)`, which returns the class of a frame;
// `legend`, pairs of a class and what it means; and `about`, what all of the legend is about.

const MOST_IN_LEGEND = 10;

// Returns the groups that a legend names: in turns the one with the most self time, and the one that fills most of the
// picture. Those with the most self time come first.
function groupsInLegend(own, area) {
  const ranks = [own, area].map((times) =>
    [...times.keys()].filter((group) => times[group] > 0).sort((a, b) => times[b] - times[a]),
  );
  const chosen = new Set();
  for (let i = 0; i < own.length; i++)
    for (const rank of ranks) if (i < rank.length && chosen.size < MOST_IN_LEGEND) chosen.add(rank[i]);
  return [...chosen].sort((a, b) => own[b] - own[a] || area[b] - area[a]);
}

// Returns how much of the picture each group fills: the weight of its frames.
function areasOfGroups({ names, of }) {
  const areas = new Float64Array(names.length),
    { frame, weight } = recordedTree;
  for (let i = 0; i < frame.length; i++) if (frame[i] >= 0) areas[of[frame[i]]] += weight[i];
  return areas;
}

// Makes a colouring with the hues of a grouping's groups.
function groupColouring({ key, title, groups }) {
  const hues = lazily(() => groups().names.map(hueOf));
  const legend = lazily(() => {
    const own = new Float64Array(groups().names.length);
    for (let f = 0; f < functionCount; f++) own[groups().of[f]] += functions.self[f];
    const first = groupsInLegend(own, areasOfGroups(groups())),
      label = (group) => (key === "file" ? baseName : String)(groups().names[group]),
      share = (group) => percent(Math.min(1, own[group] / data.total)); // of all, whatever the chips are
    const entries = first.map((group) => [hues()[group], `${label(group)} (${share(group)} %)`]),
      rest = groups().names.length - first.length;
    return rest > 0 ? [...entries, ["none", `and ${counted(rest)} more`]] : entries;
  });
  return {
    title,
    about: "Self time by " + title,
    get legend() {
      return legend();
    },
    tint: (item) => (item.frame >= 0 ? hues()[groups().of[item.frame]] : "tr"),
  };
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
      [own, whole] = isNode ? [field(frame, "self"), totalOf(frame)] : [item.own, item.now];
    if (!(whole > 0)) return "tr";
    return "h" + SELF_STEPS.filter((step) => own / whole >= step).length;
  },
};

// Changes since the old profile. Noise is grey.
const CHANGE_STEPS = [-0.5, -0.1, 0, 0.1, 0.5]; // of the old time

function changeColouring() {
  const time = comparison.total && comparison.total.change ? comparison.total : comparison.self;
  const certainTimesOf = (frame) => {
    const row = frame >= 0 && frame < functionCount ? changeOf(frame) : -1;
    if (row >= 0 && isIncomparable(time, row)) return certainSelf(frame) || [0, 0];
    return row < 0 || time.noise[row] !== 0 ? [0, 0] : [time.old[row], time.old[row] + time.change[row]];
  };
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
    // Guessed times of paths tell nothing: such frames have the colour of their function, or if its total is a guess,
    // too, that of its self time.
    tint(item) {
      const isOfPath = item.both && !isGuess(item),
        [old, now] = isOfPath ? timesPerRun(item) : certainTimesOf(item.frame);
      if (isOfPath && isNoise(old, now)) return "tr";
      if (now === old) return "tr";
      const ratio = old > 0 ? now / old - 1 : Infinity;
      return "c" + CHANGE_STEPS.filter((step) => ratio > step).length;
    },
  };
}

// What frames of both runs show besides their colour.
const runsLegend = [
  ["hollow", "hollow: time that is gone"],
  ["none", "+ new, − gone"],
];

// Makes the content of the legend of a colouring, with further entries.
function legendOf({ about, legend }, more) {
  const entries = [...legend, ...more].map(([tint, text]) => make("span", {}, make("i", { class: tint }), text));
  return [make("span", {}, about + ":"), ...entries];
}

const DEFAULT_GROUPINGS = ["file", "module", "library"]; // if they have several groups

// Returns the colourings that the data has, the default one first.
function colourings() {
  const change = comparison && comparison.self && !comparedScope ? [changeColouring()] : [];
  const isDefault = ({ key, groups }) => DEFAULT_GROUPINGS.includes(key) && groups().names.length > 1,
    coloured = groupings.filter(({ groups }) => groups);
  const first = coloured.filter(isDefault),
    rest = coloured.filter((each) => !first.includes(each));
  return [...change, ...first.map(groupColouring), selfColouring, ...rest.map(groupColouring)];
}

// Returns the colouring of the grouping that the page shows, or else the default one.
const shownColouring = (schemes) => schemes.find(({ title }) => title === shownGrouping()) || schemes[0];
