// What a function belongs to, read from its name: its template, class and namespace in C++, its type and module in
// Rust, its module in Fortran. These are pure functions of names.

const FORTRAN = /^(?:__(\w+?)_MOD_|(\w+?)_mp_)(\w+?)_?$/; // of gfortran and of Intel's compiler
const ANONYMOUS = "(anonymous namespace)";
const INLINE_NAMESPACE = /^(__\d+|__cxx\d+|_V\d+|__ndk\d+)$/; // of the standard library, for its version
const OF_MEMBERS = /^(~|operator(\(\)|\[\]|->|=$| ))/; // names that only functions of a class have

// Returns a name without what compilers append: hashes of Rust, and the kinds of clones.
const SUFFIX = /((\.(part|constprop|isra|cold|lto_priv|llvm)(\.\d+)?)+|::h[0-9a-f]{16})$/;
const CLONE = / \[clone [^\]]*\]/g;
const withoutClone = (name) => (name.includes(" [clone") ? name.replace(CLONE, "") : name);
// The expression is slow, so only names that may match are searched.
const withoutSuffix = (name) => (/\.|::h/.test(name) ? withoutClone(name).replace(SUFFIX, "") : withoutClone(name));

// Splits a path at "::" outside of brackets.
function splitPath(path) {
  if (!/[([{<]|operator/.test(path)) return path.split("::");
  const components = [];
  let from = 0;
  for (let i = 0; i < path.length; ) {
    const after = operatorEnd(path, i);
    if (after > i) i = /^ \w/.test(path.slice(after, after + 2)) ? path.length : after;
    else if (path.startsWith("::", i)) {
      components.push(path.slice(from, i));
      from = i += 2;
    } else i = opensGroup(path, i) ? groupEnd(path, i) : wordEnd(path, i);
  }
  return [...components, path.slice(from)];
}

// Returns a function that computes its value for each string once: names have components in common.
function remembered(compute) {
  const known = new Map();
  return (text) => {
    let value = known.get(text);
    if (value === undefined) known.set(text, (value = compute(text)));
    return value;
  };
}

// Returns a component with "<*>" for its template arguments, and without parameters.
const starred = remembered((component) => {
  if (component === ANONYMOUS || !/[([<]/.test(component)) return component;
  let text = "";
  for (let i = 0; i < component.length; ) {
    const after = operatorEnd(component, i);
    if (after > i) text += component.slice(i, (i = after));
    else if (!"([<".includes(component[i])) text += component[i++];
    else {
      if (component[i] === "<") text += "<*>";
      i = groupEnd(component, i);
    }
  }
  return text.trim() === "" ? component : text; // such as the slice "[T]" of Rust
});

// Takes apart "<T as Trait>", "<T>" and "<impl Trait for T>" of Rust: returns the components of the type; null for
// other components.
function rustType(component) {
  if (!component.startsWith("<") || !component.endsWith(">")) return null;
  const inner = component.slice(1, -1),
    at = splitWords(inner, " as ")[0],
    type = splitWords(at.replace(/^impl(<.*?>)? /, ""), " for ").pop();
  return splitPath(type.replace(/^(&|\*const |\*mut |mut |dyn |'\w+ )+/, "")).map(starred);
}

// Splits a text at a word outside of brackets.
function splitWords(text, word) {
  for (let i = 0; i < text.length; i = "([{<".includes(text[i]) ? groupEnd(text, i) : i + 1)
    if (text.startsWith(word, i)) return [text.slice(0, i), text.slice(i + word.length)];
  return [text];
}

// Returns the text of a component of a template's name.
function templatePart(component) {
  if (!component.startsWith("<")) return starred(component);
  const inner = (text) => splitPath(text).map((each) => (each.includes("[") ? each : starred(each))).join("::");
  return "<" + splitWords(component.slice(1, -1), " as ").map(inner).join(" as ") + ">";
}

// Parses a name. Returns `template`, the name with "<*>" for template arguments, without return type and parameters;
// `scope`, the components of what the function is in; and `inClass`, whether the name alone shows that it is in a
// class. Lambdas and closures belong to the function that contains them.
function parsedName(name) {
  const [plain] = splitObject(withoutSuffix(name)),
    fortran = FORTRAN.exec(plain);
  if (fortran) {
    const module = fortran[1] || fortran[2];
    return { template: module + "::" + fortran[3], scope: [module], inClass: false };
  }
  const { scope, end } = partsOf(plain),
    all = splitPath(plain.slice(scope, end)),
    inner = all.findIndex((each, i) => i > 0 && /^(\{|\$_|'lambda)/.test(each)),
    components = inner > 0 ? all.slice(0, inner) : all,
    outer = components.findIndex((each) => each.endsWith(")") && each !== ANONYMOUS && !each.includes("operator()"));
  if (outer >= 0) components.length = outer + 1; // a class in a function
  const template = components.map(templatePart).join("::"),
    own = starred(components.pop()),
    type = components.length > 0 && rustType(components[components.length - 1]);
  if (type) return { template, scope: [...components.slice(0, -1).map(starred), ...type], inClass: true };
  const last = starred(components[components.length - 1] || "");
  const isInner = inner > 0 || outer >= 0,
    isQualified = !isInner && /^\) (const|volatile|&)/.test(plain.slice(groupEnd(plain, end) - 1)),
    isMember = OF_MEMBERS.test(own) || isQualified;
  return {
    template,
    scope: components.map(starred),
    inClass: components.length > 0 && (isMember || own === last.replace(/<\*>$/, "")),
  };
}

// Returns the number of components before the outermost class of a parsed name. `classes` and `outside` are from
// `scopesAmong`.
function classDepth({ scope }, { classes, outside }) {
  let key = "";
  for (let i = 0; i < scope.length; i++) {
    key += "::" + scope[i];
    if (classes.has(key) || (/^[A-Z]/.test(scope[i]) && !outside.has(key))) return i;
  }
  return scope.length;
}

// Finds the scopes that are classes: those with template arguments, constructors, destructors or const functions; and
// those that are around classes. Names cannot show more; others count as classes if they begin with a capital.
function scopesAmong(parsed) {
  const classes = new Set(),
    outside = new Set();
  for (const { scope, inClass } of parsed) {
    let key = "";
    scope.forEach((component, i) => {
      const before = key;
      key += "::" + component;
      if (!(component.includes("<") || (inClass && i === scope.length - 1))) return;
      classes.add(key);
      if (before !== "") outside.add(before);
    });
  }
  return { classes, outside };
}

const NAMESPACE_LEVELS = 2;

// Returns the class of a parsed name; empty if it has none.
function className(parsed, scopes) {
  return classDepth(parsed, scopes) < parsed.scope.length ? parsed.scope.join("::") : "";
}

// Returns the namespace or module of a parsed name, to two levels; empty if it has none.
function namespaceName(parsed, scopes) {
  const all = parsed.scope.slice(0, classDepth(parsed, scopes)).filter((each) => !INLINE_NAMESPACE.test(each)),
    named = all.filter((each) => each !== ANONYMOUS);
  return (named.length > 0 ? named : all).slice(0, NAMESPACE_LEVELS).join("::");
}

// Returns the module of a Lua function: what its name is qualified with, or else its file.
function luaModule(name, file) {
  const { begin } = ownPartInLua(name);
  if (begin > 0) return name.slice(0, begin - 1);
  return file ? baseName(file).replace(/\.lua$/, "") : "";
}
