-- nm's output for a fixture, lines of maps, and malformed lines.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local shell = require "support.shell"

local texts <const> = {
  "ffffffff81000000 T _stext\nffffffff81000040 t work [module]\n", "0 T a\n0 T b\n", "                 U puts\n", "",
  "1000 T main\r\n\n1020 t work\r\n1020 t work.isra.0", "lib.a:x.o:1000 T main\nx.o:                 U puts\n",
  "No symbols in y.o\nx.o:00001000 T f\ny.o:0 T f\ny.o:10 W std::g()\n", "zzz\n", ":1 T x\n", "x.o: main\n y.o:main\n",
}

return function(save)
  for _, text in ipairs(texts) do
    save(text)
  end
  local image = build.program("aliases").image
  for _, flags in ipairs { "-n", "-vo", "-A" } do
    save(shell.check({ "nm", flags, image }).stdout:sub(1, 3000))
  end
end
