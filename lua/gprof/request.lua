--- Asks programs that run under the recorder for their profiles.
--
--     local gprof = require "gprof"
--     local path = assert(gprof.request(process))
--
-- A request is a queued signal. The recorder answers in the process's list of mappings;
-- csrc/runtime/requests.h describes the answer.
--
-- @module gprof.request
-- SPDX-License-Identifier: GPL-3.0-or-later

local answers = require "gprof.library.answers"
local arguments = require "gprof.library.options.arguments"
local core = require "gprof.core"

local WAIT <const> = 10  -- milliseconds between two looks at the mappings
local LIMIT <const> = 1000  -- looks

local FOREIGN <const> = "cannot be inspected: it belongs to another user"
local IN_LUA <const> =
  "is a Lua program, which cannot be asked: its profile is written when it ends"

local EBUSY <const>, NOT_A_PROFILE <const> = 16, 124  -- see csrc/runtime/output.h

local values <const> = { write = 0x67700000, anew = 0x67700001, pause = 0x67700002,
  resume = 0x67700003 }

-- Returns the answers of a process (see answers.read), or nil and a message.
local function read_answers(process)
  local file, message = io.open(("/proc/%d/maps"):format(process))
  if not file then
    return nil, message:find "No such file" and "No such process" or FOREIGN
  end
  local text = file:read "a"
  file:close()
  if not text then return nil, FOREIGN end
  if text == "" then return nil, "has ended, or is a part of the kernel" end
  local found, in_lua = answers.read(text), text:find("/gprof/hooks.so\n", 1, true)
  if not found then
    return nil, in_lua and IN_LUA or
      "does not run under the recorder: start it with gprof.lua --record"
  elseif found.signal == 0 then
    return nil, "uses the recorder's signal itself, and cannot be asked"
  end
  found.in_lua = in_lua
  return found
end

-- Waits until the process has answered more than `count` requests. Returns the answers,
-- or nil and a message.
local function wait(process, count)
  for _ = 1, LIMIT do
    core.wait(WAIT)
    local found, message = read_answers(process)
    if not found then return nil, message end
    if found.count > count then return found end
  end
  return nil, ("did not answer within %d seconds: is it stopped?"):format(
    LIMIT * WAIT // 1000)
end

-- Returns the path of gmon.out, beside a context profile. A process in a container has
-- its own root directory.
local function profile_path(process, context_path)
  local path = context_path:gsub("%.ctx$", "")
  local seen = ("/proc/%d/root%s"):format(process, path)
  return core.file_status(path) ~= "file" and core.file_status(seen) == "file" and seen or
    path
end

local function ask(process, what)
  local before, message = read_answers(process)
  if not before then return nil, message end
  local sent
  sent, message = core.queue_signal(process, before.signal, values[what])
  if not sent then return nil, "cannot be asked: " .. message end
  local answer
  answer, message = wait(process, before.count)
  if not answer then return nil, message end
  if answer.error == EBUSY and answer.in_lua then
    return nil, IN_LUA
  elseif answer.error == NOT_A_PROFILE then
    return nil, "cannot write its profile: it would replace a file that is not one"
  elseif answer.error ~= 0 then
    return nil, "cannot write its profile: " .. core.error_text(answer.error)
  end
  return answer.path and profile_path(process, answer.path) or ""
end

--- Asks a process that runs under the recorder to write its profile, and waits until the
-- files are complete, or to pause or resume recording.
-- @function gprof.request
-- @tparam integer process number of the process
-- @tparam[opt="write"] string what "write"; "anew", to write the profile, and begin a new
--   one; "pause"; "resume"
-- @treturn[1] string the path of the process's last profile, `gmon.out`; "" if it has not
--   written any
-- @return[2] nil
-- @treturn[2] string why there is no answer
return function(process, what)
  arguments.check(process, "integer", 1, "request")
  what = what or "write"
  arguments.check(what, "string", 2, "request")
  if not values[what] then arguments.bad(2, "request", 2, "invalid option '%s'", what) end
  local path, message = ask(process, what)
  if not path then return nil, ("process %d: %s"):format(process, message) end
  return path
end
