--- SHA-256 (FIPS 180-4) and base 64. HTML pages contain the hash of their own script, so
-- that browsers run no other script (Content Security Policy).
--
-- @internal gprof.format.sha256
-- SPDX-License-Identifier: GPL-3.0-or-later

local sha256 = {}

-- Returns the first 32 bits of the fractional part of a prime's root. They are exact: a
-- float has 53 bits, and the integer part of the root takes at most three.
local function fraction(prime, power)
  return math.floor(prime ^ power % 1 * 2 ^ 32)
end

-- The constants of the standard: from the square roots of the first 8 primes, and the
-- cube roots of the first 64.
local START <const>, ROUNDS <const> = {}, {}
do
  local number = 2
  while #ROUNDS < 64 do
    local prime = true
    for divisor = 2, number - 1 do prime = prime and number % divisor ~= 0 end
    if prime then
      ROUNDS[#ROUNDS + 1] = fraction(number, 1 / 3)
      if #START < 8 then START[#START + 1] = fraction(number, 1 / 2) end
    end
    number = number + 1
  end
end

local MASK <const> = 0xFFFFFFFF

-- A word that is repeated in both halves of an integer is rotated by a shift: its lower
-- half is then the rotated word. Upper halves do not matter until the masks of sums.

local BLOCK <const> = ">" .. ("I4"):rep(16)

-- Expands a block of 64 bytes to the message schedule of 64 words.
local function schedule(message, position)
  local words = { BLOCK:unpack(message, position) }
  words[17] = nil  -- string.unpack also returns the next position
  for i = 17, 64 do
    local early, late = words[i - 15], words[i - 2]
    local earlies, lates = early << 32 | early, late << 32 | late
    local a = earlies >> 7 ~ earlies >> 18 ~ early >> 3
    local b = lates >> 17 ~ lates >> 19 ~ late >> 10
    words[i] = words[i - 16] + a + words[i - 7] + b & MASK
  end
  return words
end

local function add_block(state, words)
  local a, b, c, d, e, f, g, h = table.unpack(state)
  for i = 1, 64 do
    local es, as = e << 32 | e, a << 32 | a
    local mixed = (es >> 6 ~ es >> 11 ~ es >> 25) + (e & f ~ (~e & g)) + h +
      ROUNDS[i] + words[i]
    local major = (as >> 2 ~ as >> 13 ~ as >> 22) + (a & b ~ a & c ~ b & c)
    a, b, c, d, e, f, g, h = mixed + major & MASK, a, b, c, d + mixed & MASK, e, f, g
  end
  for i, word in ipairs { a, b, c, d, e, f, g, h } do
    state[i] = state[i] + word & MASK
  end
end

--- Computes the SHA-256 digest of a string.
-- @tparam string message
-- @treturn string 32 bytes
function sha256.digest(message)
  local state = table.move(START, 1, 8, 1, {})
  local padded = message .. "\x80" .. ("\0"):rep((55 - #message) % 64) ..
    (">I8"):pack(8 * #message)
  for position = 1, #padded, 64 do add_block(state, schedule(padded, position)) end
  return (">" .. ("I4"):rep(8)):pack(table.unpack(state))
end

local LETTERS <const> =
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

--- Encodes bytes in base 64 (RFC 4648).
-- @tparam string bytes
-- @treturn string
function sha256.base64(bytes)
  local lacking = -#bytes % 3
  local coded = (bytes .. ("\0"):rep(lacking)):gsub("...", function(three)
    local bits, letters = (">I3"):unpack(three), {}
    for i = 1, 4 do
      local digit = bits >> 24 - 6 * i & 63
      letters[i] = LETTERS:sub(digit + 1, digit + 1)
    end
    return table.concat(letters)
  end)
  return coded:sub(1, #coded - lacking) .. ("="):rep(lacking)
end

return sha256
