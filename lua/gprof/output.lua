--- Streams: buffered, formatted output, which reports write to.
--
-- - `stream(text)` writes text unchanged.
-- - `stream(format, value...)` writes values in columns: %d, %f, %s with width and
--   precision as in string.format, %2$d for the second value.
-- - `stream:each(names, formats, iterator)` writes one line for each row of an iterator,
--   like `for a, b, c in iterator do stream(formats, a, b, c) end`. Unless `names` is
--   nil, it writes `names[a]` for `a`; if `formats` is a table, the format is
--   `formats[b]`.
-- - `stream:rows(profile, list, formats [, options])` prepares rows that show fields, in
--   formats such as `%{calls:8d} %{name}\n`, and returns a function that writes them: it
--   takes a number and further values, and returns the numbers of rows and bytes. The
--   list is
--   "function", "cycle", "entry" or "arc" for the row of that number; or "callers",
--   "callees", "members" or "lines" for the rows around it. `formats` is a format, or a
--   table with the format for each value of the field `kind`. The options: `by`, a field
--   in place of `kind`; `labels` (see gprof.names) for `%{label}`, `%{caller}` and
--   `%{callee}`; `values`, the names of the further values, for columns of one's own;
--   `paint`, a function of a format and the values of the fields `paint_by` that returns
--   the format to use, or "" to leave the row out.
-- - `stream:lines(text, margin [, position [, most]])` writes at most `most` lines of a
--   text, from a position on, each after a margin. It returns the position of the next
--   line, and the number of lines.
-- - `stream:flush()` passes on the buffered text.
-- - `stream:finish()` flushes and closes the stream, and so does the end of the scope of
--   a `<close>` variable. Writing to a closed stream is an error.
--
-- @module gprof.output
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local need <const> = require "gprof.library.failure".need

local output = {}

local BROKEN_PIPE = 32  -- EPIPE

-- Raises the error of a failed write. Its field `quiet` is set if the reader closed the
-- pipe, as `head` does; such errors are not reported.
local function check(name, done, message, code)
  if done then return end
  error({ message = name .. ": " .. message, quiet = code == BROKEN_PIPE }, 0)
end

--- Makes a function that writes to a file. For a terminal, it escapes the text (see
-- gprof.format.terminal).
-- @tparam file file
-- @tparam function is_colored returns whether to keep escape sequences for colours
-- @treturn function takes a piece of text, or nothing after the last piece, which flushes
--   the file; returns what `file:write` returns
function output.writer(file, is_colored)
  local shown = core.is_terminal(file) and
    require "gprof.format.terminal".filter(is_colored)
  return function(text)
    local done, message, code = file:write(shown and shown(text) or text or "")
    if done and not text then done, message, code = file:flush() end
    return done, message, code
  end
end

--- Makes a stream that writes to a file.
-- @tparam file file
-- @tparam function is_colored returns whether to keep escape sequences for colours
-- @tparam[opt="standard output"] string name of the file in messages
-- @treturn stream raises a table with the field `message` if writing fails; its field
--   `quiet` is true if the reader of a pipe has closed it
-- @treturn function flushes the stream; to be called at the end
function output.into(file, is_colored, name)
  file:setvbuf("no")  -- pieces are large
  name = name or "standard output"
  local write = output.writer(file, is_colored)
  local stream = core.stream(function(text) check(name, write(text)) end)
  return stream, function()
    stream:flush()
    check(name, write())
  end
end

--- Writes the contents of a file.
-- @tparam writer file
-- @tparam function fill as for `output.new_file`
-- @raise a table with the field `message`
function output.fill(file, fill)
  local stream = core.stream(function(text) need(file:write(text)) end)
  fill(stream)
  stream:flush()
end

--- Writes a file that does not yet replace the old one.
-- @tparam string path
-- @tparam function fill as for `output.new_file`
-- @tparam[opt] string kind as for `output.new_file`
-- @tparam[opt] boolean is_first raise an error if the old file exists when the new one is
--   complete
-- @treturn writer
-- @raise a table with the field `message`
function output.unfinished(path, fill, kind, is_first)
  local file = need(core.writer(path, kind, is_first))
  output.fill(file, fill)
  return file
