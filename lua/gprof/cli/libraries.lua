--- Libraries that the command line names beside a program: opens them, and says what
-- cannot be done with them.
--
-- @internal gprof.cli.libraries
-- SPDX-License-Identifier: GPL-3.0-or-later

local failure = require "gprof.library.failure"
local gprof = require "gprof"
local kept = require "gprof.cli.kept"
local symbol_tables = require "gprof.library.symbol_tables"

local libraries = {}

local raise <const>, need <const> = failure.raise, failure.need

local MOST_NAMES <const> = 3  -- that a message lists

--- The files that a word names.
-- @tparam string word IMAGE:PROFILE, or IMAGE alone
-- @treturn string path of the library
-- @treturn string path of its profile: what the dynamic linker calls it, if none is named
function libraries.paths(word)
  local image, profile = word:match "^(.+):([^:]+)$"
  if image then return image, profile end
  return word, word:match "[^/]*$" .. ".profile"
end

-- What goes by the addresses, lines or symbol table of one object: settings and styles.
local alone <const> = {
  { "gnu_compat", "--gnu-compat" }, { "line", "-l (--line)" },
  { "static_call_graph", "-c (--static-call-graph)" },
  { "external_symbol_table", "-S (--external-symbol-table)" },
  { "file_ordering", "-R (--file-ordering)" },
}
local alone_styles <const> = {
  { "annotation", "-A (--annotated-source)" }, { "executions", "-C (--exec-counts)" },
  { "function_order", "-r (--function-ordering)" }, { "sum", "-s (--sum)" },
  { "comparison", "--compare" }, { "verify", "--verify" },
}

local function check_alone(settings, styles)
  for of, list in pairs { [settings] = alone, [styles] = alone_styles } do
    for _, entry in ipairs(list) do
      if of[entry[1]] then
        raise("option --with shows functions of several objects: not with %s", entry[2])
      end
    end
  end
end

-- The profile has to be of the program itself: what a library has would hide that.
local function check_program(image, data, where)
  if not data.low or data.low < image.text_high and data.high >= image.text_low then
    return
  end
  require "gprof.cli.diagnosis".refuse(image, data, where)
end

local function open(word, settings, warn)
  local path, profile = libraries.paths(word)
  local image = need(gprof.image(path,
    { debug_dir = settings.debug_dir, warn = warn }))
  local data = need(gprof.data(image, profile, { debug = settings.debug }))
  local how = { no_static = settings.no_static, no_demangle = settings.no_demangle,
    ignore_non_functions = settings.ignore_non_functions }
  local symbols = need(symbol_tables.of(image, how, nil, data.shared))
  if data.shared then
    require "gprof.cli.shared".check(image, data, symbols, settings, profile, warn)
  end
  return { image = image, data = data }
end

--- Opens what `settings.with` names, and puts it there for `gprof.profile`.
-- @tparam table settings
-- @tparam {[string]=boolean} printed the styles that stand
-- @tparam image image of the program
-- @tparam data data of the program
-- @tparam string where what these are called in messages
-- @tparam function warn takes a message
-- @raise a table with the field `message`
function libraries.open(settings, printed, image, data, where, warn)
  check_alone(settings, printed)
  check_program(image, data, where)
  local opened, seen, program = {}, {}, kept.new()
  program:add(image.path)
  for i, word in ipairs(settings.with) do
    local path = libraries.paths(word)
    local name = path:match "[^/]*$"
    if seen[name] then
      raise("%s: is the second library of that name, after %s", path, seen[name])
    end
    if program:has(path) then raise("%s: is the program itself", path) end
    seen[name] = path
    opened[i] = open(word, settings, warn)
  end
  settings.with = opened
end

--- Tells of libraries whose callers are not known.
-- @tparam profile profile
-- @tparam function warn takes a message
function libraries.tell(profile, warn)
  local names = require "gprof.library.merged_objects".unknown(profile)
  if not names[1] then return end
  local more = #names - MOST_NAMES
  warn(("who called %s%s is not known of all calls, which come from <outside>: the " ..
    "program tells only of those into libraries that are compiled with -pg, where it " ..
    "is clear at which addresses these were"):format(
    table.concat(names, ", ", 1, math.min(#names, MOST_NAMES)),
    more > 0 and (" and %d more"):format(more) or ""))
end

return libraries
