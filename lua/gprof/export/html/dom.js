// Elements. Text becomes text, never markup.

// Makes an element: attributes by name; functions listen to events; children are texts or nodes.
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

// A link to a function or cycle.
function nodeLink(node) {
  return make("a", { class: "node", href: linkTo(node), title: nameOf(node) }, nameOf(node));
}

// A bar of a share, 0 to 1, and in it a smaller one.
function shareBar(outer, inner) {
  const bar = make("span", { "class": "share", "aria-hidden": "true" });
  for (const share of [outer, inner]) {
    const part = make("i");
    part.style.width = 100 * Math.min(1, Math.max(0, share)) + "%";
    bar.append(part);
  }
  return bar;
}

// What tells whether a text is looked for: "/.../" is a regular expression; null if that is none.
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

// A field to search by; `found` is called with what was typed.
function searchField(label, found) {
  const input = make("input", {
    "type": "search",
    "placeholder": label,
    "aria-label": label,
    "spellcheck": "false",
    "autocomplete": "off",
  });
  input.addEventListener("input", () => found(input.value.trim()));
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    if (input.value === "") input.blur();
    input.value = "";
    found("");
    event.preventDefault();
  });
  return input;
}
