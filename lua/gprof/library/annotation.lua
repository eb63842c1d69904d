--- Which source files are annotated, and what is known of their lines.
--
-- @internal gprof.library.annotation
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.arguments"
local core = require "gprof.core"
local source_text = require "gprof.library.source_text"

local annotation = {}

--- The source files of the functions that are selected for annotation.
-- @tparam profile profile
-- @treturn {table,...} first that which the symbol table names last; each has its
--   `number` there, its `name` as recorded, and the sums of the `calls` of functions and
--   lines that are in it, and of the executions of their `blocks`
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
-- @treturn[2] string what is wrong: there are several, or none
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
    return nil, name .. ": no function of the program comes from there"
  elseif found[2] then
    return nil, ("%s: %d source files have that name"):format(name, #found)
  end
  return found[1], files[found[1]]
end

--- Collects what is known of the lines of a file.
-- @function annotation.lines
-- @tparam profile profile
-- @tparam integer number of the file
-- @tparam[opt] boolean gnu_compat know what GNU gprof knows of each line
-- @treturn userdata to be closed. Its fields are `last`, the highest number of a line
--   that there is code for, and `executions` of all lines: those of their blocks, or else
--   the calls of functions that begin there. Its methods are `lines()`, which iterates
--   over number, counts (an array of calls and blocks, by address), calls, blocks and
--   seconds of lines; `busiest(most)`, over number and executions of those that were
--   executed, the most often first; `print(stream, text, layout, last)` (see
--   csrc/lua/margins.c)
annotation.lines = core.annotation

--- What is known of the lines of a source file, for `profile:annotate`, which says what
-- it takes and returns.
-- @tparam profile profile
-- @tparam string file
-- @tparam[opt] {string,...} directories
function annotation.annotate(profile, file, directories)
  arguments.check(profile, "gprof.profile", 0, "annotate")
  arguments.check(file, "string", 1, "annotate")
  arguments.check(directories or {}, "strings", 2, "annotate")
  local number, name = annotation.find(profile, file)
  if not number then return nil, name end  -- what is wrong
  local text, problem = source_text.load(name, directories)
  if not text then return nil, problem end
  local result, known <close> = {}, annotation.lines(profile, number)
  for i, line in ipairs(source_text.lines(text)) do
    result[i] = { number = i, text = line }
  end
  for i, counts, calls, blocks, seconds in known:lines() do
    local line = result[i] or {}  -- the text may be shorter
    line.counts, line.calls, line.blocks, line.seconds = counts, calls, blocks, seconds
    line.seconds_error = profile:error_of(seconds)
  end
  return result
end

return annotation
