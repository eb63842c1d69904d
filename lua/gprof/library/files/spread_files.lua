--- The spread of sums: adds profiles and sums to a spread, and reads and writes the file
-- beside a sum.
--
-- @internal gprof.library.files.spread_files
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local failure = require "gprof.library.failure"
local profile_files = require "gprof.library.files.profile_files"
local symbol_tables = require "gprof.library.symbol_tables"

local spread_files = {}

-- Version of the header in sums of profiles of shared libraries, where other headers have
-- the number that identifies the spread.
local SHARED <const> = 0x1ffff

--- Makes an empty spread of the functions of an image.
-- @tparam image image
-- @treturn[1] spread
-- @return[2] nil
-- @treturn[2] string what is wrong
function spread_files.new(image)
  if core.script_list(image) then
    return nil, "the spread of Lua programs is not known: their functions differ by run"
  end
  local symbols, message = symbol_tables.of(image, {})
  if not symbols then return nil, message end
  return core.spread(symbols)
end

-- Reads the spread of a sum. Returns nil and a message if there is none that can be used.
local function read_companion(path, id, like, new)
  local problem
  for _, companion in ipairs(profile_files.spread_paths(path)) do
    if core.file_status(companion) == "file" then
      local spread = failure.need(new())
      local found, message = spread:read(companion)
      local fits = found == id
      if fits then
        fits, message = like:fits(spread)
        message = message and ("%s: %s"):format(companion, message)
      end
      if fits then return spread end
      problem = problem or message or
        ("%s: does not belong to %s, but to another sum"):format(companion, path)
    end
  end
  return nil, problem or path .. ": is a sum without its spread"
end

-- Returns the spread of a sum; nil if the profile is of one run; false and a message if
-- it is a sum that has no spread.
local function spread_of_sum(path, like, new)
  local head = profile_files.head(path)
  local _, id = profile_files.ids(head)
  if id and id ~= SHARED then
    local spread, problem = read_companion(path, id, like, new)
    return spread or false, problem
  elseif profile_files.seems_sum(head, path) then
    return false, path .. ": is a sum without a spread"
  end
end

--- Adds a file to data and to a spread: a run, or a sum with the spread beside it. A
-- failure leaves both unchanged.
-- @tparam data data
-- @tparam spread spread
-- @tparam string path
-- @tparam string|nil format as for `data:read`
-- @tparam function new returns a new spread
-- @treturn[1] data
-- @treturn[1] string|nil why the file is not in the spread: it is a sum without one
-- @return[2] nil
-- @treturn[2] string what is wrong
function spread_files.add(data, spread, path, format, new)
  local sum, problem = spread_of_sum(path, spread, new)
  if sum == nil then
    local done, message = data:add_file(path, format, spread)
    if not done then return nil, message end
    if message then problem = path .. ": is a sum without a spread" end
  else
    local done, message = data:add_file(path, format)
    if not done then return nil, message end
    if sum then failure.need(spread:merge(sum)) end
  end
  if problem then spread:skip() end
  return data, problem
end

--- Makes data from files, and their spread.
-- @tparam data data without records
-- @tparam image image
-- @tparam {string,...} paths
-- @tparam table options of `gprof.data`
-- @treturn[1] data
-- @return[2] nil
-- @treturn[2] string what is wrong
function spread_files.read(data, image, paths, options)
  local spread, message = spread_files.new(image)
  if not spread then return nil, message end
  local function new() return spread_files.new(image) end
  for _, path in ipairs(paths) do
    local done
    done, message = spread_files.add(data, spread, path, options.file_format, new)
    if done and message and options.warn then options.warn(message) end
    if done and not options.assume_proportional and
      profile_files.existing_contexts(path)
    then
      done, message =
        require "gprof.library.files.context_files".add_call_paths(data, path)
    end
    if not done then return nil, message end
  end
  core.keep_spread(data, spread)
  return data
end

return spread_files
