-- Runs other programs and keeps what they leave behind in one scratch tree that dies with this process.
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = {}

-- The specs' runner forgets loaded modules after each file; what has to last as long as the process
-- (the scratch tree, programs already built) therefore lives in Lua's registry.
local registry <const> = debug.getregistry()
local KEY <const> = "gprof.spec.state"

--- A table that lasts until the process ends, however often this module is loaded.
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
-- @treturn string the words, with blanks between
function shell.join(argv)
  local words = {}
  for i, arg in ipairs(argv) do
    words[i] = shell.quote(arg)
  end
  return table.concat(words, " ")
end

--- Reads a whole file; failing that is an error.
-- @tparam string path
-- @treturn string its bytes
function shell.read(path)
  local file <close> = assert(io.open(path, "rb"))
  return assert(file:read("a"))
end

--- Writes a whole file; failing that is an error.
-- @tparam string path
-- @tparam string text its new bytes
-- @treturn string the path
function shell.write(path, text)
  local file = assert(io.open(path, "wb"))
  assert(file:write(text))
  assert(file:close())
  return path
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

--- Tells what is in a directory.
-- @tparam string dir
-- @treturn string a name in each line, hidden files among them
function shell.listing(dir)
  return shell.check { "ls", "-A", dir }.stdout
end

-- The root of the scratch tree. Whoever removes it must outlive this process, also when it is killed: a child
-- reads from a pipe that nobody ever writes to, and clears up when the other end is gone.
local function scratch()
  local state = shell.state()
  if not state.root then
    local pipe = assert(io.popen([[cd "${TMPDIR:-/tmp}" && mktemp -d "$(pwd)/gprof-spec.XXXXXX"]]))
    local root = pipe:read("l")
    assert(pipe:close() and root and root:find("^/.*/gprof%-spec%.%w+$"), "no scratch directory: is TMPDIR right?")
    state.root = root
    state.janitor = assert(io.popen(
      "trap '' HUP INT TERM; exec >/dev/null 2>&1; while read -r _; do :; done; rm -rf " .. shell.quote(root), "w"))
  end
  return state.root
end

--- Removes the scratch tree now. At the end of the process that happens anyway; the next `tmpdir` starts a new one.
function shell.cleanup()
  local state = shell.state()
  local janitor = state.janitor
  registry[KEY] = nil
  if janitor then
    janitor:close()
  end
end

--- Makes a fresh directory in the scratch tree.
-- @tparam[opt] string label what its name ends with, for those who look at it while debugging
-- @treturn string its absolute path
function shell.tmpdir(label)
  local state = shell.state()
  local root = scratch()
  state.count = state.count + 1
  local path = ("%s/%d%s"):format(root, state.count, label and "-" .. label or "")
  assert(os.execute("mkdir " .. shell.quote(path)))
  return path
end

local function exports(env)
  local parts, names = {}, {}
  for name in pairs(env or {}) do
    assert(type(name) == "string" and name:find("^[%a_][%w_]*$"), "not the name of an environment variable")
    names[#names + 1] = name
  end
  table.sort(names)
  for i, name in ipairs(names) do
    parts[i] = env[name] == false and "unset " .. name .. "; "
      or "export " .. name .. "=" .. shell.quote(env[name]) .. "; "
  end
  return table.concat(parts)
end

-- How many times as long programs may take: under valgrind, everything is slower.
local timeout_factor <const> = tonumber(os.getenv "GPROF_PATIENCE" or 1)

--- Runs a program to its end and catches all it says.
-- @tparam {string,...} argv the program and its arguments; none of them is seen by a shell
-- @tparam[opt] table options `cwd` directory to run in; `env` table of variables (`false` unsets one);
--   `stdin` file to read (default: nothing to read); `timeout` seconds, after which it is killed and the status is 124
--   (GPROF_PATIENCE times as many, if that is set)
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
  -- exec: a signal must end what os.execute waits for, or the shell would make a status of it.
  line[#line + 1] = "exec "
  if options.timeout then
    line[#line + 1] = "timeout -k 2 " .. shell.quote(options.timeout * timeout_factor) .. " "
  end
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
-- @treturn table as for `run`; any other end than status 0 is an error that shows the program's own words
function shell.check(argv, options)
  local result = shell.run(argv, options)
  if result.status ~= 0 then
    error(("%s\n%s: %s\n%s%s"):format(result.command, result.signal and "ended by signal" or "exit status",
      result.signal or result.status, result.stdout, result.stderr), 2)
  end
  return result
end

return shell
