-- Nothing in the current directory is executed. Modules with the names of all of ours, and of those that we might look
-- for, are planted there; every option and every export is tried, in a checkout, an installation and a rock.
-- SPDX-License-Identifier: GPL-3.0-or-later

local crafted = require "support.crafted"
local exports = require "gprof.cli.exports"
local installation = require "support.installation"
local options = require "gprof.cli.options"
local program = require "support.program"
local shell = require "support.shell"

-- Installations use the ordinary interpreter, so a run with sanitizers would add nothing.
if os.getenv "GPROF_LUA" then return end

local plan <const> = { functions = { "main", "work" }, ticks = { work = 30 }, calls = { { "main", "work", 2 } } }
local image <const>, profile <const> = crafted.image(plan), crafted.gmon(plan)

-- Makes a hostile directory. Each planted module leaves its name in `executed`.
local function hostile()
  local dir = shell.tmpdir "hostile"
  local names = { "gprof", "gprof/core", "gprof/opcodes", "gprof/xz", "gprof/confinement", "gprof/hooks" }
  for _, path in ipairs(installation.listing(program.root .. "/lua/gprof")) do
    names[#names + 1] = path:find "%.lua$" and "gprof/" .. path:gsub("%.lua$", "") or nil
  end
  shell.write(dir .. "/plant.c", '#include <stdio.h>\n__attribute__((constructor)) static void plant(void) {\n' ..
    ('FILE *f = fopen("%s/executed", "a"); fputs("a native module\\n", f); fclose(f); }\n'):format(dir))
  shell.check({ "gcc", "-shared", "-fPIC", "-o", "plant.so", "plant.c" }, { cwd = dir })
  local text = ('local f = io.open("%s/executed", "a") f:write(%%q, "\\n") f:close() error "planted"'):format(dir)
  for _, name in ipairs(names) do
    shell.check { "mkdir", "-p", dir .. "/" .. name }
    shell.write(dir .. "/" .. name .. ".lua", text:format(name))
    shell.write(dir .. "/" .. name .. "/init.lua", text:format(name))
    shell.check { "cp", dir .. "/plant.so", dir .. "/" .. name .. ".so" }
  end
  shell.write(dir .. "/script.lua", "local function f() end f()\n")
  shell.write(dir .. "/report.lua", "return function(profile, options, write) write 'own report\\n' end\n")
  shell.check { "cp", image, dir .. "/a.out" }
  shell.check { "cp", profile, dir .. "/gmon.out" }
  return dir
end

-- Arguments of options, by the name that the help page gives them.
local values <const> = { DIR = ".", DIRS = ".", FIELD = "calls", FILE = "file", ["FROM/TO"] = "main/work",
  FUNCTION = "main", ["KIND[:FILE]"] = "json", LIMITS = "5", LINKER = "ld", MAP = "map", MB = "999", N = "1",
  NAME = "flat", NUM = "3", OFFSET = "0", OLD = "gmon.out", PERCENT = "1", PID = "999999999", SECONDS = "9",
  SHELL = "bash", STYLE = "auto", SYMSPEC = "work", WHAT = "calls", WHEN = "never" }

-- Returns command lines: each option alone with a program and a profile, each export, and recordings.
local function command_lines()
  local lines = {}
  for _, option in ipairs(options.all) do
    local value = option.argument ~= "none" and (values[option.value] or "x") or nil
    local word = option.long and "--" .. option.long .. (value and "=" .. value or "") or "-" .. option.short ..
      (value or "")
    if option.long ~= "record" then lines[#lines + 1] = { word, "a.out", "gmon.out" } end
  end
  for _, kind in ipairs(exports.kinds) do
    lines[#lines + 1] = { "--export=" .. kind .. ":out." .. kind, "a.out", "gmon.out" }
  end
  for _, words in ipairs { { "-b", "-c", "-q", "--bounds" }, { "--html=page.html" }, { "--sandbox", "-b", "-p" },
    { "--report=./report.lua" }, { "--report=flat" }, { "--report=nonsense" }, { "--compare=gmon.out" } } do
    lines[#lines + 1] = table.move({ "a.out", "gmon.out" }, 1, 2, #words + 1, words)
  end
  lines[#lines + 1] = { "--record", "script.lua" }
  lines[#lines + 1] = { "--record", "--with-c", "script.lua" }
  return lines
end

-- Runs command lines in one shell, and returns what was executed.
local function executed(dir, command, env)
  os.remove(dir .. "/executed")
  local script = {}
  for i, words in ipairs(command_lines()) do
    script[i] = ("timeout %d %s %s </dev/null >out 2>&1\n"):format(shell.limit, command, shell.join(words))
  end
  shell.run({ "sh", "-c", table.concat(script) }, { cwd = dir, env = env })
  return shell.exists(dir .. "/executed") and shell.read(dir .. "/executed") or ""
end

local relative <const> = { LUA_PATH = "./?.lua;./?/init.lua;;", LUA_CPATH = "./?.so;;" }

-- Checks a way to install: the program, and scripts that use the library.
local function check(command, library)
  local dir = hostile()
  shell.run({ "lua5.4", "-e", "pcall(require, 'gprof.xz')" }, { cwd = dir, env = relative })
  assert.equal("gprof/xz\n", shell.read(dir .. "/executed"))
  assert.equal("", executed(dir, command, library and relative or {}))
  if not library then return end
  local script = shell.write(dir .. "/use.lua", [[
    require "gprof.recorder"
    local gprof = require "gprof"
    local image = gprof.image "a.out"
    gprof.profile(image, gprof.data(image, "gmon.out"), { static_call_graph = true }):report "graph"
    print(pcall(require, "gprof.nonsense"))
    require "gprof.export.html"
  ]])
  local env = {}
  for name, value in pairs(library) do env[name] = value end
  for name, pattern in pairs { LUA_PATH = "./?.lua;./?/init.lua", LUA_CPATH = "./?.so" } do
    env[name] = library[name] .. ";" .. pattern
  end
  local result = shell.run({ "lua5.4", script }, { cwd = dir, env = env })
  assert.same({ 0, "" }, { result.status, result.stderr })
  assert.matches("false\tmodule 'gprof.nonsense' not found", result.stdout, 1, true)
  assert.is_false(shell.exists(dir .. "/executed"))
end

describe("nothing in the current directory is executed by", function()
  it("a checkout", function()
    check("lua5.4 " .. program.root .. "/gprof.lua", {
      LUA_PATH = program.root .. "/lua/?.lua;" .. program.root .. "/lua/?/init.lua",
      LUA_CPATH = program.root .. "/build/?.so" })
  end)

  it("an installation, also without optional modules", function()
    local tree = installation.prefix()
    for _, name in ipairs { "xz", "opcodes", "confinement", "hooks" } do
      os.remove(tree.root .. "/lib/lua/5.4/gprof/" .. name .. ".so")
    end
    check(tree.program)
  end)

  it("a rock", function()
    if not installation.has_luarocks() then return pending "needs luarocks" end
    local tree = installation.built_rock()
    check(tree.program, tree.library)
  end)
end)
