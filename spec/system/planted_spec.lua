-- Nothing in the current directory is executed. Modules with the names of all of ours, and of those that we might look
-- for, are planted there, and programs; every option, export and module is tried, in a checkout, an installation and a
-- rock.
-- SPDX-License-Identifier: GPL-3.0-or-later

local crafted = require "support.crafted"
local exports = require "gprof.cli.exports"
local installation = require "support.installation"
local options = require "gprof.cli.options.option_table"
local program = require "support.program"
local pty = require "support.pty"
local shell = require "support.shell"

-- Installations use the ordinary interpreter, so a run with sanitizers would add nothing.
if os.getenv "GPROF_LUA" then return end

local plan <const> = { functions = { "main", "work" }, ticks = { work = 30 }, calls = { { "main", "work", 2 } } }
local image <const>, profile <const> = crafted.image(plan), crafted.gmon(plan)

-- All our modules in Lua: "gprof/init", ...
local modules <const> = {}
for _, path in ipairs(installation.listing(program.root .. "/lua/gprof")) do
  modules[#modules + 1] = path:find "%.lua$" and "gprof/" .. path:gsub("%.lua$", "") or nil
end

-- Programs that gprof runs, and those that run it.
local programs <const> = { "cat", "dot", "env", "less", "lua", "lua5.4", "readlink", "sh" }

-- Makes a hostile directory. Each planted file leaves its name in `executed`.
local function hostile()
  local dir = shell.tmpdir "hostile"
  for _, name in ipairs(programs) do
    shell.write(dir .. "/" .. name, ("#!/bin/sh\necho the program %s >>%s/executed\n"):format(name, dir))
    shell.check { "chmod", "+x", dir .. "/" .. name }
  end
  shell.write(dir .. "/plant.c", '#include <stdio.h>\n__attribute__((constructor)) static void plant(void) {\n' ..
    ('FILE *f = fopen("%s/executed", "a"); fputs("a native module\\n", f); fclose(f); }\n'):format(dir))
  shell.check({ "gcc", "-shared", "-fPIC", "-o", "plant.so", "plant.c" }, { cwd = dir })
  local text = ('local f = io.open("%s/executed", "a") f:write(%%q, "\\n") f:close() error "planted"'):format(dir)
  local names = { "gprof", "gprof/opcodes", "gprof/xz", "gprof/confinement", "gprof/hooks" }
  for _, name in ipairs(table.move(modules, 1, #modules, #names + 1, names)) do
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

local function which(name) return (shell.run { "sh", "-c", "command -v " .. name }.stdout:gsub("\n", "")) end
local lua <const>, old_lua <const> = which "lua5.4", which "lua5.1"

-- Returns lines of a shell script that run a program: with every `step`-th command line, through a symbolic link, with
-- an old interpreter, and with a pager. Relative directories of PATH come first.
local function script_of(path, step)
  local link = shell.tmpdir "link" .. "/gprof.lua"
  shell.check { "ln", "-s", path, link }
  local commands = { shell.join { lua, link, "--version" }, shell.join { old_lua, path, "--version" } }
  if old_lua == "" then commands[2] = nil end
  local lines = command_lines()
  for i = 1, #lines, step do
    commands[#commands + 1] = shell.join { lua, path, table.unpack(lines[i]) }
  end
  for _, variable in ipairs(pty.lack() and {} or { "PAGER=", "PAGER=nonsense" }) do
    local words = { which "env", variable, lua, path, "-b", "-p", "--pager", "a.out", "gmon.out" }
    commands[#commands + 1] = shell.join { which "script", "-qec", shell.join(words), "/dev/null" }
  end
  local line = which "timeout" .. " %d %s </dev/null >out 2>&1\n"
  for i, command in ipairs(commands) do commands[i] = line:format(shell.limit, command) end
  return "PATH=.::bin:$PATH\n" .. table.concat(commands)
end

-- Returns what was executed since the last call.
local function executed(dir)
  local path = dir .. "/executed"
  local names = shell.exists(path) and shell.read(path) or ""
  os.remove(path)
  return names
end

local relative <const> = { LUA_PATH = "./?.lua;./?/init.lua", LUA_CPATH = "./?.so" }

-- Joins two environments with search paths.
local function joined(first, second)
  local env = {}
  for _, part in ipairs { second, first } do
    for name, value in pairs(part) do env[name] = value end
  end
  for name in pairs(relative) do env[name] = first[name] .. ";" .. second[name] end
  return env
end

-- Checks that the spec would notice what is executed.
local function check_plants(dir)
  shell.run({ "lua5.4", "-e", "pcall(require, 'gprof.xz')" }, { cwd = dir, env = relative })
  assert.equal("gprof/xz\n", executed(dir))
  shell.run({ "sh", "-c", "PATH=.:$PATH; readlink -f x" }, { cwd = dir })
  assert.equal("the program readlink\n", executed(dir))
end

-- A script that uses the library, and requires what does not exist.
local use <const> = [[
  require "gprof.recorder"
  local gprof = require "gprof"
  local image = gprof.image "a.out"
  gprof.profile(image, gprof.data(image, "gmon.out"), { static_call_graph = true }):report "graph"
  print(pcall(require, "gprof.nonsense"))
  require "gprof.export.html"
]]

-- Requires each module as the first one of ours.
local first <const> = [[
  for _, path in ipairs(arg) do
    pcall(require, (path:gsub("/", "."):gsub("%.init$", "")))
    local home = package.loaded["gprof.library.home"]
    if home then home.leave() end
    for name in pairs(package.loaded) do
      if name:find "^gprof" then package.loaded[name] = nil end
    end
  end
]]

local function check_use(dir, env, ...)
  local result = shell.run({ lua, ... }, { cwd = dir, env = env })
  assert.equal(0, result.status, result.stderr)
  assert.matches("false\tmodule 'gprof.nonsense' not found", result.stdout, 1, true)
  assert.equal("", executed(dir))
end

-- Checks scripts. `library`: an environment in which they find the library.
local function check_scripts(dir, path, library)
  local script, behind = shell.write(dir .. "/use.lua", use), joined(library, relative)
  check_use(dir, behind, script)
  check_use(dir, behind, path, "--record", script)
  shell.run({ lua, shell.write(dir .. "/first.lua", first), table.unpack(modules) }, { cwd = dir, env = behind })
  assert.equal("", executed(dir))
  for _, name in ipairs { "gprof", "gprof/init", "gprof/recorder" } do  -- what the script itself requires
    shell.check { "rm", "-f", dir .. "/" .. name .. ".lua", dir .. "/" .. name .. "/init.lua" }
  end
  check_use(dir, joined(relative, library), script)
end

-- Checks a way to install. `path`: that of the program; `step`: see `script_of`.
local function check(path, library, step)
  local dir = hostile()
  check_plants(dir)
  local defaults = { LUA_PATH = ";", LUA_CPATH = ";" }
  shell.run({ "sh", "-c", script_of(path, step or 1) }, { cwd = dir, env = joined(relative, defaults) })
  assert.equal("", executed(dir))
  if library then check_scripts(dir, path, library) end
end

describe("nothing in the current directory is executed by", function()
  it("a checkout", function()
    check(program.root .. "/gprof.lua", {
      LUA_PATH = program.root .. "/lua/?.lua;" .. program.root .. "/lua/?/init.lua",
      LUA_CPATH = program.root .. "/build/?.so" })
  end)

  it("an installation, also without optional modules", function()
    local tree = installation.prefix()
    for _, name in ipairs { "xz", "opcodes", "confinement", "hooks" } do
      os.remove(tree.root .. "/lib/lua/5.4/gprof/" .. name .. ".so")
    end
    check(tree.program, nil, 3)
  end)

  it("a rock", function()
    if not installation.has_luarocks() then return pending "needs luarocks" end
    local tree = installation.built_rock()
    check(tree.program, tree.library, 5)
  end)
end)
