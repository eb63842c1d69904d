--- The call graph as an SVG picture: Graphviz draws the export `dot`.
--
-- @module gprof.export.svg
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local dot = require "gprof.export.dot"
local failure = require "gprof.library.failure"
local program_files = require "gprof.library.files.program_files"

local MISSING <const> = 127  -- the exit status if Graphviz cannot be run, as in a shell

local raise <const>, need <const> = failure.raise, failure.need

-- Writes the graph to a temporary file, and rewinds it.
local function write_graph(file, profile, options)
  local function check(done, message)
    return done or raise("svg: cannot write a temporary file: %s", message)
  end
  require "gprof.reports".run(dot, profile, options, function(text)
    check(file:write(text))
  end)
  check(file:seek "set")
end

-- Returns the contents of a file. `format` is as for `file:read`.
local function contents(file, format)
  need(file:seek "set")
  return file:read(format) or ""
end

-- Runs Graphviz with these files as its standard streams. Returns whether it succeeded,
-- and its exit status. It runs in a child process, since redirecting a standard stream
-- affects the whole process.
local function run_dot(graph, picture, errors)
  local process <close>, message = core.fork(picture)
  if process == false then
    core.redirect(io.stdin, graph)
    core.redirect(io.stderr, errors)
    local program = program_files.find "dot"
    if program then core.become(program, "-Tsvg") end
    os.exit(MISSING)
  end
  local how, code = need(process, message):wait()
  return how == "exit" and code == 0, code
end

local function check(done, code, stderr)
  if done then return end
  if code == MISSING then
    raise "dot: command not found: the svg export needs it; install Graphviz"
  end
  raise("dot (Graphviz) failed: %s",
    stderr ~= "" and stderr or "exit status " .. tostring(code))
end

--- Writes the call graph of a profile as SVG. The graph, the picture and messages pass
-- through temporary files that have no names: none is left if the process is killed.
-- @tparam profile profile with a histogram
-- @tparam table options the options of the export `dot`
-- @tparam stream write
-- @raise a table with the field `message` if Graphviz is missing or fails
return function(profile, options, write)
  local graph <close> = need(core.spool())
  local picture <close> = need(core.spool())
  local errors <close> = need(core.spool())
  write_graph(graph, profile, options)
  local done, code = run_dot(graph, picture, errors)
  check(done, code, contents(errors, "l"))
  write(contents(picture, "a"))
end
