--- Files that tell linkers where to put functions.
--
-- A linker moves input sections, not functions: each function needs a section of its own
-- (-ffunction-sections). lld finds the section by the name of the function; gold and GNU
-- ld need the name of the section. Compilers derive it from that of the function:
-- `.text.NAME`, or `.text.hot.NAME`, `.text.startup.NAME` or `.text.unlikely.NAME`.
--
-- @internal gprof.print.linker_files
-- SPDX-License-Identifier: GPL-3.0-or-later

local linker_files = {}

-- Returns the names of the sections in which a function can be. `.text.unlikely.NAME` is
-- the section of a cold function, but also that of the cold part of another function,
-- which must stay away from the code that runs.
local function sections(name, has_cold_part)
  local list = { ".text.hot." .. name, ".text." .. name, ".text.startup." .. name }
  if not has_cold_part then list[4] = ".text.unlikely." .. name end
  return list
end

-- gold and GNU ld read names of sections as globs, line by line or word by word. In a
-- glob, a question mark matches any character.
local function glob(name)
  return (name:gsub("[*?%[%]\\\"%s%c]", "?"))
end

-- The formats ---------------------------------------------------------------------------
--
-- In the files of lld, names are words, and `#` begins a comment.

local formats = {}

local names_are_words <const> = { lld = true, ["call-graph"] = true }

function formats.lld(file, write)
  write "# Order of functions for lld: --symbol-ordering-file=FILE\n"
  for _, name in ipairs(file.names()) do write(name .. "\n") end
end

formats["call-graph"] = function(file, write)
  write "# Calls for lld: --call-graph-ordering-file=FILE\n"
  local calls = file.calls()
  for i, caller in ipairs(calls.callers) do
    write(("%s %s %d\n"):format(caller, calls.callees[i], calls.counts[i]))
  end
end

function formats.gold(file, write)
  write "# Order of sections for gold: --section-ordering-file=FILE\n"
  local is_split = file.split_functions()
  for _, name in ipairs(file.names()) do
    write(table.concat(sections(glob(name), is_split[name]), "\n") .. "\n")
  end
end

-- INSERT adds the sections to the linker's own script. They are an output section of
-- their own: with a second `.text`, the program would have two sections of that name.
function formats.ld(file, write)
  write "/* Order of sections for GNU ld: -T FILE */\n"
  write "SECTIONS\n{\n  .text.ordered :\n  {\n"
  local is_split = file.split_functions()
  for _, name in ipairs(file.names()) do
    local patterns = sections(glob(name), is_split[name])
    for i, pattern in ipairs(patterns) do  -- GNU ld could read some as several words
      if not pattern:find "^[%w_.$?]+$" then patterns[i] = '"' .. pattern .. '"' end
    end
    write(("    *(%s)\n"):format(table.concat(patterns, " ")))
  end
  write "  }\n}\nINSERT BEFORE .text;\n"
end

--- Returns whether a file can contain a name.
-- @tparam string format
-- @tparam string name
-- @treturn boolean
function linker_files.can_hold(format, name)
  if names_are_words[format] then return not name:find "^#" and not name:find "[%s%c]" end
  return name ~= ""
end

--- Writes a file.
-- @tparam string format "lld", "call-graph", "gold" or "ld"
-- @tparam table file what to write, as functions, of which those are called whose results
--   the format needs: `names` returns an array of functions in the order that the linker
--   should choose; `split_functions`, the set of those whose cold part is in a section of
--   its own; `calls`, the columns `callers`, `callees` and `counts`
-- @tparam stream write
function linker_files.write(format, file, write) formats[format](file, write) end

return linker_files
