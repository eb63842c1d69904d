--- SHA-256 (FIPS 180-4) and base 64. HTML pages contain the hash of their own script, so
-- that browsers run no other script (Content Security Policy).
--
-- @internal gprof.format.sha256
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local sha256 = {}

--- Computes the SHA-256 digest of a string.
-- @function sha256.digest
-- @tparam string message
-- @treturn string 32 bytes
sha256.digest = core.sha256

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
