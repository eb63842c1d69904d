// The page. The fragment of its address selects the view: "#main" is the function main, "#!tree" the call
// tree. So links can be shared, and the browser's history works.

const NAVIGATION = 72; // pixels at the top that the tabs and the head of a table can cover

const page = document.getElementById("page");
const pageTitle = document.title;
const cachedViews = new Map(); // by name; cached views keep their filter and order

// Returns a view, which is made at first use.
function cached(name, makeView) {
  if (!cachedViews.has(name)) cachedViews.set(name, makeView());
  return cachedViews.get(name);
}

const tabs = [
  ["Functions", "#", () => true],
  ["Call tree", "#!tree", () => tree],
  ["Lines", "#!lines", () => allLines.length > 0],
  ["Source", "#!source", () => data.sources.length > 0],
  ["Threads", "#!threads", () => threads],
  ["Spread", "#!spread", () => spread],
  ["Changes", "#!changes", () => comparison],
].filter((tab) => tab[2]());

const links = tabs.map(([title, href]) => make("a", { href }, title));
const view = make("div", { id: "view" });

// Shows elements in the view. If they are already shown, they stay and keep the focus.
function put(...elements) {
  if (elements.length !== view.childNodes.length || elements[0] !== view.firstChild)
    view.replaceChildren(...elements);
}

function showTree(argument) {
  const shown = cached("tree", treeView);
  put(shown.element);
  shown.show(argument);
  return ["#!tree", "Call tree"];
}

// Shows a list, which is made at first use.
function showList(name, makeView) {
  const shown = cached(name, makeView);
  put(shown.element);
  shown.show();
}

function showFiles() {
  showList("files", sourceListView);
  return ["#!source", "Source files"];
}

// Shows a file, or the one with the most time. Without a line, the hottest one is marked.
function showSource(argument) {
  const [, name, line] = /^(.*?)(?::(\d+))?$/s.exec(argument || (data.sources[0] ? data.sources[0].name : ""));
  if (!name) return showFiles();
  const file = sourceByName.has(argument) ? argument : name;
  const number = Number(line) || (sourceByName.has(file) ? hottestNumber(sourceByName.get(file)) : 0);
  put(sourceView(file, number));
  return ["#!source", baseName(file), view.querySelector(`[data-line="${number}"]`)];
}

