// The parts of names: a function's own name, and what it is qualified with.

const OPERATOR = /operator(\(\)|\[\]|<=>|<<=|>>=|->\*|->|<<|>>|<=|>=|<|>)?(?![\w$])/y;

// How brackets change the depth of nesting, by character.
const nesting = new Int8Array(128);
for (const c of "([{<") nesting[c.charCodeAt(0)] = 1;
for (const c of ")]}>") nesting[c.charCodeAt(0)] = -1;

const opensGroup = (name, at) => nesting[name.charCodeAt(at)] === 1;

// Returns the end of the group of brackets that begins at `at`; the length of the name if the group has no end.
function groupEnd(name, at) {
  let depth = 0;
  for (let i = at; i < name.length; i++) {
    const change = nesting[name.charCodeAt(i)];
    if (change && !(name[i] === ">" && name[i - 1] === "-")) depth += change;
    if (depth === 0) return i + 1;
  }
  return name.length;
}

// Returns the end of "operator<" or the like at `at`; `at` if there is none.
function operatorEnd(name, at) {
  if (name[at] !== "o") return at; // the expression is slow
  OPERATOR.lastIndex = at;
  const isWord = at === 0 || !/[\w$]/.test(name[at - 1]);
  return isWord && OPERATOR.test(name) ? OPERATOR.lastIndex : at;
}

const WORD = /\w+/y;

// Returns the end of the word at `at`, or of the character that is there instead.
function wordEnd(name, at) {
  WORD.lastIndex = at;
  return WORD.test(name) ? WORD.lastIndex : at + 1;
}

// Whether the parameters at `at` belong to a function that encloses another one: "f(int)::g()".
const isScope = (name, at) => name.startsWith("::", groupEnd(name, at));

// Returns the places of a C++ name's parts: `scope`, where namespaces and classes begin, after a return type; `before`
// and `own`, where the last two components begin; `stem`, where the template arguments of the last one begin; `end`,
// where the parameters begin.
function partsOf(name) {
  const parts = { scope: 0, before: 0, own: 0, stem: -1, end: name.length };
  let i = 0;
  const begin = (at) => Object.assign(parts, { before: parts.own, own: at, stem: -1 });
  while (i < name.length) {
    const c = name[i],
      after = operatorEnd(name, i);
    if (after > i) {
      i = after;
      if (/^ \w/.test(name.slice(i, i + 2))) i = name.indexOf("(", i) < 0 ? name.length : name.indexOf("(", i);
      else if (name.startsWith(" <", i)) i = groupEnd(name, (parts.stem = i) + 1);
    } else if (name.startsWith("::", i)) {
      begin((i += 2));
    } else if (name.startsWith(" [", i) || (c === "(" && i > parts.own && !isScope(name, i))) {
      parts.end = i;
      break;
    } else if (c === " ") {
      parts.scope = ++i;
      begin(i);
    } else if (opensGroup(name, i)) {
      if (c === "<" && i > parts.own) parts.stem = i;
      i = groupEnd(name, i);
    } else i = wordEnd(name, i);
  }
  return parts;
}

// Returns the parts of a Lua name: "gprof.core.profile", "Class:method". Others are left as they are: "init.lua:12".
function ownPartInLua(name) {
  const [, scope] = /^((?:[A-Za-z_]\w*[.:])+)(?!lua$)[A-Za-z_]\w*$/.exec(name) || [null, ""];
  return { scope: 0, begin: scope.length, stem: name.length, end: name.length };
}

// Returns where the last component of a C++ name begins, its template arguments and its parameters. Components such as
// "{lambda(int)#1}" and "operator()" are taken together with the one before them.
function ownPartOf(name) {
  if (data.scripts) return ownPartInLua(name);
  const parts = partsOf(name),
    last = name.slice(parts.own, parts.end),
    isVague = /^(\{|operator\(\))/.test(last) && parts.before < parts.own;
  return {
    scope: parts.scope,
    begin: isVague ? parts.before : parts.own,
    stem: isVague || parts.stem < 0 ? parts.end : parts.stem,
    end: parts.end,
  };
}

// Returns a name without the object at its end, and that object: ["memcpy", "libc.so.6"].
const splitObject = (name) =>
  name.includes("@") ? (/^(.+?)(?:@+([^@]+))?$/s.exec(name) || [null, name]).slice(1) : [name];

// Returns a function's own name and what qualifies it: ["find", "Table<int>"], ["memcpy", "libc.so.6"].
function splitName(name) {
  const [plain, object] = splitObject(name);
  const { scope, begin, stem } = ownPartOf(plain);
  const outer = plain.slice(Math.min(scope, begin), begin).replace(/(::|[.:])$/, "");
  return [plain.slice(begin, stem) || name, [outer, object].filter(Boolean).join(", ")];
}

const splitNames = new Map(); // by name

function splitOnce(name) {
  if (!splitNames.has(name)) splitNames.set(name, splitName(name));
  return splitNames.get(name);
}
