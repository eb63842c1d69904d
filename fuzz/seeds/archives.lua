-- Archives in all formats, with every kind of entry.
-- SPDX-License-Identifier: GPL-3.0-or-later

local tar = require "support.tar"

return function(save)
  local long, file = ("d/"):rep(60) .. "f", ("gmon"):rep(200)
  local archives = {
    tar.archive { { "a", "text" }, { "b", "" }, { "c", file } },
    tar.pax { { "path", long }, { "size", "3" } } .. tar.entry { name = "x", content = "abc", size = 0 } .. tar.END,
    tar.pax({ { "comment", "1" } }, "g") .. tar.entry { name = "x", content = "abc" } .. tar.END,
    tar.long_name(long) .. tar.entry { name = "x", magic = "gnu", content = "abc" } .. tar.END,
    tar.entry { name = "s", type = "S", magic = "gnu", content = "abc", tail = ("\0"):rep(137) .. "\1" } ..
      ("\0"):rep(512) .. tar.END,
    tar.pax { { "GNU.sparse.major", "1" } } .. tar.entry { name = "s", content = file } .. tar.END,
    tar.entry { name = "p", prefix = "pre", content = file, size = "\128\0\0\0\0\0\0\0\0\0\3\32" } .. tar.END,
    tar.entry { name = "d/", type = "5" } .. tar.entry { name = "l", type = "1", size = 9 } ..
      tar.entry { name = "v", type = "V", magic = "gnu" } .. tar.entry { name = "m", type = "M", magic = "gnu" } ..
      tar.END,
    tar.entry { name = "old", magic = "none", type = "\0", content = "1" } .. ("\0"):rep(512),
    tar.archive { { "a", "1" } } .. ("\0"):rep(2048) .. tar.archive { { "b", "2" } },
    tar.archive { { "a", file } }:sub(1, 700), tar.entry { name = "a" }, "text", "",
  }
  for i, archive in ipairs(archives) do
    save(string.char(i & 1, i * 7, i * 13), archive)
    save(string.char(1, 0, 3), archive)
  end
end
