--- Detects that data and image are probably from different builds of a program. Reports
-- on such data name the wrong functions.
--
-- The modification times of the files are no evidence: copies and fresh checkouts are
-- newer than profiles.
--
-- @internal gprof.library.fit
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local external_calls = require "gprof.library.libraries.external_calls"
local policy = require "gprof.library.policy"
local symbol_tables = require "gprof.library.symbol_tables"

local fit = {}

--- The smallest fraction of addresses that must match. The other addresses may be in
-- other objects.
fit.MIN_ADDRESSES = 0.9

--- The smallest fraction of samples that must be in functions. The other samples may be
-- in linkage stubs, for example.
fit.MIN_SAMPLES = 0.75

--- A smaller number of samples without a match is no evidence of another build.
fit.ENOUGH_SAMPLES = 10

-- Nor is a smaller number of arcs.
local ENOUGH_ARCS <const> = 3

--- Returns the reason to believe that the histogram is from another build of the program.
-- @tparam image image
-- @tparam data data
-- @treturn string|nil
function fit.histogram_mismatch(image, data)
  if core.histogram_fits(image, data) then return nil end
  local low, high = external_calls.covered(data)
  return ("it covers addresses 0x%x to 0x%x, the code is at 0x%x to 0x%x"):format(low,
    high, image.text_low, image.text_high)
end

-- Returns all functions of the image, even if the profile has only some of them. Nil with
-- a symbol file, which may list any functions.
local function all_functions(profile)
  local symbols = profile.symbols
  if symbols.complete or symbols.listed then return symbols.complete and symbols end
  return (symbol_tables.of(profile.image, {}))
end

--- Returns the number of arcs to functions whose symbols were stripped ("strip -x"). Such
-- arcs are no evidence of another build.
-- @tparam profile profile
-- @tparam data data of the program, without its libraries
-- @treturn integer
function fit.stripped_arcs(profile, data)
  local image = profile.image
  local symbols = core.lacks_local_symbols(image) and all_functions(profile)
  return symbols and core.uncovered_arcs(image, symbols, data) or 0
end

-- Returns the number of arcs, except arcs to libraries and to functions without symbols;
-- and the number of arcs that lead to function entries. Nil if the functions are unknown.
local function count_entries(profile, data)
  local symbols = all_functions(profile)
  if not symbols then return nil end
  local _, fitting = core.arcs_at_entries(symbols, data)
  local elsewhere, all = external_calls.count(data)
  return all - elsewhere - fit.stripped_arcs(profile, data), fitting
end

-- Returns the reason to believe that the arcs are from another build, or nil; and whether
-- the arcs show that the data is from this build.
local function arcs_mismatch(profile, data)
  if core.sampled_entries(profile.symbols, data) >= fit.MIN_ADDRESSES then
    return nil, data.arc_records >= ENOUGH_ARCS
  end
  local all, fitting = count_entries(profile, data)
  if not all then return nil, false end
  if fitting >= fit.MIN_ADDRESSES * all then return nil, all >= ENOUGH_ARCS end
  if all - fitting < ENOUGH_ARCS then return nil, false end
  return ("%d of %d arcs do not lead to a function entry"):format(all - fitting, all)
end

-- Returns the section with the most samples outside all functions, as text: ", most in
-- .ramfunc"; "" if there is none.
local function section_of_unknown(profile, data)
  local counts, most = {}, nil
  for histogram in data:histograms() do
    for _, samples, address in histogram:bins() do
      local name = not profile.symbols:lookup(address) and
        core.section_at(profile.image, address)
      if name then
        counts[name] = (counts[name] or 0) + samples
        most = most and counts[most] >= counts[name] and most or name
      end
    end
  end
  return most and (", most in section %s, without functions there"):format(most) or ""
end

local function samples_mismatch(profile, data)
  local unknown, all = profile.unknown_ticks, profile.recorded_ticks
  if unknown < fit.ENOUGH_SAMPLES or all - unknown >= fit.MIN_SAMPLES * all or
    not profile.symbols.complete
  then
    return nil
  end
  return ("%.0f of %.0f samples are in code outside all functions%s"):format(unknown, all,
    section_of_unknown(profile, data))
end

-- If the calls fit, samples outside all functions may be in libraries. Profiles of shared
-- libraries have other checks, see gprof.cli.libraries.
local function find_mismatch(profile, data)
  local reasons = {}
  if data.shared then return nil end
  reasons[1] = fit.histogram_mismatch(profile.image, data)
  local mismatch, fits = arcs_mismatch(profile, data)
  reasons[#reasons + 1] = mismatch
  reasons[#reasons + 1] = not fits and samples_mismatch(profile, data) or nil
  return reasons[1] and table.concat(reasons, "; ")
end

-- The smallest fraction of the symbols of a file, and of the callees, that must be where
-- the code is.
local MIN_LISTED <const> = 0.1

--- Returns the reason to believe that the symbols of a file (-S) are of other code than
-- the profile: nearly none of them is in the code, or no callee is one of them. The last
-- symbol before the code would get all samples.
-- @tparam profile profile
-- @tparam data data of the program, without its libraries
-- @treturn string|nil
function fit.symbols_mismatch(profile, data)
  local symbols, image = profile.symbols, profile.image
  if not symbols.listed or not data.low then return nil end
  local all = symbols.count
  local inside = math.max(core.symbols_within(symbols, image.code_low, image.code_high),
    core.symbols_within(symbols, data.low, data.high))
  if all == 1 then return nil end  -- may stand for all code
  if inside == 0 or inside < MIN_LISTED * all then
    return ("%d of %d symbols are in the code that was profiled, 0x%x to 0x%x"):format(
      inside, all, data.low, data.high)
  end
  local _, fitting = core.arcs_at_entries(symbols, data)
  local elsewhere, arcs = external_calls.count(data)
  arcs = arcs - elsewhere
  if arcs < ENOUGH_ARCS or fitting >= MIN_LISTED * arcs then return nil end
  return ("%d of %d calls lead to symbols"):format(fitting, arcs)
end

--- Returns the evidence that a profile is from another build of its image.
-- @tparam profile profile
-- @tparam data data of the program, without its libraries
-- @treturn string|nil "6 of 10 arcs do not lead to a function entry"; nil if the profile
--   fits, or if too little is known
function fit.mismatch(profile, data)
  local state = core.state(profile)
  if state.mismatch == nil then state.mismatch = find_mismatch(profile, data) or false end
  return state.mismatch or nil
end

--- Returns whether the program was rebuilt without -pg after the profile was written:
-- calls were recorded, but the image does not import the function that counts them.
-- Images without shared libraries may not import anything.
-- @tparam profile profile whose files are older than its image
-- @treturn boolean
function fit.lost_profiling(profile)
  local image, data = profile.image, profile.data
  return data.has_arcs and data.arc_records > 0 and not data.shared and
    core.needed_libraries(image)[1] ~= nil and
    not require "gprof.library.collection".is_instrumented(image)
end

--- Returns a note for exports if local symbols were stripped from the program.
-- @tparam profile profile
-- @tparam table options of the export
-- @treturn string|nil a sentence without a capital letter and a full stop
function fit.stripped_note(profile, options)
  if not policy.of(options).checks_profile then return nil end
  local arcs = fit.stripped_arcs(profile, profile.data)
  if arcs == 0 then return nil end
  return ("local symbols were stripped: %d arcs lead to functions without a symbol, " ..
    "whose calls and time are attributed to other functions"):format(arcs)
end

return fit
