-- Returns an array of functions that return a new value for a number: a special one, a huge one, or a small change of
-- the old value. They take the old value and the size of the file.
-- SPDX-License-Identifier: GPL-3.0-or-later

local random <const> = math.random

local STEPS <const> = { 4, 8, 16, -4, -8, -16, 4096, -4096 }

return {
  function() return 0 end,
  function() return 1 end,
  function() return -1 end,
  function() return 1 << 31 end,
  function() return (1 << 31) - 1 end,
  function() return 0xffffffff end,
  function() return 0x100000000 end,
  function() return math.mininteger end,
  function() return math.maxinteger end,
  function() return -random(4096) end,
  function() return random(0, 255) end,
  function() return 1 << random(0, 63) end,
  function() return random(0) end,
  function(old) return old + 1 end,
  function(old) return old - 1 end,
  function(old) return old + STEPS[random(#STEPS)] end,
  function(old) return old * 2 end,
  function(old) return old // 2 end,
  function(old) return old ~ 1 << random(0, 63) end,
  function(_, size) return size end,
  function(_, size) return size - random(16) end,
  function(_, size) return size + random(16) end,
  function(_, size) return random(0, size) end,
  function(_, size) return size * 1000 end,
}
