-- The structure of the code: files use only folders of lower layers, there are no dependency cycles, and doc/files.md
-- lists every file.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local shell = require "support.shell"
local structure = require "support.structure"

local CSRC <const>, LUA <const> = program.root .. "/csrc", program.root .. "/lua"

-- The other folders that the files of each folder may use.
local c_folders <const> = {
  base = {},
  gmon = { "base" },
  object = { "base" },
  debug = { "base", "object" },
  symbols = { "base", "object", "debug" },
  profile = { "base", "gmon", "object", "debug", "symbols" },
  lua = { "base", "gmon", "object", "debug", "symbols", "profile" },
  sandbox = { "base" },  -- a module of its own
  scripts = { "base", "runtime" },  -- a module of its own
  runtime = {},          -- part of other programs
  mpi = { "base", "gmon", "runtime" },  -- libraries of their own: part of other programs
}
local lua_folders <const> = {
  format = {},
  analysis = { "format" },
  library = { "format" },
  gprof = { "format", "analysis", "library" },  -- the public modules: gprof, gprof.image, ...
  print = { "format", "analysis", "library", "gprof" },
  report = { "format", "analysis", "library", "gprof", "print" },
  export = { "format", "analysis", "library", "gprof", "print" },
  cli = { "format", "analysis", "library", "gprof", "print", "report", "export" },
}

-- Modules in C, which the library builds on.
local native <const> = { ["gprof.core"] = true, ["gprof.opcodes"] = true, ["gprof.xz"] = true,
  ["gprof.confinement"] = true, ["gprof.hooks"] = true }

local function include_graph(files, read)
  local graph = {}
  for _, path in ipairs(files) do graph[path] = structure.includes(read(path)) end
  return graph
end

local function module_name(path)
  return (path:gsub("%.lua$", ""):gsub("/init$", ""):gsub("/", "."))
end

local function require_graph(files, read)
  local graph = {}
  for _, path in ipairs(files) do
    local required = structure.requires(read(path))
    for name in pairs(native) do required[name] = nil end
    graph[module_name(path)] = required
  end
  return graph
end

local function read_c(path) return shell.read(CSRC .. "/" .. path) end
local function read_lua(path) return shell.read(LUA .. "/" .. path) end

local c_files <const> = structure.files(CSRC, "*.[ch]")
local lua_files <const> = {}  -- of the library, without lua/bundle.lua
for i, path in ipairs(structure.files(LUA .. "/gprof", "*.lua")) do lua_files[i] = "gprof/" .. path end

describe("the folders of csrc/", function()
  it("are those in the table, and every file is in one of them", function()
    for _, path in ipairs(c_files) do
      assert(c_folders[structure.folder(path)], path)
    end
  end)

  it("include no header of a higher layer", function()
    assert.same({}, structure.upward(include_graph(c_files, read_c), c_folders))
  end)

  it("are reported if they include a header of a higher layer", function()
    local graph = include_graph({ "object/image.h" }, function(path)
      return read_c(path):gsub("#include", '#include "profile/order.h"\n%0', 1)
    end)
    assert.same({ "object/image.h uses profile/order.h" }, structure.upward(graph, c_folders))
  end)

  it("have no cycles of includes", function()
    assert.same({}, structure.circles(include_graph(structure.files(CSRC, "*.h"), read_c)))
  end)

  it("include headers with the name of their folder", function()
    for _, path in ipairs(c_files) do
      for name in pairs(structure.includes(read_c(path))) do
        assert(shell.exists(CSRC .. "/" .. name), path .. " includes " .. name)
      end
    end
  end)

  it("require no Lua module by name", function()
    for _, path in ipairs(structure.files(CSRC, "*.c")) do
      assert.falsy(read_c(path):find('"require"', 1, true), path)
    end
  end)
end)

