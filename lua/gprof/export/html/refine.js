// The refinement of all views by chips: "focus" keeps the call paths with functions that match, "hide" takes functions
// out of the paths, "file" keeps the functions of a file. The address has the chips.

let chips = [], // each with `kind` and `text`, a query or, after "=", a whole name or key
  chipsText = "", // as in the address
  isOfShown = false, // whether percentages are of what is shown
  listGrouping = null, // of the list of functions, and of colours
  shownFunctions = null; // 1 for each function that is shown; null: all are

const shownGrouping = () => listGrouping && listGrouping.key;
const isShown = (f) => !shownFunctions || shownFunctions[f] === 1;
const recordedTree = tree;
const refreshers = [], // called after a change of the chips,
  recolourers = []; // and after one of the chips or the grouping
const refineBar = make("div", { class: "refine", role: "group", "aria-label": "Refinement", hidden: true });

// Whether a file has functions that are shown.
function isShownFile(name) {
  const file = data.files.indexOf(name);
  return !shownFunctions || functions.file.some((each, f) => each === file && isShown(f));
}

function refinementText(list, ofShown, group) {
  const parameters = list.map(({ kind, text }) => [kind, text]);
  if (list.length > 0 && ofShown) parameters.push(["of", "shown"]);
  return parametersText(group ? [...parameters, ["group", group]] : parameters);
}

// Returns a test for names of frames, which it gets with the frames. An invalid regular expression matches nothing. Of
// functions that share their name, the key in links tells which is wanted.
function nameTest(text) {
  if (!text.startsWith("=")) return matcher(text) || (() => false);
  const wanted = text.slice(1),
    node = nodeByKey(wanted);
  return (name, frame) => name === wanted || frame === node;
}

// Returns, for each frame, 1 if it passes one of the chips of a kind; null if there is no such chip.
function framesThatMatch(kind) {
  const tests = chips.filter((chip) => chip.kind === kind).map(({ text }) => nameTest(text));
  if (tests.length === 0) return null;
  const found = new Uint8Array(nodeCount + (recordedTree ? recordedTree.others.length : 0));
  for (let frame = 0; frame < found.length; frame++) {
    const name = kind === "file" ? frameFile(frame) : nameOf(frame);
    if (name !== null && tests.some((test) => test(name, kind === "file" ? -1 : frame))) found[frame] = 1;
  }
  return found;
}

// Returns the tree without hidden frames, whose time their callers get, and without paths that lack a frame in focus.
function refinedTree(source, focus, isHidden) {
  const { frame, parent } = source,
    count = frame.length,
    inFocus = new Uint8Array(count);
  for (let i = 0; i < count; i++)
    inFocus[i] = !focus || (i > 0 && inFocus[parent[i]]) || (frame[i] >= 0 && focus[frame[i]]) ? 1 : 0;
  const weight = weightsInFocus(source.own, parent, inFocus),
    before = source.before && weightsInFocus(source.ownBefore, parent, inFocus);
  const place = new Int32Array(count),
    kept = [], // nodes
    above = [];
  for (let i = 0; i < count; i++) {
    place[i] = i > 0 ? place[parent[i]] : 0;
    if (i > 0 && (!(weight[i] > 0 || (before && before[i] > 0)) || isHidden(frame[i]))) continue;
    above.push(i > 0 ? place[i] : -1);
    place[i] = kept.push(i) - 1;
  }
  const columnOf = (column) => column && kept.map((i) => column[i]),
    certainOf = (certain, whole, part) =>
      certain && kept.map((i) => (certain[i] === ALL ? ALL : Math.max(0, certain[i] - (whole[i] - part[i]))));
  return layOut({
    ...source, frame: columnOf(frame), parent: above, weight: columnOf(weight), before: columnOf(before),
    certain: certainOf(source.certain, source.weight, weight),
    certainBefore: certainOf(source.certainBefore, source.before, before),
  });
}

// Returns the weights of nodes if only the own weights of those in focus count.
function weightsInFocus(own, parent, inFocus) {
  const weight = own.map((each, i) => (inFocus[i] ? each : 0));
  for (let i = weight.length - 1; i > 0; i--) weight[parent[i]] += weight[i];
  return weight;
}

