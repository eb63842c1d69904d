-- A name as reports print it selects the functions of that name, and no others, whatever the name contains.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local core = require "gprof.core"
local gprof = require "gprof"
local program = require "support.program"
local shell = require "support.shell"

-- Symbol names for the functions plain_1 to plain_19 of names.cc: names that other compilers make, and names that look
-- like symspecs of files, lines and calls.
local odd <const> = {
  "a:1", "a::2b", "134", "7up", "name with spaces", "names.cc", "names.cc:5", "dollar$name", "left/common.c",
  "-[Set add:to:]", "-", "pkg__proc", "_D3app3fooFiZv", "_Dmain", "_RNvCs1234_7mycrate3foo",
  "_RNCNvCs1234_7mycrate4main0B3_", "_ZN4core3fmt5write17h0123456789abcdefE",
  "_ZN71_$LT$core..fmt..Arguments$u20$as$u20$core..fmt..Display$GT$3fmt17h0123456789abcdefE", "._Z3dotv",
}

local names
local function build_names()
  if names then return names end
  local dir = shell.tmpdir "names"
  shell.write(dir .. "/names.cc", shell.read(build.fixture "names.cc"))
  shell.check({ "g++", "-std=c++17", "-w", "-g", "-pg", "-o", "plain", "names.cc" }, { cwd = dir })
  shell.check({ dir .. "/plain" }, { cwd = dir })
  local argv = { "objcopy", "plain", "names" }
  for i, name in ipairs(odd) do argv[#argv + 1] = ("--redefine-sym=plain_%d=%s"):format(i, name) end
  shell.check(argv, { cwd = dir })
  names = { image = dir .. "/names", gmon = dir .. "/gmon.out" }
  return names
end

-- Maps function names to sets of addresses.
local function by_name(image)
  local found = {}
  for f in image:symbols() do
    found[f.name] = found[f.name] or {}
    found[f.name][f.address] = true
  end
  return found
end

local function addresses(...)
  local set = {}
  for _, symbol in ipairs { ... } do set[symbol.address] = true end
  return set
end

local function assert_selected(path, options)
  local image = assert(gprof.image(path, options))
  local checked = 0
  for name, expected in pairs(by_name(image)) do
    assert.same(expected, addresses(image:find(name)), name)
    checked = checked + 1
  end
  assert.is_true(checked > 10)
end

describe("A name as reports print it selects its functions", function()
  for _, style in ipairs { "auto", "dlang", "gnat", "java", "rust" } do
    it("demangled in the style " .. style, function()
      finally(function() core.demangling_style "auto" end)
      assert.is_true(core.demangling_style(style))
      assert_selected(build_names().image)
    end)
  end

  it("not demangled", function() assert_selected(build_names().image, { no_demangle = true }) end)

  for name, variant in build.each() do
    if name == "shapes" or name == "clones" or name == "labels" then
      it(("in %s %s"):format(name, variant), function() assert_selected(build.program(name, variant).image) end)
    end
  end
end)

-- Returns the names in the last column of a flat profile.
local function listed(...)
  local built = build_names()
  local result = program.run { "-b", "-z", ..., built.image, built.gmon }
  assert.same({ 0, "" }, { result.status, result.stderr })
  local found = {}
  local width
  for line in result.stdout:gmatch "[^\n]+" do
    width = width or line:match "^ *time .*()name *$"
    if width and not line:find "^ *time " then found[#found + 1] = line:sub(width) end
  end
  return found
end

describe("Each line of a flat profile", function()
  it("is selected by the name that it shows", function()
    local copies = {}
    for _, name in ipairs(listed "-p") do copies[name] = (copies[name] or 0) + 1 end
    local lambda = "auto main::{lambda(auto:1)#1}::operator()<int>(int) const"
    assert.equal(1, copies[lambda])
    for _, name in ipairs { lambda, "Value::tagged[abi:cxx11]() const", "Value::operator/(Value const&) const",
      "(anonymous namespace)::count(int)", "outer::inner::v1::f(__int128)", "134", "a:1", "names.cc:5", "names.cc",
      "name with spaces", "left/common.c", "mycrate::main::{closure#0}" } do
      assert.equal(1, copies[name], name)
      assert.same({ name }, listed("-p" .. name))
    end
  end)

  it("is selected by its name in the call graph, too, even if the name has a slash", function()
    local built = build_names()
    for name, symbol in pairs { ["Value::operator/(Value const&) const"] = "_ZNK5ValuedvERKS_",
      ["Value::operator/=(Value const&)"] = "_ZN5ValuedVERKS_",
      ["Size<((5)+(7))/(2)> half<5>()"] = "_Z4halfILi5EE4SizeIXdvplT_Li7ELi2EEEv" } do
      local result = program.run { "-b", "-q" .. name, built.image, built.gmon }
      assert.same({ 0, "" }, { result.status, result.stderr })
      assert.equal(program.run({ "-b", "-q" .. symbol, built.image, built.gmon }).stdout, result.stdout)
      assert.truthy(result.stdout:find("\n%[%d+%] [^\n]* " .. name:gsub("%p", "%%%0")))
    end
  end)
end)
