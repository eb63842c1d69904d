-- Runs a program of this directory: lua5.4 run.lua PROGRAM [REPEATS|count]. Prints the processor time of each of its
-- parts, in seconds, on standard error; with "count", how often each Lua function was called, by its line.
local counts, sethook, create = {}, debug.sethook, coroutine.create
local repeats = tonumber(arg[2]) or 1

local function hook()
  local f = debug.getinfo(2, "S")
  if f.what == "Lua" and f.short_src ~= arg[0] then
    local key = ("%s:%d"):format(f.short_src:match "[^/]*$", f.linedefined)
    counts[key] = (counts[key] or 0) + 1
  end
end
if arg[2] == "count" then
  coroutine.create = function(f) -- luacheck: globals coroutine.create
    local co = create(f)
    sethook(co, hook, "c")
    return co
  end
  sethook(hook, "c")
end

local parts = dofile((arg[0]:match ".*/" or "") .. arg[1] .. ".lua")
for i, part in ipairs(parts) do
  local began = os.clock()
  for _ = 1, repeats do part() end
  io.stderr:write(("part %d %.3f\n"):format(i, os.clock() - began))
end
if arg[2] == "count" then sethook() end
for place, calls in pairs(counts) do io.stderr:write(("calls %s %d\n"):format(place, calls)) end
