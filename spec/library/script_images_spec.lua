-- Images of Lua programs: gprof.library.files.script_images.
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"
local script_functions = require "gprof.scripts.script_functions"
local script_images = require "gprof.library.files.script_images"
local shell = require "support.shell"
local steps = require "support.steps"

-- Writes the beginnings of profiles, of which each has functions of its own. Returns their paths.
local function profiles(count)
  local dir, paths = shell.tmpdir "profiles", {}
  for i = 1, count do
    local functions = {}
    for j = 1, 20 do
      functions[j] = { source = ("@%04d.lua"):format(i), first = j, last = j, signature = 0, name = "f", rank = 1,
        lines = { j } }
    end
    paths[i] = shell.write(("%s/%d.prof"):format(dir, i), "gprofctx" .. ("<I4I2I2"):pack(0x01020304, 1, 8) ..
      ("<I4s8"):pack(5, script_functions.encode(functions)))
  end
  return paths
end

describe("the image of a Lua program", function()
  -- Returns the number of functions in the image of profiles, and the instructions to make it.
  local function open(paths)
    local count
    local taken = steps.taken(function()
      local image <close> = assert(script_images.open(paths))
      count = #script_functions.decode(core.script_list(image))
    end, 1000000000)
    return count, taken
  end

  it("is not made of other files", function()
    for name, text in pairs { text = ("return 1\n"):rep(9), gmon = "gmon" .. ("\1"):rep(40) } do
      local path = shell.write(shell.tmpdir "no-profile" .. "/" .. name, text)
      assert.same({ nil, path .. ": is not the profile of a Lua program" }, { script_images.open { path } })
    end
  end)

  it("has the functions of all profiles, with work in proportion to their number", function()
    local few, some = open(profiles(20))
    local many, more = open(profiles(160))
    assert.same({ 400, 3200 }, { few, many })
    assert.is_true(more < 16 * some, ("%d and %d instructions"):format(some, more))
  end)
end)
