-- --short-names and --inline-file-names in every export, and in the page.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local exports = require "gprof.cli.exports"
local pages = require "support.pages"
local program = require "support.program"
local shell = require "support.shell"
local small = require "support.small"

local SOURCE <const> = [[
namespace deep {
template <typename T> struct Box {
  T value;
  __attribute__((noinline)) T find(T n) { return value + n; }
};
__attribute__((noinline)) long work(long n, char c) { return n + c; }
}
int main() {
  deep::Box<int> box{3};
  return (int)deep::work(box.find(2), 'x') == 1;
}
]]

local dir <const> = shell.tmpdir "names"
shell.write(dir .. "/n.cc", SOURCE)
shell.check({ "g++", "-O0", "-g", "-no-pie", "-o", "p", "n.cc" }, { cwd = dir })
local image <const> = dir .. "/p"

-- Writes a profile with a number of calls.
local function profile(calls)
  local symbols = build.symbols(image).by_name
  local find, work, main = symbols._ZN4deep3BoxIiE4findEi[1], symbols._ZN4deep4workElc[1], symbols.main[1]
  return small.profile({ image = image }, { ticks = { [find & ~1] = 40, [work & ~1] = 60, [main & ~1] = 2 },
    arcs = { { main + 4, find, calls }, { main + 8, work, 2 * calls } } })
end

local old <const>, new <const> = profile(10), profile(20)

-- What --short-names and --inline-file-names make of two names, and what names are without them.
local full <const> = { "deep::Box<int>::find(int)", "deep::work(long, char)" }
local short <const> = { "deep::Box<>::find", "deep::work" }
local places <const> = { " (n.cc:4)", " (n.cc:6)" }

local function html(name)
  return (name:gsub("[<>]", { ["<"] = "&lt;", [">"] = "&gt;" }))
end

local function cell(name) return name:find(",", 1, true) and '"' .. name .. '"' or name end

local function same(name) return name end

local compared <const> = { "--compare=" .. old, "--fail-on=calls:1%" }

-- For each kind: how it writes a name (in a list of names, with what follows), and further arguments.
local kinds <const> = {
  callgrind = { function(name) return ") " .. name .. "\n" end },
  cpuprofile = { function(name) return '"functionName": "' .. name .. '"' end },
  csv = { function(name) return "\n" .. cell(name) .. "," end },
  ["csv-arcs"] = { function(name) return "," .. cell(name) .. "," end },
  dot = { function(name) return 'label="' .. name .. "\\n" end },
  folded = { function(name) return ";" .. name .. " " end },
  json = { function(name) return '"name": "' .. name .. '"' end },
  junit = { function(name) return 'name="' .. html(name) .. '"' end, compared },
  lcov = { function(name) return "," .. name:gsub(",", "\\x2C") .. "\n" end },
  markdown = { function(name) return "| `" .. name .. "` |" end, compared },
  pprof = { same },
  ["sample-profile"] = { same },
  sarif = { function(name) return ": " .. name .. ": " end, compared },
  speedscope = { function(name) return '{"name": "' .. name .. '"' end },
  svg = { function(name) return ">" .. html(name) .. "<" end },
}

