-- The recorder's answers in /proc/PID/maps. A process can give its mappings any names.
-- SPDX-License-Identifier: GPL-3.0-or-later

local answers = require "gprof.library.answers"

local OTHERS <const> = "00400000-00401000 r-xp 00000000 08:01 12                 /bin/words\n" ..
  "00500000-00501000 rw-p 00000000 00:00 0\n"

-- Returns a mapping with an answer, and one of a file.
local function answered(answer, file)
  return ("10000000-10010000 r--s 00000000 00:01 7      /memfd:gprof-recorder:%s (deleted)\n"):format(answer) ..
    ("10010000-10011000 r--s 00000000 08:01 9      %s\n"):format(file or "/tmp/gmon.out.ctx")
end

describe("the recorder's answers", function()
  it("are found among other mappings", function()
    assert.same({ signal = 34, count = 2, error = 13, path = "/tmp/gmon.out.ctx" },
      answers.read(OTHERS .. answered "34:2:13" .. "ff600000-ff601000 --xp 00000000 00:00 0     [vsyscall]\n"))
    assert.same({ signal = 0, count = 0, error = 0 }, answers.read(answered("0:0:0", "")))
    assert.is_nil(answers.read(OTHERS))
    assert.is_nil(answers.read "")
  end)

  it("have the path of a file whose name has a newline, or that was replaced", function()
    for written, path in pairs { ["/a\\012b.ctx"] = "/a\nb.ctx", ["/a.ctx (deleted)"] = "/a.ctx",
      ["/a b.ctx"] = "/a b.ctx" } do
      assert.equal(path, answers.read(answered("34:1:0", written)).path)
    end
  end)

  it("have no path if the next mapping is elsewhere, or is not a file", function()
    assert.is_nil(answers.read((answered "34:1:0":gsub("\n10010000", "\n10020000"))).path)
    assert.is_nil(answers.read(answered("34:1:0", "[heap]")).path)
  end)

  it("keep a backslash in a path, with any digits after it", function()
    for _, path in ipairs { "/\\999.ctx", "/\\777.ctx", "/\\0.ctx", "/\\" } do
      assert.equal(path, answers.read(answered("34:1:0", path)).path)
    end
  end)

  it("are only numbers that the recorder can write", function()
    for _, numbers in ipairs { "34:1:2147483648", "99999999999999999999:1:0", "34:1e9:0",
      "34:" .. ("9"):rep(400) .. ":0", "-1:0:0", "34:1", "" } do
      assert.is_nil(answers.read(answered(numbers)), numbers)
    end
    assert.equal(2147483647, answers.read(answered "2147483647:1:0").signal)
  end)

  it("are not found in other parts of a line", function()
    local name = "/memfd:gprof-recorder:34:1:0 "
    for _, line in ipairs { name, "/a" .. name, "/a " .. name,
      "10000000-10010000 r--s 00000000 00:01 7   /a " .. name, "1-2 /memfd:gprof-recorder:34:1:0 " } do
      assert.is_nil(answers.read(line .. "\n"), line)
    end
  end)
end)
