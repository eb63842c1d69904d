--- The options that images were opened with. They are the defaults for everything that is
-- made from an image.
--
-- @internal gprof.library.options.image_options
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.options.arguments"
local core = require "gprof.core"

local image_options = {}

-- Copies the value of an option. No option has tables at more than `depth` levels.
local function copy(value, depth)
  if type(value) ~= "table" or depth == 0 then return value end
  local copied = {}
  for key, member in pairs(value) do copied[key] = copy(member, depth - 1) end
  return copied
end

-- Copies the options of a function: the caller may change its tables later.
local function copies(options, name)
  local picked = arguments.pick(options, name)
  for option, value in pairs(picked) do picked[option] = copy(value, 2) end
  return picked
end

--- Records the options of an image.
-- @tparam image image
-- @tparam table options of `gprof.image`
function image_options.set(image, options)
  core.state(image).options = copies(options, "image")
end

--- Returns the options that an image was opened with.
-- @tparam image image
-- @treturn table options of `gprof.image`
function image_options.of(image)
  return core.state(image).options
end

--- Completes the options of a profile with the options of the image.
-- @tparam image image
-- @tparam table options of `gprof.profile`
-- @treturn table a copy, in which options that were nil have the image's values
function image_options.complete(image, options)
  local all, own = copies(options, "profile"), core.state(image).options
  for name in pairs(arguments.known.profile) do
    if all[name] == nil then all[name] = own[name] end
  end
  return all
end

return image_options
