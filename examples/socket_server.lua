#!/usr/bin/env lua5.4
-- A server that records itself for some seconds when it is asked to: a coroutine for each connection, with LuaSocket
-- (Debian: lua-socket).
--
--     lua5.4 examples/socket_server.lua 8080 &
--     curl localhost:8080/the+quick+brown+fox
--     curl localhost:8080/profile/10             # records for ten seconds, and returns the call tree
--
-- SPDX-License-Identifier: GPL-3.0-or-later

-- Finds the library in a checkout; an installed library does not need this line.
package.path = (arg[0]:match ".*/" or "") .. "../?.lua;" .. package.path
local recorder = require "gprof.recorder"
local socket = require "socket"

local server = assert(socket.bind("127.0.0.1", tonumber(arg[1]) or 0))
local waiting = {}  -- coroutines, by the socket that they wait for
local recorded_until, report  -- the end of the recording, and what is done then

local function wait(client)
  waiting[client] = coroutine.running()
  coroutine.yield()
end

local function receive_line(client)
  local line, problem, part = client:receive "*l"
  while not line and problem == "timeout" do
    wait(client)
    line, problem, part = client:receive("*l", part)
  end
  return line
end

local function send(client, text)
  client:settimeout(5)
  client:send(("HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n%s"):format(#text, text))
  client:close()
end

local function answer(path)
  recorder.zone_begin "answer"
  local words = {}
  for word in path:gmatch "%a+" do words[#words + 1] = word end
  table.sort(words)
  local text = table.concat(words, " ") .. "\n"
  recorder.zone_end "answer"
  return text
end

-- Starts to record; the report goes to the client at the end.
local function record(client, seconds)
  if recorded_until then return send(client, "is recording\n") end
  recorded_until = socket.gettime() + seconds
  report = function()
    local parts = {}
    recorder.report("call_tree", { brief = true }, function(text) parts[#parts + 1] = text end)
    send(client, table.concat(parts))
  end
  recorder.start { rate = 1000 }
end

local function finish()
  recorder.stop()
  local done, problem = pcall(report)
  if not done then io.stderr:write(tostring(problem), "\n") end
  recorded_until, report = nil, nil
end

local function serve(client)
  local request = receive_line(client) or ""
  local line
  repeat line = receive_line(client) until not line or line == ""
  local path = request:match "^GET (%S+)" or "/"
  local seconds = tonumber(path:match "^/profile/([%d.]+)$")
  if seconds then return record(client, seconds) end
  send(client, answer(path))
end

local function resume(co, ...)
  local done, problem = coroutine.resume(co, ...)
  if not done then io.stderr:write(tostring(problem), "\n") end
end

server:settimeout(0)
print("listens at port " .. select(2, server:getsockname()))
io.stdout:flush()
while true do
  local sockets = { server }
  for client in pairs(waiting) do sockets[#sockets + 1] = client end
  for _, ready in ipairs((socket.select(sockets, nil, recorded_until and 0.01 or nil))) do
    local client = ready == server and server:accept()
    if client then
      client:settimeout(0)
      resume(coroutine.create(serve), client)
    elseif ready ~= server then
      local co = waiting[ready]
      waiting[ready] = nil
      resume(co)
    end
  end
  if recorded_until and socket.gettime() >= recorded_until then finish() end
end
