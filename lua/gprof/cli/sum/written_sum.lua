--- Writes the sum of profiles, and warns if they are from another build.
--
-- @internal gprof.cli.sum.written_sum
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.options.arguments"
local core = require "gprof.core"
local failure = require "gprof.library.failure"
local gprof = require "gprof"
local output = require "gprof.output"
local policy = require "gprof.library.policy"
local profiles = require "gprof.cli.sum.profile_list"

local need <const>, raise <const> = failure.need, failure.raise

local sum = {}

-- Returns the symbol table by line (see `-l`) that determines the order of a sum's
-- records; nil if the records keep their order.
local function ordering_symbols(run)
  local settings = run.settings
  if policy.of(settings).keeps_record_order then return nil end
  local options = arguments.pick(settings, "profile")
  options.line, options.include, options.exclude = true, nil, nil
  return need(gprof.profile(run.image, run.data, options)).symbols
end

-- Returns the sum of the context profiles. Nil if no profile has one, or if they cannot
-- be added up; the sum of the profiles is then written alone.
local function sum_contexts(run, format, warn)
  local path = run.settings.sum_target.companion
  if not path or format ~= "auto" and format ~= "magic" then return nil end
  if not policy.of(run.settings).sums_contexts then return nil end
  local contexts, problem
  if run.contexts then
    contexts, problem = run.contexts:result()
  else
    contexts, problem =
      require "gprof.library.files.context_files".sum_contexts(run.data, run.paths)
  end
  if problem then warn(("%s: not written: %s"):format(path, problem)) end
  return contexts
end

-- Writes the sum of a Lua program's profiles: a context profile.
local function write_script(run)
  local settings, data = run.settings, run.data
  if settings.file_format ~= "auto" then
    raise("%s: are profiles of a Lua program, whose sums have a format of their own: " ..
      "omit --file-format", run.name)
  end
  core.keep_contexts(data,
    need(require "gprof.library.files.context_files".sum_contexts(data, run.paths)))
  output.new_profile(settings.sum_target, data)
end

-- Returns the spread. A sum in another format, or on a device, has none.
local function spread_of(run, format)
  local settings = run.settings
  if not settings.spread then return nil end
  if not settings.sum_target.spread then
    raise("option --spread: the spread is a file beside the sum, which is not a file")
  elseif format ~= "auto" and format ~= "magic" then
    raise("option --spread: sums in the format %s have no spread", format)
  end
  return core.spread_of(run.data)
end

-- Whether the sum replaces one of the profiles, or a file beside it.
local function replaces_part(run)
  local target = run.settings.sum_target
  local files = require "gprof.library.files.file_set".new()
  for _, file in ipairs(run.data.files) do files:add(file.path) end
  return files:contains(target.path) or files:contains(target.companion)
end

-- Reports beside a sum read call paths of libraries and threads again, and context
-- profiles. If the sum replaces one of the profiles, they must be read before.
local function keep_parts(run)
  if not profiles.are_reported(run.settings) or not replaces_part(run) then return end
  if run.data.call_paths then
    require "gprof.library.libraries.recorded".threads(run.data)
  end
  for _, file in ipairs(run.printed.info and run.data.files or {}) do
    require "gprof.library.files.context_files".companion_of(run.image, file)
  end
end

--- Writes the sum of a run's profiles. Profiles in System V's format can be read but not
-- written, so their sum is written in glibc's format.
-- @tparam table run see `gprof.cli.run`
-- @tparam function warn called with a warning
-- @raise a table with the field `message`
function sum.write(run, warn)
  local settings, format = run.settings, run.settings.file_format
  keep_parts(run)
  if core.script_list(run.image) then return write_script(run) end
  if format == "prof" then format = "magic" end
  local spread = spread_of(run, format)
  local old = settings.sum_target.spread
  if not spread and old and core.file_status(old) == "file" then
    warn(("%s: is removed: without --spread, it cannot be kept up to date"):format(old))
  end
  output.new_profile(settings.sum_target, run.data, format, ordering_symbols(run),
    sum_contexts(run, format, warn), spread)
end

--- Warns about a sum of profiles of another build. Symbols are read only if the histogram
-- does not fit the image.
-- @tparam table run
-- @tparam function warn
function sum.check(run, warn)
  if not policy.of(run.settings).checks_profile then return end
  if core.histogram_fits(run.image, run.data) then return end
  warn(require "gprof.cli.advice.diagnosis".mismatched_sum(run.image, run.data, run.name))
end

return sum
