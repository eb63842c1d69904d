--- Annotated source: selects source files, and collects the counts and times of their
-- lines.
--
-- @internal gprof.library.annotation
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.options.arguments"
local core = require "gprof.core"
local inlined_lines = require "gprof.library.inlined_lines"
local source_text = require "gprof.library.files.source_text"

local annotation = {}

--- Lists the source files of the functions selected for annotation.
-- @tparam profile profile
-- @treturn {table,...} the files in reverse order of the symbol table. Each has its
--   `number` in that table, its `name` as recorded, and two sums over its functions and
--   lines: `calls` and `blocks` (executions of basic blocks)
function annotation.files(profile)
  local found, files = {}, profile.symbols:files()
  for number = #files, 1, -1 do
    local symbols, calls, blocks = core.annotated(profile, number)
    if symbols > 0 then
      found[#found + 1] = {
        number = number, name = files[number], calls = calls, blocks = blocks
      }
    end
  end
  return found
end

--- Finds a source file.
-- @tparam profile profile
-- @tparam string name as recorded, or its last components
-- @treturn[1] integer its number in the symbol table
-- @treturn[1] string its name as recorded
-- @return[2] nil
-- @treturn[2] string what is wrong: there are several such files, or none
function annotation.find(profile, name)
  local files, found = profile.symbols:files(), {}
  for number, recorded in ipairs(files) do
    if recorded == name then
      found = { number }
      break
    elseif source_text.is_named(recorded, name) then
      found[#found + 1] = number
    end
  end
  if not found[1] then
    return nil, name .. ": not a source file of the program"
  elseif found[2] then
    return nil, ("%s: ambiguous: %d source files have that name"):format(name, #found)
  end
  return found[1], files[found[1]]
end

--- Collects the counts and times of a file's lines.
-- @function annotation.lines
-- @tparam profile profile
-- @tparam integer number number of the file
-- @tparam[opt] boolean gnu_compat count as GNU gprof does
-- @treturn userdata an object to be closed. Its field `last` is the highest line number
--   with code. Its method `lines()` iterates over number, counts (an array of calls and
--   blocks in address order), seconds, calls and blocks of each line
annotation.lines = core.annotation

--- Returns how often the lines of a file were executed, by the counts of blocks: the sum
-- over all copies of their code, in several functions or inlined several times.
-- @function annotation.executions
-- @tparam profile profile by line
-- @tparam integer number number of the file
-- @treturn {[integer]=integer}
annotation.executions = core.line_executions

--- Iterates over the lines of a file.
-- @tparam userdata known from `annotation.lines`
-- @tparam[opt] table carry if given, the counts are those of all code of a line: the last
--   count of a block applies to the following lines, until the next count or function.
--   Its field `last` is that count; it is updated
-- @treturn function iterator over number, counts, seconds, calls and blocks
function annotation.counts(known, carry)
  if not carry then return known:lines() end
  local next_line = known:lines(true)
  return function()
    local number, counts, seconds, calls, blocks, is_entry, continues = next_line()
    if not number then return nil end
    if is_entry then carry.last = nil end
    if carry.last and continues then table.insert(counts, 1, carry.last) end
    carry.last = counts[#counts] or carry.last
    return number, counts, seconds, calls, blocks
  end
end

-- Sets where lines were inlined.
local function add_callers(profile, name, result)
  for number, row in pairs(inlined_lines.of(profile)[name] or {}) do
    local line = result[number]
    if line then
      line.inlined_in = {}
      for i, caller in ipairs(row.callers) do
        line.inlined_in[i] = { name = caller.name, file = caller.file, line = caller.line,
          seconds = caller.ticks / profile.rate }
      end
    end
  end
end

--- Returns the lines of a source file. Implements `profile:annotate`, which documents the
-- parameters and results.
-- @tparam profile profile
-- @tparam string file
-- @tparam[opt] {string,...} directories
-- @tparam[opt] function choose given the text of the file, returns the numbers of the
--   lines to be returned, as a set; others are left out. Nil for all lines
function annotation.annotate(profile, file, directories, choose)
  arguments.check(profile, "gprof.profile", 0, "annotate")
  arguments.check(file, "string", 1, "annotate")
  arguments.check(directories or {}, "strings", 2, "annotate")
  local number, name = annotation.find(profile, file)
  if not number then return nil, name end  -- the second result is the message
  local text, problem = source_text.load(name, directories)
  if not text then return nil, problem end
  local result = {}
  for i, line in pairs(source_text.lines(text, choose and choose(text))) do
    result[i] = { number = i, text = line }
  end
  local known <close> = annotation.lines(profile, number)
  for i, counts, seconds, calls, blocks in known:lines() do
    local line = result[i]
    if line then  -- the source may have fewer lines than the line table
      line.counts, line.calls, line.blocks, line.seconds = counts, calls, blocks, seconds
      line.seconds_error = profile:error_of(seconds)
    end
  end
  add_callers(profile, name, result)
  return result
end

return annotation
