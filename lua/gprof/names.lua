--- How reports name functions and files.
--
-- @internal gprof.names
-- SPDX-License-Identifier: GPL-3.0-or-later

local names = {}

--- A source file's name for a report.
-- @tparam string file as recorded
-- @tparam table options `print_path`: keep the directories
-- @treturn string
function names.file(file, options)
  return options.print_path and file or file:match("^.*/(.*)$") or file
end

--- Tells whether a name stands for a source file.
-- @tparam string file as recorded
-- @tparam string name the same, or its last components
-- @treturn boolean
function names.stands_for(file, name)
  return ("/" .. file):sub(-#name - 1) == "/" .. name
end

--- A function's name, with its source where the options want it.
-- @tparam profile profile
-- @tparam integer id the function's number
-- @tparam table options `inline_file_names`, `print_path`; in a profile by line the source
--   is always wanted, and the address with it
-- @tparam[opt="name"] string field that holds the name: "name" or "symbol"
-- @treturn string
function names.of(profile, id, options, field)
  local name = profile:get(id, field or "name")
  if not (options.inline_file_names or profile.by_line) then return name end
  local file, line, address = profile:get(id, "file", "line", "address")
  if not file then return name end
  file = names.file(file, options)
  if profile.by_line then
    return ("%s (%s:%d @ %x)"):format(name, file, line, address)
  end
  return ("%s (%s:%d)"):format(name, file, line)
end

--- The index number of a function or cycle, as it stands behind a name: in
-- parentheses if there is no entry of that number to look up.
-- @tparam integer index
-- @tparam boolean printed
-- @treturn string
function names.number(index, printed)
  return printed and "[" .. index .. "]" or "(" .. index .. ")"
end

--- Cross-references: a function's name, cycle and index number, made once for each.
-- @tparam profile profile
-- @tparam table options
-- @tparam[opt] string field as of `names.of`
-- @treturn {[integer]=string} by the function's number; filled as it is read
function names.references(profile, options, field)
  local function make(references, id)
    local index, printed, cycle = profile:get(id, "index", "printed", "cycle")
    local name = names.of(profile, id, options, field)
    if cycle then
      name = name .. " " .. cycle.name
    end
    local reference = name .. " " .. names.number(index, printed)
    references[id] = reference
    return reference
  end
  return setmetatable({}, { __index = make })
end

return names