local function export(kind, ...)
  local words = { "-b", "--export=" .. kind, image, new, ... }
  local more = kinds[kind][2] or {}
  local result = program.run(table.move(more, 1, #more, #words + 1, words))
  assert.same({ more[1] and 2 or 0, kind == "sample-profile" and 1 or 0 },
    { result.status, more[1] and 0 or select(2, result.stderr:gsub("\n", "")) }, result.stderr)
  return (result.stdout:gsub("&#45;", "-")) -- in svg
end

-- Checks that an export has both names as they should be.
local function check(text, kind, name, suffix)
  for i, known in ipairs(name) do
    local wanted = kinds[kind][1](known .. (suffix and suffix[i] or ""))
    assert.truthy(text:find(wanted, 1, true), kind .. " lacks " .. wanted .. ":\n" .. text)
  end
end

local function is_missing(text, word) assert.is_nil(text:find(word, 1, true), text) end

describe("Names in the export", function()
  for _, kind in ipairs(exports.kinds) do
    it(kind .. " are as --short-names and --inline-file-names say", function()
      if kind == "svg" and not shell.installed "dot" then return pending "needs graphviz" end
      local plain, shortened = export(kind), export(kind, "--short-names")
      local placed, both = export(kind, "--inline-file-names"), export(kind, "--short-names", "--inline-file-names")
      if kind == "sample-profile" then -- clang needs the names in the symbol table
        assert.same({ plain, plain, plain }, { shortened, placed, both })
        return
      end
      check(plain, kind, kind == "lcov" and { "_ZN4deep3BoxIiE4findEi", "_ZN4deep4workElc" } or full)
      check(shortened, kind, short)
      check(placed, kind, full, places)
      check(both, kind, short, places)
      if kind ~= "junit" then -- messages always have the place
        for _, text in ipairs { plain, shortened } do is_missing(text, "(n.cc:") end
      end
      for _, text in ipairs { shortened, both } do
        text = text:gsub('"full_name": "[^"]*"', "")
        is_missing(text, "long, char")
        is_missing(text, html "Box<int>")
        is_missing(text, "Box<int>")
      end
      local whole = export(kind, "--inline-file-names", "--print-path")
      assert.truthy(whole:find(" (" .. dir .. "/n.cc:4)", 1, true), whole)
    end)
  end
end)

it("an export with short names can be compared", function()
  local path = shell.write(shell.tmpdir() .. "/old.json", export("json", "--short-names", "--inline-file-names"))
  local result = program.run { "-b", "--export=json", "--compare=" .. path, image, new }
  assert.equal(0, result.status)
  is_missing(result.stdout, '"status": "gone"')
  assert.truthy(result.stdout:find('{"name": "deep::work(long, char)"', 1, true))
end)

it("comparisons as JSON have the names", function()
  local result = program.run { "-b", "--export=json", "--compare=" .. old, "--fail-on=calls:1%", "--short-names",
    "--inline-file-names", image, new }
  assert.truthy(result.stdout:find('{"name": "deep::work (n.cc:6)", "old_name"', 1, true))
  assert.truthy(result.stdout:find('{"name": "deep::work (n.cc:6)", "file"', 1, true))
end)

it("fingerprints of results do not depend on how names are shown", function()
  local function fingerprints(text)
    local found = {}
    for digits in text:gmatch '"gprofFunction/v1": "(%x+)"' do found[#found + 1] = digits end
    return found
  end
  assert.same(fingerprints(export "sarif"), fingerprints(export("sarif", "--short-names", "--inline-file-names")))
end)

it("the page shows the names, and finds functions by their full names", function()
  local page = pages.write(image, new, "--short-names", "--inline-file-names")
  local data, labels = pages.parts(page).data, {}
  for i, name in ipairs(data.functions.name) do labels[name] = data.labels[tostring(i - 1)] end
  for i, name in ipairs(full) do assert.equal(short[i] .. places[i], labels[name]) end
  assert.truthy(page:find(html "deep::Box<>::find (n.cc:4)", 1, true))
end)

it("functions with the same short name remain different", function()
  local made = shell.tmpdir "same"
  shell.write(made .. "/s.cc", "template <typename T> __attribute__((noinline)) T twice(T n) { return n * 2; }\n" ..
    "int main() { return twice(3) + (int)twice(2.0) == 1; }\n")
  shell.check({ "g++", "-O0", "-g", "-no-pie", "-o", "p", "s.cc" }, { cwd = made })
  local symbols = build.symbols(made .. "/p").by_name
  local path = small.profile({ image = made .. "/p" }, { ticks = { [symbols._Z5twiceIiET_S0_[1] & ~1] = 4,
    [symbols._Z5twiceIdET_S0_[1] & ~1] = 6 }, arcs = {} })
  local result = program.run { "--short-names", "--export=folded", made .. "/p", path }
  assert.equal("twice<double> 60000\ntwice<int> 40000\n", result.stdout)
end)
