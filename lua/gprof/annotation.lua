--- What is known of the lines of source files.
--
-- A line of source has what was counted and sampled of the code that comes from it: the
-- calls of functions that begin there, and, in a profile by line, how often each basic
-- block was executed and how much time was spent.
--
-- @internal gprof.annotation
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.arguments"
local names = require "gprof.names"

local annotation = {}

local function nothing() end

--- Adds counts. A sum that is too large is the largest number that there is.
-- @tparam integer a
-- @tparam integer b
-- @treturn integer
function annotation.sum(a, b)
  local total = a + b
  return total >= 0 and total or math.maxinteger
end
local sum <const> = annotation.sum

-- The blocks of a function or line: addresses and executions. Without lines they would be
-- those of all of a function.
local function blocks_of(profile, id)
  if not profile.by_line then return nothing end
  return profile:blocks(id)
end

-- The calls of each function and line that is selected for annotation, by number. What is
-- a part of another function, cold code, is none of these.
local function selected_calls(profile)
  local selected = {}
  for id, annotated, calls in profile:functions("address", "id", "annotated", "calls") do
    selected[id] = annotated and calls or nil
  end
  return selected
end

-- The functions and lines of a file that are selected for annotation: those of `selected`.
local function collect(profile, selected, number, name)
  local file = { name = name, ids = {}, calls = 0, blocks = 0 }
  for _, id in ipairs(profile.symbols:in_file(number)) do
    if selected[id] then
      file.ids[#file.ids + 1] = id
      file.calls = sum(file.calls, selected[id])
      for _, count in blocks_of(profile, id) do
        file.blocks = sum(file.blocks, count)
      end
    end
  end
  return file
end

--- The source files of the functions that are selected for annotation.
-- @tparam profile profile
-- @treturn {table,...} first that which the symbol table names last; each has its `name`
--   as recorded, `ids`, the numbers of functions and lines there, by address, and the sums
--   of their `calls` and of the executions of their `blocks`
function annotation.files(profile)
  local found, files, selected = {}, profile.symbols:files(), selected_calls(profile)
  for number = #files, 1, -1 do
    local file = collect(profile, selected, number, files[number])
    if file.ids[1] then
      found[#found + 1] = file
    end
  end
  return found
end

--- Finds a source file.
-- @tparam profile profile
-- @tparam string name as recorded, or its last components
-- @treturn[1] table the file, as `files` has it
-- @return[2] nil
-- @treturn[2] string what is wrong: there are several, or none
function annotation.find(profile, name)
  local files, found = profile.symbols:files(), {}
  for number, recorded in ipairs(files) do
    if recorded == name then
      found = { number }
      break
    elseif names.stands_for(recorded, name) then
      found[#found + 1] = number
    end
  end
  if not found[1] then
    return nil, name .. ": no function of the program comes from there"
  elseif found[2] then
    return nil, ("%s: %d source files have that name"):format(name, #found)
  end
  return collect(profile, selected_calls(profile), found[1], files[found[1]])
end

local function add_blocks(line, profile, id)
  for address, count in blocks_of(profile, id) do
    line.first_block = line.first_block or address
    line.blocks = sum(line.blocks or 0, count)
    line.counts[#line.counts + 1] = count
  end
end

-- Whether anything of a function or line was executed, as far as it is recorded.
local function was_executed(profile, id)
  if profile:get(id, "self") > 0 then return true end
  for _, count in blocks_of(profile, id) do
    if count > 0 then return true end
  end
  for count in profile:callees(id, nil, "count") do
    if count > 0 then return true end
  end
  return false
end

-- The calls of a function; nil if none was seen, but something of the function was executed:
-- `main` is called before anything is recorded, others by code without -pg.
local function calls_of(profile, id, calls)
  if calls > 0 then return calls end
  if not profile.by_line then
    return not was_executed(profile, id) and 0 or nil
  end
  for line in profile:lines(id, nil, "id") do
    if was_executed(profile, line) then return nil end
  end
  return 0
end

-- Adds a function, or other code of a line, to that.
local function add(line, profile, id)
  local address, is_line, calls, self = profile:get(id, "address", "is_line", "calls", "self")
  line.address = line.address or address
  line.seconds = line.seconds + self
  if not is_line then
    line.entry = true
    calls = calls_of(profile, id, calls)
    if calls then
      line.calls = sum(line.calls or 0, calls)
      line.counts[#line.counts + 1] = calls
    end
  end
  add_blocks(line, profile, id)
end

-- The same as GNU gprof does it: what comes first on a line hides what follows from those
-- who look at that line, but not the calls of functions from those who list the busiest.
local function add_as_gnu(line, profile, id)
  local address, is_function, calls = profile:get(id, "address", "is_function", "calls")
  if is_function then line.calls = (line.calls or 0) + calls end
  if line.address then
    line.several = true
    if line.entry then line.counts[1] = line.calls end
    return
  end
  line.address = address
  if is_function then
    line.entry, line.counts[1] = true, calls
  end
  add_blocks(line, profile, id)
end

--- Collects what is known of the lines of a file.
-- @tparam profile profile
-- @tparam {integer,...} ids of functions and lines in that file, by address
-- @tparam[opt] boolean gnu_compat know what GNU gprof knows of each line
-- @treturn {[integer]=table} by number, of lines that there is code for: `counts`, an array
--   of the calls and the executions of blocks, by address; `calls`, of functions that
--   begin there, or nil, also if they are not known; `blocks`, the sum of the blocks'
--   executions, or nil; `seconds` in code of the line; `address` of its first instruction;
--   `entry`, whether a function begins there; `first_block`, the address of its first
--   block, or nil
function annotation.lines(profile, ids, gnu_compat)
  local lines, put = {}, gnu_compat and add_as_gnu or add
  for _, id in ipairs(ids) do
    local number = profile:get(id, "line")
    local line = lines[number]
    if not line then
      line = { counts = {}, seconds = 0.0 }
      lines[number] = line
    end
    put(line, profile, id)
  end
  return lines
end

--- How often a line was executed, as far as one number can say it: the sum of its blocks'
-- executions, or else the calls of the functions that begin there.
-- @tparam table line
-- @tparam[opt] boolean gnu_compat always the calls
-- @treturn integer 0 if nothing is known
function annotation.executions(line, gnu_compat)
  return not gnu_compat and line.blocks or line.calls or 0
end

--- What is known of the lines of a source file, for `profile:annotate`, which says what it
-- takes and returns.
-- @tparam profile profile
-- @tparam string file
-- @tparam[opt] {string,...} directories
function annotation.annotate(profile, file, directories)
  arguments.check(profile, "gprof.profile", 0, "annotate")
  arguments.check(file, "string", 1, "annotate")
  arguments.check(directories or {}, "strings", 2, "annotate")
  local known, message = annotation.find(profile, file)
  if not known then return nil, message end
  local text, problem = require "gprof.source_text".load(known.name, directories)
  if not text then return nil, problem end
  local lines, result = annotation.lines(profile, known.ids), {}
  for number, line_text in ipairs(text) do
    local line = lines[number] or {}
    result[number] = { number = number, text = line_text, counts = line.counts,
      calls = line.calls, blocks = line.blocks, seconds = line.seconds }
  end
  return result
end

return annotation
