--- The program's entry point: prints its help or version, or runs gprof.cli.run; prints
-- errors, and sets the exit status.
--
-- @internal gprof.cli.main
-- SPDX-License-Identifier: GPL-3.0-or-later

local command_line = require "gprof.cli.options.command_line"
local core = require "gprof.core"
local failure = require "gprof.library.failure"
local output = require "gprof.output"

local main = {}

-- The exit status if --fail-on finds a regression; failures exit with 1.
local REGRESSION <const> = 2

local function blocks_runtime()
  local path, message = require "gprof.library.native".blocks_runtime()
  return path or failure.raise("the %s", message)
end

-- Opens the stream for reports; returns what `output.into` or `pager.open` returns.
local function open_output(settings)
  local adapts = require "gprof.library.policy".of(settings).adapts_to_terminal
  settings.color = settings.color ~= nil and adapts and
    require "gprof.print.color".wanted(settings.color, io.stdout)
  local function is_colored() return settings.color == true end
  if adapts and core.is_terminal(io.stdout) then
    return require "gprof.cli.pager".open(settings, is_colored)
  end
  return output.into(io.stdout, is_colored)
end

-- Memory in kilobytes that may be allocated before garbage is first collected. The
-- modules and a small report take less, and leave little garbage.
local FIRST <const> = 512

-- Starts the collector, which gprof.lua has stopped. It looks at all objects when memory
-- has doubled; for a page, which keeps most of what it allocates, when memory has grown
-- by half: the generational collector then uses the pause of the incremental one.
local function start_collector(settings)
  for _, export in ipairs(settings.exports) do
    if export.kind == "html" then
      collectgarbage("incremental", 150)
      collectgarbage "generational"
    end
  end
  collectgarbage "restart"
  collectgarbage("step", -FIRST)  -- as if that much had been freed
end

local function run_settings(settings)
  local write, finish, _ <close> = open_output(settings)
  local run = require(settings.sandbox and "gprof.cli.sandboxed" or "gprof.cli.run")
  start_collector(settings)
  local skipped, regressions, differs = run(settings, write)
  finish()
  return skipped, regressions, differs
end

-- Returns the text for an option such as --help, which asks about the program; nil
-- without such an option.
local function answer(settings)
  if settings.help then return require "gprof.cli.options.help".page() end
  if settings.version then return require "gprof.cli.options.help".version() end
  if settings.print_completion then
    return require "gprof.cli.options.completion".script(settings.print_completion)
  end
  return settings.print_blocks_runtime and blocks_runtime() .. "\n" or nil
end

-- Prints what the settings request. Returns the exit status.
local function report(settings)
  local skipped, regressions, differs = run_settings(settings)
  if not settings.sandbox then  -- otherwise, the sandboxed process has printed the lines
    for _, line in ipairs(regressions) do
      require "gprof.format.terminal".tell("gprof.lua: " .. line)
    end
    regressions = #regressions
  end
  if skipped > 0 then
    failure.raise("bad profiles skipped: %d", skipped)
  end
  return differs and 1 or regressions > 0 and REGRESSION or 0
end

local function is_lack_of_memory(problem)
  return type(problem) == "string" and problem:find "not enough memory$" ~= nil
end

-- Prints an error, and the stack of a bug if debug output was requested.
local function tell(problem, about)
  local terminal = require "gprof.format.terminal"
  terminal.tell("gprof.lua: " .. problem.message)
  if not (about.debug and problem.trace) then return end
  for line in problem.trace:gmatch "[^\n]+" do terminal.tell(line) end
end

-- Reports that memory ran out: with one write, and no allocation.
local function tell_of_memory()
  io.stderr:write "gprof.lua: not enough memory\n"
  return 1
end

-- Calls a function, and prints an error that it raises. Returns its result; after an
-- error, the exit status 1 and true.
local function guarded(about, action, ...)
  -- the handler needs no memory if there is none
  local done, problem = xpcall(action, function(problem)
    if type(problem) == "table" or is_lack_of_memory(problem) then return problem end
    return failure.of_bug(problem)
  end, ...)
  if done then return problem end
  if is_lack_of_memory(problem) then return tell_of_memory(), true end
  if type(problem) ~= "table" then problem = failure.of_bug(problem) end
  return (problem.quiet or pcall(tell, problem, about)) and 1 or tell_of_memory(), true
end

-- Does what the arguments request. Returns the exit status. `about` gets the field
-- `debug`, if the arguments request debug output.
local function execute(arguments, about)
  local settings = command_line.read(arguments)
  about.debug = settings.debug
  local text = answer(settings)
  if text then
    local write, finish = output.into(io.stdout, function() return false end)
    write(text)
    finish()
    return 0
  end
  if settings.dump or settings.pause or settings.resume then
    return require "gprof.cli.requests".run(settings)
  end
  if settings.record then
    return require "gprof.cli.record".run(settings, function()
      return guarded(about, report, settings)
    end)
  end
  return report(settings)
end

--- Runs the program.
-- @tparam {string,...} arguments
-- @treturn integer exit status: 0 on success; 1 after an error, which is printed on
--   standard error, or if --verify finds a mismatch; 2 if --fail-on finds a regression;
--   with --record, the exit status of the recorded program, unless it is 0
function main.run(arguments)
  core.set_program_signals()
  core.open_standard_files()
  local about = {}
  return (guarded(about, execute, arguments, about))
end

return main