describe("the object files of csrc/", function()
  local directory <const> = program.root .. "/build/objects/"
  local links, definer

  setup(function()
    local core, runtime = { "nm", "-A", "-P" }, { "nm", "-A", "-P" }
    for _, path in ipairs(structure.files(CSRC, "*.c")) do  -- build/ may have object files of deleted sources
      local object = directory .. path:gsub("%.c$", ".o")
      local objects = structure.folder(path) == "runtime" and runtime or core
      if shell.exists(object) then objects[#objects + 1] = object end
    end
    links, definer = structure.links(shell.check(core).stdout, directory)
    assert(links["object/image"]["base/error"])
    -- The runtime, which is never linked with the core, replaces functions of the C library.
    for file, used in pairs((structure.links(shell.check(runtime).stdout, directory))) do links[file] = used end
    assert(links["runtime/calls"]["runtime/table"])
  end)

  it("use no symbol of a higher layer", function()
    assert.same({}, structure.upward(links, c_folders))
  end)

  it("have no cycles of symbol use", function()
    assert.same({}, structure.circles(links))
  end)

  it("export only names with the project's prefix", function()
    for symbol, file in pairs(definer) do
      local prefix = structure.folder(file) == "scripts" and "^scr_" or "^gp_"
      assert(symbol:find(prefix) or symbol:find "^luaopen_gprof_" or structure.folder(file) == "runtime",
        file .. " defines " .. symbol)
    end
  end)
end)

describe("the folders of lua/gprof/", function()
  local graph <const> = require_graph(lua_files, read_lua)

  it("are those of the table", function()
    for name in pairs(graph) do assert(lua_folders[structure.folder(name)], name) end
  end)

  it("require no module of a higher layer", function()
    assert.same({}, structure.upward(graph, lua_folders))
  end)

  it("use C for the system only, from print on: what reports use, users have", function()
    -- What modules of print and export may use of the core: processes, files and terminals.
    local system <const> = { become = true, fork = true, is_terminal = true, redirect = true, spool = true }
    for _, path in ipairs(lua_files) do
      local folder, text = path:match "^gprof/(%l+)/", read_lua(path)
      if folder == "report" then
        for name in pairs(native) do assert.falsy(text:find(('require "%s"'):format(name), 1, true), path) end
      elseif folder == "print" or folder == "export" then
        for name in text:gmatch "%f[%w_]core%.([%w_]+)" do assert(system[name], path .. " uses core." .. name) end
      end
    end
  end)

  it("are reported if they require a module of a higher layer", function()
    local planted = require_graph({ "gprof/format/csv.lua" }, function(path)
      return read_lua(path) .. '\nlocal function late() return require "gprof.cli.main" end'
    end)
    assert.same({ "gprof.format.csv uses gprof.cli.main" }, structure.upward(planted, lua_folders))
  end)

  it("have no cycles of require, not even at run time", function()
    assert.same({}, structure.circles(graph))
  end)

  it("require only existing modules", function()
    for name, required in pairs(graph) do
      for other in pairs(required) do assert(graph[other], name .. " requires " .. other) end
    end
  end)
end)

describe("the structure reader", function()
  it("sees includes and requires, but not those in comments", function()
    assert.same({ ["a/b.h"] = true, ["c/d.h"] = true },
      structure.includes '#include "a/b.h"\n#include <stdio.h>\n  # include "c/d.h"\n/* #include "e.h" */\n')
    assert.same({ ["gprof.a"] = true, ["gprof.b.c"] = true, ["gprof"] = true }, structure.requires [[
      local a = require "gprof.a"   -- and not require "gprof.x"
      return require("gprof.b.c"), require 'gprof', require("gprof.report." .. name), require "other"
    ]])
  end)

  it("finds cycles of any length, and nodes that use themselves", function()
    assert.same({ "a b c", "f" }, structure.circles {
      a = { b = true }, b = { c = true }, c = { a = true, d = true }, d = { e = true }, e = {}, f = { f = true } })
  end)

  it("reads symbols from nm", function()
    local links, definer = structure.links(
      "o/x/a.o: gp_a T 0 8\no/x/a.o: gp_b U  \no/x/a.o: malloc U  \no/y/b.o: gp_b D 0 4\no/y/b.o: own t 0 4\n", "o/")
    assert.same({ ["x/a"] = { ["y/b"] = true }, ["y/b"] = {} }, links)
    assert.same({ gp_a = "x/a", gp_b = "y/b" }, definer)
  end)
end)

describe("the specs", function()
  it("are in folders named after the folders that they test", function()
    local others = { runtime = true, examples = true, system = true }
    for _, path in ipairs(structure.files(program.root .. "/spec", "*_spec.lua")) do
      local folder = structure.folder(path)
      assert(c_folders[folder] or lua_folders[folder] or others[folder], path)
    end
  end)
end)

describe("doc/files.md", function()
  -- Returns the names that the page lists for each folder, such as "csrc/base": paths without extension.
  local function listed(text)
    local folders, folder = {}, nil
    for line in (text .. "\n"):gmatch "([^\n]*)\n" do
      if line:find "^#" then
        folder = line:match "^## `([%w/]+)`$"
        if folder then folders[folder] = {} end
      elseif folder and line:find "^%- `" then
        for name in line:match "^%- (.-):":gmatch "`([%w_/]+)%.?h?`" do
          assert(not folders[folder][name], line)
          folders[folder][name] = true
        end
      end
    end
    return folders
  end

  -- Returns the existing names. A header counts as its source file.
  local function present()
    local folders = {}
    for folder in pairs(c_folders) do folders["csrc/" .. folder] = {} end
    for _, path in ipairs(c_files) do
      local folder, name = path:match "^(%w+)/([%w_]+)%.[ch]$"
      folders["csrc/" .. folder][name] = true
    end
    folders["lua/gprof"] = {}
    for _, file in ipairs(lua_files) do
      local path = file:match "^gprof/(.+)"
      local below, name = path:match "^(%w+)/(.+)%.lua$"
      local folder = below and "lua/gprof/" .. below or "lua/gprof"
      folders[folder] = folders[folder] or {}
      folders[folder][name or path:match "^(.+)%.lua$"] = true
    end
    return folders
  end

  it("lists every file, and no other", function()
    assert.same(present(), listed(shell.read(program.root .. "/doc/files.md")))
  end)
end)