end

--- Replaces and removes files that belong together: all of them or, after a failure,
-- none.
-- @tparam {writer|string,...} files new files, and paths of old ones to be removed, in
--   the order in which this is done
-- @raise a table with the field `message`
function output.finish(files)
  need(core.finish(files))
end

--- Writes a file. The new file replaces the old one once it is complete. A failure leaves
-- the old one unchanged.
-- @tparam string path
-- @tparam function fill called with a stream, to which it writes the contents
-- @tparam[opt="chosen"] string kind who chose the path:
--
--   - `"chosen"`: the user. The path may lead to a device, and links are followed
--   - `"confined"`: the user, but the contents come from the sandbox. A link is an error
--   - `"derived"`: the program, as for a default name or a listing that is named after a
--     source file. Only a regular file is replaced; anything else, including a link, is
--     an error
--
-- @raise a table with the field `message`
function output.new_file(path, fill, kind)
  local file <close> = output.unfinished(path, fill, kind)
  need(file:finish())
end

--- Writes a file whose path the user did not choose: `output.new_file` for the kind
-- "derived".
-- @tparam string path
-- @tparam function fill
-- @raise a table with the field `message`
function output.new_file_here(path, fill)
  output.new_file(path, fill, "derived")
end

--- Starts the new context profile beside a sum.
-- @tparam string path of the context profile
-- @treturn writer
-- @raise a table with the field `message`
function output.unfinished_contexts(path)
  return need(core.companion_writer(path, "gprofctx"))
end

--- Starts the new spread of a sum. Until it is finished with the sum, it has no name.
-- @tparam string path of the spread
-- @treturn writer
-- @raise a table with the field `message`
function output.unfinished_spread(path)
  local profile_files = require "gprof.library.files.profile_files"
  local new = profile_files.new_spread_path(path)
  return need(core.companion_writer(new, "gprofspr", path))
end

--- Replaces a sum, and the files beside it. Removes those of the old sum that have no
-- successor.
-- @tparam table target `path`; `companion` and `spread`, the paths of the context profile
--   and of the spread; nil if there can be none; `outdated`, the path of a file to be
--   removed after the old sum, or nil; `together`, nil, or an array to which the files
--   are added instead: see `output.finish`
-- @tparam writer file
-- @tparam[opt] writer contexts
-- @tparam[opt] writer spread
-- @raise a table with the field `message`
function output.finish_sum(target, file, contexts, spread)
  local profile_files = require "gprof.library.files.profile_files"
  local files = target.together or {}
  local function add(change) files[#files + 1] = change end
  add(spread)
  add(file)
  add(contexts or target.companion and profile_files.old_contexts(target.path))
  for _, path in ipairs(not spread and target.spread and
    profile_files.old_spreads(target.path) or {}) do add(path) end
  add(target.outdated)  -- last: after SIGKILL, the sum goes on from it
  if not target.together then output.finish(files) end
end

--- Writes a sum, and the files beside it: see `output.finish_sum`.
-- @tparam table target as for `output.finish_sum`; also `kind`, as for `output.new_file`,
--   and `is_first`, as for `output.unfinished`
-- @tparam data data
-- @tparam[opt] string format as for `data:write`
-- @tparam[opt] symbols lines as for `data:write`
-- @tparam[opt] contexts contexts sum of the context profiles
-- @tparam[opt] spread spread
-- @raise a table with the field `message`
function output.new_profile(target, data, format, lines, contexts, spread)
  local file = need(core.writer(target.path, target.kind, target.is_first))
  local companion = contexts and target.companion and
    output.unfinished_contexts(target.companion) or nil
  local id = companion and need(contexts:write(companion))
  local before = spread and output.unfinished_spread(target.spread) or nil
  local spread_id = before and need(spread:write(before))
  need(data:write(file, format, lines, id, spread_id))
  output.finish_sum(target, file, companion, before)
end

--- Makes a stream that passes text on to a function, in pieces of any size.
-- @tparam function write takes strings; must not yield
-- @treturn stream
output.through = core.stream

return output
