--- The call graph as an SVG picture: Graphviz draws the export `dot`.
--
-- @module gprof.export.svg
-- SPDX-License-Identifier: GPL-3.0-or-later

local dot = require "gprof.export.dot"
local failure = require "gprof.library.failure"

local MISSING <const> = 127  -- a shell's exit status for "command not found"

local raise <const>, need <const> = failure.raise, failure.need

-- Makes a temporary file, `path`, which is deleted when the value is closed.
local function temporary()
  local file = { path = os.tmpname() }
  return setmetatable(file, { __close = function() os.remove(file.path) end })
end

local function write_graph(path, profile, options)
  local file <close> = need(io.open(path, "wb"))
  require "gprof.reports".run(dot, profile, options, function(text)
    need(file:write(text))
  end)
  need(file:close())
end

-- Reads a file. `format` is as for `file:read`.
local function contents(path, format)
  local file <close> = need(io.open(path, "rb"))
  return file:read(format) or ""
end

local function check(done, code, stderr)
  if done then return end
  if code == MISSING then
    raise "dot: command not found: the svg export needs it; install Graphviz"
  end
  raise("dot (Graphviz) failed: %s",
    stderr ~= "" and stderr or "exit status " .. tostring(code))
end

--- Writes the call graph of a profile as SVG.
-- @tparam profile profile with a histogram
-- @tparam table options those of the export `dot`
-- @tparam stream write
-- @raise a table with the field `message` if Graphviz is missing or fails
return function(profile, options, write)
  local graph <close> = temporary()
  local picture <close> = temporary()
  local errors <close> = temporary()
  write_graph(graph.path, profile, options)
  local done, _, code = os.execute(("dot -Tsvg -o%s %s >%s 2>&1"):format(
    picture.path, graph.path, errors.path))
  check(done, code, contents(errors.path, "l"))
  write(contents(picture.path, "a"))
end
