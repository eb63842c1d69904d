// The page: which view is seen is told by what is behind "#" in its address. "#main" is the function main,
// "#!tree" a view. So links can be shared, and browsers go back and forth.

const page = document.getElementById("page");
const programTitle = document.title;
const made = new Map(); // views that keep what was typed there, by name

// A view that is made once.
function kept(name, maker) {
  if (!made.has(name)) made.set(name, maker());
  return made.get(name);
}

const tabs = [
  ["Functions", "#", () => true],
  ["Tree of calls", "#!tree", () => tree],
  ["Source", "#!source", () => data.sources.length > 0],
  ["Changes", "#!changes", () => comparison],
].filter((tab) => tab[2]());

const links = tabs.map(([title, href]) => make("a", { href }, title));
const view = make("div", { id: "view" });

// Puts elements into the view. What is there already stays, and keeps the focus.
function put(...elements) {
  if (elements.length !== view.childNodes.length || elements[0] !== view.firstChild)
    view.replaceChildren(...elements);
}

function zoomTo(i) {
  location.hash = i === 0 ? "!tree" : "!tree=" + i;
}

function showTree(argument) {
  const shown = kept("tree", () => treeView(zoomTo));
  put(shown.element);
  if (argument.startsWith("?")) shown.search(argument.slice(1));
  const frame = Number(argument);
  shown.zoom(Number.isInteger(frame) && frame > 0 && frame < tree.frame.length ? frame : 0);
  return ["#!tree", "Tree of calls"];
}

function showSource(argument) {
  const [, name, line] = /^(.*?)(?::(\d+))?$/s.exec(argument);
  if (!name) {
    put(kept("sources", sourceListView));
    return ["#!source", "Source"];
  }
  const file = sourceByName.has(argument) ? argument : name;
  put(sourceView(file, Number(line)));
  const target = line && view.querySelector(`[data-line="${Number(line)}"]`);
  return ["#!source", baseName(file), target];
}

function showFunction(key) {
  const node = nodeByKey.get(key);
  if (node === undefined) {
    put(
      make("p", { class: "empty" }, "There is no function " + key + " in this profile."),
      make("p", {}, make("a", { href: "#" }, "All functions")),
    );
    return ["#", key];
  }
  put(functionView(node));
  return ["#", nameOf(node)];
}

function showFunctions() {
  put(kept("functions", flatView));
  return ["#", null];
}

// What is behind "#", and what it names.
function route() {
  const [, name, argument] = /^(!?[^=]*)=?(.*)$/s.exec(location.hash.slice(1));
  const decode = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };
  if (name === "!tree" && tree) return showTree(decode(argument));
  if (name === "!source") return showSource(decode(argument));
  if (name === "!changes" && comparison) {
    put(kept("changes", changesView));
    return ["#!changes", "Changes"];
  }
  if (location.hash.length > 1 && !name.startsWith("!")) return showFunction(decode(location.hash.slice(1)));
  return showFunctions();
}

// Where one was in a view is known when one comes back to it, if the browser lets us note that.
let visit = 0,
  visits = 0;
const scrolls = new Map();

function remember() {
  const state = history.state;
  const known = state && scrolls.has(state.visit);
  visit = known ? state.visit : ++visits;
  try {
    if (!known) history.replaceState({ visit }, "");
  } catch {
    // it was done too often
  }
  return known ? scrolls.get(visit) : null;
}

function show(first) {
  const before = remember(),
    [tab, title, target] = route();
  document.body.classList.toggle("inside", title !== null);
  links.forEach((link, i) => {
    if (tabs[i][1] === tab) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  });
  document.title = (title ? title + " – " : "") + programTitle;
  if (first) return target && target.scrollIntoView({ block: "center" });
  if (before !== null) scrollTo(0, before);
  else if (target) target.scrollIntoView({ block: "center" });
  else if (scrollY > page.offsetTop) page.scrollIntoView();
  if (!view.contains(document.activeElement)) page.focus({ preventScroll: true });
}

function pressed(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input")) {
    if (event.key === "ArrowDown" && event.target.closest("input[type=search]")) focusFirst(event);
    return;
  }
  const field = view.querySelector("input[type=search]");
  const number = "1234".indexOf(event.key);
  if (event.key === "/" && field) {
    field.focus();
    field.select();
    event.preventDefault();
  } else if (number >= 0 && event.key !== "" && links[number]) {
    links[number].click();
    event.preventDefault();
  } else if (event.key === "ArrowDown" && !view.contains(event.target)) focusFirst(event);
}

// From the field, or from nowhere, to the first row, or into the picture.
function focusFirst(event) {
  const target = view.querySelector(".tree, tbody a");
  if (target) {
    target.focus();
    event.preventDefault();
  }
}

// What keys do.
function keyHelp() {
  const uses = [
    [["/"], "search"],
    [["↑", "↓"], "row by row"],
    [["Enter"], "open, or zoom"],
    [links.map((_, i) => String(i + 1)), "views"],
    [["Esc"], "clear, or show the whole tree"],
    [["Backspace"], "one up in the tree"],
    [["o"], "open the function of a frame"],
  ];
  return make(
    "p",
    { class: "key keys" },
    ...uses.map(([names, use]) =>
      make("span", {}, ...names.flatMap((name) => [make("kbd", {}, name), " "]), use),
    ),
  );
}

function start() {
  history.scrollRestoration = "manual";
  page.setAttribute("tabindex", "-1");
  page.append(make("nav", { "aria-label": "Views" }, ...links), view, keyHelp());
  addEventListener("scroll", () => scrolls.set(visit, scrollY), { passive: true });
  addEventListener("hashchange", () => show(false));
  addEventListener("keydown", pressed);
  show(true);
  scrolls.set(visit, 0);
}
start();
