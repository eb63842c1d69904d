--- Looks up the functions at addresses, inlined ones included, with `image:frames`.
--
--     lua5.4 bench/frames.lua IMAGE <ADDRESSES
--
-- Reads an address from each line. Prints for each frame the name of its function, and its file and line, as
-- `addr2line -fi` does.
--
-- SPDX-License-Identifier: GPL-3.0-or-later

local root = (arg[0]:match("^(.*/)") or "./") .. "../"
package.path = root .. "?.lua;" .. package.path

local image = assert(require "gprof".image(arg[1]))
for address in io.lines() do
  for _, frame in ipairs(image:frames(tonumber(address)) or { {} }) do
    print(frame.name or "??")
    print(("%s:%d"):format(frame.file or "??", frame.line or 0))
  end
end
