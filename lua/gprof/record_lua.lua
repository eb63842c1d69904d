--- Runs Lua programs so that `gprof.recorder` records them: what `gprof.record` does with
-- a Lua program.
--
-- @internal gprof.record_lua
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local home = require "gprof.library.home"
local native = require "gprof.library.native"
local open_image <const> = require "gprof.image".open
local program_files = require "gprof.library.files.program_files"
local recorder_options = require "gprof.library.options.recorder_options"

-- The names of interpreters, the best first.
local INTERPRETERS <const> = { "lua5.4", "lua" }

-- What the interpreter executes before the program. Then `require` and `arg` are as they
-- are without it. Modules are loaded as bytecode. If the native module, which reads it,
-- cannot be loaded, the recorder says why.
local START <const> = [[
local home = dofile(%q)
local found, hooks = pcall(require, "gprof.hooks")
if found then home.use_bytecode(hooks.open_bundle) end
local recorder = require "gprof.recorder"
table.move(arg, -%d, -2, -%d)
arg[-%d], arg[-%d], arg[-%d], arg[-%d] = arg[-%d], nil, nil, nil
recorder.record_program(%q, { rate = %s, count = %q, memory = %s, with_c = %s }, %s)]]

-- Options of `gprof.record` that only the recorder of other programs has. Together with C
-- functions, Lua programs are recorded by that recorder.
local OTHERS <const> = { "follow", "dump_signal", "dump_file", "anew", "wall",
  "no_paths" }
local OTHERS_WITH_C <const> = { "follow", "dump_signal", "dump_file", "anew", "no_paths" }

local function find_interpreter()
  local path, problem
  for _, name in ipairs(INTERPRETERS) do
    path, problem = program_files.find(name)
    if path then return path end
  end
  return nil, problem
end

-- Whether the user has not typed the name of the profile: it has placeholders, or is the
-- default.
local function is_derived(name)
  return not name or recorder_options.has_placeholder(name)
end

-- Returns the command that runs a program, and writes its profile when it ends. The words
-- before the program are the interpreter, what it executes first, the options that the
-- program's first line gives it, and "--".
local function recording(interpreter, script, command, profile, options)
  local with_c, given = options.with_c, program_files.lua_options(script)
  local last = #given + 1  -- -last: the place of the interpreter in `arg` without it
  local loader = home.directories() .. "gprof/library/home.lua"
  local start = START:format(loader, last, last - 1, last, last + 1, last + 2, last + 3,
    last + 3, profile,
    not with_c and options.rate or "nil", options.count or "calls",
    not with_c and options.memory or "nil", with_c or false, is_derived(options.output))
  local words = table.move(given, 1, #given, 4, { interpreter, "-e", start })
  words[#words + 1], words[#words + 2] = "--", script
  return table.move(command, 2, #command, #words + 1, words)
end

-- Returns the pattern for the name of the profile, with no other placeholders than those
-- of `gprof.recorder.record_program`.
local function pattern_of(script, output)
  local name = script:match "[^/]*$":gsub("%.lua$", "")
  return recorder_options.expand(output or "%e.prof", name)
end

local function check_options(script, options)
  for _, name in ipairs(options.with_c and OTHERS_WITH_C or OTHERS) do
    if options[name] then
      return nil, ("%s: is a Lua program: --%s is only for other programs%s"):format(
        script, (name:gsub("_", "-")), name == "wall" and ", or with --with-c" or "")
    end
  end
  if options.with_c and options.count == "none" then
    return nil, "options --with-c and --count=none are mutually exclusive"
  end
  return true
end

-- Returns the environment that loads the C recorder into the interpreter, if C functions
-- are recorded, too. The interpreter may be a script that runs another one: the recorder
-- follows until a Lua program is recorded. Nil and a message if that is not possible.
local function environment(interpreter, options)
  if not options.with_c then return {} end
  local library, message = native.recorder()
  if not library then return nil, "the " .. message end
  local image <close> = open_image(interpreter)
  if image and not core.needed_libraries(image)[1] then
    return nil, interpreter .. ": is static: C functions cannot be recorded (--with-c)"
  end
  return { recorder_options.preloading(library), recorder_options.setting {
    rate = options.rate, memory = options.memory, wall = options.wall, follow = true } }
end

-- Whether a script can be compiled; otherwise nil and Lua's message. The interpreter
-- reads what is not a file.
local function compiles(script)
  if core.file_status(script) ~= "file" then return true end
  return loadfile(script)
end

-- Returns what `gprof.record` returns. The profile stands for the program, too.
return function(script, command, options)
  local done, message = check_options(command[1], options)
  if not done then return nil, message end
  done, message = compiles(script)
  if not done then return nil, message end
  local interpreter, problem = find_interpreter()
  if not interpreter then return nil, problem end
  local variables
  variables, problem = environment(interpreter, options)
  if not variables then return nil, problem end
  local pattern = pattern_of(command[1], options.output)
  local before_name = recorder_options.name_of(pattern)
  local directory = pattern:match "^.*/" or ""
  done, message = program_files.check_directory(directory)
  if done and not recorder_options.has_placeholder(pattern) then
    done, message = program_files.check_replaced(before_name, is_derived(options.output),
      true)
  end
  if not done then return nil, message end
  local _, _, before = core.file_status(before_name)
  local absolute = core.real_path(directory ~= "" and directory or ".") .. "/" ..
    pattern:match "[^/]*$"
  local ending, number, process = core.run_program(interpreter,
    recording(interpreter, script, command, absolute, options), variables)
  if not ending then return nil, command[1] .. ": " .. number end
  local profile = recorder_options.name_of(pattern, process)
  local kind, _, identity = core.file_status(profile)
  local is_written = kind == "file" and identity ~= before and
    core.file_begins(core.real_path(profile) or profile, "gprofctx")
  return { status = ending == "exit" and number or nil,
    signal = ending == "signal" and number or nil,
    image = is_written and profile or command[1], profile = is_written and profile or nil,
    device = (kind == "device" or kind == "other") and not is_derived(options.output) and
      profile or nil,
    directory = directory ~= "" and directory or "the current directory" }
end
