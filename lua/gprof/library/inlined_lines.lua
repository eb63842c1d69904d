--- Where lines of the source were inlined: the lines that call the functions they are in.
-- Only for profiles by line with the chains of inlined functions (`profile.has_frames`).
--
-- @internal gprof.library.inlined_lines
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local inlined_lines = {}

-- Adds samples to a caller of a line. `frame` is the caller's.
local function add_caller(row, frame, ticks)
  local key = table.concat({ frame.name or "", frame.file or "", frame.line or 0 }, "\0")
  local caller = row.by_key[key]
  if not caller then
    caller = { name = frame.name, file = frame.file, line = frame.line, ticks = 0 }
    row.by_key[key], row.callers[#row.callers + 1] = caller, caller
  end
  caller.ticks = caller.ticks + ticks
end

local function precedes(a, b)
  if a.ticks ~= b.ticks then return a.ticks > b.ticks end
  if a.file ~= b.file then return (a.file or "") < (b.file or "") end
  if a.line ~= b.line then return (a.line or 0) < (b.line or 0) end
  return (a.name or "") < (b.name or "")
end

-- Sorts the callers of lines, and sets the samples of all code of these lines.
local function finish(by_line, files)
  for ticks, selected, file, line in
    by_line:functions("sampled", "ticks", "annotated", "file", "line")
  do
    local row = selected and files[file] and files[file][line]
    if row then row.ticks = row.ticks + ticks end
  end
  for _, lines in pairs(files) do
    for _, row in pairs(lines) do
      table.sort(row.callers, precedes)
      row.by_key = nil
    end
  end
  return files
end

local function find(by_line)
  local files = {}
  for id, ticks, selected in by_line:functions("sampled", "id", "ticks", "annotated") do
    if selected and by_line:is_inlined(id) then
      local file, line = by_line:get(id, "file", "line")
      local frames = file and by_line:frames(id, 2)
      if frames and frames[2] then
        local lines = files[file] or {}
        local row = lines[line] or { ticks = 0, callers = {}, by_key = {} }
        files[file], lines[line] = lines, row
        add_caller(row, frames[2], ticks)
      end
    end
  end
  return next(files) and finish(by_line, files) or files
end

--- Returns the callers of inlined lines with samples, of the code that is selected for
-- annotation.
-- @tparam profile by_line
-- @treturn {[string]=table} by file, by line number: a table with `ticks`, the samples of
--   the line, and `callers`, an array of the lines that call the inlined function, those
--   with most samples first. A caller has the `name` of its function, `file` and `line`
--   (each nil if unknown), and `ticks`: those of the line's samples that are in code that
--   was inlined there
function inlined_lines.of(by_line)
  if not by_line.has_frames then return {} end
  local state = core.state(by_line)
  state.inlined_lines = state.inlined_lines or find(by_line)
  return state.inlined_lines
end

return inlined_lines
