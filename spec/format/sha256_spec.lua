-- SHA-256 and base 64, compared with the system's sha256sum and base64.
-- SPDX-License-Identifier: GPL-3.0-or-later

local sha256 = require "gprof.format.sha256"
local shell = require "support.shell"

local function hexadecimal(bytes)
  return (bytes:gsub(".", function(byte) return ("%02x"):format(byte:byte()) end))
end

-- Texts with all byte values. Their lengths are around the ends of blocks and of the padding.
local texts <const> = {}
for _, length in ipairs { 0, 1, 2, 3, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1000 } do
  local bytes = {}
  for i = 1, length do bytes[i] = string.char((i * 37 + length) % 256) end
  texts[#texts + 1] = table.concat(bytes)
end

describe("sha256", function()
  it("computes the digests of the standard's examples", function()
    assert.equal("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", hexadecimal(sha256.digest "abc"))
    assert.equal("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
      hexadecimal(sha256.digest "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"))
  end)

  it("computes the same digests as sha256sum", function()
    for _, text in ipairs(texts) do
      local path = shell.write(shell.tmpdir() .. "/text", text)
      assert.equal(shell.check({ "sha256sum", path }).stdout:match "^%x+", hexadecimal(sha256.digest(text)))
    end
  end)

  it("encodes base 64 like base64", function()
    for _, text in ipairs(texts) do
      local path = shell.write(shell.tmpdir() .. "/text", text)
      assert.equal(shell.check({ "base64", "-w0", path }).stdout, sha256.base64(text))
    end
  end)
end)
