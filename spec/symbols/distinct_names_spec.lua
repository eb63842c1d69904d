-- Names that are shortened remain different from each other, but are no longer than that needs.
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local crafted = require "support.crafted"
local program = require "support.program"
local pty = require "support.pty"

-- Returns the names of a list, without parameters and template arguments, and at most `columns` wide.
local function shortened(names, columns)
  local distinct, list = core.distinct_names(names), {}
  for i in ipairs(names) do list[i] = distinct(i, "without arguments", columns, "…") end
  return list
end

describe("Short names keep", function()
  for what, case in pairs {
    ["the template arguments that differ, without their namespaces"] = {
      { "int Y::RegEx::Match<Y::StreamSource>(Y::StreamSource const&) const",
        "int Y::RegEx::Match<Y::StringSource>(Y::StringSource const&) const" },
      { "Y::RegEx::Match<StreamSource>", "Y::RegEx::Match<StringSource>" },
    },
    ["a qualified argument if its namespace differs"] = {
      { "f<a::X>()", "f<b::X>()" }, { "f<a::X>", "f<b::X>" },
    },
    ["an argument that contains the difference as a whole"] = {
      { "v<std::shared_ptr<a::X>, A>::f(int)", "v<std::shared_ptr<a::Y>, A>::f(int)" },
      { "v<std::shared_ptr<a::X>>::f", "v<std::shared_ptr<a::Y>>::f" },
    },
    ["no template arguments of arguments, unless these differ"] = {
      { "std::forward<std::vector<int, A> >()", "std::forward<std::map<int, A> >()", "f(v<A>*)", "f(v_base*)" },
      { "std::forward<vector<> >", "std::forward<map<> >", "f(v<>*)", "f(v_base*)" },
    },
    ["as many arguments as needed"] = {
      { "m<int, int, L>::f()", "m<int, char, L>::f()", "m<long, int, L>::f()" },
      { "m<int, int>::f", "m<int, char>::f", "m<long>::f" },
    },
    ["arguments of several components"] = {
      { "A<int>::f<char>()", "A<int>::f<int>()", "A<long>::f<int>()" },
      { "A<int>::f<char>", "A<int>::f<int>", "A<long>::f<>" },
    },
    ["the parameters of overloaded functions"] = {
      { "A::f(int)", "A::f(int, char)", "A::f()", "A::f(a::B const&)" },
      { "A::f(int)", "A::f(int, char)", "A::f()", "A::f(a::B const&)" },
    },
    ["qualifiers that differ"] = { { "A::f()", "A::f() const" }, { "A::f", "A::f const" } },
    ["the parameters of lambdas"] = {
      { "main::{lambda(int)#1}::operator()(int) const", "main::{lambda(char)#1}::operator()(char) const" },
      { "main::{lambda(int)#1}::operator()", "main::{lambda(char)#1}::operator()" },
    },
    ["no ABI tags, unless these differ"] = {
      { "A::f[abi:cxx11]()", "B::g[abi:cxx11]()", "B::g()" }, { "A::f", "B::g[abi:cxx11]", "B::g()" },
    },
    ["return types if only these differ"] = { { "int f<A>()", "long f<A>()" }, { "int f<A>()", "long f<A>()" } },
    ["nothing of names that are different without it, or equal"] = {
      { "A::f<int>(int)", "B::f<int>(int)", "g(int)", "g(int)" }, { "A::f<>", "B::f<>", "g", "g" },
    },
    ["more of names that contain commas and brackets in arguments"] = {
      { "f<p<int, char>, (a,b)1>()", "f<p<int, long>, (a,b)1>()", "f<p<int, long>, (a,b)2>()" },
      { "f<p<int, char>>", "f<p<int, long>, (a,b)1>", "f<p<int, long>, (a,b)2>" },
    },
  } do
    it(what, function()
      assert.same(case[2], shortened(case[1]))
      local others = {}
      for i, name in ipairs(case[1]) do others[#case[1] + 1 - i] = name end
      local reversed = shortened(others)
      for i, name in ipairs(case[2]) do assert.equal(name, reversed[#reversed + 1 - i]) end
    end)
  end

  it("namespaces that tell functions apart, although the line is too narrow", function()
    local names = { "alpha::xml::Parser::parse(int)", "alpha::json::Parser::parse(int)",
      "alpha::json::Writer::write(int)" }
    assert.same({ "xml::Parser::parse", "json::Parser::parse", "write" }, shortened(names, 7))
    assert.same({ "…::xml::Parser::parse", "…::json::Parser::parse", "…::json::Writer::write" }, shortened(names, 22))
    assert.same({ "A::f", "f" }, shortened({ "A::f", "f" }, 3))
    assert.same({ "A<int>::f", "A<char>::f" }, shortened({ "n::A<int>::f()", "n::A<char>::f()" }, 3))
  end)

  it("their middles if cutting these would make them equal", function()
    local names = { "library_set_red_default_value", "library_set_blue_default_value", "library_set_red_items" }
    assert.same({ names[1], names[2], "library…d_items" }, shortened(names, 15))
  end)

  it("whatever bytes names have", function()
    math.randomseed(5)
    local parts = { "<", ">", "(", ")", "::", ",", " ", "a", "b", "{", "}", "operator", "é", "[clone ", "const" }
    for _ = 1, 100 do
      local names = {}
      for i = 1, 8 do
        local text = {}
        for j = 1, math.random(12) do text[j] = parts[math.random(#parts)] end
        names[i] = table.concat(text)
      end
      for i, short in ipairs(shortened(names, math.random(20))) do assert.is_true(#short <= #names[i] + 5) end
    end
  end)
end)

describe("Functions whose short names are equal", function()
  local A <const>, B <const> = "int n::R::match<n::Stream>(n::Stream&)", "int n::R::match<n::String>(n::String&)"
  local plan = { functions = { "main", A, B }, ticks = { [A] = 3, [B] = 2 }, calls = { { "main", A, 1 }, { A, B, 1 } } }
  local image, profile = crafted.image(plan), crafted.gmon(plan)
  local old = crafted.gmon { functions = plan.functions, ticks = { [A] = 9 }, calls = {} }

  local reports = { { "-p" }, { "-q" }, { "--tree" }, { "-l" }, { "--compare=" .. old } }

  it("are told apart with --short-names", function()
    for _, options in ipairs(reports) do
      local result = program.run { "-b", "--short-names", options[1], image, profile }
      for _, name in ipairs { "n::R::match<Stream>", "n::R::match<String>" } do
        assert.truthy(result.stdout:find(name, 1, true), options[1] .. result.stdout .. result.stderr)
      end
    end
  end)

  it("can be selected by the argument that is kept", function()
    local text = program.run({ "-b", "-p*<*Stream*>", image, profile }).stdout
    assert.same({ true, false }, { text:find(A, 1, true) ~= nil, text:find(B, 1, true) ~= nil })
  end)

  it("have one line each in the index on a terminal", function()
    if pty.lack() then return pending(pty.lack()) end
    local text = pty.run({ "-b", "-q", image, profile }, { COLUMNS = "50" }).stdout
    assert.truthy(text:find("\n   [1] " .. A .. "\n   [3] " .. B .. "\n", 1, true), text)
    text = pty.run({ "-b", "-q", image, profile }, { COLUMNS = "40" }).stdout
    assert.truthy(text:find("\n   [1] n::R::match<n::Stream>\n", 1, true), text)
  end)

  it("are told apart on a terminal", function()
    if pty.lack() then return pending(pty.lack()) end
    for _, options in ipairs(reports) do
      local text = pty.run({ "-b", options[1], image, profile }, { COLUMNS = "70" }).stdout
      assert.truthy(text:find "match<[n:]*Stream>" and text:find "match<[n:]*String>", text)
    end
  end)
end)

it("gprof.names.distinct returns a function for scripts", function()
  local shorten = require "gprof.names".distinct { "f<a>(int)", "a_very_long_name", false, "g" }
  assert.equal("function", type(shorten))
  assert.same({ "f<a>(int)", "f<a>", "a_ve…name", "a_v..ame" }, { shorten(1), shorten(1, "without parameters"),
    shorten(2, nil, 9), shorten(2, nil, 8, "..") })
  for problem, values in pairs {
    ["bad argument #1 to 'shorten' (number expected, got no value)"] = {},
    ["bad argument #1 to 'shorten' (no such name)"] = { 3 },
    ["bad argument #2 to 'shorten' (invalid option 'short')"] = { 1, "short" },
    ["bad argument #3 to 'shorten' (number expected, got string)"] = { 1, nil, "wide" },
  } do
    local done, message = pcall(function()
      local short <const> = shorten(table.unpack(values))
      return short
    end)
    assert.is_false(done)
    assert.truthy(message:find(problem, 1, true), message)
  end
end)
