-- Streams format values exactly as string.format does, and pass everything to their sink.
-- SPDX-License-Identifier: GPL-3.0-or-later

local output = require "gprof.output"

-- Calls a function with a stream. Returns what it wrote as one string, and the number of calls of the sink.
local function written(write)
  local pieces = {}
  local stream = output.through(function(text) pieces[#pieces + 1] = text end)
  write(stream)
  stream:flush()
  return table.concat(pieces), #pieces
end

local function set(format, ...)
  local values = table.pack(...)
  return (written(function(stream) stream(format, table.unpack(values, 1, values.n)) end))
end

describe("a stream formats like string.format:", function()
  for _, case in ipairs {
    { "%d", 0 }, { "%d", -1 }, { "%d", math.maxinteger }, { "%d", math.mininteger }, { "%7d|", 123 },
    { "%-7d|", 123 }, { "%2d", 12345 }, { "%s", "" }, { "%6.3s|", "abcdef" }, { "%-6.3s|", "abcdef" },
    { "%99s", "x" }, { "%.0s|", "x" }, { "%f", 1 / 3 }, { "%.1f", 0.05 }, { "%.2f", 0.005 }, { "%.2f", 0.015 },
    { "%.2f", 2.675 }, { "%.2f", 0.125 }, { "%.2f", 0.375 }, { "%.1f", 0.25 }, { "%.2f", 999999999.995 },
    { "%.2f", 1e9 }, { "%.2f", 1e300 }, { "%.2f", -0.0 }, { "%.2f", -1.005 }, { "%.2f", math.huge },
    { "%.2f", -math.huge }, { "%8.2f|", 12 }, { "%-8.2f|", 12.5 }, { "%5.1f%%", 100.0 }, { "%.5f", 1 / 3 },
    { "%7d/%-7d     %s\n", 1, 20, "main [1]" }, { "%+d", 7 }, { "%+d", 0 }, { "%+5d|", -7 }, { "%+-5d|", 7 },
    { "%-+5d|", 7 }, { "%+.2f", 0.0 }, { "%+.2f", -0.0 }, { "%+8.2f|", 1.5 }, { "%-+8.2f|", 1.5 }, { "%+.0f", 2.5 },
    { "%+.2f", math.huge }, { "%+.2f", -math.huge }, { "%+.2f", -0.001 }, { "%+.1f", 1e9 }, { "%.1f", -0.04 },
  } do
    it(("%s with %s"):format(case[1], tostring(case[2])), function()
      assert.equal(string.format(table.unpack(case)), set(table.unpack(case)))
    end)
  end

  local object <const> = setmetatable({}, { __tostring = function() return "an object" end, __name = "object" })
  local values <const> = { 0, 7, -7, 255, math.mininteger, 2.0, 0.5, -1e100, math.huge, "text", "12", "a\0b",
    ('"quoted"\n\\ \r'), "", true, false, object, print, ("x"):rep(120) }
  local widths <const> = { "", "5", "-5", "05", "+", " ", "#", "-+ #0", "+5.3", ".3", "5.3", "-5.3", "05.1", ".", ".0",
    "99.99", "+-", "++", "  ", "100", ".100", "5.", "-.3", "123456789012345678901234567890" }

  -- What string.format makes of a value; nil if it raises an error.
  local function wanted(format, ...)
    local done, text = pcall(string.format, format, ...)
    return done and text or nil
  end

  for letter in ("a A c d e E f g G i o p q s u x X y D n $"):gmatch "%S" do
    it("%" .. letter .. " with all flags, widths and values, or raises an error", function()
      for _, width in ipairs(widths) do
        local format = ("<%%%s%s>"):format(width, letter)
        for i = 0, #values do
          local given = wanted(format, values[i])
          local done, text = pcall(set, format, values[i])
          if not given and done then -- string.format refuses zero bytes in columns
            assert.equal("a\0b", values[i])
          else
            assert.equal(given, done and text or nil, format .. " " .. tostring(values[i]) .. ": " .. tostring(text))
          end
        end
      end
    end)
  end

  it("several of these conversions, also in a long format", function()
    local format = "%5.3s|%05d|%%|%-8x|%g|%q|%i %%%c%c"
    local given = { "abcdef", 42, 48879, 1e20, 'a "b"', 3, 72, 105 }
    assert.equal(format:format(table.unpack(given)), set(format, table.unpack(given)))
    local long = ("%s = %#x, "):rep(9)
    local many = {}
    for i = 1, 18 do many[i] = i end
    assert.equal(long:format(table.unpack(many)), set(long, table.unpack(many)))
  end)

  it("values by tostring", function()
    for _, value in ipairs { true, false, object, print, 1.5, math.mininteger } do
      assert.equal(("%s|%12.3s|"):format(value, value), set("%1$s|%1$12.3s|", value))
    end
    assert.equal("nil nil|", set("%s %s|", nil, nil))
  end)

  it("numbers close to halfway between two roundings, and random ones", function()
    local random = math.random
    math.randomseed(7)
    for _ = 1, 20000 do
      local value = random(0, 1000000) / ({ 8, 100, 200, 1000, 3 })[random(5)] * 10.0 ^ random(-2, 3)
      local expected = ("%7.2f %5.1f %+.2f %.1f"):format(value, value, value, -value)
      assert.equal(expected, set("%7.2f %5.1f %+.2f %.1f", value, value, value, -value))
    end
  end)
end)

describe("a stream", function()
  it("writes a single string unchanged", function()
    assert.equal("100 % of %d\n", set("100 % of %d\n"))
  end)

  it("takes values by position", function()
    assert.equal("b a   7", set("%2$s %1$s %3$3d", "a", "b", 7))
  end)

  it("loses nothing, whatever the sizes of strings, and calls the sink rarely", function()
    local parts = {}
    for i = 1, 3000 do
      parts[i] = ("x"):rep(i % 97) .. (i % 500 == 0 and ("y"):rep(70000) or "")
    end
    local text, pieces = written(function(stream)
      for _, part in ipairs(parts) do stream(part) end
    end)
    assert.equal(table.concat(parts), text)
    assert.is_true(pieces < 40)
  end)

  it("formats strings longer than its buffer", function()
    assert.equal(("z"):rep(100000) .. "|", set("%s|", ("z"):rep(100000)))
  end)

  it("rejects invalid formats, and values that do not fit the format", function()
    for _, case in ipairs {
      { "%y", 1 }, { "%100d", 1 }, { "%.100f", 1 }, { "%", 1 }, { "%d", "one" }, { "%d", 1.5 }, { "%x", 1.5 },
      { "%+s", "x" }, { "%5q", 1 }, { "%q", {} }, { "%c", "x" }, { "%d" , 1, 2 }, { "%x %x", 1 },
      { "a\0 %d", 1 }, { ("x"):rep(2000) .. "\0%d", 1 }, { "no place", 1 }, { "%d %d", 1 }, { "%3$d", 1 },
    } do
      assert.is_false(pcall(set, table.unpack(case)), case[1])
    end
  end)

  it("numbers arguments in errors as its caller does", function()
    local write = output.through(function() end)
    for _, case in ipairs {
      { "#1 to 'write' (string expected, got no value)", function() write() end },
      { "#1 to 'write' (string expected, got nil)", function() write(nil) end },
      { "#1 to 'write' (string expected, got table)", function() write({}, 1) end },
      { "#2 to 'write' (number has no integer representation)", function() write("%d\n", 1.5) end },
      { "#2 to 'write' (number has no integer representation)", function() write("%d\n", "1.5") end },
      { "#2 to 'write' (number expected, got string)", function() write("%d\n", "one") end },
      { "#3 to 'write' (number expected, got nil)", function() write("%s %.2f\n", 1, nil) end },
      { "#3 to 'write' (number expected, got no value)", function() write("%s %.2f\n", 1) end },
      { "#3 to 'write' (no value)", function() write("%d %s", 1) end },
      { "#3 to 'write' (no value)", function() write("%d %q", 1) end },
      { "#2 to 'write' (number expected, got table)", function() write("%05d", {}) end },
      { "#2 to 'write' (number has no integer representation)", function() write("%x", 0.5) end },
      { "#4 to 'write' (number expected, got boolean)", function() write("%3$d", 1, 2, true) end },
      { "#3 to 'write' (more values than the format uses)", function() write("%d", 1, 2) end },
    } do
      local _, problem = pcall(case[2])
      assert.truthy(problem:find("stream_spec.lua:%d+: bad argument") and problem:find(case[1], 1, true), problem)
    end
  end)

  it("rejects text that ended it, and passes on errors of tostring", function()
    local stream = output.through(function() end)
    local function ending() stream:finish() return "text" end
    assert.error_matches(function() stream("%s", setmetatable({}, { __tostring = ending })) end, "the report has ended")
    local odd = setmetatable({}, { __tostring = function() error("odd", 0) end })
    assert.error_matches(function() set("%s", odd) end, "odd")
    assert.error_matches(function() set("%#s", odd) end, ".")
  end)

  it("does not depend on what the program makes of string.format", function()
    local original = string.format
    rawset(string, "format", function() return "replaced" end)
    local done, text = pcall(set, "%05x", 255)
    rawset(string, "format", original)
    assert.same({ true, "000ff" }, { done, text })
  end)

  it("rejects writes by its own sink", function()
    local stream
    stream = output.through(function()
      for _ = 1, 100 do stream(("x"):rep(1000)) end
    end)
    stream(("y"):rep(1000))
    assert.is_false(pcall(stream.flush, stream))
  end)

  it("passes on errors of its sink, and does not write the failed text again", function()
    local received = {}
    local stream = output.through(function(text)
      received[#received + 1] = text
      error("full", 0)
    end)
    stream "some text"
    assert.same({ false, "full" }, { pcall(stream.flush, stream) })
    assert.is_true(pcall(stream.flush, stream))
    assert.same({ "some text" }, received)
  end)
end)

describe("A stream that has ended", function()
  local function ended()
    local pieces = {}
    local stream = output.through(function(text) pieces[#pieces + 1] = text end)
    stream "before"
    stream:finish()
    return stream, pieces
  end

  it("has passed everything to its sink", function()
    assert.same({ "before" }, select(2, ended()))
  end)

  it("rejects all further writes", function()
    local stream, pieces = ended()
    for _, write in ipairs {
      function() stream "after" end,
      function() stream "" end,
      function() stream("%d", 7) end,
      function() stream(("x"):rep(100000)) end,
      function() stream:each(nil, "%d", function() return 1 end) end,
    } do
      assert.error_matches(write, "the report has ended")
    end
    stream:flush()
    stream:finish()
    assert.same({ "before" }, pieces)
  end)

  it("rejects the next row if it ended during stream:each", function()
    local pieces, n = {}, 0
    local stream = output.through(function(text) pieces[#pieces + 1] = text end)
    assert.error_matches(function()
      stream:each(nil, "%d", function()
        n = n + 1
        if n == 3 then stream:finish() end
        return n
      end)
    end, "the report has ended")
    assert.same({ "12" }, pieces)
  end)

  it("may have ended because the block of its <close> variable was left, even by an error", function()
    local pieces, escaped = {}, nil
    local done = pcall(function()
      local stream <close> = output.through(function(text) pieces[#pieces + 1] = text end)
      escaped = stream
      stream "text"
      error "failure"
    end)
    assert.is_false(done)
    assert.same({ "text" }, pieces)
    assert.error_matches(function() escaped "after" end, "the report has ended")
  end)
end)

describe("stream:each", function()
  local rows = { { 1, true, 10 }, { 2, false, 20 }, { 1, false, 30 } }

  local function iteration()
    local i = 0
    return function()
      i = i + 1
      if rows[i] then return table.unpack(rows[i]) end
    end
  end

  it("writes every row in one format, and returns their number", function()
    local count
    assert.equal("1 10\n2 20\n1 30\n", (written(function(stream)
      count = stream:each(nil, "%1$d %3$d\n", iteration())
    end)))
    assert.equal(3, count)
  end)

  it("replaces the first value by a name, and selects the format by the second", function()
    local formats = { [true] = "%1$s!\n", [false] = "%3$4d %1$s\n" }
    assert.equal("one!\n  20 two\n  30 one\n", (written(function(stream)
      stream:each({ "one", "two" }, formats, iteration())
    end)))
  end)

  it("keeps the format of the current row alive", function()
    local lines, n = {}, 0
    local stream = output.through(function(text)
      collectgarbage()
      lines[#lines + 1] = text
    end)
    local formats = setmetatable({}, { __index = function(_, key) return "%1$s" .. tostring(key):rep(3) .. "\n" end })
    stream:each({ ("z"):rep(20000) }, formats, function()
      n = n + 1
      if n <= 10 then return 1, n end
    end)
    stream:flush()
    local expected = {}
    for i = 1, 10 do
      expected[i] = ("z"):rep(20000) .. tostring(i):rep(3) .. "\n"
    end
    assert.equal(table.concat(expected), table.concat(lines))
  end)

  it("numbers the values of a row in errors", function()
    assert.error_matches(function()
      written(function(stream) stream:each(nil, "%d %d %s", iteration()) end)
    end, "value 2 of a row: number expected, got boolean$")
    assert.error_matches(function()
      written(function(stream) stream:each(nil, "%4$s", iteration()) end)
    end, "value 4 of a row: no value$")
  end)

  it("closes the iterator's closing value, even after an error", function()
    local closed = 0
    local guard = setmetatable({}, { __close = function() closed = closed + 1 end })
    written(function(stream)
      stream:each(nil, "%1$d", iteration(), nil, nil, guard)
      assert.is_false(pcall(stream.each, stream, nil, "%1$y", iteration(), nil, nil, guard))
    end)
    assert.equal(2, closed)
  end)
end)

describe("stream:lines", function()
  local text <const> = "one\n\ntwo\nthree"

  local function lines(...)
    local arguments, results = table.pack(...), nil
    local printed = written(function(stream)
      results = table.pack(stream:lines(text, table.unpack(arguments, 1, arguments.n)))
    end)
    return printed, table.unpack(results)
  end

  it("writes lines of a text after a margin, and returns the next position and their number", function()
    assert.same({ ">one\n>\n>two\n>three", 15, 4 }, { lines(">") })
    assert.same({ "| two\n", 10, 1 }, { lines("| ", 6, 1) })
    assert.same({ "one\n\n", 6, 2 }, { lines("", 1, 2) })
    assert.same({ "", 6, 0 }, { lines("|", 6, 0) })
    assert.same({ "", 15, 0 }, { lines("|", 100) })
  end)

  it("rejects positions before the text", function()
    assert.has_error(function() lines("", 0) end, "bad argument #3 to 'lines' (must be at least 1)")
  end)
end)
