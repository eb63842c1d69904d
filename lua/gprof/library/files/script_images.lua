--- Opens images of Lua programs, which their profiles contain.
--
-- @internal gprof.library.files.script_images
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local profile_files = require "gprof.library.files.profile_files"
local script_functions = require "gprof.scripts.script_functions"
local script_image = require "gprof.scripts.script_image"

local script_images = {}

-- Returns the functions of a profile.
local function functions_of(path)
  local bytes, message = core.script_functions(path)
  if not bytes then
    return nil, message or path .. ": is not the profile of a Lua program"
  end
  local functions, problem = script_functions.decode(bytes)
  if not functions then return nil, path .. ": " .. problem end
  return functions
end

-- Adds a list of functions to others. `joined[n]` has the functions of 2^n lists, or is
-- nil: a list is joined a few times, and not with each of those after it.
local function add(joined, list)
  local n = 0
  while joined[n] do
    list = script_functions.join(joined[n], list)
    joined[n], n = nil, n + 1
  end
  joined[n] = list
end

-- Returns the functions of all profiles. Files after the first one that are not such
-- profiles are left out: reading their records reports the reason.
local function functions_of_all(paths)
  local first, message = functions_of(paths[1])
  if not first then return nil, message end
  local joined, all = { [0] = first }, {}
  for i = 2, #paths do
    local more = profile_files.is_context_profile(paths[i]) and functions_of(paths[i])
    if more then add(joined, more) end
  end
  for _, list in pairs(joined) do all = script_functions.join(all, list) end
  return all
end

--- Opens the image that stands for the Lua program of profiles: it has the functions of
-- all of them.
-- @tparam {string,...} paths not empty
-- @tparam[opt] string name shown instead of the first path
-- @treturn[1] image
-- @return[2] nil
-- @treturn[2] string what is wrong
function script_images.open(paths, name)
  local functions, message = functions_of_all(paths)
  if not functions then return nil, message end
  return core.script_image(name or paths[1], script_image.bytes(functions),
    script_functions.encode(functions))
end

return script_images
