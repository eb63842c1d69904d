-- Queries everything that the library knows about an image: `ask.lua IMAGE PROFILE`.
--
-- Reports mostly use our own reader of line tables; these queries use libbfd's.
-- SPDX-License-Identifier: GPL-3.0-or-later

local root = arg[0]:match "^(.*)fuzz/images/ask%.lua$"
package.path = ("%slua/?.lua;%slua/?/init.lua;"):format(root, root) .. package.path
package.cpath = root .. "build/?.so;" .. package.cpath

local gprof = require "gprof"

local MAX_ADDRESSES <const> = 3000

-- Reports an error as the program does.
local function try(value, message)
  if value == nil then
    io.stderr:write("gprof.lua: ", message, "\n")
    os.exit(1, true)
  end
  return value
end

local image = try(gprof.image(arg[1]))
local low, high = image.text_low, image.text_high
local step = math.max(1, (high - low) // MAX_ADDRESSES)
local lines, sources = 0, 0
for i = -2, math.min(MAX_ADDRESSES, high - low) + 2 do
  if image:source(low + i * step, i % 2 == 0) then sources = sources + 1 end
end
for _ in image:lines() do
  lines = lines + 1
end
local data = try(gprof.data(image, arg[2]))
local profile = try(gprof.profile(image, data, { static_call_graph = true }))
local names = 0
for f in profile:functions() do
  names = names + (f.name ~= "" and f.file and 1 or 0)
end
print(sources, lines, names)
