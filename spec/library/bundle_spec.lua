-- Modules loaded as bytecode behave like their sources, including tracebacks; only names of variables are not in
-- messages. Bytecode is loaded only for the source it was compiled from.
-- SPDX-License-Identifier: GPL-3.0-or-later

local chance = require "support.chance"
local crafted = require "support.crafted"
local program = require "support.program"
local shell = require "support.shell"

local plan <const> = { functions = { "main", "work" }, ticks = { work = 30 }, calls = { { "main", "work", 2 } } }
local image <const>, profile <const> = crafted.image(plan), crafted.gmon(plan)

local HELP <const> = "lua/gprof/cli/options/help.lua"

-- Runs the interpreter under test in a checkout, with the environment `env`. The code of -e is put into a file, because
-- the sanitizer's interpreter has no option -e.
local function interpret(root, words, env)
  if words[1] == "-e" then words = { shell.write(root .. "/code.lua", words[2]) } end
  local argv = table.move(program.interpreter, 1, #program.interpreter, 1, {})
  return shell.run(table.move(words, 1, #words, #argv + 1, argv), { cwd = root, env = env })
end

local function make_bundle(root)
  local sources = {}
  for source in shell.check({ "find", "lua/gprof", "-name", "*.lua" }, { cwd = root }).stdout:gmatch "[^\n]+" do
    sources[#sources + 1] = source
  end
  local result = interpret(root, { "lua/bundle.lua", "build/gprof/modules.bundle", table.unpack(sources) })
  assert.same({ "", "", 0 }, { result.stdout, result.stderr, result.status })
end

-- Copies the parts of the checkout that the program needs, and makes a bundle. Returns the root and the bundle's path.
local function checkout(root)
  root = root or shell.tmpdir "checkout"
  shell.check({ "cp", "-R", "--parents", "gprof.lua", "lua", "build/gprof", root }, { cwd = program.root })
  -- The sanitizers' interpreter has the core linked in, but looks for the bundle in core.so's directory.
  if not shell.exists(root .. "/build/gprof/core.so") then shell.write(root .. "/build/gprof/core.so", "") end
  make_bundle(root)
  return root, root .. "/build/gprof/modules.bundle"
end

local function edit(root, path, old, new)
  local text, count = shell.read(root .. "/" .. path):gsub(old, new)
  assert(count > 0)
  shell.write(root .. "/" .. path, text)
end

-- Returns whether a module is loaded as bytecode after `first`. If it is, the bundle is the first searcher, and finds
-- the module.
local function is_bundled(root, module, first)
  local result = interpret(root, { "-e", ([[require %q
    local bundle = package.searchers[1]
    print(type(bundle) == "userdata" and type(bundle(%q)) == "function")]]):format(first or "gprof", module) },
    { LUA_PATH = root .. "/?.lua;" .. root .. "/lua/?.lua", LUA_CPATH = root .. "/build/?.so" })
  assert.same({ "", 0 }, { result.stderr, result.status })
  return result.stdout == "true\n"
end

local function help(root, env)
  local result = interpret(root, { "gprof.lua", "-h" }, env)
  assert.same({ "", 0 }, { result.stderr, result.status })
  return result.stdout
end

-- Command lines: gprof.lua with arguments, or -e with code.
local commands <const> = {
  { "gprof.lua", image, profile }, { "gprof.lua", "-h" }, { "gprof.lua", "--export=json", image, profile },
  { "gprof.lua", "--html=-", image, profile }, { "gprof.lua", "--sandbox", "-b", image, profile },
  { "gprof.lua", "--nonsense" }, { "gprof.lua", "--report=nonsense", image, profile }, { "gprof.lua", "nowhere" },
  { "-e", "require 'gprof'.image {}" }, { "-e", "require 'gprof'.profile(1)" },
  { "-e", "require 'gprof' print(select(2, require 'gprof.export.svg'))" },
  { "-e", "require 'gprof' require('gprof.format.json_reader').read(42)" },
  { "-e", "require 'gprof' require('gprof.report.flat')()" },
  { "-e", "require 'gprof' for _, x in pairs(debug.getinfo(require 'gprof.report.flat', 'S')) do print(x) end" },
}

-- Returns a command line's output on both streams, and its status. Normalizes what varies: addresses, the order of
-- `pairs`, the function names in tracebacks, and the names of variables.
local function output_of(root, words)
  local env = { LUA_PATH = root .. "/?.lua", LUA_CPATH = root .. "/build/?.so" }
  local result = interpret(root, words, env)
  local lines = {}
  for line in (result.stdout .. result.stderr):gmatch "[^\n]*" do
    lines[#lines + 1] = line:gsub("0x%x+", "0x"):gsub("in function '[^']*'", "in function"):gsub(" %(%l+ '%w+'%)", "")
  end
  if words[2]:find "pairs" then table.sort(lines) end
  lines[#lines + 1] = result.status
  return table.concat(lines, "\n")
end

describe("a bundle", function()
  local root, bundle, page
  setup(function()
    root, bundle = checkout()
    assert(is_bundled(root, "gprof.cli.options.help"))
    page = help(root)
  end)

  it("is also used by the recorder of Lua programs, which does not load the core", function()
    assert.is_true(is_bundled(root, "gprof.scripts.definitions", "gprof.recorder"))
  end)

  it("changes neither output nor error messages", function()
    local bundled = {}
    for i, words in ipairs(commands) do bundled[i] = output_of(root, words) end
    local text = shell.read(bundle)
    shell.check { "rm", bundle }
    for i, words in ipairs(commands) do
      local plain = output_of(root, words)
      assert(plain == bundled[i], table.concat(words, " ") .. "\n" .. bundled[i]:sub(1, 1000))
    end
    shell.write(bundle, text)
  end)

  it("keeps long source names intact", function()
    local long = shell.tmpdir "long" .. "/" .. ("directory/"):rep(20)
    shell.check { "mkdir", "-p", long }
    local result = interpret(checkout(long), { "-e", [[require "gprof"
      print(debug.getinfo(require "gprof.report.flat", "S").source)]] },
      { LUA_PATH = long .. "lua/?.lua;" .. long .. "lua/?/init.lua", LUA_CPATH = long .. "build/?.so" })
    assert.same({ "@" .. long .. "lua/gprof/report/flat.lua\n", "" }, { result.stdout, result.stderr })
  end)

  it("is bypassed for a module whose source was edited, and for no other", function()
    for _, new in ipairs { "USAGE", "Usages" } do
      local other = checkout()
      edit(other, HELP, "Usage", new)
      assert.equal(page:gsub("Usage", new), help(other))
      assert.same({ false, true }, { is_bundled(other, "gprof.cli.options.help"), is_bundled(other, "gprof.cli.main") })
    end
  end)

  it("is used if only the time of a source changed, as by an installer", function()
    local other = checkout()
    shell.check({ "touch", "-d", "2020-01-01", HELP }, { cwd = other })
    assert.is_true(is_bundled(other, "gprof.cli.options.help"))
    assert.equal(page, help(other))
  end)

  it("is bypassed for a user's report, which cannot replace ours", function()
    local dir = shell.tmpdir "mine"
    shell.check { "mkdir", "-p", dir .. "/gprof/report" }
    for _, name in ipairs { "flat", "mine" } do
      shell.write(("%s/gprof/report/%s.lua"):format(dir, name), "return function() io.write 'my own\\n' end")
    end
    local function run(path, name)
      return interpret(root, { "-e", ([[local gprof = require "gprof"
        local image = gprof.image(%q)
        gprof.profile(image, gprof.data(image, %q)):report %q]]):format(image, profile, name) },
        { LUA_PATH = path, LUA_CPATH = root .. "/build/?.so" })
    end
    local mine, ours = dir .. "/?.lua;", root .. "/?.lua;"
    assert.equal("my own\n", run(mine .. ours, "mine").stdout)
    assert.equal("my own\n", run(ours .. mine, "mine").stdout)
    assert.truthy(run(ours .. mine, "flat").stdout:find "work")
    assert.truthy(run(mine .. ours, "flat").stdout:find "work")
    assert.equal("my own\n", interpret(root, { "gprof.lua", "--report=mine", image, profile },
      { LUA_PATH = mine }).stdout)
  end)

  it("is ignored if it was written by another release of Lua", function()
    local other, path = checkout()
    assert.is_true(is_bundled(other, "gprof.cli.options.help"))
    edit(other, "build/gprof/modules.bundle", "^(gprof bytecode 4, Lua 5%.4%.)%d+", "%199")
    assert.is_false(is_bundled(other, "gprof.cli.options.help"))
    assert.equal(page, help(other))
    shell.write(path, "gprof bytecode 1, Lua 5.4.4, index 000000 0\n")
    assert.equal(page, help(other))
  end)

  it("is ignored if it is damaged", function()
    local text = shell.read(bundle)
    local header, length = text:match "^(.-, index (%d+).-\n)"
    local index = #header + length
    local function try(damaged)
      shell.write(bundle, damaged)
      assert.equal(page, help(root))
    end
    for _, size in ipairs { 0, 1, 40, #header, index, index + 1000, #text // 2, #text - 1 } do
      try(text:sub(1, size))
    end
    for _, size in ipairs { "123456789012345", "1" .. ("0"):rep(20) } do
      try((text:gsub("index %d+", "index " .. size, 1)))
    end
    local repeatedly = chance.cases(1, 20)
    repeatedly(function()
      local at = math.random(math.random(2) == 1 and index * 2 or #text)
      local byte = string.char(text:byte(at) ~ 1 << math.random(0, 7))
      try(text:sub(1, at - 1) .. byte .. text:sub(at + 1))
    end)
    shell.check { "rm", bundle }
    shell.check { "mkdir", bundle }
    assert.equal(page, help(root))
    shell.check { "rmdir", bundle }
    shell.write(bundle, text)
  end)
end)
