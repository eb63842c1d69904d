--- Shared libraries: opens the libraries of --with, and checks the profiles that the
-- dynamic linker writes.
--
-- @internal gprof.cli.libraries
-- SPDX-License-Identifier: GPL-3.0-or-later

local diagnosis = require "gprof.cli.advice.diagnosis"
local failure = require "gprof.library.failure"
local file_set = require "gprof.library.files.file_set"
local gprof = require "gprof"
local symbol_tables = require "gprof.library.symbol_tables"
local wording = require "gprof.format.wording"

local libraries = {}

local raise <const>, need <const> = failure.raise, failure.need

--- Splits an argument of --with into paths.
-- @tparam string word IMAGE:PROFILE or IMAGE
-- @treturn string path of the library
-- @treturn string path of its profile, by default as the dynamic linker names it
function libraries.paths(word)
  local image, profile = word:match "^(.+):([^:]+)$"
  if image then return image, profile end
  return word, word:match "[^/]*$" .. ".profile"
end

-- The dynamic linker profiles all code of a library, which may be more than .text.
local function check_range(image, data, where)
  if not data.has_histogram then return end
  if data.low <= image.text_low and data.high >= image.text_high then return end
  raise("%s: does not belong to %s: the profile covers addresses 0x%x to " ..
    "0x%x, the code is at 0x%x to 0x%x", where, image.path, data.low, data.high,
    image.text_low, image.text_high)
end

-- Symbols to which the dynamic linker never binds a call: stubs and startup code.
local never_called <const> = {
  ["<plt>"] = true, __gmon_start__ = true, _start = true, main = true, _init = true,
  _fini = true, register_tm_clones = true, deregister_tm_clones = true,
  frame_dummy = true, __do_global_dtors_aux = true,
}

-- There is no warning if up to this percentage of the callees are not function entries,
-- since functions may lack a symbol.
local FEW <const> = 10

-- Every callee that the dynamic linker recorded is a function entry. In another library
-- or build, most are not.
local function check_callees(image, data, symbols, settings, where, warn)
  local callees, good, bad, example = {}, 0, 0, nil
  for _, callee in data:arcs() do callees[callee] = true end
  for callee in pairs(callees) do
    local symbol = symbols:lookup(callee)
    -- on some machines, the lowest bit of an address selects an instruction set
    if symbol and callee - symbol.address <= 1 and not never_called[symbol.name] then
      good = good + 1
    else
      bad, example = bad + 1, math.min(example or callee, callee)
    end
  end
  if bad > good then
    raise("%s: does not belong to this build of %s: %d of %d called addresses, such " ..
      "as 0x%x, are not function entries", where, image.path, bad, good + bad, example)
  elseif 100 * bad > FEW * (good + bad) then
    warn(("%s: %d of %d called addresses are not function entries of %s"):format(where,
      bad, good + bad, image.path))
    require "gprof.cli.advice.diagnosis".advise(settings,
      "the profile may be from another build, or symbols may have been stripped")
  end
end

--- Checks that data belongs to a shared library, and warns about calls that were not
-- counted.
-- @tparam image image
-- @tparam data data
-- @tparam symbols symbols of the image
-- @tparam table settings
-- @tparam string where the data's name in messages
-- @tparam function warn takes a message
-- @raise a table with the field `message`
function libraries.check_data(image, data, symbols, settings, where, warn)
  check_range(image, data, where)
  if symbols.complete then
    check_callees(image, data, symbols, settings, where, warn)
  end
  if data.uncounted > 0 then
    warn(("%s: the dynamic linker had no room to count %d calls"):format(where,
      data.uncounted))
  end
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
    libraries.check_data(image, data, symbols, settings, profile, warn)
  end
  return { image = image, data = data }
end

--- Opens the libraries of --with, and puts them into the settings for `gprof.profile`.
-- @tparam table run of the program, without a profile yet (see gprof.cli.run)
-- @tparam function warn takes a message
-- @raise a table with the field `message`
function libraries.open(run, warn)
  local settings = run.settings
  require "gprof.cli.options.rules".check("libraries", settings, run.printed)
  -- Once libraries are added, later checks would accept the profile of another program.
  local image, data = run.image, run.data
  if data.low and (data.low >= image.text_high or data.high < image.text_low) then
    diagnosis.refuse(image, data, run.name)
  end
  local opened, seen, program = {}, {}, file_set.new()
  program:add(run.image.path)
  for i, word in ipairs(settings.with) do
    local path = libraries.paths(word)
    local name = path:match "[^/]*$"
    if seen[name] then
      raise("%s: has the same name as the library %s", path, seen[name])
    end
    if program:contains(path) then raise("%s: is the program, not a library", path) end
    seen[name] = path
    opened[i] = open(word, settings, warn)
  end
  settings.with = opened
end

--- Returns which records the program or one of its libraries has.
-- @tparam table run with opened libraries
-- @treturn table fields of data: `has_histogram`, `has_arcs`, `has_call_graph`,
--   `block_records`
function libraries.records(run)
  local found = { block_records = run.data.block_records }
  for _, field in ipairs { "has_histogram", "has_arcs", "has_call_graph" } do
    found[field] = run.data[field]
    for _, library in ipairs(run.settings.with) do
      found[field] = found[field] or library.data[field]
    end
  end
  return found
end

-- Why callers are unknown, by field of `merged_objects.unknown`.
local reasons <const> = {
  unknown = "a program records only calls into libraries compiled with -pg",
  undecided = "the program's calls do not show for certain where libraries were loaded",
}

--- Warns about calls of libraries whose callers are unknown.
-- @tparam profile profile
-- @tparam function warn takes a message
function libraries.warn_unknown(profile, warn)
  local unknown = require "gprof.library.libraries.merged_objects".unknown(profile)
  for _, field in ipairs { "unknown", "undecided" } do
    local names = unknown[field]
    if names[1] then
      warn(("some calls into %s have unknown callers, shown as <outside>: %s"):format(
        wording.first(names), reasons[field]))
    end
  end
end

return libraries
