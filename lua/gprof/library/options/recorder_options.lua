--- The recorder's options: their limits, and how they are passed to it.
--
-- @internal gprof.library.options.recorder_options
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.options.arguments"

local recorder_options = {}

-- The least and largest value of each option: samples per second, and megabytes. See
-- csrc/runtime/options.c.
recorder_options.limits = { rate = { 0, 100000 }, memory = { 1, 1048576 } }

local names <const> = { "rate", "memory" }

-- Variables with the rank of a process in a parallel job. See csrc/runtime/file_names.c.
local RANKS <const> = { "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
  "MV2_COMM_WORLD_RANK", "FLUX_TASK_RANK", "PALS_RANKID", "SLURM_PROCID" }

-- Characters of names in the variable: commas separate its options.
local ENCODED <const> = { [","] = "%2C", ["%"] = "%25" }
local DECODED <const> = { ["%2C"] = ",", ["%25"] = "%%" }  -- in a pattern

--- Checks a pattern for the names of profiles. Their directory must be known, because it
-- is searched for profiles.
-- @tparam string pattern
-- @treturn string|nil what is wrong with it
function recorder_options.check_output(pattern)
  local directory, name = pattern:match "^(.-)([^/]*)$"
  if name == "" then return "no file name" end
  if directory:find "%%" then return "a placeholder in the directory" end
  local placeholder = name:gsub("%%[ehpr%%]", ""):match "%%.?"
  return placeholder and "the unknown placeholder " .. placeholder
end

--- Checks the name of the file that is watched.
-- @tparam string name
-- @treturn string|nil what is wrong with it
function recorder_options.check_dump_file(name)
  return name == "" and "no file name" or nil
end

--- Checks the options of `gprof.record`.
-- @tparam table options
-- @raise an error that names the argument
function recorder_options.check(options)
  for _, name in ipairs(names) do
    local value, limits = options[name], recorder_options.limits[name]
    if value and (value < limits[1] or value > limits[2]) then
      arguments.bad(2, "record", 3, "option '%s': %d to %d expected, got %d", name,
        limits[1], limits[2], value)
    end
  end
  for _, name in ipairs { "output", "dump_file" } do
    local value = options[name]
    local wrong = value and recorder_options["check_" .. name](value)
    if wrong then
      arguments.bad(2, "record", 3, "option '%s': '%s' has %s", name, value, wrong)
    end
  end
end

--- Returns the pattern for the names of profiles.
-- @tparam table options
-- @treturn string|nil the option, or the last one in the environment
function recorder_options.output(options)
  local pattern = options.output
  for value in ("," .. (os.getenv "GPROF_RECORDER" or "")):gmatch ",output=([^,]+)" do
    pattern = options.output or value:gsub("%%.[C5]?", DECODED)
  end
  return pattern
end

local function rank()
  for _, name in ipairs(RANKS) do
    local value = os.getenv(name)
    if value and value:find "^%d+$" and #value < 16 then return value end
  end
end

local function host()
  local file <close> = io.open "/proc/sys/kernel/hostname"
  return file and file:read "l" or ""
end

--- Replaces the placeholders whose values are known before the program starts.
-- @tparam string pattern
-- @tparam string name of the program
-- @treturn string a pattern with no other placeholders than `%p` and `%%`
function recorder_options.expand(pattern, name)
  return (pattern:gsub("%%(.)", function(letter)
    if letter == "%" then return "%%" end
    local value
    if letter == "e" then value = name end
    if letter == "h" then value = host() end
    if letter == "r" then value = rank() end
    return value and value:gsub("%%", "%%%%") or "%p"
  end))
end

--- Returns the name that an expanded pattern stands for.
-- @tparam string pattern
-- @tparam[opt=""] integer|string process the number of the process
-- @treturn string
function recorder_options.name_of(pattern, process)
  return (pattern:gsub("%%(.)", { p = process or "", ["%"] = "%" }))
end

--- Returns whether a pattern has placeholders for values. After `expand`, that is the
-- process number.
-- @tparam string pattern
-- @treturn boolean
function recorder_options.has_placeholder(pattern)
  return pattern:gsub("%%%%", ""):find("%", 1, true) ~= nil
end

--- Returns the environment variable that makes the dynamic linker load the recorder
-- first.
-- @tparam string library path of the recorder, or "" for none
-- @treturn string
function recorder_options.preloading(library)
  local others = os.getenv "LD_PRELOAD"
  return "LD_PRELOAD=" .. library .. (others and others ~= "" and ":" .. others or "")
end

--- Returns the environment variable that passes options to the recorder, after those that
-- it has already: the last value of an option counts.
-- @tparam table options
-- @tparam[opt] string directory for relative names of profiles, an absolute path
-- @tparam[opt] boolean samples also record a program without -pg
-- @treturn string|nil nil if no option is set
function recorder_options.setting(options, directory, samples)
  local words = { os.getenv "GPROF_RECORDER" }
  if words[1] == "" then words[1] = nil end
  local given = #words
  for _, name in ipairs(names) do
    if options[name] then words[#words + 1] = ("%s=%d"):format(name, options[name]) end
  end
  local signal = options.dump_signal
  if signal then words[#words + 1] = "dump-signal=" .. signal end
  if options.dump_file then
    words[#words + 1] = "dump-file=" .. options.dump_file:gsub("[,%%]", ENCODED)
  end
  if options.no_paths then words[#words + 1] = "no-paths" end
  if options.wall then words[#words + 1] = "wall" end
  if options.anew then words[#words + 1] = "anew" end
  if directory then
    words[#words + 1] = "directory=" .. directory:gsub("[,%%]", ENCODED)
  end
  if options.output then
    words[#words + 1] = "output=" .. options.output:gsub(",", ENCODED)
  end
  if options.follow then words[#words + 1] = "follow" end
  if samples then words[#words + 1] = "samples" end
  return #words > given and "GPROF_RECORDER=" .. table.concat(words, ",") or nil
end

return recorder_options
