--- Which options exclude others, and which need others. Loaded only if an option is given
-- that a rule is about.
--
-- @internal gprof.cli.options.rules
-- SPDX-License-Identifier: GPL-3.0-or-later

local options = require "gprof.cli.options.option_table"
local raise <const> = require "gprof.library.failure".raise

local rules = {}

-- The rules by the time at which they are checked. "A needs B C": A has no effect
-- without B or C. "A excludes B C": A cannot be combined with B, and not with C. "A
-- sums": A is for sums. "A files": A needs profiles that are files, and not members of
-- archives.
rules.texts = {

  -- when the command line has been read
  command = [[
    rate needs record
    memory needs record
    follow needs record
    output needs record
    dump-signal needs record
    dump-file needs record
    wall needs record
    count needs record
    with-c needs record
    no-paths needs record
    anew needs dump dump-signal dump-file
    update-baseline needs baseline
    baseline excludes compare
    update-baseline excludes fail-on line
    function-ordering excludes file-ordering
  ]],

  -- before reports are made
  reports = [[
    with excludes baseline compare
    fail-on needs compare baseline
    force needs compare
    compare excludes line
    spread excludes slide no-static ignore-non-functions
    spread excludes external-symbol-table file-ordering inlines thread
    checkpoint-every needs checkpoint
    checkpoint sums
    checkpoint excludes sandbox gnu-compat jobs
    skip-duplicates sums
    threads files
    thread files
    update-baseline files
  ]],

  -- a sum for each build needs a single program and a single process
  builds = [[
    by-build excludes jobs sandbox gnu-compat checkpoint slide with
    by-build excludes external-symbol-table file-ordering
    by-build excludes update-baseline fail-on baseline thread
  ]],

  -- before profiles are read for reports
  reading = [[
    thread excludes gnu-compat sum
  ]],

  -- when it is known what is printed: of a single object, addresses, lines or symbols
  libraries = [[
    with excludes gnu-compat annotate-time line static-call-graph external-symbol-table
    with excludes annotated-source exec-counts function-ordering file-ordering sum verify
  ]],
}

-- Styles of options whose action has another name than the style.
local styles_of <const> = { compare = "comparison",
  ["function-ordering"] = "function_order" }

local by_name = {}
for _, option in ipairs(options.all) do by_name[option.long or ""] = option end

-- Whether an option was given. One process is the same as no number of processes.
local function is_given(settings, styles, long)
  local option = by_name[long]
  local style = styles_of[long] or option.action == "style" and option.detail:sub(2)
  if style then return styles[style] end
  if long == "jobs" then return settings.jobs and settings.jobs > 1 end
  return settings[long == "thread" and "threads" or options.setting(option)]
end

local function first_given(settings, styles, names)
  for long in names:gmatch "%S+" do
    if is_given(settings, styles, long) then return by_name[long] end
  end
end

-- What rules refuse: functions of the option, the settings, the styles and the names of
-- the other options.
local refuse <const> = {
  needs = function(long, settings, styles, names)
    if first_given(settings, styles, names) then return end
    raise("option --%s needs --%s", long, (names:gsub(" ", " or --")))
  end,
  excludes = function(long, settings, styles, names)
    local other = first_given(settings, styles, names)
    if not other then return end
    raise("options %s and %s are mutually exclusive", options.name(by_name[long]),
      options.name(other))
  end,
  sums = function(long, _, styles)
    if styles.sum then return end
    raise("option --%s: is for sums: add -s (--sum) or --sum-file", long)
  end,
  files = function(long, settings)
    if not require "gprof.cli.sum.name_list".archives(settings.profiles_from)[1] then
      return
    end
    raise("option --%s: profiles cannot be read from archives", long)
  end,
}

--- Checks the rules of one moment.
-- @tparam string moment "command", "reports" ...: see `rules.texts`
-- @tparam table settings
-- @tparam[opt] {[string]=boolean} styles by default, those requested
-- @raise a table with the field `message`
function rules.check(moment, settings, styles)
  styles = styles or settings.styles
  for long, kind, names in rules.texts[moment]:gmatch "(%S+) (%l+) ?([^\n]*)\n" do
    if is_given(settings, styles, long) then
      refuse[kind](long, settings, styles, names)
    end
  end
end

--- Returns whether options request reports of what --record records: whether there are
-- others than --record and those that need it.
-- @tparam {table,...} given pairs of an option and its argument
-- @treturn boolean
function rules.ask_for_reports(given)
  for _, pair in ipairs(given) do
    local long = pair[1].long or ""
    local is_recording = long == "record" or long == "anew" or
      rules.texts.command:find(" " .. long .. " needs record\n", 1, true)
    if not is_recording then return true end
  end
  return false
end

-- The options that ask recorded processes for something, and nothing else.
local requests <const> = { dump = true, pause = true, resume = true, anew = true }

--- Refuses all that a request to a recorded process would leave undone.
-- @tparam table settings
-- @tparam {table,...} given pairs of an option and its argument
-- @tparam {string,...} operands
-- @raise a table with the field `message`
function rules.check_requests(settings, given, operands)
  local request = settings.dump and "dump" or settings.pause and "pause" or
    settings.resume and "resume"
  if not request then return end
  for _, pair in ipairs(given) do
    if not requests[pair[1].long] then
      raise("options --%s and %s are mutually exclusive", request, options.name(pair[1]))
    end
  end
  if operands[1] then
    raise("option --%s takes no file: '%s'", request, operands[1])
  end
end

return rules
