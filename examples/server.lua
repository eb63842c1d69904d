#!/usr/bin/env lua5.4
-- A server that records its requests while it runs, when it is asked to: here, a loop over
-- coroutines stands for the server, and a request "profile" asks.
--
--     lua5.4 examples/server.lua
--
-- SPDX-License-Identifier: GPL-3.0-or-later

-- Finds the library in a checkout; an installed library does not need this line.
package.path = (arg[0]:match ".*/" or "") .. "../?.lua;" .. package.path
local recorder = require "gprof.recorder"

local function parse(text)
  local words = {}
  for word in text:gmatch "%a+" do words[#words + 1] = word end
  return words
end

local function answer(words)
  table.sort(words)
  return table.concat(words, " ")
end

-- Each request runs in a coroutine of its own. While nothing is recorded, zones cost a
-- call.
local function serve(text)
  local words = recorder.zone("parse", parse, text)
  coroutine.yield()
  return recorder.zone("answer", answer, words)
end

local requests <const> = {}
for i = 1, 1000 do requests[i] = ("the quick brown fox jumps over the lazy dog "):rep(9) end
requests[100], requests[900] = "profile", "profile"

-- The first request "profile" starts a recording, the second one ends it.
local is_recording = false
local function profile()
  is_recording = not is_recording
  if is_recording then return recorder.start { rate = 1000 } end
  recorder.stop()
  recorder.report("call_tree", { brief = true, tree_depth = 4 })
end

for _, text in ipairs(requests) do
  if text == "profile" then
    profile()
  else
    local request = coroutine.create(serve)
    repeat assert(coroutine.resume(request, text)) until
      coroutine.status(request) == "dead"
  end
end
