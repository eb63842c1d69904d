--- How reports name functions and files.
--
-- @module gprof.names
-- SPDX-License-Identifier: GPL-3.0-or-later

local names = {}

--- A source file's name for a report.
-- @tparam string file as recorded
-- @tparam table options `print_path`: keep the directories
-- @treturn string
function names.file(file, options)
  return options.print_path and file or file:match("[^/]*$")
end

--- A function's name, with its source where the options want it.
-- @tparam function_ f
-- @tparam table options `inline_file_names`, `print_path`
-- @treturn string
function names.of(f, options)
  if options.inline_file_names then
    local file = f.file
    if file then
      return ("%s (%s:%d)"):format(f.name, names.file(file, options), f.line)
    end
  end
  return f.name
end

--- The index number of a function or cycle, as it stands behind a name: in
-- parentheses if there is no entry of that number to look up.
-- @param node function or cycle
-- @treturn string
function names.number(node)
  return (node.printed and "[%d]" or "(%d)"):format(node.index)
end

--- Cross-references: a function's name, cycle and index number, made once for each.
-- @tparam profile profile
-- @tparam table options
-- @treturn {[integer]=string} by the function's id; filled as it is read
function names.references(profile, options)
  local function make(references, id)
    local f = profile:node(id)
    local name, cycle = names.of(f, options), f.cycle
    if cycle then
      name = name .. " " .. cycle.name
    end
    local reference = name .. " " .. names.number(f)
    references[id] = reference
    return reference
  end
  return setmetatable({}, { __index = make })
end

return names
