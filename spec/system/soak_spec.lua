-- Loading many images and profiles leaks nothing: neither memory of Lua or C, nor open files. GPROF_SOAK is the number
-- of loads.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local launch = require "support.launch"
local shell = require "support.shell"

local TURNS <const> = tonumber(os.getenv "GPROF_SOAK" or 300)

-- KiB by which malloc's allocated bytes may vary. Each turn ends with a full collection, so there is no garbage. Nine
-- thousand turns that each lose a block of 32 bytes, malloc's minimum, lose 281 KiB.
local HEAP_SLACK <const> = 128

-- KiB that fragmentation may add to resident memory: blocks that libbfd leaks split the free memory between them.
local HOLES <const> = 1024

-- KiB by which Lua's memory may vary: strings that wait for the next collection.
local LUA_SLACK <const> = 32

-- Returns the KiB lost per turn: libbfd 2.40 leaks one byte and the section .debug_rnglists for each image in which it
-- looks up names, as line profiles do.
local function lost_by_libbfd(image)
  local _, size = build.section(image, ".debug_rnglists")
  return (size + 32) / 1024
end

-- Compiles the Lua module that returns malloc's allocated bytes.
local function heap_module()
  local path = shell.tmpdir "heap" .. "/heap.so"
  shell.check { "gcc", "-shared", "-fPIC", "-I/usr/include/lua5.4", "-o", path, build.fixture "heap.c" }
  return path
end

describe("memory and open files", function()
  it("are the same after many loads and reports as after a few", function()
    local built = build.program("lines", "O1+dwarf5")
    local result = launch.script(shell.read(build.fixture "scripts/soak.lua"),
      { built.image, built.gmon, shell.tmpdir "soak", TURNS, heap_module() }, { cwd = built.dir, timeout = 600 })
    assert.same({ "", 0 }, { result.stderr, result.status })
    local early, late = {}, {}
    for number in result.stdout:match "^[^\n]*":gmatch "%d+" do early[#early + 1] = tonumber(number) end
    for number in result.stdout:match "\n(.*)":gmatch "%d+" do late[#late + 1] = tonumber(number) end
    assert.same({ TURNS // 10, TURNS, 5, 5 }, { early[1], late[1], #early, #late })
    if TURNS >= 10000 then print("turns, KiB resident, KiB of Lua's, files, KiB allocated:\n" .. result.stdout) end
    assert.equal(early[4], late[4])
    assert.is_true(late[3] - early[3] <= LUA_SLACK, result.stdout)
    -- Sanitizers and valgrind delay freeing memory. They report leaks themselves.
    if not os.getenv "GPROF_LUA" then
      local lost = (TURNS - TURNS // 10) * lost_by_libbfd(built.image)
      assert.is_true(late[2] - early[2] - lost <= HOLES, result.stdout)
      assert.is_true(late[5] - early[5] - lost <= HEAP_SLACK, result.stdout)
    end
  end)
end)
