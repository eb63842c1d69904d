--- The command line: from arguments to reports.
--
-- @module gprof.cli
-- SPDX-License-Identifier: GPL-3.0-or-later

local options = require "gprof.options"
local output = require "gprof.output"

local cli = {}

local function fail(...)
  error({ message = string.format(...) }, 0)
end

-- The value, or the end of the program with the message that came in its place.
local function need(value, message)
  return value or fail("%s", message)
end

-- Which reports to print: those asked for; if none is left, those that there are
-- records for, but for those taken away.
local function choose_styles(settings, data)
  local wanted = settings.styles
  if wanted.flat or wanted.graph or wanted.function_order then return wanted end
  return {
    flat = wanted.flat == nil and data.has_histogram,
    graph = wanted.graph == nil and data.has_arcs,
  }
end

-- GNU gprof prints execution counts where there is nothing else, that is, nothing.
local function check_not_empty(settings, data, where)
  if data.has_histogram or data.has_arcs or next(settings.styles) then return end
  if not settings.gnu_compat or settings.display_unused_functions then
    fail("%s: holds neither a histogram nor arcs", where)
  end
end

local function check_styles(styles, settings, data, profiles)
  local where = table.concat(profiles, ", ")
  check_not_empty(settings, data, where)
  if styles.flat and not data.has_histogram then
    fail("%s: has no histogram: a flat profile cannot be made from it", where)
  elseif styles.graph and not data.has_arcs then
    fail("%s: has no arcs: a call graph cannot be made from it (was the program " ..
      "compiled with -pg?)", where)
  end
end

-- A profile of another program would give a report of nothing.
local function check_belongs(profile, profiles)
  if not profile.foreign then return end
  local image, data = profile.image, profile.data
  fail("%s: does not belong to %s: it is about addresses 0x%x to 0x%x, the code is at " ..
    "0x%x to 0x%x", table.concat(profiles, ", "), image.path, data.low, data.high,
    image.text_low, image.text_high)
end

-- Reads what the command line names.
local function read_files(settings)
  local gprof = require "gprof"
  local path = settings.operands[1] or "a.out"
  local profiles = table.move(settings.operands, 2, #settings.operands, 1, {})
  if #profiles == 0 then profiles[1] = "gmon.out" end
  local image = need(gprof.image(path))
  local data = need(gprof.data(image, { mixed_rates = settings.gnu_compat }))
  for _, profile in ipairs(profiles) do
    need(data:read(profile, settings.format))
  end
  return image, data, profiles
end

local function print_reports(profile, styles, settings, write)
  if styles.flat then
    require "gprof.report.flat"(profile, settings, write)
  end
  if styles.graph then
    if styles.flat then write("\f\n") end
    require "gprof.report.graph"(profile, settings, write)
    write("\f\n")
    require "gprof.report.index"(profile, settings, write)
  end
  if styles.function_order then
    require "gprof.report.function_order"(profile, settings, write)
  end
end

local function work(arguments)
  local settings = options.read(arguments)
  local write = output.into(io.stdout)
  if settings.help then
    write(require "gprof.help".page())
  elseif settings.version then
    write(require "gprof.help".version())
  else
    local image, data, profiles = read_files(settings)
    local styles = choose_styles(settings, data)
    check_styles(styles, settings, data, profiles)
    local profile = need(require "gprof".profile(image, data, settings))
    if not settings.gnu_compat then check_belongs(profile, profiles) end
    print_reports(profile, styles, settings, write)
  end
  write:flush()
end

--- Runs the program.
-- @tparam {string,...} arguments
-- @treturn integer exit status: 0, or 1 after one line on standard error
function cli.run(arguments)
  -- nearly all garbage is lines just printed: a fifth less time and memory than
  -- marking all that lives over and over again
  collectgarbage("generational")
  local done, problem = pcall(work, arguments)
  if done then return 0 end
  if problem == "not enough memory" then
    problem = { message = problem }
  elseif type(problem) ~= "table" then
    error(problem, 0)  -- a fault of ours: let it be seen
  end
  if not problem.quiet then
    io.stderr:write("gprof.lua: ", problem.message, "\n")
  end
  return 1
end

return cli