// Whether the last component of a C++ name is `word`, as in "Table<int>::word(char) const".
function isCalled(name, word) {
  const [path] = name.replaceAll("(anonymous namespace)", "").split("(");
  const at = ("::" + path).lastIndexOf("::" + word);
  return at >= 0 && /^($|<| ?\[)/.test(path.slice(at + word.length));
}

// Offers the functions whose last component is `key`.
function suggestions(key) {
  const nodes = Array.from({ length: nodeCount }, (_, node) => node);
  const isOwn = data.scripts ? (name) => splitOnce(name)[0] === key : (name) => isCalled(name, key);
  const found = nodes.filter((node) => isOwn(nameOf(node)));
  return found.map((node) => make("p", {}, nodeLink(node)));
}

function showFunction(key) {
  const node = nodeByKey(key);
  if (node === undefined) {
    const who = shownThreads ? choiceName(shownThreads) : "This profile";
    put(
      make("p", { class: "empty" }, `${who} has no function named ${key}.`),
      ...suggestions(key),
      make("p", {}, make("a", { href: "#" }, "All functions")),
    );
    return ["#", key];
  }
  put(functionView(node));
  return ["#", nameOf(node)];
}

function showFunctions() {
  showList("functions by " + shownGrouping(), () => flatView(listGrouping));
  return ["#", null];
}

// Shows the view that the fragment names. Returns the tab to highlight, the title (null for the list of
// functions), and an element to scroll to, if any.
function route() {
  const fragment = hashWithoutParameters().slice(1),
    [, name, argument] = /^(!?[^=]*)=?(.*)$/s.exec(fragment);
  if (name === "!tree" && tree) return showTree(decoded(argument));
  if (name === "!source") return showSource(decoded(argument));
  if (name === "!files") return showFiles();
  if (name === "!lines" && allLines.length > 0) {
    showList("lines", linesView);
    return ["#!lines", "Lines"];
  }
  if (name === "!threads" && threads) {
    showList("threads", threadsView);
    return ["#!threads", "Threads"];
  }
  if (name === "!spread" && spread) {
    showList("spread", spreadView);
    return ["#!spread", "Spread"];
  }
  if (name === "!changes" && comparison) {
    showList("changes", changesView);
    return ["#!changes", "Changes"];
  }
  if (fragment !== "" && !name.startsWith("!")) return showFunction(decoded(fragment));
  return showFunctions();
}

// Scroll positions, keyed by the number of a visit. Each entry of the browser's history stores the number of its visit.
// Numbers begin with the time, since entries of the page before it was loaded again have smaller ones.
let visit = 0,
  visits = Date.now();
const scrolls = new Map();

// Takes the visit of the current history entry, which gets one if it is new. Returns whether it is an old one.
function enterVisit() {
  const known = history.state && history.state.visit;
  visit = known || ++visits;
  if (!known) replaceEntry({ visit }); // if that is refused, the position is not restored
  return Boolean(known);
}

// Marks the tab of the view. On a phone, it may have to be scrolled to.
function highlight(tab) {
  links.forEach((link, i) => {
    const isCurrent = tabs[i][1] === tab;
    if (isCurrent === link.hasAttribute("aria-current")) return;
    if (!isCurrent) return link.removeAttribute("aria-current");
    link.setAttribute("aria-current", "page");
    setStop(link.parentNode, link);
    link.parentNode.scrollLeft = link.offsetLeft + link.offsetWidth - link.parentNode.clientWidth;
  });
}

// Scrolls to an element, unless it is in sight.
function reveal(element) {
  const { top, bottom } = element.getBoundingClientRect();
  if (top < NAVIGATION || bottom > innerHeight) element.scrollIntoView({ block: "center" });
}

// Says whether the view is another one than the list of functions: then, a phone does not show the summary above it,
// and pictures have to look where the window is.
function setInside(isInside) {
  if (document.body.classList.contains("inside") === isInside) return;
  document.body.classList.toggle("inside", isInside);
  dispatchEvent(new Event("scroll"));
}

function show(first) {
  // Positions are read before the view changes: later, the browser would have to lay it out at once.
  const isOld = enterVisit(),
    before = scrolls.get(visit),
    isBelow = !first && scrollY > page.offsetTop,
    shown = view.firstChild;
  if (before === undefined) scrolls.set(visit, scrollY); // until it is scrolled
  followAddress(first || isOld);
  const [tab, title, target] = route();
  setInside(title !== null);
  document.body.classList.toggle("benched", view.firstChild.matches(".functions"));
  highlight(tab);
  document.title = (title ? title + " – " : "") + pageTitle;
  if (first) return target && reveal(target);
  if (before !== undefined) scrollTo(0, before);
  else if (target) reveal(target);
  else if (isBelow && view.firstChild !== shown) scrollTo(0, page.offsetTop);
  const { activeElement } = document;
  if (activeElement !== page && !view.contains(activeElement)) page.focus({ preventScroll: true });
}

// Moves the focus into the view: to the first link of a table, or to the call tree.
function focusView() {
  const target = view.querySelector(".tree, tbody a");
  if (target) target.focus();
  return target !== null;
}

function focusSearch() {
  const input = view.querySelector("input[type=search]");
  if (!input) return false;
  input.focus();
  input.select();
}

const hotLineKeys = [
  { keys: ["n"], use: "next hot line of the source", act: () => stepToHotLine(1) },
  { keys: ["p"], use: "previous hot line", act: () => stepToHotLine(-1) },
];

const codeKeys = [
  { keys: ["x"], use: "instructions of the marked line", act: toggleCode },
];

function chooseThreads() {
  document.getElementById("settings").showPopover();
  document.querySelector(".thread-choice").focus();
}

const groupingKeys = [
  { keys: ["g"], use: "group functions", act: chooseGrouping },
];

const threadKeys = [
  { keys: ["t"], use: "choose threads", act: chooseThreads },
];

const pageKeys = makeShortcuts("Everywhere", [
  { keys: ["?"], use: "show or hide this help", act: () => (help.open ? help.close() : help.showModal()) },
  { keys: ["/"], use: "search", act: focusSearch },
  {
    keys: links.map((_, i) => String(i + 1)),
    use: "switch views",
    act: (event) => links[Number(event.key) - 1].click(),
  },
  {
    keys: ["ArrowDown"],
    use: "go to the table or the tree",
    act: (event) => !view.contains(event.target) && focusView(),
  },
  ...(data.sources.length > 0 ? hotLineKeys : []),
  ...(data.sources.some(({ code }) => code.length > 0) ? codeKeys : []),
  ...commandKeys,
  ...(groupings.length > 0 ? groupingKeys : []),
  ...(threadChoices.length > 0 ? threadKeys : []),
]);
helpSections.unshift(helpSections.pop()); // the most important ones first
const help = makeHelp();

function keyPressed(event) {
  if (!event.target.closest("input, select") && (!help.open || event.key === "?")) runShortcut(pageKeys, event);
}

// Makes the switch between the views of inlined functions; null if there is only one view.
function viewSelect() {
  if (!hasOtherView) return null;
  const choices = [
    ["compiled", "Compiled functions", "Inlined functions are part of the functions around them"],
    ["inlined", "Inlined functions", "Inlined functions are functions of their own"],
  ];
  return makeSelect("Functions shown", choices, data.inlines ? "inlined" : "compiled", () =>
    location.assign(searchWith("view", showsOtherView ? null : otherView) + hashWithoutPath()),
  );
}

// Makes the buttons at the top, for settings and help.
function makeCorner() {
  const settings = make("div", { id: "settings", popover: "", role: "group", "aria-label": "Settings" },
    threadSelect(), viewSelect(), themeSelect());
  const open = { "class": "plain", "type": "button", "popovertarget": "settings", "title": "Settings",
    "aria-label": threadChoices.length > 0 ? "Threads and settings" : "Settings" };
  const ask = {
    class: "plain ask", type: "button", title: "Keyboard shortcuts (?)", click: () => help.showModal(),
  };
  const sign = (threadChoices.length > 0 ? "Threads " : "") + "⚙\uFE0E",
    buttons = make("div", { class: "buttons" }, groupButton, make("button", open, sign), make("button", ask, "?"));
  return make("div", { class: "corner" }, buttons, settings);
}

// Tells the style sheet where the figures, the buttons and the tabs leave room for the search field and the sentence.
function measureTop(header) {
  const end = (element) => element.offsetLeft + element.offsetWidth + "px",
    { style } = document.documentElement;
  style.setProperty("--figures", end(header.querySelector(".brief")));
  style.setProperty("--corner", header.querySelector(".corner").offsetWidth + "px");
  style.setProperty("--tabs", end(links.at(-1)));
}

function skip(event) {
  event.preventDefault();
  focusView();
}

function start() {
  history.scrollRestoration = "manual";
  page.setAttribute("tabindex", "-1");
  page.append(oneStop(make("nav", { "aria-label": "Views" }, ...links)), oneStop(refineBar), view);
  view.addEventListener("contextmenu", openRowMenu);
  view.addEventListener("keydown", (event) => {
    if (event.target.closest("input, select")) return;
    runShortcut(refineKeys, event);
    runShortcut(copyKeys, event);
  });
  const header = document.querySelector("header"),
    sentence = makeSentence();
  header.prepend(makeCorner());
  if (sentence) header.querySelector("dl").after(sentence);
  makeTopRow(header, header.querySelector(".buttons"));
  oneStopOf([header.querySelector(".buttons"), sentence].filter(Boolean));
  header.prepend(make("a", { class: "skip", href: location.hash || "#", click: skip }, "Skip to the first row"));
  document.body.append(help, rowMenu);
  const measure = () => measureTop(header);
  wideScreen.addEventListener("change", measure);
  recolourers.push(measure); // the grouping is on a button
  measure();
  addEventListener("scroll", () => scrolls.set(visit, scrollY), { passive: true });
  addEventListener("hashchange", () => show(false));
  addEventListener("keydown", keyPressed);
  if (comparison && !shownThreads && location.hash === "") replaceEntry(null, "#!changes");
  show(true);
  document.body.classList.add("ready");
}
start();
