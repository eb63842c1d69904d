--- Records which lines of this project's Lua sources run, in this process and its children.
--
-- LUA_INIT=@.../collector.lua makes every interpreter load this first. Each process writes a file to the directory
-- GPROF_COVERAGE: one line per source, with its path and the numbers of the lines that ran. A process that is killed
-- writes nothing. If a process id is reused, the later process appends to the file.
--
-- It must also run under Lua 5.1, because gprof.lua does. It does nothing in programs that use none of our modules,
-- whose time may be measured, and in those that are recorded, because the recorder of Lua programs needs the hook.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

local directory = os.getenv "GPROF_COVERAGE"
local debug_sethook, getinfo, open = debug.sethook, debug.getinfo, io.open

-- Whether our modules run in this process, but not the recorder: so say the spec (see spec/run.sh), the command line
-- and the script. In spec/scripts, nearly all programs are recorded, and the manual's examples record the spec itself.
local function is_counted()
  local spec = os.getenv "GPROF_SPEC" or ""
  if spec:find "^spec/scripts/" or spec == "spec/system/manual_spec.lua" then return false end
  if not arg then return true end -- Lua 5.1 sets it later
  if arg[0]:find "gprof%.lua$" or arg[0]:find "busted$" then return true end
  local words, i = {}, 0
  while arg[i] do
    words[#words + 1] = arg[i]
    i = i - 1
  end
  local script = open(arg[0])
  words[#words + 1] = script and script:read "*a"
  if script then script:close() end
  local text = table.concat(words, "\n")
  return text:find "gprof" and not text:find "recorder"
end

if not is_counted() then return end

local hits = {}  -- hits[path][line]: whether the line ran
local hits_of = setmetatable({}, { __mode = "k" })  -- hits_of[function]: its source's hits; false if it is not ours

-- Recognizes our sources by the end of their path, in any checkout or copy.
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

-- Runs before each line of Lua, so it must be fast. The call in the first branch is never made. Its many arguments give
-- the hook a larger frame than its callees have. So a stack overflow occurs before the hook is entered, and is
-- attributed to the program. A function without line numbers has no line.
local function hook(event, line)
  if not event then
    return hook(nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil,
      nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil, nil)
  end
  if not line then return end
  local f = getinfo(2, "f").func
  local lines = hits_of[f]
  if lines == nil then
    lines = find_hits(f)
    hits_of[f] = lines
  end
  if lines then lines[line] = true end
end

-- Returns the process id from /proc, because Lua has no function for it.
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

-- Hooks are per coroutine, so each new coroutine sets its own.
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

-- Returns an object with f as its finalizer. In Lua 5.1 only userdata have finalizers.
local function finalized_by(f)
  if not newproxy then return setmetatable({}, { __gc = f }) end
  local proxy = newproxy(true)
  getmetatable(proxy).__gc = f
  return proxy
end

-- The interpreter ends by os.exit or by closing its state. The oldest object is finalized last, after all other code.
replace(os, "exit", function(exit)
  return function(...)
    save()
    return exit(...)
  end
end)
debug.getregistry()["gprof.coverage"] = finalized_by(save)

debug_sethook(hook, "l")
