// The command that prints on a terminal what the page shows, or what comes nearest: refinements by regular expression
// and percentages of what is shown have no options.

const quotedForShell = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'");

// Returns the options for the refinement of the list of functions.
function optionsOfChips() {
  const letters = { focus: "-q", hide: "-P", file: "-p" },
    named = chips.filter(({ text }) => text.startsWith("=")),
    options = named.map(({ kind, text }) => letters[kind] + (kind === "file" ? baseName(text) : text.slice(1)));
  return options.length > 0 ? options : ["-p"];
}

const optionsOfViews = { "!lines": ["--lines"], "!source": ["-A"], "!files": ["-A"], "!spread": ["--spread", "-p"] };

// Returns the options for the view that the address names.
function optionsOfView() {
  const [, name, argument] = /^#?(!?[^=]*)=?(.*)$/s.exec(hashWithoutParameters()),
    node = nodeByKey.get(decoded(name.startsWith("!tree") ? argument.replace(/^around:/, "") : name));
  if (name === "!tree") return [node === undefined ? "--tree" : "--tree=" + nameOf(node)];
  if (node !== undefined) return ["-q" + nameOf(node)];
  return optionsOfViews[name] || optionsOfChips();
}

function terminalCommand() {
  const thread = shownThreads && !shownThreads.group ? ["--thread=" + shownThreads.key] : [],
    inlines = data.inlines ? ["--inlines"] : [];
  return ["gprof.lua", "-b", ...optionsOfView(), ...inlines, ...thread, ...data.inputs].map(quotedForShell).join(" ");
}

const commandKeys = [
  { keys: ["$"], use: "copy the terminal command", act: () => void copyText(terminalCommand()) },
];
