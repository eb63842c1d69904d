-- A short answer takes a short time: only what it needs is loaded, and starting is little more than Lua's start and the
-- core's.
-- SPDX-License-Identifier: GPL-3.0-or-later

local crafted = require "support.crafted"
local launch = require "support.launch"
local program = require "support.program"
local shell = require "support.shell"
local work = require "support.work"

-- Ten functions, each of which calls the next.
local plan <const> = { functions = {}, ticks = {}, calls = {} }
for i = 1, 10 do
  local name = "f" .. i
  plan.functions[i], plan.ticks[name] = name, i
  if i > 1 then plan.calls[i - 1] = { plan.functions[i - 1], name, i } end
end
local image <const>, profile <const> = crafted.image(plan), crafted.gmon(plan)

describe("Of the library's modules are loaded,", function()
  -- Runs the program in a process that tells in the end what it has loaded.
  local driver <const> = [[
    local root, told = arg[1], arg[2]
    function os.exit()
      local file = assert(io.open(told, "w"))
      for name in pairs(package.loaded) do
        if name:find "^gprof" then file:write(name, "\n") end
      end
      file:close()
    end
    arg = { [0] = root .. "/gprof.lua", table.unpack(arg, 3) }
    dofile(arg[0])
  ]]

  -- The names, less "gprof.", as a set.
  local function loaded(...)
    local told, names = shell.tmpdir "told" .. "/names", {}
    local result = launch.script(driver, { program.root, told, ... })
    assert.same({ 0, "" }, { result.status, result.stderr })
    for name in shell.read(told):gmatch "[^\n]+" do names[name:gsub("^gprof%.", "")] = true end
    return names
  end

  local function set(...)
    local names = {}
    for _, list in ipairs { ... } do
      for name in list:gmatch "%S+" do names[name] = true end
    end
    return names
  end

  local always <const> = "native core cli options output"
  local library <const> = "gprof image data profile arguments"
  local default <const> = "reporting styles names heading report.flat report.graph report.index granularity"

  it("for the default report, those that make it", function()
    assert.same(set(always, library, default), loaded("-b", image, profile))
  end)

  it("for the help page and the version, none that reads profiles", function()
    assert.same(set(always, "help"), loaded "-h")
    assert.same(set(always, "help", library), loaded "-v")
  end)

  -- What else it takes, by option.
  for option, more in pairs {
    ["--color=always"] = "effects color", ["--color=auto"] = "effects color", ["-z"] = "", ["--gnu-compat"] = "",
    ["-nf1"] = "effects symspec tables", ["-q"] = "effects", ["--keep-going"] = "sum profiles progress reading",
  } do
    it("besides, with " .. option .. ", those that it takes", function()
      local wanted = set(always, library, default, more)
      if option == "-q" then wanted["report.flat"] = nil end
      assert.same(wanted, loaded("-b", option, image, profile))
    end)
  end

  it("besides, for a comparison, those that make it", function()
    local wanted = set(always, library, default, "effects compare comparing matching significance escape",
      "sum profiles progress reading report.comparison")
    for _, report in ipairs { "flat", "graph", "index" } do wanted["report." .. report] = nil end
    assert.same(wanted, loaded("-b", "--compare=" .. profile, image, profile))
  end)

  it("for a page, those that make it", function()
    local wanted = set(always, library, "effects exports kept targets reporting styles export.html escape json extract",
      "callers tree granularity sha256 source_text html.assets html.data html.sources html.summary html.tables",
      "html.text html.tree")
    assert.same(wanted, loaded("--html=/dev/null", image, profile))
  end)

  -- An export needs none of what makes reports.
  for kind, more in pairs {
    json = "extract json escape", csv = "extract csv json escape", folded = "chains callers shares escape extract",
    dot = "escape extract",
  } do
    it("for the export " .. kind .. ", those that it takes", function()
      local wanted = set(always, library, "effects exports kept targets reporting styles export." .. kind, more)
      assert.same(wanted, loaded("--export=" .. kind .. ":/dev/null", image, profile))
    end)
  end

  it("besides, for several profiles, those that add them up", function()
    assert.same(set(always, library, default, "sum profiles progress reading"), loaded("-b", image, profile, profile))
  end)
end)

describe("A profile is read once:", function()
  it("it may come from a pipe, which has nothing to say twice", function()
    local plain = program.run { "-b", image, profile }
    local piped = launch.line('cat "$4" | "$1" "$2" -b "$3" /dev/stdin', { image, profile })
    assert.same({ 0, "", plain.stdout }, { piped.status, piped.stderr, piped.stdout })
  end)
end)

-- The work of another interpreter is another; and where the lines that are run are counted, that is most of it.
if os.getenv "GPROF_LUA" or os.getenv "GPROF_COVERAGE" then return end

if not work.countable() then
  return pending "work is counted by valgrind, which is missing"
end

describe("The program's start, to that of Lua with the core:", function()
  local least

  setup(function()
    local load = ("package.cpath = %q require 'gprof.core'"):format(program.root .. "/build/?.so")
    least = work.of_process { "lua5.4", "-e", load }
  end)

  -- How many times as much work a command line is: 2.4 and 4.3 where these limits were set.
  local function ratio(...)
    return work.of_process { "lua5.4", program.root .. "/gprof.lua", ... } / least
  end

  for _, case in ipairs {
    { "the help page", 3.0, "-h" },
    { "a report of ten functions", 5.4, "-b", image, profile },
  } do
    local name, most = case[1], case[2]
    it(("%s is at most %.1f times as much work"):format(name, most), function()
      local times = ratio(table.unpack(case, 3))
      assert(times < most, ("%.2f times"):format(times))
    end)
  end
end)
