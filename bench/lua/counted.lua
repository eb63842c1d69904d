-- Runs a program with a hook that counts the calls of its Lua functions: lua5.4 counted.lua TARGET SCRIPT
-- [ARGUMENT...]. Writes "CALLS LINE SOURCE" for each function to TARGET.
local counts, own = {}, debug.getinfo(1, "S").source
local getinfo, sethook, create, resume, exit = debug.getinfo, debug.sethook, coroutine.create, coroutine.resume, os.exit
local error, io, unpack = error, io, table.unpack

local function hook()
  local f = getinfo(2, "S")
  if f.what == "C" or f.source == own then return end
  local place = ("%d %s"):format(f.linedefined, f.short_src)
  if f.source:find "^@" then place = ("%d %s"):format(f.linedefined, f.source:sub(2)) end
  counts[place] = (counts[place] or 0) + 1
end

-- luacheck: push globals coroutine.create coroutine.wrap os.exit
function coroutine.create(f)
  local co = create(f)
  sethook(co, hook, "c")
  return co
end

local function results_of(done, ...)
  if not done then error(..., 0) end
  return ...
end

function coroutine.wrap(f)
  local co = coroutine.create(f)
  return function(...) return results_of(resume(co, ...)) end
end

local target = arg[1]
local function write()
  sethook()
  local file <close> = io.open(target, "w")
  for place, count in pairs(counts) do file:write(("%d %s\n"):format(count, place)) end
end

function os.exit(...)
  write()
  exit(...)
end
-- luacheck: pop

local words = arg
local main = assert(loadfile(words[2]))
table.move(words, 2, #words + 2, 0)
sethook(hook, "c")
main(unpack(words))
write()
