-- Runs other programs, and keeps their files in a scratch tree that is deleted when this process ends.
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = {}

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

-- Directories are made in advance, this many at a time: starting `mkdir` for each would take much of the time of specs.
local STOCK <const> = 20

-- Makes directories in the scratch tree. Returns an array of their paths.
local function make_directories(root)
  local state, paths = shell.state(), {}
  for i = 1, STOCK do
    state.count = state.count + 1
    paths[i] = ("%s/%d"):format(root, state.count)
  end
  assert(os.execute("mkdir " .. shell.join(paths)))
  return paths
end

--- Makes a fresh directory in the scratch tree.
-- @tparam[opt] string label end of its name, for debugging
-- @treturn string its absolute path
function shell.tmpdir(label)
  local state = shell.state()
  local root = scratch()
  if not state.stock or #state.stock == 0 then state.stock = make_directories(root) end
  local path = table.remove(state.stock, 1)
  if not label then return path end
  assert(os.rename(path, path .. "-" .. label))
  return path .. "-" .. label
end

local function exports(env)
  local parts, names = {}, {}
  for name in pairs(env or {}) do
    assert(type(name) == "string" and name:find("^[%a_][%w_]*$"), "invalid name of an environment variable")
    names[#names + 1] = name
  end
  table.sort(names)
  for i, name in ipairs(names) do
    parts[i] = env[name] == false and "unset " .. name .. "; "
      or "export " .. name .. "=" .. shell.quote(env[name]) .. "; "
  end
  return table.concat(parts)
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

-- Returns the seconds after which a program is killed, or nil.
local function limit_of(options)
  if options.hangs then return options.hangs end
  if options.timeout then return math.max(shell.limit, tonumber(options.timeout) or 0) end
end

--- Runs a program to its end and captures its output.
-- @tparam {string,...} argv the program and its arguments, without expansion by a shell
-- @tparam[opt] table options `cwd` directory to run in; `env` table of variables (`false` unsets one);
--   `stdin` file to read (default: empty); `timeout`: true, or seconds if `shell.limit` is too short, for a program
--   that may not hang: it is killed then, and the status is 124; `hangs`: seconds after which a program that may hang
--   is killed
-- @treturn table `stdout`, `stderr` (bytes); `status` (nil if a signal ended it), `signal` (number, nil if none);
--   `command` (for messages)
function shell.run(argv, options)
  options = options or {}
  local state = shell.state()
  local root = scratch()
  state.count = state.count + 1
  local base = ("%s/%d"):format(root, state.count)
  local out, err = base .. ".stdout", base .. ".stderr"

  local command = shell.join(argv)
  local line = { "{ ", exports(options.env) }
  if options.cwd then
    line[#line + 1] = "cd " .. shell.quote(options.cwd) .. " && "
  end
  -- exec, so that os.execute sees a signal; a shell would turn it into an exit status.
  line[#line + 1] = "exec "
  local limit = limit_of(options)
  if limit then line[#line + 1] = ("timeout -k 2 %s "):format(limit) end
  line[#line + 1] = command .. "; } <" .. shell.quote(options.stdin or "/dev/null")
  line[#line + 1] = " >" .. shell.quote(out) .. " 2>" .. shell.quote(err)

  local _, how, code = os.execute(table.concat(line))
  local result = { stdout = shell.read(out), stderr = shell.read(err), command = command }
  result[how == "signal" and "signal" or "status"] = code
  os.remove(out)
  os.remove(err)
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
