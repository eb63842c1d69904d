--- Reads a command line into settings.
--
-- @internal gprof.cli.options.command_line
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local defaults = require "gprof.cli.options.defaults"
local failure = require "gprof.library.failure"

local command_line = {}

local raise <const> = failure.raise

-- Returns the table of options. Command lines without options do not need it.
local function option_table() return require "gprof.cli.options.option_table" end

--- Applies an option to settings. Actions are loaded only for options that are not flags.
-- @tparam table option
-- @tparam table settings
-- @tparam string|nil argument
-- @raise a table with the field `message`
function command_line.apply(option, settings, argument)
  if option.action == "flag" then
    settings[option_table().setting(option)] = true
  else
    require "gprof.cli.options.actions"[option.action](settings, argument, option)
  end
end

-- Whether an option such as --help was given: later options are then ignored.
local function asks_about_program(settings)
  return settings.help or settings.version or settings.print_completion or
    settings.print_blocks_runtime
end

-- Applies the pairs that `core.getopt` returns. A pair consists of a line of the option
-- table, and an argument. --gnu-compat is applied first, as other options depend on it.
local function apply_all(given, settings)
  for _, pair in ipairs(given) do
    pair[1] = option_table().parse(pair[1])
    settings.gnu_compat = settings.gnu_compat or pair[1].long == "gnu-compat" or nil
  end
  for _, pair in ipairs(given) do
    command_line.apply(pair[1], settings, pair[2])
    settings.has_options = settings.has_options or pair[1].long ~= "brief"
    if asks_about_program(settings) then break end
  end
end

-- Checks the rules about options. Sets `has_own_options` and `record_reports`. Options
-- with letters are GNU gprof's, and of these only -r and -R exclude each other.
local function check_rules(settings, given, operands)
  for _, pair in ipairs(given) do
    settings.has_own_options = settings.has_own_options or not pair[1].short
  end
  if not (settings.has_own_options or settings.styles.file_order) then return end
  local rules = require "gprof.cli.options.rules"
  if not asks_about_program(settings) then
    rules.check_requests(settings, given, operands)
  end
  rules.check("command", settings)
  settings.record_reports = settings.record and rules.ask_for_reports(given) or nil
end

-- Replaces each `@FILE`. The module that reads these files is rarely needed.
local function expand(arguments)
  for _, word in ipairs(arguments) do
    if word:find "^@" then
      return require "gprof.cli.options.option_files".expand(arguments)
    end
  end
  return table.move(arguments, 1, #arguments, 1, {})  -- `arg` has more than the words
end

-- Letters of options whose argument is text. What follows them may be a symspec.
local TEXT_LETTERS <const> = "^%-[pqef]"

-- Whether a word is a long option with a single dash.
local function is_single_dash(word)
  local name, rest = word:match "^%-(%l[%l-]+)(.*)$"
  if not name or word:find(TEXT_LETTERS) and rest == "" then return false end
  return option_table().lacks_letter(name)
end

-- Refuses long options with a single dash, such as "-html", which getopt takes for -h.
local function check_dashes(words)
  local wrong
  for _, word in ipairs(words) do
    if word == "--gnu-compat" then return end
    wrong = wrong or is_single_dash(word) and word
    if word == "--" then break end
  end
  if not wrong then return end
  raise("unknown option '%s': %s", wrong,
    require "gprof.cli.advice.hints".question { "-" .. wrong })
end

-- Separates options from operands, as core.getopt does.
local function separate(words, records)
  for _, word in ipairs(words) do
    if word:find "^%-" then
      local text = option_table().text
      return core.getopt(words, text.gnu, text.own, records)
    end
  end
  return {}, table.move(words, 1, #words, 1, {})
end

--- Reads a command line. After --record, the first operand ends the options.
-- @tparam {string,...} arguments without the program's name; unless the first one is
--   --record, each `@FILE` is replaced by the words in that file
-- @treturn table settings: each option under its long name, with underscores; `styles`,
--   the reports requested (true) or excluded (false); `reports`, the reports requested by
--   name; `exports`; `compare`, the arguments of --compare; `profiles_from`, files with
--   lists of profiles; `jobs`, if given; `operands`; `words`, all arguments;
--   `given`, pairs of an option and its argument; `has_options`, whether there is any
--   option but -b; `has_own_options`, whether there is one without a letter;
--   `record_reports`, whether there are options besides --record and those of the
--   recorder
-- @raise a table with the field `message`
function command_line.read(arguments)
  local settings = defaults.settings()
  local records = arguments[1] == "--record"
  local words = records and arguments or expand(arguments)
  if not records then check_dashes(words) end
  local given, operands, word, before = separate(words, records)
  if given then
    apply_all(given, settings)
    if settings.record and not records then
      raise "option --record must be the first argument, and not abbreviated"
    end
    check_rules(settings, given, operands)
    if settings.baseline or settings.update_baseline then
      require "gprof.cli.baselines".apply(settings)
    end
    -- searched after the directories given as options
    local list = os.getenv "GPROF_PATH"
    if list then require "gprof.cli.options.actions".directories(settings, list) end
    settings.operands, settings.words = operands, words
    settings.given = given
  else
    apply_all(before, settings)
    if not asks_about_program(settings) then
      raise("%s", require "gprof.cli.advice.hints".option(operands, word))
    end
  end
  return settings
end

return command_line
