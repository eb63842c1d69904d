--- The options that images were opened with. They are the defaults for everything that is
-- made from an image.
--
-- @internal gprof.library.options.image_options
-- SPDX-License-Identifier: GPL-3.0-or-later

local arguments = require "gprof.library.options.arguments"
local core = require "gprof.core"

local image_options = {}

--- Records the options of an image.
-- @tparam image image
-- @tparam table options of `gprof.image`
function image_options.set(image, options)
  core.state(image).options = arguments.pick(options, "image")
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
  local all, own = {}, core.state(image).options
  for name in pairs(arguments.known.profile) do
    all[name] = options[name]
    if all[name] == nil then all[name] = own[name] end
  end
  return all
end

return image_options
