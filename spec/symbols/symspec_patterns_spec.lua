-- Symspecs that are patterns: the last components of C++ names, globs and regular expressions. A more exact match wins.
-- SPDX-License-Identifier: GPL-3.0-or-later

local crafted = require "support.crafted"
local gprof = require "gprof"
local program = require "support.program"
local symspec = require "gprof.symspec"

local names <const> = {
  "main", "Parse", "xml::Document::Parse(char const*)", "xml::Document::Parse(char const*, int)",
  "xml::Element::Parse(Parser*)", "void xml::Map<int, char>::each<F>(F) const", "xml::Map<long, char>::size() const",
  "find(Parser&)", "(anonymous namespace)::count(int)", "xml::Value::operator<(xml::Value) const",
  "xml::Value::operator()(int)", "part [clone .isra.0]", "a*b",
  "xml::Set<int, less<int> >::erase(int*) [clone .isra.0]", "xml::Log::print(char const*, ...)",
  "part [clone .constprop.1] [clone .cold]", "main [clone .part.0]", "local.2", "local.1.isra.0", "twice.isra.0.part.1",
  "xml::size(int) [clone .2]", "core.dump", "xml::Set<int, less<int> >::erase(long) [clone .part.0]",
  "xml::Reader::next[abi:cxx11](int)", "geo::area::<u32>", "geo::line::<f64>::{closure#0}",
  "core::slice::<impl [u32]>::sort", "<geo::Sq as geo::Shape>::go::<u8>",
}
local plan <const> = { functions = names, ticks = {}, calls = {} }
for i, name in ipairs(names) do
  plan.ticks[name] = 1
  plan.calls[i] = i > 1 and { "main", name, i } or nil
