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

local arguments = require "gprof.library.arguments"
local core = require "gprof.core"

local WAIT <const> = 10  -- milliseconds between two looks at the mappings
local LIMIT <const> = 1000  -- looks
local DISTANCE <const> = 65536  -- from the answer to the mapping of the profile

local FOREIGN <const> = "cannot be inspected: it belongs to another user"

local values <const> = { write = 0x67700000, anew = 0x67700001, pause = 0x67700002,
  resume = 0x67700003 }

-- Returns the path of a context profile that is mapped. The kernel writes a newline as
-- \012, and adds " (deleted)" if the file was removed or replaced.
local function mapped_path(text)
  return (text:gsub("%.ctx %(deleted%)$", ".ctx"):gsub("\\(%d%d%d)", function(digits)
    return string.char(tonumber(digits, 8))
  end))
end

-- Returns the recorder's answers to a process's requests so far: `signal`, to ask it;
-- `count`; `error`, the errno of the last one; and `path`, of the context profile. Or nil
-- and a message.
local function read_answers(process)
  local file, message = io.open(("/proc/%d/maps"):format(process))
  if not file then
    return nil, message:find "No such file" and "No such process" or FOREIGN
  end
  local text = file:read "a"
  file:close()
  if not text then return nil, FOREIGN end
  if text == "" then return nil, "has ended, or is a part of the kernel" end
  local start, signal, count, number = text:match(
    "(%x+)%-[^\n]* /memfd:gprof%-recorder:(%d+):(%d+):(%d+) ")
  if not start then
    return nil, "does not run under the recorder: start it with gprof.lua --record"
  elseif signal == "0" then
    return nil, "uses the recorder's signal itself, and cannot be asked"
  end
  local at = ("%08x"):format(tonumber(start, 16) + DISTANCE)
  local profile = text:match("\n" .. at .. "%-[^/\n]*(/[^\n]*)")
  return { signal = tonumber(signal), count = tonumber(count), error = tonumber(number),
    path = profile and mapped_path(profile) }
end

-- Waits until the process has answered more than `count` requests. Returns the answers,
-- or nil and a message.
local function wait(process, count)
  for _ = 1, LIMIT do
    core.wait(WAIT)
    local answers, message = read_answers(process)
    if not answers then return nil, message end
    if answers.count > count then return answers end
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
  local answers
  answers, message = wait(process, before.count)
  if not answers then return nil, message end
  if answers.error ~= 0 then
    return nil, "cannot write its profile: " .. core.error_text(answers.error)
  end
  return answers.path and profile_path(process, answers.path) or ""
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
