-- Data of xz: empty, small, in several blocks, with several checks, truncated, concatenated.
-- SPDX-License-Identifier: GPL-3.0-or-later

local shell = require "support.shell"

return function(save)
  local dir = shell.tmpdir "unpack"
  for i, text in ipairs { "", "text", ("line of text\n"):rep(200) } do
    shell.write(dir .. "/text", text)
    save("\1\255\255", text)
    save("\1\20\0", text)
    for _, flags in ipairs { "-C none", "-C crc32 --block-size=100", "-0", "--x86 --lzma2=dict=4KiB" } do
      local packed = shell.check({ "sh", "-c", "xz -c " .. flags .. " text" }, { cwd = dir }).stdout
      save("\0", packed)
      save("\0", packed:sub(1, #packed - 4 * i))
      save("\0", packed .. packed)
    end
  end
end
