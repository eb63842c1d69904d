--- The call graph as a picture: the export `dot`, drawn by Graphviz.
--
-- @module gprof.export.svg
-- SPDX-License-Identifier: GPL-3.0-or-later

local dot = require "gprof.export.dot"
local failure = require "gprof.library.failure"

local MISSING <const> = 127  -- what a shell says of a command that there is not

local raise <const>, need <const> = failure.raise, failure.need

-- A file for a moment: `path`. It is deleted when the value is closed.
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

-- What is in a file; or only its first line, with "l".
local function contents(path, what)
  local file <close> = need(io.open(path, "rb"))
  return file:read(what) or ""
end

local function check(done, code, said)
  if done then return end
  if code == MISSING then
    raise "an svg export needs Graphviz, whose command dot is not installed"
  end
  raise("dot (Graphviz) failed: %s", said ~= "" and said or "status " .. tostring(code))
end

--- Writes it.
-- @tparam profile profile with a histogram
-- @tparam table options of the export `dot`
-- @tparam stream write
-- @raise a table with the field `message`, if Graphviz is missing or fails
return function(profile, options, write)
  local graph <close> = temporary()
  local picture <close> = temporary()
  local said <close> = temporary()
  write_graph(graph.path, profile, options)
  local done, _, code = os.execute(("dot -Tsvg -o%s %s >%s 2>&1"):format(
    picture.path, graph.path, said.path))
  check(done, code, contents(said.path, "l"))
  write(contents(picture.path, "a"))
end
