--- Slides: profiles whose addresses are higher than those of the image, or lower.
--
-- What a slide is taken off is data: where they are read, if somebody says so, or once it
-- shows that they fit nowhere. From there on nothing knows of slides but what is told of
-- the files. What was found is a table with the fields
--
-- - `offset`: how much higher the addresses were than those of the image;
-- - `arcs`, how many there are; `fitting`, how many of them lead to entries of functions
--   with that offset taken off; and `unmoved`, how many as they were recorded;
-- - `covers`: whether the histogram covers all of the code then.
--
-- Of an offset that somebody gave there is nothing but `offset`.
--
-- @internal gprof.library.slide
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.arguments"
local core = require "gprof.core"
local images = require "gprof.image"

local slide = {}

local MOST_TOLD <const> = 3  -- files of many
local MOST <const> = 0.9     -- of the arcs have to fit where nobody asked

--- An offset as reports and options have it: "0x1000", "-0x1000".
-- @tparam integer offset
-- @treturn string
function slide.text(offset)
  return (offset < 0 and "-" or "") .. ("0x%x"):format(offset < 0 and -offset or offset)
end

-- The functions whose entries arcs lead to: all of them, whatever is left out elsewhere.
-- What comes through a pipe cannot be read twice.
local function functions_of(image, options)
  local list = images.options(image, options).external_symbol_table
  return images.symbols(image, { external_symbol_table = list ~= "-" and list or nil })
end

--- Finds the slide of data.
-- @tparam image image
-- @tparam data data
-- @tparam table options `external_symbol_table`
-- @treturn[1] table what was found; the `offset` is 0 if the data fit as they are
-- @return[2] nil
-- @treturn[2] string why none can be told, without a name in front
function slide.find(image, data, options)
  local symbols, message = functions_of(image, options)
  if not symbols then return nil, message end
  return core.find_slide(image, symbols, data)
end

-- Takes it off the data, and tells of it at their files.
local function take_off(data, found, around)
  local done, message = data:slide(found.offset, around)
  if not done then return nil, message end
  for _, file in ipairs(data.files) do file.slide = found end
  return data
end

-- Finds the slide of what one file holds, and takes it off.
local function put_right(image, data, path, options)
  local found, message = slide.find(image, data, options)
  if found then found, message = take_off(data, found, true) end
  if not found then return nil, path .. ": " .. message end
  return data
end

-- Adds a file to a sum, each with a slide of its own.
local function add_own(image, sum, path, format, options)
  local data = core.data(image, options.mixed_rates, arguments.trace(options))
  local done, message = data:read(path, format)
  if done then done, message = put_right(image, data, path, options) end
  if not done then return nil, message end
  done, message = sum:merge(data)
  if not done then return nil, path .. ": " .. message end
  table.move(data.files, 1, #data.files, #sum.files + 1, sum.files)
  data:close()
  return sum
end

--- What adds a file to data, less the slide of the file.
-- @tparam image image
-- @tparam table options of `gprof.data`, and `external_symbol_table`
-- @treturn function of data, a path and a format; returns the data, or nil and a message:
--   then the data are as they were
function slide.adder(image, options)
  return function(data, path, format)
    return add_own(image, data, path, format, options)
  end
end

--- Takes an offset off data that were read.
-- @tparam data data
-- @tparam integer offset
-- @tparam string where what the data are called in a message
-- @treturn[1] data
-- @return[2] nil
-- @treturn[2] string what is wrong
function slide.apply(data, offset, where)
  local done, message = take_off(data, { offset = offset })
  if not done then return nil, where .. ": " .. message end
  return data
end

--- Reads files for `gprof.data`.
-- @tparam data data
-- @tparam image image
-- @tparam {string,...} paths
-- @tparam table options `slide`, an offset or "auto"; and more of `gprof.data`
-- @treturn[1] data
-- @return[2] nil
-- @treturn[2] string what is wrong
function slide.read(data, image, paths, options)
  local auto = options.slide == "auto"
  local add = auto and paths[2] and slide.adder(image, options) or data.read
  for _, path in ipairs(paths) do
    local done, message = add(data, path, options.file_format)
    if not done then return nil, message end
  end
  if not paths[1] or add ~= data.read then
    return data
  elseif auto then
    return put_right(image, data, paths[1], options)
  end
  return slide.apply(data, options.slide, table.concat(paths, ", "))
end

-- What is told -------------------------------------------------------------------------

local function tell(line)
  require "gprof.format.terminal".tell("gprof.lua: " .. line)
end

-- What speaks for a slide: nothing does if there is nothing recorded.
local function evidence(found)
  local parts = {}
  if found.arcs > 0 then
    local moved = found.offset ~= 0 and (" (without it, %d)"):format(found.unmoved) or ""
    parts[1] = ("%d of %d arcs lead to entries of functions%s"):format(found.fitting,
      found.arcs, moved)
  end
  if found.covers then parts[#parts + 1] = "the histogram covers the code" end
  return table.concat(parts, ", ")
end

--- What is said of a slide that was found, with what speaks for it.
-- @tparam table found
-- @treturn string
function slide.describe(found)
  local why = evidence(found)
  local what = found.offset == 0 and "no slide" or "slide " .. slide.text(found.offset)
  return why == "" and what or what .. ": " .. why
end

--- Tells of the slides that were found of files, at least of the first few.
-- @tparam data data
function slide.tell(data)
  local count = 0
  for _, file in ipairs(data.files) do
    if file.slide and file.slide.arcs then
      count = count + 1
      if count <= MOST_TOLD then
        tell(("%s: %s"):format(file.path, slide.describe(file.slide)))
      end
    end
  end
  if count > MOST_TOLD then
    tell(("slides of %d more profiles were found"):format(count - MOST_TOLD))
  end
end

-- Memory that ran out says nothing about the profile.
local function is_fatal(message)
  return message and message:find "not enough memory$"
end

local function is_beyond_doubt(found, data)
  return found.offset ~= 0 and found.fitting >= MOST * found.arcs and
    (found.covers or not data.has_histogram)
end

--- Takes the slide off data that seem to be moved, if there is hardly a doubt about it;
-- tells of it.
-- @tparam profile profile of the data, and of libraries beside them, if there are
-- @tparam data data of the program
-- @tparam table settings that it was made by, as `options.read` gives them
-- @tparam string where what the data are called
-- @treturn[1] profile the same one, or another one of the data as they are then
-- @return[2] nil
-- @treturn[2] string what is wrong
function slide.rescue(profile, data, settings, where)
  if settings.slide or settings.gnu_compat then return profile end
  local done
  local found, message = slide.find(profile.image, data, arguments.pick(settings, "data"))
  if found and is_beyond_doubt(found, data) then
    done, message = take_off(data, found, true)
  end
  if is_fatal(message) then return nil, message end
  if not done then return profile end
  tell(("%s: taken for moved (unless --slide=0): %s"):format(where,
    slide.describe(found)))
  local options = arguments.pick(settings, "profile")
  options.missed = nil  -- it is said already
  return require "gprof.profile"(profile.image, data, options)
end

return slide
