-- Lists with newlines and zero bytes, of profiles, context profiles and spreads.
-- SPDX-License-Identifier: GPL-3.0-or-later

return function(save)
  local lists = { "gmon.out\nrun.2\n", "gmon.out\0run 2\0", "gmon.out.ctx\ngmon.out\n", "gmon.out\ngmon.out.ctx", "-\n",
    "a\nb\0c\n\0", "\n\n", "\0", "", ".ctx\n\n", "a.ctx.ctx\na.ctx\na\n", "a.spread\na\na.spread.new\n",
    ("a/"):rep(100) .. "\r\n" }
  for i, list in ipairs(lists) do
    save("\0", list, "")
    save("\1", list, lists[#lists + 1 - i])
  end
end
