-- Reads the dependencies between source files (includes, requires, linked symbols), and finds violations of the layers
-- and dependency cycles.
--
-- A graph maps each name to the set of names that it uses: { a = { b = true } }.
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = require "support.shell"

local structure = {}

--- Lists the files below a directory whose names match.
-- @tparam string directory
-- @tparam string pattern of `find -name`
-- @treturn {string,...} sorted paths, relative to the directory
function structure.files(directory, pattern)
  local paths = {}
  local found = shell.check({ "find", ".", "-name", pattern, "-type", "f" }, { cwd = directory }).stdout
  for path in found:gmatch "%./([^\n]+)" do paths[#paths + 1] = path end
  table.sort(paths)
  return paths
end

--- Returns the project's headers that a C file includes.
-- @tparam string text of the file
-- @treturn {[string]=true,...} names between the quotes
function structure.includes(text)
  local names = {}
  for name in ("\n" .. text):gmatch '\n%s*#%s*include%s*"([^"\n]+)"' do names[name] = true end
  return names
end

--- Joins each C file with its header.
-- @tparam table graph of includes
-- @treturn table graph of paths without extension
function structure.joined(graph)
  local joined = {}
  for path, used in pairs(graph) do
    local file = path:gsub("%.[ch]$", "")
    joined[file] = joined[file] or {}
    for name in pairs(used) do
      local other = name:gsub("%.[ch]$", "")
      if other ~= file then joined[file][other] = true end
    end
  end
  return joined
end

-- Removes comments, which may mention modules that the code does not require.
local function without_comments(text)
  return (text:gsub("%-%-%[%[.-%]%]", ""):gsub("%-%-[^\n]*", ""))
end

--- Returns the library's modules that a Lua file requires by literal name, at load time or later. Names computed at run
-- time belong to plug-ins and are not part of the structure.
-- @tparam string text of the file
-- @treturn {[string]=true,...} module names
function structure.requires(text)
  local names = {}
  for name, rest in without_comments(text):gmatch "require[%s(]*[\"'](gprof[%w_.]*)[\"']%s*(%.?%.?)" do
    if rest ~= ".." then names[name] = true end
  end
  return names
end

--- Returns the folder of a file: the first component of its path.
-- @tparam string path such as "object/image.h"; or a module's name, such as "gprof.report.bsd.flat"
-- @treturn string "object", "report"; "gprof" for the library's public modules
function structure.folder(path)
  if path:find "^gprof" then return path:match "^gprof%.([%w_]+)%." or "gprof" end
  return path:match "^([%w_]+)/" or "."
end

--- Returns the parts of a program's text that name something: no comments, no strings.
-- @tparam string path its language is that of the extension
-- @tparam string text
-- @treturn string
function structure.code(path, text)
  text = path:find "%.lua$" and without_comments(text) or text:gsub("/%*.-%*/", "")
  return (text:gsub('\\"', ""):gsub('"[^"\n]*"', ""))
end

--- Finds the names of files that are in several folders, whatever their extensions.
-- @tparam {string,...} paths
-- @treturn {[string]={string,...},...} their sorted paths without extension, by name
function structure.namesakes(paths)
  local by_name, seen = {}, {}
  for _, path in ipairs(paths) do
    local file = path:gsub("%.%w+$", "")
    local name = file:match "[^/]+$"
    by_name[name] = by_name[name] or {}
    if not seen[file] then table.insert(by_name[name], file) end
    seen[file] = true
  end
  for name, files in pairs(by_name) do
    table.sort(files)
    if #files == 1 then by_name[name] = nil end
  end
  return by_name
end

--- Finds the edges of a graph that the layers do not allow.
-- @tparam table graph
-- @tparam {[string]={string,...},...} allowed_folders folders that each folder may use, besides itself
-- @treturn {string,...} sorted, "object/image.c uses profile/order.h"
function structure.upward(graph, allowed_folders)
  local wrong = {}
  for name, used in pairs(graph) do
    local folder, allowed = structure.folder(name), {}
    for _, lower in ipairs(allowed_folders[folder] or {}) do allowed[lower] = true end
    for other in pairs(used) do
      local target = structure.folder(other)
      if not allowed_folders[folder] or target ~= folder and not allowed[target] then
        wrong[#wrong + 1] = name .. " uses " .. other
      end
    end
  end
  table.sort(wrong)
  return wrong
end

-- Returns the sorted elements of a set.
local function sorted(set)
  local keys = {}
  for key in pairs(set) do keys[#keys + 1] = key end
  table.sort(keys)
  return keys
end

--- Finds the cycles of a graph with Tarjan's algorithm: strongly connected components of more than one node, and nodes
-- that use themselves.
-- @tparam table graph
-- @treturn {string,...} the names of each cycle, sorted and separated by blanks
function structure.circles(graph)
  local number, low, on_stack, stack, count, circles = {}, {}, {}, {}, 0, {}

  local function pop_component(root)
    local members = {}
    repeat
      local node = table.remove(stack)
      on_stack[node], members[#members + 1] = nil, node
    until node == root
    table.sort(members)
    if #members > 1 or graph[root][root] then circles[#circles + 1] = table.concat(members, " ") end
  end

  local function visit(node)
    count = count + 1
    number[node], low[node], on_stack[node] = count, count, true
    stack[#stack + 1] = node
    for _, other in ipairs(sorted(graph[node])) do
      if graph[other] and not number[other] then
        visit(other)
        low[node] = math.min(low[node], low[other])
      elseif on_stack[other] then
        low[node] = math.min(low[node], number[other])
      end
    end
    if low[node] == number[node] then pop_component(node) end
  end

  for _, node in ipairs(sorted(graph)) do
    if not number[node] then visit(node) end
  end
  return circles
end

--- Finds, for each object file, the object files whose symbols it uses.
-- @tparam string text output of `nm -A -P` for all of them
-- @tparam string directory prefix of all paths
-- @treturn table graph of object files, "object/image" for directory .. "object/image.o"
-- @treturn {[string]=string,...} the object file that defines each shared symbol
function structure.links(text, directory)
  local wanted, definer, graph = {}, {}, {}
  for path, symbol, kind in text:gmatch "([^\n]-)%.o: (%S+) (%a)[^\n]*" do
    local file = path:sub(#directory + 1)
    graph[file] = graph[file] or {}
    if kind == "U" then
      wanted[#wanted + 1] = { file, symbol }
    elseif kind:find "[A-TV-Z]" then
      definer[symbol] = file
    end
  end
  for _, want in ipairs(wanted) do
    local file, symbol = table.unpack(want)
    if definer[symbol] then graph[file][definer[symbol]] = true end
  end
  return graph, definer
end

return structure
