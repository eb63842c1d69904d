-- Nothing is kept of programs and profiles that nobody holds any more, however many there were: no memory, of Lua's or
-- beside it, and no open file. GPROF_SOAK is how often everything is loaded.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local launch = require "support.launch"
local shell = require "support.shell"

local TURNS <const> = tonumber(os.getenv "GPROF_SOAK" or 300)

-- KiB that fragmentation may add. Each turn ends with a full collection, so no garbage waits. After a thousand turns
-- there are no new holes: a block of 32 bytes (the smallest there is) lost in each of nine thousand turns would be 281.
local HOLES <const> = TURNS >= 10000 and 256 or 1024

-- What Lua's own tables may take more by chance: strings that wait for the next collection.
local LUA_SLACK <const> = 32

-- libbfd 2.40 loses a section of each image that it looks names up in, as a profile by line has it do: the ranges of
-- DWARF 5, and a byte. Nobody else can reach them. Less than this is as good.
local function lost_by_libbfd(image)
  local _, size = build.section(image, ".debug_rnglists")
  return (size + 32) / 1024
end

describe("what is held", function()
  it("is no more after many loads and reports than after a few", function()
    local built = build.program("lines", "O1+dwarf5")
    local result = launch.script(shell.read(build.fixture "scripts/soak.lua"),
      { built.image, built.gmon, shell.tmpdir "soak", TURNS }, { cwd = built.dir, timeout = 600 })
    assert.same({ "", 0 }, { result.stderr, result.status })
    local early, late = {}, {}
    for number in result.stdout:match "^[^\n]*":gmatch "%d+" do early[#early + 1] = tonumber(number) end
    for number in result.stdout:match "\n(.*)":gmatch "%d+" do late[#late + 1] = tonumber(number) end
    assert.same({ TURNS // 10, TURNS, 4, 4 }, { early[1], late[1], #early, #late })
    if TURNS >= 10000 then print("turns, KiB resident, KiB of Lua's, files:\n" .. result.stdout) end
    assert.equal(early[4], late[4])
    assert.is_true(late[3] - early[3] <= LUA_SLACK, result.stdout)
    -- Sanitizers and valgrind keep what is freed, and tell themselves of what is not.
    if not os.getenv "GPROF_LUA" then
      local lost = (TURNS - TURNS // 10) * lost_by_libbfd(built.image)
      assert.is_true(late[2] - early[2] - lost <= HOLES, result.stdout)
    end
  end)
end)
