--- Asks recorded processes for their profiles, or to pause.
--
-- @internal gprof.cli.requests
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local failure = require "gprof.library.failure"
local request <const> = require "gprof.request"
local shell_path <const> = require "gprof.format.wording".shell_path
local terminal = require "gprof.format.terminal"

local requests = {}

local function dump(process, what)
  local path = failure.need(request(process, what))
  local image = core.real_path(("/proc/%d/exe"):format(process))
  terminal.tell(("gprof.lua: %s was written; to read it: gprof.lua %s %s"):format(path,
    image and shell_path(image) or "IMAGE", shell_path(path)))
end

--- Makes the requests that the settings contain.
-- @tparam table settings
-- @treturn integer the exit status
-- @raise a table with the field `message`, if a process does not answer
function requests.run(settings)
  if settings.dump then dump(settings.dump, settings.anew and "anew" or "write") end
  if settings.pause then failure.need(request(settings.pause, "pause")) end
  if settings.resume then failure.need(request(settings.resume, "resume")) end
  return 0
end

return requests
