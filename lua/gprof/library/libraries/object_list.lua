--- The objects of profiles: the program, and the shared libraries whose functions are
-- shown with it. Loaded on demand.
--
-- @internal gprof.library.libraries.object_list
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local object_list = {}

-- Returns an object: its file is `file`, an image or a recorded module.
local function object_of(file, name, slide, low, high)
  local image = type(file) == "userdata" and file or nil
  if image then low, high = image.code_low, image.code_high end
  -- .text can be at another distance from its address than code before it
  local offset = image and image.text_offset - (image.text_low - low) or low
  if offset < 0 then low, offset = image.text_low, image.text_offset end
  return { name = name, path = file.path, build_id = file.build_id, image = image,
    slide = slide, low = low + slide, high = high + slide, offset = offset }
end

--- Stores the objects of records that `core.merge_objects` has merged.
-- @tparam data records
-- @tparam {table,...} objects as for `core.merge_objects`, each with the image or the
--   recorded module as its fourth item
-- @tparam {table,...} places where they were moved
function object_list.set(records, objects, places)
  local list = {}
  for i, object in ipairs(objects) do
    list[i] = object_of(object[4], object[3], places[i].slide, object[5], object[6])
  end
  core.state(records).objects = list
end

--- Returns the objects of a profile: see `profile:objects`.
-- @tparam profile profile
-- @treturn {table,...}
function object_list.of(profile)
  local list = {}
  for i, object in ipairs(core.state(profile.data).objects or
    { object_of(profile.image, nil, 0) }) do
    list[i] = {}
    for key, value in pairs(object) do list[i][key] = value end
  end
  return list
end

--- Returns the data of the program alone. If a profile has functions of libraries,
-- `profile.data` has their records, too.
-- @tparam profile profile
-- @treturn data
function object_list.program_data(profile)
  return core.state(profile).program_data or profile.data
end

return object_list
