// The command that prints on a terminal what the page shows. Where no options print the same, the command prints more:
// there are none for trees of callers, beyond the direct ones, for groups, and for refined trees, lines and changes.

const quotedForShell = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'");

const MOST_NAMES = 50; // in a command

// Symspecs ------------------------------------------------------------------------------

// Returns the symspec of a query, and a test for the names that it selects; null if there is none. Symspecs tell
// capital letters apart, and their regular expressions are those of POSIX. Invalid ones have none.
function patternOf(query) {
  const [, expression] = /^\/(.+)\/$/.exec(query) || [],
    text = expression || escaped(query);
  if (!text || !matcher(query) || text.includes("/") || /\\\w|\(\?|[*+?}][?+]/.test(text)) return null;
  const pattern = new RegExp(text);
  return { symspec: `/${text}/`, test: (name) => pattern.test(name) };
}

// Returns the symspec of a source file.
const fileSpec = (path) => (baseName(path).includes(".") ? baseName(path) : baseName(path) + ":");

// Returns the symspec of a function: its name, after the file if other functions have that name.
function functionSpec(node) {
  const isShared = longKeys.has(node) && fileOf(node);
  return isShared ? fileSpec(fileOf(node)).replace(/:?$/, ":") + nameOf(node) : nameOf(node);
}

// The functions that a flat profile lists: those with time of their own or calls, unless an option asks for all.
const listsAll = data.options.includes("--display-unused-functions");
const isPrinted = (f) => listsAll || functions.self[f] > 0 || functions.calls[f] > 0 || functions.self_calls[f] > 0;

// Returns options that select functions in a list that was filtered by a query.
function optionsFor(isWanted, query) {
  const printed = functions.name.map((_, f) => f).filter(isPrinted),
    wanted = printed.filter(isWanted),
    others = printed.filter((f) => !isWanted(f));
  const isExact = (test) => wanted.every(test) && !others.some(test),
    specs = (letter, list) => [...new Set(list.map((f) => letter + functionSpec(f)))],
    pattern = patternOf(query),
    files = chips.filter(({ kind, text }) => kind === "file" && text.startsWith("=")),
    file = files.length === 1 ? baseName(files[0].text.slice(1)) : null;
  if (wanted.length === 0 || others.length === 0) return ["-p"];
  if (pattern && isExact((f) => pattern.test(nameOf(f)))) return ["-p" + pattern.symspec];
  if (file && isExact((f) => fileOf(f) !== null && baseName(fileOf(f)) === file)) return ["-p" + fileSpec(file)];
  if (Math.min(wanted.length, others.length) > MOST_NAMES) return ["-p"];
  return others.length < wanted.length ? specs("-P", others) : specs("-p", wanted);
}

// Views -----------------------------------------------------------------------------------

const sortFields = [
  [/^-Total/, "total"],
  [/^-Calls/, "calls"],
  [/^Function/, "name"],
];

function optionsOfList() {
  const parameters = addressParameters(),
    query = parameters.get("filter") || "",
    test = matcher(query) || (() => false),
    sort = sortFields.find(([pattern]) => pattern.test(parameters.get("sort") || ""));
  return [...optionsFor((f) => isListed(f, test), query), ...(sort ? ["--sort=" + sort[1]] : [])];
}

function optionsOfTree(argument) {
  const [, mode, place] = /^(down|up|around):(.*)$/s.exec(argument) || [null, "down", ""],
    threshold = "--tree-threshold=0.1"; // narrower frames are gathered
  if (mode === "up") return ["-q"];
  const node = mode === "around" ? nodeByKey(place) : itemAt(wholeTree(false, false), place).frame;
  if (node === undefined || node < 0 || node >= nodeCount || isCycle(node)) return ["--tree", threshold];
  const callers = mode === "around" ? ["-q" + functionSpec(node)] : [];
  return ["--tree=" + functionSpec(node), ...callers, threshold];
}

function optionsOfSource(argument) {
  const name = sourceByName.has(argument) ? argument : argument.replace(/:\d+$/, ""),
    [first] = data.sources,
    file = name || (first && first.name);
  return ["-A" + (file ? fileSpec(file) : ""), ...(hasTime ? ["--annotate-time"] : [])];
}

// Options of views by their names in addresses, given the argument.
const optionsOfViews = {
  "!tree": optionsOfTree,
  "!lines": () => ["--lines=" + allLines.length],
  "!source": optionsOfSource,
  "!files": () => optionsOfSource("").map((option) => option.replace(/^-A.*/, "-A")),
  "!threads": () => ["--threads"],
  "!spread": () => ["--spread"],
  "!changes": () => (comparison && comparison.options.length > 0 ? comparison.options : ["-p"]),
};

// Returns the options for the view that the address names. Instead of a view that the page lacks, it shows the list.
function optionsOfView() {
  const [, name, argument] = /^#?(!?[^=]*)=?(.*)$/s.exec(hashWithoutParameters()),
    isView = name === "!files" || (name.startsWith("!") && tabs.some(([, href]) => href === "#" + name)),
    node = name.startsWith("!") ? undefined : nodeByKey(decoded(name + (argument && "=" + argument)));
  if (isView) return optionsOfViews[name](decoded(argument));
  if (node === undefined) return optionsOfList();
  return (isCycle(node) ? cycleOf(node).members : [node]).map((each) => "-q" + functionSpec(each));
}

// Returns what selects a thread and, of others, only those of `rows`: its name or else its number; null if neither
// does. Names can be numbers of others; "*" and "?" stand for other characters.
function threadWord(row, rows) {
  const [name, number] = [threads.name[row], String(threads.number[row])],
    others = threads.name.map((_, other) => other).filter((other) => !rows.includes(other)),
    isOwn = (word) => others.every((other) => ![threads.name[other], String(threads.number[other])].includes(word));
  if (name !== "" && !/[*?]/.test(name) && isOwn(name)) return name;
  return threads.number[row] > 0 && isOwn(number) ? number : null;
}

// Returns the options for the threads that are shown; none if they would select others. Some views are always of all
// threads.
function optionsOfThreads() {
  const rows = shownThreads && !/^#!(threads|spread|changes)/.test(location.hash) ? shownThreads.rows : [];
  if (rows.length > MOST_NAMES) return [];
  const words = new Set(rows.map((row) => threadWord(row, rows)));
  return words.has(null) ? [] : [...words].map((word) => "--thread=" + word);
}

function terminalCommand() {
  const options = data.options.filter((option) => !shownThreads || !option.startsWith("--thread="));
  const words = ["gprof.lua", "-b", ...optionsOfView(), ...options, ...(data.inlines ? ["--inlines"] : []),
    ...optionsOfThreads(), ...data.inputs];
  return words.map(quotedForShell).join(" ");
}

const commandKeys = [
  { keys: ["$"], use: "copy the terminal command", act: () => void copyText(terminalCommand()) },
];
