-- Damages the bytes of any file.
-- SPDX-License-Identifier: GPL-3.0-or-later

local damage = {}

local random <const> = math.random

-- Each takes the bytes and a place in them.
local changes <const> = {
  cut = function(bytes, at) return bytes:sub(1, at - 1) end,
  byte = function(bytes, at) return bytes:sub(1, at - 1) .. string.char(random(0, 255)) .. bytes:sub(at + 1) end,
  ones = function(bytes, at) return bytes:sub(1, at - 1) .. ("\xff"):rep(random(8)) .. bytes:sub(at + 8) end,
  zeros = function(bytes, at) return bytes:sub(1, at - 1) .. ("\0"):rep(random(8)) .. bytes:sub(at + 8) end,
  twice = function(bytes, at) return bytes:sub(1, at) .. bytes:sub(random(#bytes)) end,
}
local names <const> = { "byte", "byte", "byte", "byte", "ones", "zeros", "cut", "twice" }

--- Makes up to three changes.
-- @tparam string bytes
-- @treturn string bytes
-- @treturn string a description on one line
function damage.bytes(bytes)
  local done = {}
  for i = 1, random(3) do
    if #bytes < 2 then break end
    local name, at = names[random(#names)], random(#bytes)
    bytes, done[i] = changes[name](bytes, at), ("%s at %d"):format(name, at)
  end
  return bytes, table.concat(done, ", ")
end

return damage
