-- The exports csv and csv-arcs, parsed according to RFC 4180.
-- SPDX-License-Identifier: GPL-3.0-or-later

local crafted = require "support.crafted"
local exported = require "support.exported"

-- Parses the field at a position. Returns its value, the position after it, and whether it is the last of its row.
local function read_field(text, at)
  local value, after
  if text:sub(at, at) == '"' then
    local stop = at
    repeat stop = assert(text:find('"', stop + 1, true), "unterminated quote") + 1
    until text:sub(stop, stop) ~= '"'
    value, after = text:sub(at + 1, stop - 2):gsub('""', '"'), stop
  else
    value = text:match('^[^,"\r\n]*', at)
    after = at + #value
  end
  if text:sub(after, after) == "," then return value, after + 1, false end
  assert(text:sub(after, after + 1) == "\r\n", "a row does not end with CR LF")
  return value, after + 2, true
end

-- Parses rows into tables keyed by column name. Also returns the names of the columns.
local function read(text)
  local rows, row, at = {}, {}, 1
  while at <= #text do
    local value, after, last = read_field(text, at)
    row[#row + 1], at = value, after
    if last then rows[#rows + 1], row = row, {} end
  end
  local columns = table.remove(rows, 1)
  for i, values in ipairs(rows) do
    assert(#values == #columns, "a row has too many or too few fields")
    rows[i] = {}
    for j, column in ipairs(columns) do rows[i][column] = values[j] end
  end
  return rows, table.concat(columns, " ")
end

local function by_address(profile)
  local functions = {}
  for f in profile:functions() do functions[("0x%x"):format(f.address)] = f end
  return functions
end

local function text_of(value)
  return value or ""
end

describe("the export csv", function()
  for name, image, path in exported.each_profile() do
    it("has a row for each function with time or calls: " .. name, function()
      local rows, columns = read(exported.text("csv", image, path))
      local functions, count = by_address(exported.profile(image, path)), 0
      assert.equal("name symbol file line address self children ticks calls self_calls" ..
        (name == "measured" and " object" or ""), columns)
      for _, row in ipairs(rows) do
        local f = functions[row.address]
        for _, column in ipairs { "self", "children", "ticks", "calls", "self_calls" } do
          assert.equal(f[column], tonumber(row[column]))
        end
        assert.same({ f.name, f.symbol, text_of(f.file), text_of(f.line and tostring(f.line)) },
          { row.name, row.symbol, row.file, row.line })
      end
      for _, f in pairs(functions) do
        count = count + ((f.ticks ~= 0 or f.calls ~= 0) and 1 or 0)
      end
      assert.truthy(#rows >= count)
    end)
  end

  it("quotes fields where necessary", function()
    local functions = {}
    for _, row in ipairs(read(exported.crafted("csv", exported.names))) do functions[row.name] = tonumber(row.ticks) end
    for i, name in ipairs(exported.names.functions) do
      assert.equal(i, functions[name == "bad\xff\xc3(byte" and "bad\\xFF\\xC3(byte" or name], name)
    end
  end)

  it("has functions without time and calls only with -z", function()
    assert.is_nil(exported.crafted("csv", crafted.example):find("\r\nidle,", 1, true))
    assert.truthy(exported.crafted("csv", crafted.example, "-z"):find("\r\nidle,", 1, true))
  end)
end)

describe("the export csv-arcs", function()
  for name, image, path in exported.each_profile() do
    it("has a row for each pair of caller and callee: " .. name, function()
      local rows, columns = read(exported.text("csv-arcs", image, path))
      local functions, i = by_address(exported.profile(image, path)), 0
      assert.equal("caller caller_file caller_address callee callee_file callee_address count self children" ..
        (name == "measured" and " caller_object callee_object" or ""), columns)
      for arc in exported.profile(image, path):arcs() do
        if arc.caller.printed or arc.callee.printed then
          i = i + 1
          local row = rows[i]
          local caller, callee = functions[row.caller_address], functions[row.callee_address]
          assert.same({ arc.caller.name, arc.callee.name, caller.name, callee.name },
            { row.caller, row.callee, row.caller, row.callee })
          assert.same({ text_of(caller.file), text_of(callee.file) }, { row.caller_file, row.callee_file })
          assert.same({ arc.count, arc.self, arc.children },
            { tonumber(row.count), tonumber(row.self), tonumber(row.children) })
        end
      end
      assert.equal(i, #rows)
    end)
  end

  it("has calls found in the code (-c), with a count of 0", function()
    for name, image, path in exported.each_program() do
      if name == "calls" then
        assert.is_nil(exported.text("csv-arcs", image, path):find(",0,0,0\r\n", 1, true))
        assert.truthy(exported.text("csv-arcs", image, path, "-c"):find(",0,0,0\r\n", 1, true))
      end
    end
  end)
end)
