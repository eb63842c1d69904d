// The views of the data. Inlined functions are functions, or part of those around them; and the page shows all threads,
// or some of them. The address selects: "?view=inlined&thread=main". Views are parsed only if they are selected.
"use strict";

const hasElement = (id) => document.getElementById(id) !== null;
const parsed = (id) => unpacked(JSON.parse(document.getElementById(id).textContent));
const data = parsed("data");
const firstNames = data.functions.name; // of the view with which the page opens
data.functions.id = firstNames.map((_, node) => node); // these numbers stand for functions in all views

const asked = new URLSearchParams(location.search);
const hasOtherView = hasElement("other");
const otherView = data.inlines ? "compiled" : "inlined";
const showsOtherView = hasOtherView && asked.get("view") === otherView;

const { threads } = data;
// The number of the choice of threads; -1 for all.
const shownChoice = threads && asked.has("thread") ? threads.choices.key.indexOf(asked.get("thread")) : -1;

// Returns a search, as in addresses, that differs from the present one in one parameter; null removes the parameter.
function searchWith(name, value) {
  const search = new URLSearchParams(asked);
  if (value === null) search.delete(name);
  else search.set(name, value);
  return "?" + search;
}

// Returns the address's fragment for another view, without the path in a tree: it consists of numbers of functions.
// What comes after the path stays.
const hashWithoutPath = () => location.hash.replace(/^(#!tree=(down|up):)[^&]*/, "$1");

// Returns names, in place of some of which there are their numbers in `known`.
const namesOf = (names, known) => names.map((name) => (typeof name === "number" ? known[name] : name));

if (data.comparison) {
  const { comparison } = data;
  comparison.name = namesOf(comparison.name, firstNames);
  comparison.status = comparison.status.map((status) => ["both", "new", "gone"][status]);
}

// Takes a view's data. Functions with numbers in `names` have them as ids.
function useView(id, names) {
  const { nodes_of_lines, ...view } = parsed(id),
    numbers = view.functions.name;
  view.functions.id = numbers.map((name, node) => (typeof name === "number" ? name : names.length + node));
  view.functions.name = namesOf(numbers, names);
  Object.assign(data, view);
  if (nodes_of_lines) data.lines.node = nodes_of_lines;
}

const noFigures = { seconds: 0, calls: 0, known: [], callees: [], inlined: [] };

// Takes the data of a choice of threads instead of that of all. Instructions are known only for all.
function useThreads(names) {
  const { functions, labels } = data,
    labelOfId = new Map(Object.keys(labels).map((node) => [functions.id[node], labels[node]])),
    id = "thread-" + shownChoice;
  useView(id, names);
  if (showsOtherView && hasElement(id + "-other")) useView(id + "-other", names);
  data.labels = {};
  data.functions.id.forEach((each, node) => {
    if (labelOfId.has(each)) data.labels[node] = labelOfId.get(each);
  });
  data.sources.forEach((file, i) => Object.assign(file, data.figures[i] || noFigures, { code: [] }));
  data.sources.sort((a, b) => b.seconds - a.seconds || b.calls - a.calls);
}

if (showsOtherView) useView("other", firstNames);
if (shownChoice >= 0) useThreads(showsOtherView ? firstNames.concat(data.functions.name) : firstNames);
