-- A context profile of a program, and of a library with the build ID "\1\2\3", which was loaded twice.
-- SPDX-License-Identifier: GPL-3.0-or-later

local contexts = require "support.contexts"

-- Returns the bytes of the file. `options`: `big`, the byte order; `shift`, which is added to all load addresses;
-- `processes`, their number in a sum.
return function(options)
  local program, library = 0x10000 + (options.shift or 0), 0x20000 + (options.shift or 0)
  return contexts.pack {
    big = options.big, processes = options.processes,
    process = { low = program + 0x1000, high = program + 0x1080 },
    modules = { { bias = program, low = program, high = program + 0x2000 },
      { bias = library, low = library, high = library + 0x100, build_id = "\1\2\3" },
      { bias = library + 0x10000, low = library + 0x10000, high = library + 0x10100, build_id = "\1\2\3",
        closed = 1 } },
    tables = {
      { { context = 0, from = library + 0x10, self = program + 0x1008, count = 2 },
        { context = 3, from = program + 0x1010, self = library + 8, count = 3 },
        { context = 4, from = library + 0x14, count = 70000 }, { context = 3, from = program + 0x1014, count = 4 },
        { context = 4, entered = 4, from = library + 0x18, self = library + 8, count = 1 } },
      { handlers = 1, { context = 2, entered = 2, from = program + 0x1010, self = library + 0x10008, count = 1 },
        { context = 0, entered = 0xffffffff, from = program + 0x1010, self = program + 0x1008, count = 0 } } },
  }
end
