// Helpers that make elements. Strings become text nodes, never markup.

// Makes an element. Attributes that are functions become event listeners; children are strings or DOM nodes.
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// Returns the pieces of a name. Between the components of a C++ name, a line may end, but not after "std::".
function breakable(name) {
  const parts = name.split(data.scripts ? /(?<=\.)/ : /(?<=::)(?<!\bstd::)/);
  return parts.flatMap((part, i) => (i > 0 ? [make("wbr"), part] : [part]));
}

// Makes the parts of a function's name: its own name stands out from what is around it. In tables, names of C++ begin
// with it (see the style sheet); those of Lua are short.
function nameParts(name) {
  const { begin, end } = ownPartOf(splitObject(name)[0]),
    [, scope, join] = /^(.*?)(::|)$/s.exec(name.slice(0, begin)),
    around = { class: data.scripts ? "soft" : "scope" };
  const own = name.slice(begin, end),
    rest = name.slice(end);
  return [
    begin > 0 ? make("span", around, ...breakable(scope), make("span", { class: "join" }, join), make("wbr")) : null,
    make("span", { class: "own" }, own, rest ? make("span", around, make("wbr"), ...breakable(rest)) : null),
  ];
}

// Makes a link to a function or cycle.
const nodeLink = (node) =>
  make("a", { class: "node", href: linkTo(node), title: nameOf(node) }, ...nameParts(labelOf(node)));

// Makes the text of a place in a file, such as "file.c:12", or a link to it. The number stays on one line.
function placeLink(place, href, title) {
  const [, file, number] = /^(.*?)(:\d+)?$/s.exec(place);
  const text = [file, number ? make("span", { class: "number" }, number) : null];
  return href ? make("a", { href, title }, ...text) : make("span", {}, ...text);
}

// Makes a bar that fills the share `outer` (0 to 1), overlaid with a darker bar for `inner`, and hatched between two
// other shares, if given.
function shareBar(outer, inner, between) {
  const bar = make("span", { "class": "share", "aria-hidden": "true" });
  for (const share of [outer, inner]) {
    const part = make("i");
    part.style.width = 100 * Math.min(1, Math.max(0, share)) + "%";
    bar.append(part);
  }
  if (between) {
    const range = make("b");
    range.style.left = 100 * between[0] + "%";
    range.style.width = 100 * Math.max(0, between[1] - between[0]) + "%";
    bar.append(range);
  }
  return bar;
}

// Makes a list of choices: arrays of a value, a title and a hint. Calls `change` with the value that the user chooses.
function makeSelect(label, choices, chosen, change) {
  const select = make("select", { "aria-label": label, "change": () => change(select.value) });
  for (const [value, title, hint] of choices)
    select.append(make("option", { value, title: hint, selected: value === chosen }, title));
  return select;
}

// Returns a regular expression that matches a text.
const escaped = (text) => text.replace(/[.*+?^${}()|[\\]/g, "\\$&");

// Returns a function that tests whether a string matches the query: a substring, or a regular expression as "/.../".
// Null if the expression is invalid.
function matcher(query) {
  const pattern = /^\/(.+)\/$/.exec(query);
  if (!pattern) {
    const words = query.toLowerCase();
    return (text) => text.toLowerCase().includes(words);
  }
  try {
    const expression = new RegExp(pattern[1], "i");
    return (text) => expression.test(text);
  } catch {
    return null;
  }
}

const searchKeys = makeShortcuts("Search", [
  {
    keys: ["Escape"],
    use: "clear the search; leave it",
    act(event, { input }) {
      if (input.value === "") input.blur();
      setSearch(input, "");
    },
  },
  {
    keys: ["ArrowDown", "Enter"],
    use: "go to the first match; with Shift, focus on all functions that match",
    act: (event, field) => (event.shiftKey && field.areNames ? focusOnMatches(field) : focusView()),
  },
]);

// Focuses on the functions whose names match, unless others are shown as well.
function focusOnMatches({ input, status, areNames }) {
  const query = input.value.trim(),
    test = matcher(query);
  if (!query || !test) return;
  if (areNames(test)) addChip("focus", query.startsWith("=") ? `/${escaped(query)}/` : query); // "=": see nameTest
  else status.textContent = "Not all names match: some of the files do";
}

// Sets the text of a search field. All that listens to what the user types is told.
function setSearch(input, text) {
  input.value = text;
  input.dispatchEvent(new Event("input"));
}

// Makes a search field, and the status beside it. After every change, `search` gets a test for strings, null if the
// text is an invalid regular expression, and the text. It returns what the status says. Returns `input`, `status`, and
// `update()`, which searches again. If the view is of functions, it sets `areNames(test)`, which returns whether the
// test selects by name all that is shown.
function searchField(label, search) {
  const status = make("span", { class: "soft", role: "status" });
  const input = make("input", {
    "type": "search",
    "placeholder": label,
    "aria-label": label,
    "spellcheck": "false",
    "autocomplete": "off",
  });
  function update() {
    const query = input.value.trim(),
      test = matcher(query),
      found = search(test, query);
    status.textContent = test ? found : "Invalid regular expression";
  }
  input.addEventListener("input", update);
  const field = { input, status, update };
  input.addEventListener("keydown", (event) => runShortcut(searchKeys, event, field));
  return field;
}
