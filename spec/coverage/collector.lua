--- Collects which lines of this project's Lua sources are run, in this process and its children.
--
-- LUA_INIT=@.../collector.lua has every interpreter run this first; GPROF_COVERAGE is a directory, in which each
-- process leaves a file: lines of a source's path and the numbers of its lines that were run. A number of a process
-- may be used again by a later one, which then adds to the file. Who is killed by a signal leaves nothing.
--
-- Runs under Lua 5.1, too: gprof.lua does.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

local directory = os.getenv "GPROF_COVERAGE"
local debug_sethook, getinfo, open = debug.sethook, debug.getinfo, io.open

local hits = {}  -- by path, and then by line
local hits_of = setmetatable({}, { __mode = "k" })  -- the same, or false, by function

-- Sources are known by how their paths end, wherever a checkout or a copy of it is.
local function is_ours(path)
  return path:find "%f[^@/]gprof%.lua$" or path:find "%f[^@/]lua/gprof/[%w_/]+%.lua$"
end

local function find_hits(f)
  local source = getinfo(f, "S").source
  if not is_ours(source) then return false end
  local path = source:sub(2)
  hits[path] = hits[path] or {}
  return hits[path]
end

-- Runs before each line of Lua: nothing here may cost much. The call that is never made has a large frame kept for the
-- hook, larger than those of what it calls: so a stack overflows before it is entered, in the name of the program.
local function hook(_, line)
  if not line then
    return hook(nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil,
      nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil)
  end
  local f = getinfo(2, "f").func
  local lines = hits_of[f]
  if lines == nil then
    lines = find_hits(f)
    hits_of[f] = lines
  end
  if lines then lines[line] = true end
end

-- What can be known of the process's number without any library.
local function process()
  local file = assert(open "/proc/self/stat")
  local number = file:read "*n"
  file:close()
  return number
end

local function save()
  debug_sethook()
  if not next(hits) then return end
  local file = assert(open(("%s/%d"):format(directory, process()), "a"))
  for path, lines in pairs(hits) do
    local numbers = {}
    for line in pairs(lines) do
      numbers[#numbers + 1] = line
    end
    table.sort(numbers)
    file:write(path, "\t", table.concat(numbers, " "), "\n")
  end
  file:close()
  hits = {}
end

local function replace(library, name, make)
  library[name] = make(library[name])
end

-- Each coroutine has a hook of its own.
local function hooked(start)
  return function(f)
    return start(function(...)
      debug_sethook(hook, "l")
      return f(...)
    end)
  end
end

replace(coroutine, "create", hooked)
replace(coroutine, "wrap", hooked)

-- What calls a function when it is finalized. In 5.1 only userdata do.
local function finalized_by(f)
  if not newproxy then return setmetatable({}, { __gc = f }) end
  local proxy = newproxy(true)
  getmetatable(proxy).__gc = f
  return proxy
end

-- Whatever ends the interpreter: os.exit, or the closing of its state, in which what was made first is finalized last.
replace(os, "exit", function(exit)
  return function(...)
    save()
    return exit(...)
  end
end)
debug.getregistry()["gprof.coverage"] = finalized_by(save)

debug_sethook(hook, "l")
