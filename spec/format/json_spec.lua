-- gprof.format.json: data of pages. The core writes numbers, which are compared with those of string.format.
-- SPDX-License-Identifier: GPL-3.0-or-later

local dkjson = require "dkjson"
local json = require "gprof.format.json"
local packed = require "support.packed"

-- Returns numbers near the middle between two results, with a random number of digits, and of random size.
local function random_numbers(count)
  local numbers = {}
  for _ = 1, count do
    local near = math.random(1000000, 9999999) + 0.5
    local number = near * 10.0 ^ math.random(-13, 4)
    for _, of in ipairs { number, number * (1 + 2 ^ -52), number * (1 - 2 ^ -53), math.random(10 ^ 6) / 100,
      math.random() * 10.0 ^ math.random(-12, 12), string.unpack("d", string.pack("j", math.random(0))) } do
      numbers[#numbers + 1] = math.random(2) == 1 and of or -of
    end
  end
  return numbers
end

local EDGES <const> = { 0, 0.0, -0.0, 1, -1, 10, 100.0, 999999, 999999.5, 999999.95, 999999.96, 1000000, 1e6 + 0.5,
  1e7, 0.1, 0.01, 0.001, 0.0001, 0.00009999999999, 0.00012345678, 0.000099999995, 1e-5, 9.9999995, 9.99999949999,
  0.09999999999999999, 0.30000000000000004, 123456.75, 1e15, 1e15 - 1, 1e15 + 1, 2.0 ^ 53, 2.0 ^ 63, 2.0 ^ 64,
  -2.0 ^ 63, -2.0 ^ 64,
  math.maxinteger, math.mininteger, 1e22, 1.7976931348623157e308, 5e-324, math.huge, -math.huge, 0 / 0 }

local function format(number)
  if number ~= number or math.abs(number) == math.huge then return "null" end
  local way = math.tointeger(number) and "%.0f" or math.abs(number) >= 1e6 and "%.1f" or "%.7g"
  return way:format(number)
end

local function check(numbers)
  local texts = {}
  for i, number in ipairs(numbers) do
    texts[i] = format(number * 1.0)
    assert.equal(texts[i], json.compact_number(number))
  end
  assert.equal("[" .. table.concat(texts, ",") .. "]", json.compact_array(json.compact_number, numbers))
end

describe("arrays of numbers", function()
  it("have the numbers as string.format writes them", function()
    math.randomseed(1)
    check(EDGES)
    check(random_numbers(5000))
  end)

  it("are rounded to seven digits below a million, and otherwise to one decimal", function()
    assert.equal("[0.3333333,2.5,-0.06666667,1e-07,1234567.9,12345678901,null,null]", json.compact_array(
      json.compact_number, { 1 / 3, 2.5, -1 / 15, 1e-7, 1234567.89, 12345678901, math.huge, 0 / 0 }))
  end)

  it("have null for missing numbers, and can be empty", function()
    assert.equal("[null,2,null]", json.compact_array(json.compact_number, { nil, 2 }, 3))
    assert.equal("[]", json.compact_array(json.compact_number, {}))
  end)

  it("are refused if they have other values", function()
    assert.error_matches(function() json.compact_array(json.compact_number, { {} }) end, "number expected, got table")
  end)
end)

describe("long columns of numbers", function()
  -- Returns the kind of the column with these numbers again and again, after reading it.
  local function check_column(numbers)
    local long, texts = {}, {}
    for i = 1, math.max(1000, #numbers) do
      long[i] = numbers[(i - 1) % #numbers + 1]
      texts[i] = json.compact_number(long[i] * 1.0)
    end
    local text = json.column(json.compact_number, long)
    local column = dkjson.decode(text)
    for i, number in ipairs(packed.read(column)) do
      local expected = tonumber(texts[i]) or dkjson.null
      assert(number == expected, texts[i])
    end
    assert.equal(#long, #packed.read(dkjson.decode(text)))
    assert.is_nil(text:find('[<>&\\]'))
    return text:match '^{"packed":"(.)' or "none"
  end

  it("are packed: integers, their differences, or decimals", function()
    assert.same({ "i", "d", "f" }, { check_column { 0, 7000000, -1, 44, 45, -46, 2.0 ^ 53, -2.0 ^ 53 },
      check_column { 1000000, 1000001, 1000005, 1000002, 1000002 },
      check_column { 1 / 3, 0, -1 / 15, 1e-7, 1234567.89, 12345678901, math.huge, 0 / 0, 1.25e-37, 999999.96 } })
  end)

  it("are exact for numbers of any size and number of digits", function()
    math.randomseed(2)
    local numbers, integers = {}, {}
    for i = 1, 3000 do
      numbers[i] = (math.random() - 0.5) * 10.0 ^ math.random(-30, 15)
      integers[i] = math.random(-(1 << 53), 1 << 53) // (1 << math.random(0, 53))
    end
    assert.same({ "f", "i" }, { check_column(numbers), check_column(integers) })
  end)

  it("are not packed if a number is too large or too small", function()
    assert.same({ "none", "none", "none" }, { check_column { 2.0 ^ 54 }, check_column { 1.5e-44, 1 },
      check_column { 0.5, 2.0 ^ 60 } })
  end)

  it("may lack numbers", function()
    local column = packed.read(dkjson.decode(json.column(json.compact_number, { 1, nil, 2.5 }, 1000)))
    assert.same({ 1, dkjson.null, 2.5, dkjson.null, 1000 }, { column[1], column[2], column[3], column[1000], #column })
  end)

  it("are refused if they have other values", function()
    local values = {}
    for i = 1, 1000 do values[i] = "x" end
    assert.error_matches(function() json.column(json.compact_number, values) end, "number expected, got string")
  end)
end)

describe("strings for scripts", function()
  it("cannot end the script, and escape what JSON and UTF-8 require", function()
    for text, written in pairs { [""] = '""', ["a b~"] = '"a b~"', ["a\"\\"] = '"a\\"\\\\"', ["</script>&"] =
      '"\\u003c/script\\u003e\\u0026"', ["\n\r\t\0\127"] = '"\\n\\r\\t\\u0000\\u007f"', ["é"] = '"é"',
      ["\xe9"] = '"\\\\xE9"' } do
      assert.equal(written, json.compact_string(text))
    end
    assert.equal("null", json.compact_string(nil))
  end)
end)

-- Returns a number with the fewest digits, 15 to 17, that read back as the same number.
local function exact(number)
  local whole = math.tointeger(number)
  if whole and (math.type(number) == "integer" or math.abs(number) < 2.0 ^ 53) then return ("%d"):format(whole) end
  if number ~= number or math.abs(number) == math.huge then return "null" end
  for digits = 15, 17 do
    local text = ("%." .. digits .. "g"):format(number)
    if tonumber(text) == number then return text end
  end
end

describe("exact numbers", function()
  it("have the fewest digits that read back as the same number", function()
    math.randomseed(2)
    for _, numbers in ipairs { EDGES, random_numbers(2000) } do
      for _, number in ipairs(numbers) do assert.equal(exact(number), json.number(number)) end
    end
  end)
end)

describe("objects", function()
  it("have null for missing values, and no further ones", function()
    local object = json.object { "a", 'b"', "c" }
    assert.equal([[{"a": 1, "b\"": "x\ny", "c": null}]], object(1, "x\ny"))
    assert.equal([[{"a": true, "b\"": null, "c": 0.5}]], object(true, nil, 0.5, 7))
  end)
end)