// Computes what the chips show.
function computeRefinement() {
  const focus = framesThatMatch("focus"),
    hide = framesThatMatch("hide"),
    files = framesThatMatch("file");
  const isHidden = (frame) => (frame < 0 ? files !== null : Boolean((hide && hide[frame]) || (files && !files[frame])));
  tree = recordedTree && chips.length > 0 ? refinedTree(recordedTree, focus, isHidden) : recordedTree;
  shownFunctions = chips.length > 0 ? new Uint8Array(functionCount) : null;
  if (shownFunctions) {
    const reached = focus && Uint8Array.from(focus);
    if (focus && tree) tree.frame.forEach((frame, i) => frame >= 0 && tree.weight[i] > 0 && (reached[frame] = 1));
    for (let f = 0; f < functionCount; f++) shownFunctions[f] = (!reached || reached[f]) && !isHidden(f) ? 1 : 0;
  }
  const time = isOfShown ? functions.self.reduce((sum, own, f) => sum + (isShown(f) ? own : 0), 0) : data.total;
  shareBase = time > 0 ? time : data.total;
}

function chipButton(chip) {
  const rest = chips.filter((each) => each !== chip),
    text = chip.text.replace(/^=/, ""),
    name = chip.kind === "file" ? baseName(text) : text;
  return make(
    "button",
    { class: "chip " + chip.kind, type: "button", title: "Remove: " + text, click: () => refine(rest) },
    make("span", { class: "soft" }, (chip.kind === "file" ? "only " : "") + chip.kind + " "),
    name,
    make("span", { class: "cross" }, " ×"),
  );
}

function drawRefineBar() {
  const share = make("button", {
    class: "chip", type: "button", click: () => refine(chips, !isOfShown),
    title: "Of what percentages are shares",
  }, isOfShown ? "% of what is shown" : "% of all");
  refineBar.hidden = chips.length === 0;
  refineBar.replaceChildren(...chips.map(chipButton), ...(hasTime && chips.length > 0 ? [share] : []));
  setStop(refineBar, refineBar.firstElementChild);
}

const KINDS = ["focus", "hide", "file"];

const chipsOf = (parameters) =>
  [...parameters].filter(([kind]) => KINDS.includes(kind)).map(([kind, value]) => ({ kind, text: value }));

function applyChips(text) {
  const parameters = parametersOf(text),
    before = refinementText(chips, isOfShown, "");
  chips = chipsOf(parameters);
  isOfShown = parameters.get("of") === "shown";
  listGrouping = groupingByKey(parameters.get("group"));
  chipsText = refinementText(chips, isOfShown, shownGrouping());
  labelGroupButton();
  for (const recolour of recolourers) recolour();
  if (refinementText(chips, isOfShown, "") === before) return;
  computeRefinement();
  drawRefineBar();
  for (const refresh of refreshers) refresh();
}

// Parameters of views that chips leave as they are.
const KEPT = ["filter", "sort", "filter2", "sort2", "runs", "kinds", "noise"];

// Shows other chips or another grouping, as a step of the browser's history.
function refine(list, ofShown = isOfShown, group = shownGrouping()) {
  const hash = hashWithoutParameters() || "#",
    kept = parametersText([...addressParameters()].filter(([name]) => KEPT.includes(name)));
  applyChips(refinementText(list, ofShown, group));
  location.hash = hash + kept + chipsText;
}

// Adds a chip, unless it is there already.
function addChip(kind, text) {
  if (text && !chips.some((chip) => chip.kind === kind && chip.text === text)) refine([...chips, { kind, text }]);
}

// Takes the chips of an address that was visited before; otherwise a new address gets the present ones.
function followAddress(isKnown) {
  const parameters = addressParameters(),
    group = groupingByKey(parameters.get("group")),
    text = refinementText(chipsOf(parameters), parameters.get("of") === "shown", group && group.key);
  if (text === "" && !isKnown && chipsText !== "")
    replaceEntry(history.state, (location.hash || "#") + chipsText);
  else if (text !== chipsText) applyChips(text);
}

