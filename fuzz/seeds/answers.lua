-- Lists of mappings with answers, complete and damaged; context profiles.
-- SPDX-License-Identifier: GPL-3.0-or-later

local contexts = require "support.contexts"

local function mappings(answer, path)
  return "00400000-00401000 r-xp 00000000 08:01 12      /bin/words\n00500000-00501000 rw-p 00000000 00:00 0\n" ..
    ("10000000-10010000 r--s 00000000 00:01 7       /memfd:gprof-recorder:%s (deleted)\n"):format(answer) ..
    ("10010000-10011000 r--s 00000000 08:01 9       %s\n"):format(path)
end

local function profile(image, build_id)
  return contexts.pack { process = { id = 77, begin = 5, low = 0x1000, high = 0x2000 },
    modules = { { low = 0x1000, high = 0x2000, build_id = build_id, path = image } }, tables = { {} } }
end

return function(save)
  local files = { "", profile("/bin/words", "0123"), profile("", ""), profile(("/a"):rep(60), ("b"):rep(64)),
    profile("/bin/words", "0123"):sub(1, 60) }
  for i, text in ipairs { mappings("34:1:0", "/tmp/gmon.out.ctx"), mappings("0:0:13", ""),
    mappings("34:99999999999:1", "/a\\012b\\999.ctx (deleted)"), mappings("34:1", "[heap]"), "" } do
    for j, path in ipairs { "tmp/gmon.out", "", "a b (deleted)" } do
      save(text, files[i], ("<i8i8i8"):pack(34, i, j), path)
    end
  end
end
