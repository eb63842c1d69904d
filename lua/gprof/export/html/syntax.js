// Colours of source lines: keywords, comments, strings and numbers. A syntax has `files`, which matches the names of
// its files; `token`, whose groups are the kinds of tokens; `isKeyword(word)`; and `endOf(open)`, what ends a comment
// or string that may take several lines. Lines are taken apart one after the other.

const setOf = (words) => new Set(words.trim().split(/\s+/));

const C_WORDS = setOf(`
  alignas alignof auto bool break case catch char class concept const consteval constexpr constinit const_cast
  continue co_await co_return co_yield decltype default delete do double dynamic_cast else enum explicit export extern
  false final float for friend goto if inline int long mutable namespace new noexcept nullptr operator override
  private protected public register reinterpret_cast requires restrict return short signed sizeof static static_assert
  static_cast struct switch template this thread_local throw true try typedef typeid typename typeof union unsigned
  using virtual void volatile wchar_t while`);

const FORTRAN_WORDS = setOf(`
  abstract allocatable allocate associate block call case character class close codimension common complex concurrent
  contains continue cycle data deallocate default deferred dimension do double elemental else elseif elsewhere end
  enddo endfunction endif endmodule endprogram endsubroutine entry enum equivalence error exit extends external final
  forall format function generic go goto if implicit import impure in inout inquire integer intent interface intrinsic
  kind len logical module namelist none nullify only open operator optional out parameter pass pointer print private
  procedure program protected public pure read real recursive result return save select sequence stop submodule
  subroutine target then to type use value volatile where while write`);

const LUA_WORDS = setOf(`
  and break do else elseif end false for function goto if in local nil not or repeat return then true until while`);

const fortran = (files, comment) => ({
  files,
  token: new RegExp(
    `(?<comment>${comment})|` +
      `(?<string>"[^"]*"?|'[^']*'?)|(?<number>\\b\\d(?:[eEdD][-+]|[\\w.])*)|(?<word>[a-zA-Z]\\w*)`,
    "g",
  ),
  isKeyword: (word) => FORTRAN_WORDS.has(word.toLowerCase()),
});

const syntaxes = [
  {
    files: /\.([ch](\+\+|pp|xx)?|cc|hh|inl|ipp|tcc|cu|cuh)$|\/c\+\+\/[^.]*$/i,
    token: new RegExp(
      [
        "(?<comment>//.*)|(?<open>/\\*)",
        `(?<string>"(?:[^"\\\\]|\\\\.)*"?|'(?:[^'\\\\]|\\\\.)*'?)`,
        "(?<number>\\b\\d(?:[eEpP][-+]|'\\w|[\\w.])*)|(?<word>^\\s*#\\s*\\w+|[a-zA-Z_]\\w*)",
      ].join("|"),
      "g",
    ),
    isKeyword: (word) => C_WORDS.has(word) || word.includes("#"),
    endOf: () => "*/",
  },
  fortran(/\.(f90|f95|f03|f08|f18)$/i, "!.*"),
  fortran(/\.(f|for|ftn|f77)$/i, "!.*|^[cC*].*"), // in fixed form
  {
    files: /\.lua$/i,
    token: new RegExp(
      [
        "(?<open>(?:--)?\\[=*\\[)|(?<comment>--.*)",
        `(?<string>"(?:[^"\\\\]|\\\\.)*"?|'(?:[^'\\\\]|\\\\.)*'?)`,
        "(?<number>\\b\\d(?:[eEpP][-+]|[\\w.])*)|(?<word>[a-zA-Z_]\\w*)",
      ].join("|"),
      "g",
    ),
    isKeyword: (word) => LUA_WORDS.has(word),
    endOf: (open) => open.replace("--", "").replaceAll("[", "]"),
  },
];

const syntaxOf = (fileName) => syntaxes.find(({ files }) => files.test(fileName)) || null;

// Returns the kind of a match: a class, or null for other words.
function kindOfMatch({ groups }, syntax) {
  if (groups.word) return syntax.isKeyword(groups.word) ? "keyword" : null;
  return ["comment", "string", "number"].find((kind) => groups[kind] !== undefined);
}

// Takes a line apart. `open` is the comment or string that the line before did not end: its `kind` and `end`; or null.
// Returns the tokens, pairs of a kind (or null) and a text, and what this line leaves open.
function takeApart(text, syntax, open) {
  const tokens = [];
  let at = 0;
  function add(kind, past) {
    const last = tokens[tokens.length - 1],
      part = text.slice(at, past);
    if (!kind && last && !last[0]) last[1] += part;
    else if (part) tokens.push([kind, part]);
    at = past;
  }
  function addOpen(from) {
    const end = text.indexOf(open.end, from);
    add(open.kind, end < 0 ? text.length : end + open.end.length);
    if (end >= 0) open = null;
  }
  if (open) addOpen(0);
  syntax.token.lastIndex = at;
  for (let match; !open && (match = syntax.token.exec(text)); syntax.token.lastIndex = at) {
    const [found] = match,
      past = match.index + found.length;
    add(null, match.index);
    if (match.groups.open) {
      open = { kind: /^(\/|--)/.test(found) ? "comment" : "string", end: syntax.endOf(found) };
      addOpen(past);
    } else add(kindOfMatch(match, syntax), past);
  }
  if (!open) add(null, text.length);
  return [tokens, open];
}

// Sets the `tokens` of lines, those of a file; other languages have none.
function colourLines(lines, fileName) {
  const syntax = syntaxOf(fileName);
  let open = null;
  for (const line of syntax ? lines : []) [line.tokens, open] = takeApart(line.text, syntax, line.gap ? null : open);
}

// Returns the text of a line as nodes.
function colouredText({ text, tokens }) {
  return tokens ? tokens.map(([kind, part]) => (kind ? make("span", { class: kind }, part) : part)) : [text];
}
