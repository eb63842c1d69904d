-- Makes the initial corpus of a target: `lua5.4 fuzz/seeds.lua TARGET DIRECTORY`.
--
-- Uses compilers, and the helpers of the specs (spec/support/).
--
-- SPDX-License-Identifier: GPL-3.0-or-later

local home = arg[0]:match "^(.*)/" or "."
package.path = ("%s/?.lua;%s/../spec/?.lua;"):format(home, home) .. package.path

local shell = require "support.shell"

local target, directory = arg[1], arg[2]
shell.check { "mkdir", "-p", directory }

local count = 0

-- Writes an input, which consists of parts (see fuzz/support.h).
local function save(...)
  local parts = { ... }
  for i = 1, #parts - 1 do
    parts[i] = ("<s2"):pack(parts[i])
  end
  count = count + 1
  shell.write(("%s/seed-%03d"):format(directory, count), table.concat(parts))
end

require("seeds." .. target)(save)
