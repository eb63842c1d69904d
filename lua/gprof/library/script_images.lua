--- Opens images of Lua programs, which stand in their profiles.
--
-- @internal gprof.library.script_images
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local profile_files = require "gprof.library.profile_files"
local script_functions = require "gprof.format.script_functions"
local script_image = require "gprof.format.script_image"

local script_images = {}

-- Returns the functions of a profile.
local function functions_of(path)
  local bytes, message = core.script_functions(path)
  if not bytes then
    return nil, message or path .. ": is a profile, and has no functions of its own"
  end
  local functions, problem = script_functions.decode(bytes)
  if not functions then return nil, path .. ": " .. problem end
  return functions
end

-- Returns the functions of all profiles. Files after the first one that are not such
-- profiles are left out: reading their records reports the reason.
local function joined(paths)
  local functions, message = functions_of(paths[1])
  if not functions then return nil, message end
  for i = 2, #paths do
    local more = profile_files.is_context_profile(paths[i]) and functions_of(paths[i])
    functions = script_functions.join(functions, more or {})
  end
  return functions
end

--- Opens the image that stands for the Lua program of profiles: it has the functions of
-- all of them.
-- @tparam {string,...} paths not empty
-- @treturn[1] image
-- @return[2] nil
-- @treturn[2] string what is wrong
function script_images.open(paths)
  local functions, message = joined(paths)
  if not functions then return nil, message end
  return core.script_image(paths[1], script_image.bytes(functions),
    script_functions.encode(functions))
end

return script_images
