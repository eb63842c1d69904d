-- Runs other programs, and keeps their files in a scratch tree that is deleted when this process ends.
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = {}

-- Returns the module spawn.c. `make test` builds it; a spec that is run without make builds it here.
local function load_spawn()
  local root = debug.getinfo(1, "S").source:match "^@(.-)spec/support/shell%.lua$"
  local path = root .. "build/spec/spawn.so"
  local open = package.loadlib(path, "luaopen_spawn")
  if not open then
    assert(os.execute(("make -s -C './%s' build/spec/spawn.so"):format(root):gsub("%./(/)", "%1")))
    open = assert(package.loadlib(path, "luaopen_spawn"))
  end
  return open()
end

local spawn <const> = load_spawn()

-- busted reloads modules for each spec file. State of the whole process (the scratch tree, programs already built)
-- therefore lives in Lua's registry.
local registry <const> = debug.getregistry()
local KEY <const> = "gprof.spec.state"

--- Returns a table that survives reloads of this module.
-- @treturn table
function shell.state()
  local state = registry[KEY]
  if not state then
    state = { count = 0 }
    registry[KEY] = state
  end
  return state
end

--- Quotes one argument for the shell.
-- @param arg a string or number
-- @treturn string a single shell word that means exactly `arg`
function shell.quote(arg)
  local kind = math.type(arg) or type(arg)
  assert(kind == "string" or kind == "integer" or kind == "float", "shell argument: string or number expected")
  local text = tostring(arg)
  assert(not text:find("\0", 1, true), "shell argument: contains a NUL")
  if text:find("^[%w_/.,:=@%%+-]+$") then
    return text
  end
  return "'" .. text:gsub("'", "'\\''") .. "'"
end

--- Quotes a list of arguments.
-- @tparam {string,...} argv
-- @treturn string the words, separated by blanks
function shell.join(argv)
  local words = {}
  for i, arg in ipairs(argv) do
    words[i] = shell.quote(arg)
  end
  return table.concat(words, " ")
end

--- Reads a whole file; raises an error on failure.
-- @tparam string path
-- @treturn string its contents
function shell.read(path)
  local file <close> = assert(io.open(path, "rb"))
  return assert(file:read("a"))
end

--- Writes a whole file; raises an error on failure.
-- @tparam string path
-- @tparam string text its new contents
-- @treturn string the path
function shell.write(path, text)
  local file = assert(io.open(path, "wb"))
  assert(file:write(text))
  assert(file:close())
  return path
end

--- Tells whether a command is installed.
-- @tparam string command
-- @treturn boolean
function shell.installed(command)
  return shell.run({ "sh", "-c", 'command -v "$1"', "sh", command }).status == 0
end

--- Tells whether a file can be opened.
-- @tparam string path
-- @treturn boolean
function shell.exists(path)
  local file = io.open(path, "rb")
  if file then
    file:close()
  end
  return file ~= nil
end

--- Lists a directory.
-- @tparam string dir
-- @treturn string one name per line, including hidden files
function shell.listing(dir)
  return shell.check { "ls", "-A", dir }.stdout
end

-- Returns the root of the scratch tree, which must be removed even if this process is killed. A child reads from a pipe
-- to which nobody writes, and removes the tree at the end of file.
local function scratch()
  local state = shell.state()
  if not state.root then
    -- Specs split messages and commands at blanks, so its path has none.
    local place = (os.getenv "TMPDIR" or "/tmp"):match "^[%w/._-]+$" or "/tmp"
    local pipe = assert(io.popen(('cd %s && mktemp -d "$(pwd)/gprof-spec.XXXXXX"'):format(place)))
    local root = pipe:read("l")
    assert(pipe:close() and root and root:find("^/.*/gprof%-spec%.%w+$"), "no scratch directory: is TMPDIR right?")
    state.root = root
    state.janitor = assert(io.popen(
      "trap '' HUP INT TERM; exec >/dev/null 2>&1; while read -r _; do :; done; rm -rf " .. shell.quote(root), "w"))
  end
  return state.root
