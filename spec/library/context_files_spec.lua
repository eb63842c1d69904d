-- Where context profiles are from, as their first sections say.
-- SPDX-License-Identifier: GPL-3.0-or-later

local contexts = require "support.contexts"
local context_files = require "gprof.library.files.context_files"
local shell = require "support.shell"

local bytes <const> = contexts.pack { process = { id = 77, begin = 5, low = 0x1000, high = 0x2000 },
  modules = { { low = 0x1000, high = 0x2000, build_id = "0123", path = "/bin/words" } }, tables = { {} } }

local path <const> = shell.tmpdir "origin" .. "/gmon.out.ctx"
local function origin(text)
  return context_files.origin(shell.write(path, text))
end

describe("the origin of a context profile", function()
  it("is a process and a program", function()
    assert.same({ process = 77, parent = 0, begin = 5, image = "/bin/words", executes = false }, origin(bytes))
  end)

  it("is unknown if a text has a false length", function()
    for _, text in ipairs { "0123", "/bin/words" } do
      for _, size in ipairs { 0xffffffff, 0x7fffffff, 4097 } do
        local damaged, changes = bytes:gsub((("<s4"):pack(text):gsub("%p", "%%%0")), ("<I4"):pack(size) .. text)
        assert.equal(1, changes)
        assert.is_nil(origin(damaged), size)
      end
    end
  end)

  it("is unknown if a section has a false size", function()
    local process, modules = 17, 17 + 12 + ("<I8"):unpack(bytes, 21)
    for _, place in ipairs { process, modules } do
      for _, size in ipairs { -1, math.mininteger, 3, 0 } do
        assert.is_nil(origin(bytes:sub(1, place + 3) .. ("<i8"):pack(size) .. bytes:sub(place + 12)), size)
      end
    end
    assert.is_nil(origin(bytes:sub(1, process + 3) .. ("<i8"):pack(math.maxinteger) .. bytes:sub(process + 12)))
  end)

  it("is unknown if the file is not a context profile, or ends early", function()
    for size = 0, bytes:find("/bin/words", 1, true) + #"/bin/words" - 2 do
      assert.is_nil(origin(bytes:sub(1, size)), size)
    end
    assert.is_nil(context_files.origin "/dev/zero")
    assert.is_nil(context_files.origin "missing")
  end)
end)
