// Keyboard shortcuts, and the help that lists them. A shortcut has `keys`, as events name them; `use`, which the help
// says; and `act(event, context)`. If that returns false, the key does what it does without the shortcut.

const helpSections = []; // of shortcuts, each with a title

// Makes a list of shortcuts, and adds it to the help if the page has a use for them.
function makeShortcuts(title, shortcuts, isUsed = true) {
  if (isUsed) helpSections.push([title, shortcuts]);
  return shortcuts;
}

// Runs the shortcut for the key that was pressed, if there is one.
function runShortcut(shortcuts, event, context) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const found = shortcuts.find(({ keys }) => keys.includes(event.key));
  if (found && found.act(event, context) !== false) event.preventDefault();
}

const keySigns = {
  "ArrowUp": "↑",
  "ArrowDown": "↓",
  "ArrowLeft": "←",
  "ArrowRight": "→",
  "PageUp": "Page ↑",
  "PageDown": "Page ↓",
  "Escape": "Esc",
  " ": "Space",
};

function helpSection([title, shortcuts]) {
  const entries = shortcuts.flatMap(({ keys, use }) => [
    make("dt", {}, ...keys.flatMap((key) => [make("kbd", {}, keySigns[key] || key), " "])),
    make("dd", {}, use),
  ]);
  return make("section", {}, make("h3", {}, title), make("dl", {}, ...entries));
}

// Makes the help: a modal dialog, which the browser closes with Escape. Its button is the only control, so Tab stays
// there; browsers would go on to their own controls.
function makeHelp() {
  const dialog = make(
    "dialog",
    { "aria-labelledby": "help-title" },
    make("h2", { id: "help-title" }, "Keyboard shortcuts"),
    make("div", { class: "columns" }, ...helpSections.map(helpSection)),
    make("button", { class: "plain", type: "button", click: () => dialog.close() }, "Close"),
  );
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("keydown", (event) => event.key === "Tab" && event.preventDefault());
  return dialog;
}
