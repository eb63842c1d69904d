--- Profiles as Lua values.
--
-- An image is an object file; data are raw records of profile files, summed; a
-- profile is what follows from both: functions, calls, cycles, times.
--
--     local gprof = require "gprof"
--     local image = assert(gprof.image("a.out"))
--     local data = assert(gprof.data(image, "gmon.out"))
--     local profile = assert(gprof.profile(image, data))
--     for f in profile:functions() do print(f.name, f.self, f.calls) end
--
-- A bad file is `nil, message`; a misuse is a Lua error.
--
-- @module gprof
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local output = require "gprof.output"

local gprof = { _VERSION = "scm" }

--- Opens an object file and reads its symbols.
-- @function image
-- @tparam string path
-- @treturn[1] image with the fields `path`, `text_low` and `text_high` (addresses
--   of the code), `pointer_size` (bytes), `big_endian`, and the methods
--   `source(address)` (file, line and function there, or nil) and `close()`
-- @return[2] nil
-- @treturn[2] string what is wrong: no such file, no object file, no symbols, no .text
gprof.image = core.image

--- Reads profile files and adds them up.
-- @tparam image image the program that was profiled: its byte order and pointer
--   size are the files'
-- @tparam string ... paths; "-" is standard input
-- @tparam[opt] table options `format`: "auto" (default), "magic", "bsd" or "4.4bsd";
--   `mixed_rates`: do not refuse histograms of different sampling rates
-- @treturn[1] data with the fields `histogram_records`, `arc_records`,
--   `block_records` (as read), `has_histogram`, `has_arcs` (what a report can be made
--   from), `low` and `high` (the range of addresses recorded; nil if nothing was),
--   and the methods `read(path [, format])` and `close()`
-- @return[2] nil
-- @treturn[2] string what is wrong, with the file and the place in it
function gprof.data(image, ...)
  local paths = table.pack(...)
  local options = paths[paths.n]
  if type(options) == "table" then
    paths.n = paths.n - 1
  else
    options = {}
  end
  local data = core.data(image, options.mixed_rates)
  for i = 1, paths.n do
    local done, message = data:read(paths[i], options.format)
    if not done then return nil, message end
  end
  return data
end

--- Puts data on the functions of an image.
-- @tparam image image
-- @tparam data data
-- @tparam[opt] table options `no_static`: leave static functions out (their time
--   goes to the function before them); `ignore_non_functions`: leave local symbols
--   out that are not typed as functions; `no_demangle`: names as in the symbol
--   table; `gnu_compat`: choose symbols just as GNU gprof does
-- @treturn[1] profile
-- @return[2] nil
-- @treturn[2] string what is wrong
function gprof.profile(image, data, options)
  return core.profile(image, data, options or {})
end

--- Prints a report: `profile:report(name, options, write)`.
-- @function profile:report
-- @tparam string name "flat", "graph" or "index": a module of gprof.report
-- @tparam[opt] table options as of the program, by long name with underscores:
--   `brief`, `width`, `display_unused_functions`, `print_path`, `inline_file_names`,
--   `gnu_compat`
-- @tparam[opt] function write takes strings; standard output if absent
function core.profile_methods:report(name, options, write)
  if type(name) ~= "string" then
    error(("bad argument #1 to 'report' (string expected, got %s)"):format(type(name)), 2)
  end
  local report = require("gprof.report." .. name)
  local stream = output.through(write or function(text) io.stdout:write(text) end)
  report(self, options or {}, stream)
  stream:flush()
end

return gprof
