-- Names that demangle to gigabytes are shown mangled; overlapping names that together are much larger than the file are
-- refused.
-- SPDX-License-Identifier: GPL-3.0-or-later

local bombs = require "support.bombs"
local gprof = require "gprof"
local launch = require "support.launch"
local program = require "support.program"
local row = require "support.row"
local shell = require "support.shell"

local styles <const> = { dlang = "dlang" }

-- Writes a symbol file with these names, for the functions of an image from 0 on.
local function symbols(names)
  local lines = {}
  for i, name in ipairs(names) do
    lines[i] = ("%x T %s\n"):format(row.address(i - 1), name)
  end
  return shell.write(shell.tmpdir "names" .. "/symbols", table.concat(lines))
end

local image
local function run(names, ...)
  image = image or row.image(40)
  local profile = row.profile { row.histogram(0, #names - 1), row.arc(0, 1, 1) }
  local words = { "-b", "-S", symbols(names), ... }
  table.move({ image, profile }, 1, 2, #words + 1, words)
  local result = launch.line('ulimit -t 60; exec "$@"', words)
  assert.same("", result.stderr:gsub("gprof.lua: warning: [^\n]*: some names are too large to be demangled, and are " ..
    "shown as in the symbol table\n", "", 1))
  assert.equal(0, result.status)
  return result
end

local function count(text, part)
  local found, from = 0, 1
  while true do
    local first, last = text:find(part, from, true)
    if not first then return found end
    found, from = found + 1, last + 1
  end
end

describe("A name that grows when it is demangled", function()
  for kind, make in pairs(bombs) do
    local style = "--demangle=" .. (styles[kind] or "auto")

    it("is shown mangled, with a warning, if it would be too large: " .. kind, function()
      local name = make(40)
      local result = run({ name, style:find "dlang" and "_D3app3fooFiZv" or "_Z5otherv" }, style, "-p")
      assert.equal(1, count(result.stdout, name .. "\n"))
      assert.truthy(result.stdout:find(style:find "dlang" and "app.foo(int)\n" or "other()\n", 1, true))
      assert.equal(1, count(result.stderr, "\n"))
    end)
  end

  for kind, make in pairs(bombs) do
    it("is demangled if it is small: " .. kind, function()
      local name = make(kind == "conversions" and 1 or 3)
      local result = run({ name, "other" }, "--demangle=" .. (styles[kind] or "auto"), "-p")
      assert.equal(0, count(result.stdout, name))
      assert.equal("", result.stderr)
    end)
  end

  it("is demangled as by c++filt if it is just small enough", function()
    local name = bombs.substitutions(14)
    local expected = shell.check { "c++filt", name }
    assert.is_true(#expected.stdout > 500000)
    local result = run({ name, "other" }, "-p")
    assert.equal(1, count(result.stdout, expected.stdout))
    assert.equal("", result.stderr)
  end)

  for _, options in ipairs {
    { "-q" }, { "-p", "--short-names" }, { "-p", "-pf*" }, { "-p", "-pA::g" }, { "-p", "-p/f/" }, { "-Q", "--tree" },
    { "--export=json" }, { "--export=callgrind" }, { "--export=folded" }, { "--html=/dev/stdout" },
  } do
    it("is shown mangled, with one warning, by " .. table.concat(options, " "), function()
      local result = run({ bombs.substitutions(40), "f", "_ZN1A1gEv", bombs.packs(40) }, table.unpack(options))
      assert.equal(1, count(result.stderr, "\n"))
    end)
  end

  it("is reported to scripts", function()
    local seen = {}
    local opened = assert(gprof.image(row.image(2), {
      external_symbol_table = symbols { bombs.rust(40), bombs.packs(40), "_Z1gv" },
      warn = function(message) seen[#seen + 1] = message end,
    }))
    local names = {}
    for f in opened:symbols() do names[#names + 1] = f.name end
    assert.same({ bombs.rust(40), bombs.packs(40), "g()" }, names)
    assert.equal(1, #seen)
  end)
end)

-- Identifiers, and parts of names, that look like what makes names large.
describe("Names that are only similar to large ones are demangled as by c++filt:", function()
  local function check(names, style)
    local expected = shell.check { "c++filt", "-i", "-s", style, table.unpack(names) }
    local found = {}
    local result = run(names, "--demangle=" .. style, "-p", "-z")
    assert.equal("", result.stderr)
    for _, name in ipairs(names) do assert.is_nil(expected.stdout:find(name, 1, true)) end
    for name in expected.stdout:gmatch "[^\n]+" do
      found[#found + 1] = result.stdout:find("  " .. name .. "\n", 1, true) and name or name .. " is missing"
    end
    assert.equal(#names, #found)
    assert.same(expected.stdout, table.concat(found, "\n") .. "\n")
  end

  -- The types of parameters that are substitutions, each used several times.
  local substituted = "1AIiiE"
  for i = 0, 7 do substituted = substituted .. ("PS%d_"):format(i) end
  for i = 0, 7 do substituted = substituted .. ("S%d_"):format(i):rep(8) end

  it("identifiers with the letters of packs", function()
    local names = {}
    for i, identifier in ipairs { "spirit", "Dpack", "crisp", "DpT_", "sp", "spS_S_" } do
      names[i] = ("_Z%d%s%s"):format(#identifier, identifier, substituted)
    end
    check(names, "gnu-v3")
  end)

  it("packs in names with many substitutions", function()
    check({ "_Z1fIJ" .. substituted .. "EEvDpT_", "_Z1gIJ" .. substituted .. "EEDTcl1hspfp_EEDpOT_",
      "_GLOBAL__I__Z1fIJ" .. substituted .. "EEvDpT_" }, "gnu-v3")
  end)

  it("identifiers with the letters of conversions", function()
    check({ "_ZN2cv100" .. ("T_INI"):rep(20) .. "Ev", "_ZN4recv99" .. ("T_I"):rep(33) .. "cviEv" }, "gnu-v3")
  end)

  it("identifiers with the letters of lifetimes", function()
    check({ "_RNvC1a9FGabcdef_", "_RINvC1a5DGzz_lE" }, "rust")
  end)

  it("back-references in D", function()
    check({ "_D3std8typecons__T5TupleTAyaTQeTQhTQkTQnTQqTQtTQwZQBg6__ctorMFNaNbNcNiNfQBvQByQCbQCeQChQCkQCnQCqZSQDs" ..
      "QDr__TQDlTQDiTQDmTQDqTQDuTQDyTQEcTQEgTQEkZQEv" }, "dlang")
  end)
end)

describe("The demangled names of an image", function()
  -- Each name would be 557 KB, 180 of them 100 MB.
  it("have a limited total size", function()
    local names = {}
    for i = 1, 180 do
      names[i] = bombs.substitutions(14):gsub("^_Z1f", ("_Z4f%03d"):format(i))
    end
    local opened = assert(gprof.image(row.image(180), { external_symbol_table = symbols(names) }))
    local total, mangled = 0, 0
    for f in opened:symbols() do
      total = total + #f.name
      if f.name == f.symbol then mangled = mangled + 1 end
    end
    assert.is_true(mangled > 30 and mangled < 100, mangled)
    assert.is_true(total < 70000000, total)
  end)
end)

describe("Symbols that share a name", function()
  -- The name of function i is the end of one long name, from the i-th byte on. The linker stores only the long name.
  local function sharing(length, total)
    local lines = { ".text" }
    for i = 1, total do
      lines[i + 1] = (".globl %s\n%s: .skip 16"):format(("a"):rep(length - i), ("a"):rep(length - i))
    end
    local dir = shell.tmpdir "sharing"
    shell.write(dir .. "/sharing.s", table.concat(lines, "\n") .. "\n")
    shell.check({ "as", "-o", "sharing.o", "sharing.s" }, { cwd = dir })
    shell.check({ "ld", "-e", "0", ("-Ttext=%#x"):format(row.BASE), "-o", "image", "sharing.o" }, { cwd = dir })
    return dir .. "/image"
  end

  local function report(path)
    return program.run { "-b", "-z", path, row.profile { row.histogram(0, 1) } }
  end

  it("are shown if the names are ordinary", function()
    local result = report(sharing(400, 300))
    assert.same({ "", 0 }, { result.stderr, result.status })
    assert.truthy(result.stdout:find((" %s\n"):format(("a"):rep(150))))
  end)

  it("are refused if the names are much larger than the file", function()
    local path = sharing(6000, 1000)
    local result = report(path)
    local limit = 2 * #shell.read(path) + 512 * 1000
    assert.is_true(limit < 6000 * 1000 / 4)
    assert.equal("", result.stdout)
    assert.truthy(result.stderr:find("^gprof.lua: " .. path:gsub("%p", "%%%0") ..
      ": symbol table: the names overlap, and together they have %d+ bytes or more\n$"))
    assert.equal(1, result.status)
  end)
end)
