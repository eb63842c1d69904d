--- What is known of the lines of source files.
--
-- A file's lines collect what the functions that begin there, and the code that comes from
-- there, have been counted and sampled: a function its calls, code the counts of its basic
-- blocks, where the profile is one by line.
--
-- @module gprof.annotation
-- SPDX-License-Identifier: GPL-3.0-or-later

local annotation = {}

--- The source files of the profile's functions that are selected for annotation.
-- @tparam profile profile
-- @treturn {{name=string,ids={integer,...},calls=integer,blocks=integer},...} files, that
--   which the symbol table names last first: name as recorded; numbers of the functions and
--   lines there, by address; calls of these functions, executions of these blocks
function annotation.files(profile)
  local symbols, found = profile.symbols, {}
  local names = symbols:files()
  for number = #names, 1, -1 do
    local file = { name = names[number], ids = {}, calls = 0, blocks = 0 }
    for _, id in ipairs(symbols:in_file(number)) do
      local annotated, calls = profile:get(id, "annotated", "calls")
      if annotated then
        file.ids[#file.ids + 1] = id
        file.calls = file.calls + calls
      end
    end
    if file.ids[1] then found[#found + 1] = file end
  end
  return found
end

-- Adds a function or a line to what is known of a line.
local function add(line, profile, id, address, is_function, calls, self)
  line.address = line.address or address
  line.seconds = line.seconds + self
  if is_function then
    line.calls = (line.calls or 0) + calls
    line.counts[#line.counts + 1] = calls
  end
  if not profile.by_line then return end
  for at, count in profile:blocks(id) do
    line.first_block = line.first_block or at
    line.blocks = (line.blocks or 0) + count
    line.counts[#line.counts + 1] = count
  end
end

--- Collects what is known of the lines of a file.
-- @tparam profile profile
-- @tparam {integer,...} ids of functions and lines in that file, by address
-- @tparam[opt] boolean gnu_compat of several functions and lines on one line only that
--   at the lowest address is looked at, as GNU gprof does
-- @treturn {[integer]=table} by number of line, of those that there is code for:
--   `counts`, an array of the calls and the counts of blocks, by address; `calls`, of
--   functions that begin there, or nil; `blocks`, the sum of the counts of blocks, or nil;
--   `seconds` in code of that line; `address` of its first instruction; `first_block`, the
--   address of its first block, or nil
-- @treturn integer the highest of the numbers
function annotation.lines(profile, ids, gnu_compat)
  local lines, last = {}, 0
  for _, id in ipairs(ids) do
    local number, address, is_line, is_function, calls, self =
      profile:get(id, "line", "address", "is_line", "is_function", "calls", "self")
    if gnu_compat then
      is_line = not is_function
    end
    local line = lines[number]
    if not line then
      line = { counts = {}, seconds = 0 }
      lines[number] = line
      add(line, profile, id, address, not is_line, calls, self)
    elseif not gnu_compat then
      add(line, profile, id, address, not is_line, calls, self)
    else
      line.several = true
      if not is_line then
        line.later = (line.later or 0) + calls
        if line.calls then line.calls = line.calls + calls; line.counts[1] = line.calls end
      end
    end
    last = math.max(last, number)
  end
  return lines, last
end

--- How often a line was executed, as far as one number can say: the sum of its blocks'
-- counts, or the calls of functions that begin there.
-- @tparam table line
-- @treturn integer|nil
function annotation.executions(line)
  return line.blocks or line.calls
end

return annotation
