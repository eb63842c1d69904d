-- The source of the fixture, and texts with other line ends, without any, with zero bytes and long lines.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local shell = require "support.shell"

return function(save)
  local source = shell.read(build.fixture "twins.c")
  local texts = { source, source:sub(1, -2), (source:gsub("\n", "\r\n")), "", "\n", "x", ("\n"):rep(200),
    ("line\0\27[1m\n"):rep(30), ("x"):rep(1000), ("\u{e4}"):rep(250), ("\xff"):rep(450) .. "\n" }
  for i, text in ipairs(texts) do
    save(string.char(i & 1, i >> 1 & 1, i >> 2 & 1, i >> 3 & 1, 10, 1, i & 1, 3), text)
    save(string.char(0, 0, 0, 0, 0, 0, 0, 0), text)
  end
end