end

--- Removes the scratch tree now, not only at the end of the process. The next `tmpdir` makes a new one.
function shell.cleanup()
  local state = shell.state()
  local janitor = state.janitor
  registry[KEY] = nil
  if janitor then
    janitor:close()
  end
end

--- Makes a fresh directory in the scratch tree.
-- @tparam[opt] string label end of its name, for debugging
-- @treturn string its absolute path
function shell.tmpdir(label)
  local state, root = shell.state(), scratch()
  state.count = state.count + 1
  local path = ("%s/%d%s"):format(root, state.count, label and "-" .. label or "")
  assert(spawn.mkdir(path))
  return path
end

-- Returns the environment, an array of "NAME=VALUE", with these changes.
local function environment(env)
  local settings = {}
  for _, setting in ipairs(spawn.environment()) do
    if env[setting:match "^[^=]*"] == nil then settings[#settings + 1] = setting end
  end
  for name, value in pairs(env) do
    assert(type(name) == "string" and name:find("^[%a_][%w_]*$"), "invalid name of an environment variable")
    if value ~= false then settings[#settings + 1] = name .. "=" .. value end
  end
  return settings
end

--- Seconds after which a program counts as hanging. The limit is generous, because on a machine with four times as much
-- work as processors all programs are slow; GPROF_PATIENCE is a factor for those that run under valgrind.
shell.limit = 240 * tonumber(os.getenv "GPROF_PATIENCE" or 1)

--- Returns a shell command that waits until a condition holds, and fails if it never does.
-- @tparam string condition shell command
-- @treturn string
function shell.await(condition)
  return ("(n=%d; until %s; do n=$((n - 1)); [ $n -gt 0 ] || exit 1; sleep 0.01; done; true)"):format(100 * shell.limit,
    condition)
end

-- Status of a program that cannot be started, as in a shell.
local CANNOT_START <const> = 127

-- Returns the seconds after which a program is killed, or nil.
local function limit_of(options)
  if options.timeout then return math.max(shell.limit, tonumber(options.timeout) or 0) end
end

--- Runs a program to its end and captures its output.
-- @tparam {string,...} argv the program and its arguments, without expansion by a shell
-- @tparam[opt] table options `cwd` directory to run in; `env` table of variables (`false` unsets one);
--   `stdin` file to read (default: empty); `timeout`: true, or seconds if `shell.limit` is too short, for a program
--   that may not hang: it is killed then, and the status is 124
-- @treturn table `stdout`, `stderr` (bytes); `status` (nil if a signal ended it), `signal` (number, nil if none);
--   `command` (for messages)
function shell.run(argv, options)
  options = options or {}
  local words, env = {}, {}
  for i, arg in ipairs(argv) do words[i] = tostring(arg) end
  for name, value in pairs(options.env or {}) do env[name] = value end
  -- A shell looks for the program in the new PATH.
  if env.PATH then words = { "sh", "-c", 'exec "$@"', "sh", table.unpack(words) } end
  if options.cwd then env.PWD = options.cwd:find "^/" and options.cwd or false end
  local result = { command = shell.join(argv) }
  local out, err, how, code = spawn.run(words, environment(env), options.stdin or "/dev/null", options.cwd,
    limit_of(options))
  if not out then out, err, how, code = "", argv[1] .. ": " .. err .. "\n", "exit", CANNOT_START end
  result.stdout, result.stderr = out, err
  result[how == "signal" and "signal" or "status"] = code
  return result
end

--- Runs a program that must succeed.
-- @tparam {string,...} argv as for `run`
-- @tparam[opt] table options as for `run`
-- @treturn table as for `run`; raises an error with the program's output unless the status is 0
function shell.check(argv, options)
  local result = shell.run(argv, options)
  if result.status ~= 0 then
    error(("%s\n%s: %s\n%s%s"):format(result.command, result.signal and "ended by signal" or "exit status",
      result.signal or result.status, result.stdout, result.stderr), 2)
  end
  return result
end

return shell
