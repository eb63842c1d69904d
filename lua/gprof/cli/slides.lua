--- Slides on the command line: prints the slides that were found, and corrects profiles
-- whose addresses do not fit the image. Loaded on demand.
--
-- @internal gprof.cli.slides
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.options.arguments"
local gprof = require "gprof"
local slide = require "gprof.library.slide"
local terminal = require "gprof.format.terminal"

local slides = {}

local MOST_LISTED <const> = 3  -- files whose slide is printed
local FITTING <const> = 0.9    -- least fraction of fitting arcs if --slide is not given

local function print_line(line)
  terminal.tell("gprof.lua: " .. line)
end

-- Returns the figures from which a slide was inferred, as text; "" if there are none.
local function evidence(found)
  local parts = {}
  if found.arcs > 0 then
    local moved = found.offset ~= 0 and (" (without it, %d)"):format(found.unmoved) or ""
    parts[1] = ("%d of %d arcs lead to function entries%s"):format(found.fitting,
      found.arcs, moved)
  end
  if found.covers then parts[#parts + 1] = "the histogram covers the code" end
  return table.concat(parts, ", ")
end

-- Returns the text about a slide that was found (see gprof.library.slide), with the
-- evidence.
local function describe(found)
  local why = evidence(found)
  local what = found.offset == 0 and "no slide" or "slide " .. slide.text(found.offset)
  return why == "" and what or what .. ": " .. why
end

--- Prints the slides of the first few files on standard error.
-- @tparam data data
function slides.print(data)
  local count = 0
  for _, file in ipairs(data.files) do
    if file.slide and file.slide.arcs then
      count = count + 1
      if count <= MOST_LISTED then
        print_line(("%s: %s"):format(file.path, describe(file.slide)))
      end
    end
  end
  if count > MOST_LISTED then
    print_line(("slides of %d more profiles were found"):format(count - MOST_LISTED))
  end
end

-- Other slides are more likely to be due to another build of the program.
local function is_certain(found)
  return found.offset ~= 0 and found.fitting >= FITTING * found.arcs and found.by_loader
end

--- Subtracts the slide from data whose addresses do not fit the image, if the slide is
-- certain. Prints a line about the correction.
-- @tparam profile profile of the data and of any libraries
-- @tparam data data of the program
-- @tparam table settings that the profile was made with
-- @tparam string where the data's name in messages
-- @treturn[1] profile the same profile, or a new one made from the corrected data
-- @return[2] nil
-- @treturn[2] string message
function slides.correct(profile, data, settings, where)
  if settings.slide then return profile end
  local done
  local found, message = slide.find(profile.image, data, arguments.pick(settings, "data"))
  if found and is_certain(found) then
    done, message = slide.subtract(data, found, true)
  end
  -- lack of memory says nothing about the profile
  if message and message:find "not enough memory$" then return nil, message end
  if not done then return profile end
  print_line(("%s: addresses corrected (--slide=0 disables this): %s"):format(where,
    describe(found)))
  local options = arguments.pick(settings, "profile")
  options.missed = nil  -- `profile` has reported symspecs without a match
  return gprof.profile(profile.image, data, options)
end

return slides