end
plan.calls = { table.unpack(plan.calls, 2, #names) }
local image <const>, profile <const> = crafted.image(plan), crafted.gmon(plan)
local opened <const> = assert(gprof.image(image))

-- Returns the positions in `names` of the functions that a symspec finds.
local function found(spec)
  local numbers = {}
  for _, symbol in ipairs { opened:find(spec) } do
    for i, name in ipairs(names) do
      if symbol.name == name then numbers[#numbers + 1] = i end
    end
  end
  table.sort(numbers)
  return numbers
end

local selected <const> = {
  -- last components; a complete name wins
  Parse = { 2 }, ["Document::Parse"] = { 3, 4 }, ["xml::Element::Parse"] = { 5 }, ["Element::Parse(Parser*)"] = { 5 },
  each = { 6 }, ["Map::each"] = { 6 }, ["Map<int, char>::each<F>"] = { 6 }, ["xml::Map<>::each<>"] = { 6 },
  ["Map<int>::each"] = {}, size = { 7 }, count = { 9 }, ["operator<"] = { 10 }, ["operator()"] = { 11 },
  -- with parameters, without the return type or template arguments
  ["xml::Map<int, char>::each<F>(F) const"] = { 6 }, ["Map<int, char>::each<F>(F) const"] = { 6 },
  ["xml::Map::each(F) const"] = { 6 }, ["each(F) const"] = { 6 }, ["xml::Map<>::each<>(F) const"] = { 6 },
  ["Map::each(F)"] = {}, ["Map::size() const"] = { 7 }, ["size() const"] = { 7 }, ["Map<*>::each<*>(F) *"] = { 6 },
  ["Map<int>::each(F) const"] = {}, ["void xml::Map<int, char>::each<F>(F) const"] = { 6 },
  -- generic functions of Rust
  area = { 25 }, ["geo::area"] = { 25 }, ["area::<u32>"] = { 25 }, ["area::<u8>"] = {}, ["area::*"] = {},
  ["<u32>"] = {},
  ["line::{closure#0}"] = { 26 }, ["<impl [u32]>::sort"] = { 27 }, sort = { 27 }, go = { 28 }, ["slice::sort"] = {},
  -- ABI tags are ignored
  next = { 24 }, ["Reader::next"] = { 24 }, ["next[abi:cxx11]"] = { 24 }, ["Reader::next(int)"] = { 24 },
  ["nex?"] = { 24 },
  -- a parenthesis that closes nothing is a character
  ["/operator\\(\\)|xyz/"] = { 11 }, ["/xyz)|^main$/"] = { 1 },
  ["/next\\(/"] = {},
  -- a dot in brackets does not mark a file
  ["xml::Set<>::erase [clone .isra.0]"] = { 14 }, ["Set::erase [clone .isra.0]"] = { 14 },
  ["part [clone .isra.0]"] = { 12 }, ["print(char const*, ...)"] = { 15 }, ["Log::print"] = { 15 },
  -- clones, if no other function has the name
  erase = { 14, 23 }, ["Set::erase"] = { 14, 23 }, ["xml::Set<>::erase"] = { 14, 23 },
  ["Set<int, less<int> >::erase(int*)"] = { 14 }, ["Set<int, less<int>>::erase(int*)"] = { 14 },
  ["xml::Set<int, less<int>>::erase"] = { 14, 23 }, ["Set<int, less<?nt>>::*"] = { 14, 23 },
  part = { 12, 16 }, ["local"] = { 18, 19 }, twice = { 20 }, ["xml::size"] = { 21 }, core = {}, isra = {},
  ["xml::size(int)"] = { 21 }, ["Set<int, less<int> >::erase(long)"] = { 23 }, ["*::erase [*"] = { 14, 23 },
  ["ocument::Parse"] = {}, Document = {}, ["xml::Document"] = {}, Parser = {},
  -- globs
  ["*Parse*"] = { 2, 3, 4, 5 }, ["Pars?"] = { 2, 3, 4, 5 }, ["xml::*::Parse"] = { 3, 4, 5 }, ["*(Parser*"] = { 5, 8 },
  ["Map<*>::*"] = { 6, 7 }, ["*Map<long*"] = { 7 }, ["???"] = { 13 }, ["f*d"] = { 8 }, ["*isra*"] = { 12, 14, 19, 20 },
  ["*[clone .isra.?]"] = { 12, 14 }, ["par*"] = { 12, 16 },
  ["a*b"] = { 13 }, ["ma*n"] = { 1 },
  ["*"] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
    24, 25, 26, 27, 28 },
  -- regular expressions: anywhere in the name as printed
  ["/Parse/"] = { 2, 3, 4, 5, 8 }, ["/^Parse$/"] = { 2 }, ["/Parse\\(char/"] = { 3, 4 },
  ["/(find|main)/"] = { 1, 8, 17 },
  ["/^[[:alpha:]]+::Map</"] = { 7 }, ["/\\/x/"] = {}, ["/nothing/"] = {},
}

describe("A symspec finds functions by pattern:", function()
  for spec, numbers in pairs(selected) do
    it(spec, function() assert.same(numbers, found(spec)) end)
  end

  it("calls, with a pattern on any side", function()
    local function calls(...)
      local result = program.run { "-b", "-q", "--no-demangle", "-q" .. table.concat({ ... }), image, profile }
      return result.status == 0 and result.stdout or result.stderr
    end
    local expected = calls "main/find(Parser&)"
    assert.matches("find(Parser&)", expected, 1, true)
    for _, spec in ipairs { "main//^find/", "/^main$//find", "/^ma//" .. "/^find/", "ma*/f*d" } do
      assert.equal(expected, calls(spec))
    end
    assert.equal(calls "/find", calls "//^find/")
    assert.equal(calls "main/", calls "/^main$//")
  end)
end)

describe("A symspec with a pattern", function()
  for text, half in pairs {
    ["/a.c:7/"] = { regex = "a.c:7" }, ["a.c:/x:y/"] = { file = "a.c", regex = "x:y" }, ["/a\\/b/"] = { regex = "a/b" },
    [":/a/"] = { regex = "a" },
    ["a::b*"] = { name = "a::b*" }, ["/a/b.c"] = { file = "/a/b.c" }, ["/"] = { name = "/" },
    ["//"] = { name = "//" },
  } do
    it("is parsed: " .. text, function()
      half.text = text
      assert.same(half, (symspec.parse(text, false)))
    end)
  end

  -- Mangled names contain the words of the parameters.
  it("finds mangled names only if it begins like one", function()
    local mangled = assert(gprof.image(crafted.image { functions = { "main", "_Z5takesR6Parser", "_ZN3xml5ParseEi",
      "_exit" } }))
    local function names_of(spec)
      local list = {}
      for i, symbol in ipairs { mangled:find(spec) } do list[i] = symbol.name end
      return list
    end
    assert.same({ "xml::Parse(int)" }, names_of "*Parse*")
    assert.same({}, names_of "*R6*")
    assert.same({ "takes(Parser&)" }, names_of "*(Parser*")
    assert.same({ "takes(Parser&)" }, names_of "_Z5takes*")
    assert.same({ "takes(Parser&)", "xml::Parse(int)" }, names_of "_Z*Parse*")
    assert.same({ "_exit" }, names_of "_*")
  end)

  it("is refused if the regular expression is invalid", function()
    for _, option in ipairs { "-p/(/", "-k/(//b", "--tree=/(/", "-nx.c:/(/" } do
      local result = program.run { option, image, profile }
      assert.same({ "", 1 }, { result.stdout, result.status })
      assert.matches("'(' is not a valid regular expression: Unmatched (", result.stderr, 1, true)
    end
    assert.error_matches(function() opened:find "/(/" end, "bad argument #1 to 'find' %('%(' is not a valid regular ex")
    local message = "bad argument #2 to 'find' %('%(' is not a valid regular expression"
    local symbols = gprof.profile(opened, gprof.data.new { image = opened }).symbols
    assert.error_matches(function() return (symspec.find(symbols, "/(/")) end, message)
    local data = assert(gprof.data(opened, profile))
    assert.error_matches(function() gprof.profile(opened, data, { include = { flat = { "/[/" } } }) end,
      "'%[' is not a valid regular expression")
  end)

  it("matches nothing with --gnu-compat", function()
    local all = program.run { "--gnu-compat", "-p", image, profile }
    for _, spec in ipairs { "*Parse*", "Document::Parse", "/Parse/", "/(/" } do
      assert.equal(all.stdout, program.run({ "--gnu-compat", "-p", "-p" .. spec, image, profile }).stdout)
    end
  end)
end)
