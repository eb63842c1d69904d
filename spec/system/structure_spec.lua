-- The structure of the code: files use only folders of lower layers, there are no dependency cycles, a name means one
-- thing, and doc/files.md lists every file.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local shell = require "support.shell"
local structure = require "support.structure"

local CSRC <const>, LUA <const> = program.root .. "/csrc", program.root .. "/lua"

-- The other folders that the files of each folder may use.
local c_folders <const> = {
  base = {},
  bundle = { "base" },
  gmon = { "base" },
  object = { "base" },
  debug = { "base", "object" },
  symbols = { "base", "object", "debug" },
  profile = { "base", "gmon", "object", "debug", "symbols" },
  lua = { "base", "bundle", "gmon", "object", "debug", "symbols", "profile" },
  sandbox = { "base" },  -- a module of its own
  scripts = { "base", "bundle", "runtime" },  -- a module of its own
  runtime = {},          -- part of other programs
  mpi = { "base", "gmon", "runtime" },  -- libraries of their own: part of other programs
}
local lua_folders <const> = {
  format = {},
  scripts = { "format" },
  analysis = { "format", "scripts" },
  library = { "format", "scripts" },
  gprof = { "format", "scripts", "analysis", "library" },  -- the public modules: gprof, gprof.image, ...
  print = { "format", "scripts", "analysis", "library", "gprof" },
  report = { "format", "scripts", "analysis", "library", "gprof", "print" },
  export = { "format", "scripts", "analysis", "library", "gprof", "print" },
  cli = { "format", "scripts", "analysis", "library", "gprof", "print", "report", "export" },
}

-- Files with the same name are about the same thing, which is said here. A file that is about another thing gets
-- another name.
local namesakes <const> = {
  annotation = "the costs of source lines, printed beside them",
  arguments = "checks of the arguments of public functions",
  baseline = "a saved profile with which later ones are compared",
  block_counts = "executions of basic blocks",
  bounds = "the least and the most inclusive time that the data allow",
  bytecode = "compiled Lua functions, and what identifies them",
  call_bounds = "these bounds from recorded calls alone",
  call_paths = "counts for each chain of calls from the root",
  call_tree = "call chains joined from the roots",
  column_order = "the order of the values in a column",
  command_line = "the words of the command line as options and operands",
  comparison = "two profiles, function by function",
  contexts = "sums of context profiles",
  csv = "comma-separated values",
  data = "the sum of the records of profiles",
  debug_file = "a file with debugging information of an image",
  fit = "whether data and image are from the same build",
  flat = "the flat profile, and its variant for BSD",
  graph = "the call graph, and its variant for BSD",
  image = "an object file",
  index = "the index of functions, and its variant for BSD",
  json = "JavaScript Object Notation",
  labels = "how reports refer to a function",
  lines = "source lines of code",
  merged_objects = "a program and its libraries in one profile",
  module = "what registers the functions of a module in C",
  name_list = "names, such as paths, that are read from a list",
  opcodes = "libopcodes, which is loaded on demand",
  output = "files that are complete or not there",
  policy = "what --gnu-compat decides",
  profile = "what is known of a run: its counts, and later its times",
  protobuf = "messages as protocol buffers",
  recent = "the keys that were added last",
  record = "starting a program under the recorder",
  recorded = "the libraries and threads that the recorder saw",
  recorder = "what records a running program: one of programs, one of Lua programs",
  records = "records of profile files",
  request = "asking a running program for its profile",
  requests = "these requests, in the running program and in the one that asks",
  samples = "ticks of code at the moments of samples",
  script_functions = "the list of functions of a Lua program",
  selection = "the functions and arcs that symspecs select",
  sha256 = "digests of bytes",
  slide = "by how much the addresses of a profile are moved",
  source_text = "source files and their lines",
  spread = "how functions differ between the runs in a sum",
  stack_tree = "measured call chains as a tree",
  terminal = "a user's terminal",
  text = "text in memory that grows",
  threads = "the threads of the profiled program",
  trace = "debug output by topic",
  verify = "whether image, profile and sources belong together",
  writer = "a file that replaces another one when it is complete",
}

-- Words of our own for which there is a usual term, and that term.
local private_words <const> = { beside = "companion", crew = "pool", look = "layout", stamp = "id, signature" }

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

  it("have no cycles of includes, if a source file counts as one with its header", function()
    assert.same({}, structure.circles(structure.joined(include_graph(c_files, read_c))))
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

  it("sees names, but not those in comments and strings", function()
    assert.same(" a_b =  ", structure.code("x.c", '/* stamp */ a_b = "beside \\" x" '))
    assert.same("a =  \n", structure.code("x.lua", 'a = "beside" -- crew\n'))
  end)

  it("joins source files with their headers", function()
    assert.same({ ["a/x"] = { ["a/y"] = true }, ["a/y"] = { ["a/x"] = true } }, structure.joined {
      ["a/x.c"] = { ["a/x.h"] = true, ["a/y.h"] = true }, ["a/x.h"] = {}, ["a/y.h"] = { ["a/x.h"] = true } })
  end)

  it("finds files with the same name", function()
    assert.same({ a = { "g/y/a", "x/a" } }, structure.namesakes { "x/a.c", "x/a.h", "x/b.c", "g/y/a.lua" })
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

describe("names", function()
  local paths <const>, read <const> = {}, {}
  for _, path in ipairs(c_files) do paths[#paths + 1], read[path] = path, read_c end
  for _, path in ipairs(lua_files) do paths[#paths + 1], read[path] = path, read_lua end

  it("of files in several folders mean the same thing", function()
    local found = structure.namesakes(paths)
    for name, files in pairs(found) do assert(namesakes[name], table.concat(files, " and ")) end
    for name in pairs(namesakes) do assert(found[name], name .. " is the name of one file only") end
  end)

  it("have groups of files at most one level below a folder", function()
    for _, path in ipairs(paths) do
      assert.falsy((path:gsub("^gprof/", "")):find "/.*/.*/", path)
    end
  end)

  it("in the code are usual terms", function()
    for _, path in ipairs(paths) do
      for name in structure.code(path, read[path](path)):gmatch "%a[%w_]*" do
        for word in name:gsub("look_", ""):gmatch "%a+" do
          assert(not private_words[word], ("%s: %s: write %s"):format(path, name, private_words[word]))
        end
      end
    end
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
      local folder, name = path:match "^(%w+)/([%w_/]+)%.[ch]$"
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
