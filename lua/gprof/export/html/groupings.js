// How functions can be grouped: by template, class, file and so on. A grouping has a `key`, which addresses contain; a
// `title`; and `groups()`, with the `names` of its groups and `of`, the number of the group of each frame. It is null
// for threads and runs: a function can be in several.

const hasScopes = lazily(
  () => !data.scripts && functions.name.some((name) => name.includes("::") || FORTRAN.test(name)),
);
const hasFiles = lazily(() => functions.file.some((file) => file >= 0));

// The object of a function: the program or a library.
function objectOf(node) {
  const library = functions.object && node < functionCount ? functions.object[node] : -1;
  return library < 0 ? programName : functions.objects[library];
}

const directoryOf = (path) => path.replace(/\/?[^/]*$/, "") || (path.startsWith("/") ? "/" : ".");

const frameNames = lazily(() => {
  const others = data.tree ? data.tree.others : [];
  return [...functions.name, ...cycles.map(({ name }) => name), ...others];
});
const parsedFrames = []; // the names of the first frames, taken apart
const STEP = 8; // milliseconds

// Takes names apart until all are, or time is over. Returns whether all are.
function parseFrames(time) {
  const names = frameNames(),
    end = performance.now() + time;
  do {
    const past = Math.min(parsedFrames.length + 100, names.length);
    while (parsedFrames.length < past) parsedFrames.push(parsedName(names[parsedFrames.length]));
  } while (parsedFrames.length < names.length && performance.now() < end);
  return parsedFrames.length === names.length;
}

// The names of all frames, taken apart.
const parsedNames = lazily(() => {
  parseFrames(Infinity);
  return { parsed: parsedFrames, scopes: scopesAmong(parsedFrames) };
});

// Makes groups of a function that returns the name of a frame's group; empty if it has none. A cycle is in the group of
// its first member.
function groupsBy(nameOfGroup, none) {
  const numbers = new Map(),
    names = [],
    count = nodeCount + (data.tree ? data.tree.others.length : 0),
    of = new Int32Array(count);
  for (let frame = 0; frame < count; frame++) {
    const name = nameOfGroup(frame < nodeCount && isCycle(frame) ? cycleOf(frame).members[0] : frame) || none;
    if (!numbers.has(name)) numbers.set(name, names.push(name) - 1);
    of[frame] = numbers.get(name);
  }
  return { names, of };
}

// Makes a grouping by a part of names.
function byName(key, part, none) {
  const nameOfGroup = (frame) => part(parsedNames().parsed[frame], parsedNames().scopes);
  return { key, title: key, groups: lazily(() => groupsBy(nameOfGroup, none)) };
}

function byFile(key, part) {
  const nameOfGroup = (frame) => frameFile(frame) && part(frameFile(frame));
  return { key, title: key, groups: lazily(() => groupsBy(nameOfGroup, "no source file")) };
}

// What a function of a Lua program is.
function kindOf(frame) {
  if (frame >= nodeCount) return "";
  if (nameOf(frame) === "garbage collector") return nameOf(frame);
  return objectOf(frame) === programName && functions.line[frame] ? "Lua" : "C";
}

const moduleOf = (frame) => luaModule(nameOf(frame), frameFile(frame));
const hasThreads = threadChoices.length > 0 && !shownThreads && !showsOtherView;

// The times of runs are known for all threads, in the view with which the page opens.
const hasRuns = Boolean(data.spread && data.spread.of_runs) && !shownThreads && !showsOtherView;

const groupings = [
  ...(hasScopes()
    ? [
        byName("template", ({ template }) => template, ""),
        byName("class", className, "no class"),
        byName("namespace", namespaceName, "no namespace"),
      ]
    : []),
  ...(data.scripts
    ? [
        { key: "module", title: "module", groups: lazily(() => groupsBy(moduleOf, "no module")) },
        { key: "kind", title: "Lua or C", groups: lazily(() => groupsBy(kindOf, "unknown")) },
      ]
    : []),
  ...(hasFiles() ? [byFile("file", (path) => path), byFile("directory", directoryOf)] : []),
  ...(functions.object ? [{ key: "library", title: "library", groups: lazily(() => groupsBy(objectOf, "")) }] : []),
  ...(hasRuns ? [{ key: "run", title: "run or rank", groups: null }] : []),
  ...(hasThreads ? [{ key: "thread", title: "thread", groups: null }] : []),
];

// Makes the groups in small steps, before one of the groupings is chosen.
function prepareGroups(place = 0) {
  const { groups } = groupings[place] || {};
  if (hasScopes() && !parseFrames(STEP)) setTimeout(prepareGroups);
  else if (place < groupings.length) {
    if (groups) groups();
    setTimeout(prepareGroups, 0, place + 1);
  }
}

const groupingByKey = (key) => groupings.find((each) => each.key === key) || null;

// Colours of groups: a hue that follows from the name, so that a group has the same one in all pages.

const HUES = 48;

function addHues() {
  const [sheet] = document.styleSheets;
  for (let i = 0; i < HUES; i++) {
    const hue = (360 * i) / HUES;
    sheet.insertRule(`:root { --u${i}: light-dark(hsl(${hue} 60% 84%), hsl(${hue} 40% 27%)); }`);
    sheet.insertRule(`.u${i} { background-color: var(--u${i}); }`);
  }
}
addHues();

// Returns the class of the colour of a group's name (FNV-1a).
function hueOf(name) {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return "u" + ((hash ^ (hash >>> 15)) >>> 0) % HUES;
}