// Rows and frames ---------------------------------------------------------------------------

// Returns the function of the row or the frame at an element; -1 if there is none.
function functionAt(element) {
  const picture = element.closest(".tree"),
    row = element.closest("tr"),
    link = row && row.querySelector("a.node, .owner a");
  if (picture) return selectedFrames.get(picture)();
  const node = link ? nodeByKey(decodeURIComponent(link.hash.slice(1))) : undefined;
  return node === undefined ? -1 : node;
}

const canFocus = (node) => node >= 0 && node < nodeCount;

const chipActions = [
  ["f", "focus", "Focus on ", (node) => "=" + keyOf(node)],
  ["h", "hide", "Hide ", (node) => "=" + keyOf(node)],
  ["i", "file", "Only file ", (node) => fileOf(node) && "=" + fileOf(node)],
];

const refineKeys = makeShortcuts(
  "Rows and frames",
  chipActions.map(([key, kind, title, textFor]) => ({
    keys: [key],
    use: { focus: "focus on the function", hide: "hide it", file: "only its file" }[kind],
    act(event) {
      const node = functionAt(event.target);
      if (!canFocus(node)) return false;
      addChip(kind, textFor(node));
    },
  })),
);

const rowMenu = make("div", { id: "row-menu", popover: "", role: "group", "aria-label": "Menu" });

// Opens a menu at a point. Items are arrays of a title, a key (empty: none) and an action. `chosen` has the focus.
function openMenu(items, x, y, chosen = 0) {
  const button = ([title, key, act], i) =>
    make("button", { type: "button", autofocus: i === chosen, click: () => (rowMenu.hidePopover(), act()) },
      title, " ", key ? make("kbd", {}, key) : null);
  rowMenu.replaceChildren(...items.map(button));
  rowMenu.style.inset = `${Math.min(y, innerHeight - 240)}px auto auto ${Math.max(0, Math.min(x, innerWidth - 260))}px`;
  rowMenu.showPopover();
}

// Moves within the menu, or chooses the item with the key that was pressed. Other keys do nothing on the page below.
rowMenu.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const items = [...rowMenu.children],
    step = { ArrowDown: 1, ArrowUp: -1 }[event.key],
    item = items.find((each) => each.querySelector("kbd")?.textContent === event.key);
  event.stopPropagation();
  if (item) item.click();
  else if (step) items.at((items.indexOf(event.target) + step) % items.length).focus();
  else return;
  event.preventDefault();
});

// Returns what the menu of a function offers: arrays of a title, a key and an action.
function chipItems(node) {
  if (!canFocus(node)) return [];
  return chipActions.filter(([, , , textFor]) => textFor(node)).map(([key, kind, title, textFor]) => {
    const name = kind === "file" ? baseName(fileOf(node)) : splitOnce(nameOf(node))[0];
    return [title + name, key, () => addChip(kind, textFor(node))];
  });
}

// Opens the menu of a row or a frame at the mouse.
function openRowMenu(event) {
  const items = [...chipItems(functionAt(event.target)), ...copyItems(event.target)];
  if (items.length === 0 || !rowMenu.showPopover) return;
  event.preventDefault();
  openMenu(items, event.clientX, event.clientY);
}

// The button that chooses how functions are grouped; null if they cannot be.
const groupButton = groupings.length === 0 ? null : make("button", {
  "class": "plain group-choice", "type": "button", "aria-haspopup": "true", "click": chooseGrouping,
});

function chooseGrouping() {
  if (!groupButton) return false;
  const keys = ["", ...groupings.map(({ key }) => key)],
    at = keys.indexOf(shownGrouping() || ""),
    { left, bottom } = groupButton.getBoundingClientRect();
  const items = keys.map((key, i) => {
    const title = key ? "By " + groupingByKey(key).title : "No groups";
    return [(i === at ? "✓ " : "") + title, "", () => refine(chips, isOfShown, key)];
  });
  openMenu(items, left, bottom, at);
  setTimeout(prepareGroups);
}

function labelGroupButton() {
  if (groupButton) groupButton.textContent = (listGrouping ? "By " + listGrouping.title : "Group") + " ▾";
}
labelGroupButton();
