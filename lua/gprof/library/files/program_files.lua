--- Finds programs to run, and checks where their profiles will be written.
--
-- @internal gprof.library.files.program_files
-- SPDX-License-Identifier: GPL-3.0-or-later

local base_name <const> = require "gprof.format.path".base
local core = require "gprof.core"
local profile_files = require "gprof.library.files.profile_files"

local program_files = {}

--- Returns the directories of PATH, without relative ones: nothing in the current
-- directory is executed unless the user names it by a path.
-- @treturn {string,...}
function program_files.directories()
  local directories, path = {}, os.getenv "PATH" or "/bin:/usr/bin"
  for directory in (":" .. path):gmatch ":(/[^:]*)" do
    directories[#directories + 1] = directory
  end
  return directories
end

--- Returns the path of a program.
-- @tparam string program a path, or a name to find in the absolute directories of PATH
-- @treturn[1] string
-- @return[2] nil
-- @treturn[2] string what is wrong
function program_files.find(program)
  if program:find "/" then return program end
  for _, directory in ipairs(program_files.directories()) do
    local path = directory .. "/" .. program
    if core.file_status(path) == "file" then return path end
  end
  local here = core.file_status(program) == "file" and "./" .. program or
    core.file_status(program .. ".lua") == "file" and program .. ".lua"
  if not here and program:find "%.lua$" then
    local is_directory = core.file_status(program) == "directory"
    return nil, program .. (is_directory and ": is a directory" or
      ": No such file or directory")
  end
  return nil, program .. ": No such program in the directories of PATH" ..
    (here and ": write " .. here or "")
end

-- Returns the first line of a script, without "#!" and the directories of paths; "" if it
-- is not one.
local function interpreter_line(path)
  local file <close> = core.file_status(path) == "file" and io.open(path, "rb") or nil
  local line = (file and file:read(128) or ""):match "^#!([^\n]*)" or ""
  return (line:gsub("[^%s/]*/", ""))
end

local MOST_INTERPRETERS <const> = 5  -- an interpreter may be a script itself

-- Divides the arguments of `env` in a script's first line. The kernel passes them as one
-- argument; `env -S` divides it.
-- Returns the command without the options of `env` and the variables that it sets, and
-- whether there are any.
local function env_command(line)
  local words, first = {}, 1
  local divided = line:match "^%-S%s*(.*)"
  for word in (divided or line):gmatch(divided and "%S+" or ".+") do
    words[#words + 1] = word
  end
  while words[first] and (words[first]:find "^[^/]-=" or words[first]:find "^%-") do
    first = first + (words[first]:find "^%-[uC]$" and 2 or 1)
  end
  return table.move(words, first, #words, 1, {}), first > 1
end

-- Returns the words of a script's first line after "#!", without `env`, and whether `env`
-- changes the program's environment; nil if it is not a script.
local function script_words(path)
  local file <close> = core.file_status(path) == "file" and io.open(path, "rb") or nil
  local line = (file and file:read(256) or ""):match "^#![ \t]*([^\n]*)"
  local interpreter, rest = (line or ""):match "^(%S+)[ \t]*(.-)[ \t\r]*$"
  if not interpreter then return nil end
  if base_name(interpreter) == "env" then return env_command(rest) end
  return { interpreter, rest ~= "" and rest or nil }, false
end

--- Finds the interpreter that runs a script, as the kernel and `env` do.
-- @tparam string path of a program, which may be a script
-- @tparam {string,...} command the program and its arguments
-- @treturn string path of the interpreter; `path` if the program is not a script
-- @treturn {string,...} the command that runs the interpreter
function program_files.interpreted(path, command)
  for _ = 1, MOST_INTERPRETERS do
    local words, is_changed = script_words(path)
    if not words or is_changed then break end
    local interpreter = words[1] and program_files.find(words[1])
    if not interpreter then break end
    words[#words + 1] = path
    command = table.move(command, 2, #command, #words + 1, words)
    path = interpreter
  end
  return path, command
end

-- Whether a file has what `luac` and `string.dump` write.
local function is_bytecode(path)
  local file <close> = io.open(path, "rb")
  return file ~= nil and file:read(4) == "\27Lua"
end

--- Returns whether a file is a Lua program: its name ends in ".lua", or its first line
-- names an interpreter of Lua 5.4, or of no certain version, or it is bytecode.
-- @tparam string path
-- @treturn boolean
function program_files.is_lua(path)
  if core.file_status(path) ~= "file" then return false end
  if path:find "%.lua$" or is_bytecode(path) then return true end
  local line = interpreter_line(path)
  return line:find "%f[%w]lua%f[^%w%.]" ~= nil or
    line:find "%f[%w]lua%-?5%.?4%f[^%w%.]" ~= nil
end

--- Returns the options of the interpreter in a script's first line, if it is one of Lua
-- 5.4, or of no certain version: `-E`, `-W`, and `-l` and `-e` with their arguments.
-- @tparam string path
-- @treturn {string,...}
function program_files.lua_options(path)
  local words, found = script_words(path) or {}, {}
  if not base_name(words[1] or ""):find "^lua%-?5?%.?4?$" then return found end
  for i = 2, #words do
    local takes_word = found[1] and found[#found]:find "^%-[le]$"
    if not takes_word and not words[i]:find "^%-[EWle]" then break end
    found[#found + 1] = words[i]
  end
  return found
end

--- Returns the interpreter of Lua that a script's first line names, or that a program is,
-- if it has a version.
-- @tparam string path
-- @treturn string|nil such as "lua5.1", "luajit"
-- @treturn boolean whether it is Lua 5.4
function program_files.lua_version(path)
  local line = interpreter_line(path)
  if line == "" then line = base_name(core.real_path(path) or path) end
  local name = line:match "%f[^%s%z]lua%-?5%.?%d%f[^%w%.]" or
    line:match "%f[^%s%z]luajit[%w%.%-]*"
  return name, name ~= nil and name:find "5%.?4$" ~= nil
end

--- Returns the path of a Lua program. A name that PATH knows is that program's, whatever
-- is in the current directory; with ".lua", it is rather that of a file here.
-- @tparam string program a path, or a name to find in the directories of PATH, and then
--   in the current directory
-- @treturn string|nil nil if it is not a Lua program
function program_files.find_lua(program)
  local is_named = program:find "%.lua$" and program_files.is_lua(program)
  local path = not is_named and program_files.find(program) or program
  return program_files.is_lua(path) and path or nil
end

--- Checks that the directory of profiles exists, before a long run.
-- @tparam string directory "" is the current one
-- @treturn[1] boolean true
-- @return[2] nil
-- @treturn[2] string what is wrong
function program_files.check_directory(directory)
  if directory == "" then
    if core.real_path "." then return true end
    return nil, "the current directory was removed: the profile cannot be written there"
  end
  local kind, message = core.file_status(directory)
  if kind == "directory" then return true end
  return nil, (message or directory .. ": is not a directory") ..
    ": the profile cannot be written there"
end

-- Whether a path leads to the file that is standard output or standard error.
local function is_stream(identity)
  for _, stream in ipairs { "/dev/stdout", "/dev/stderr" } do
    if select(3, core.file_status(stream)) == identity then return true end
  end
  return false
end

local function is_link(path)
  local directory, name = path:match "^(.-)([^/]*)$"
  return core.real_path(path) ~=
    (core.real_path(directory ~= "" and directory or ".") or "") .. "/" .. name
end

--- Checks, before a long run, that a profile can take the place of the file at a path:
-- there is none, or it is empty, a profile, or a device. The recorder, which checks it
-- again, also refuses other things, such as links that the user has not typed.
-- @tparam string path
-- @tparam boolean is_derived whether the user has not typed the path
-- @tparam[opt] boolean shares_streams whether a profile is added to a file that is a
--   standard stream
-- @treturn[1] boolean true
-- @return[2] nil
-- @treturn[2] string what is wrong
function program_files.check_replaced(path, is_derived, shares_streams)
  local kind, _, identity, size = core.file_status(path)
  if kind == "directory" then
    return nil, path .. ": is a directory: the profile cannot be written there"
  elseif kind ~= "file" or size == 0 or is_derived and is_link(path) or
    shares_streams and is_stream(identity)
  then
    return true
  end
  local head = profile_files.head(path, true)
  local is_profile = profile_files.is_contexts(head) or
    head and profile_files.is_head(head:sub(1, 8)) and not path:find "%.ctx$"
  if is_profile then return true end
  return nil, path .. ": is not a profile, so it is not replaced"
end

return program_files
