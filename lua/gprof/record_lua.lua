--- Runs Lua programs so that `gprof.recorder` records them: what `gprof.record` does with
-- a Lua program.
--
-- @internal gprof.record_lua
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local program_files = require "gprof.library.program_files"

-- The names of interpreters, the best first.
local INTERPRETERS <const> = { "lua5.4", "lua" }

-- What the interpreter executes before the program. Then the search paths and `arg` are
-- as they are without it.
local START <const> = [[
local path, cpath = package.path, package.cpath
package.path, package.cpath = %q .. path, %q .. cpath
local recorder = require "gprof.recorder"
package.path, package.cpath = path, cpath
arg[-1], arg[-2], arg[-3] = arg[-3], nil, nil
recorder.record_program(%q, { rate = %s, count = %q })]]

local function find_interpreter()
  local path, problem
  for _, name in ipairs(INTERPRETERS) do
    path, problem = program_files.find(name)
    if path then return path end
  end
  return nil, problem
end

-- Returns the command that runs a program, and writes its profile when it ends.
local function recording(interpreter, script, command, profile, options)
  local start = START:format(package.path .. ";", package.cpath .. ";", profile,
    options.rate or "nil", options.count or "calls")
  return table.move(command, 2, #command, 5, { interpreter, "-e", start, script })
end

-- Returns the absolute path of a file in an existing directory.
local function absolute(path)
  local directory, name = path:match "^(.-)([^/]*)$"
  return core.real_path(directory ~= "" and directory or ".") .. "/" .. name
end

local function check_profile(profile, directory)
  if core.file_status(profile) == "directory" then
    return nil, profile .. ": is a directory: the profile cannot be written there"
  end
  return program_files.check_directory(directory)
end

-- Returns what `gprof.record` returns. The profile stands for the program, too.
return function(script, command, options)
  local interpreter, message = find_interpreter()
  if not interpreter then return nil, message end
  local profile = options.output or
    command[1]:match "[^/]*$":gsub("%.lua$", "") .. ".prof"
  local directory = profile:match "^.*/" or ""
  local done, problem = check_profile(profile, directory)
  if not done then return nil, problem end
  local _, _, before = core.file_status(profile)
  local ending, number = core.run_program(interpreter,
    recording(interpreter, script, command, absolute(profile), options), {})
  if not ending then return nil, command[1] .. ": " .. number end
  local kind, _, identity = core.file_status(profile)
  local is_written = kind == "file" and identity ~= before
  return { status = ending == "exit" and number or nil,
    signal = ending == "signal" and number or nil,
    image = is_written and profile or command[1], profile = is_written and profile or nil,
    directory = directory ~= "" and directory or "the current directory" }
end
