-- The export pprof: decoded by a second implementation, and compared with the profile.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local crafted = require "support.crafted"
local exported = require "support.exported"
local protobuf = require "gprof.format.protobuf"
local reading = require "support.protobuf"

local NANOSECONDS <const> = 1000000000

-- Decodes a message into a table from field names to values. `names` maps field numbers to names.
local function named(text, names)
  local fields, made = reading.message(text), {}
  for number, name in pairs(names) do
    made[name] = fields[number][1]
  end
  return made
end

-- Decodes a profile: `types`, `samples` (each has `names`, leaf first, `places` and `values`), `comments`, `mapping`,
-- `functions`, `places`, `period`, `period_type` and `default`.
local function read(text)
  local fields = reading.message(text)
  local strings = fields[6]
  assert(strings[1] == "")
  local function string_of(number) return assert(strings[(number or 0) + 1]) end
  local made = { types = {}, samples = {}, comments = {}, functions = {}, places = {}, period = fields[12][1],
    default = string_of(fields[14][1]) }
  local function type_of(bytes)
    local kind = named(bytes, { "type", "unit" })
    return string_of(kind.type) .. "/" .. string_of(kind.unit)
  end
  for i, bytes in ipairs(fields[1]) do made.types[i] = type_of(bytes) end
  made.period_type = type_of(fields[11][1])
  for _, bytes in ipairs(fields[5]) do
    local f = named(bytes, { "id", "name", "system_name", "filename", "start_line" })
    assert(not made.functions[f.id])
    made.functions[f.id] = { name = string_of(f.name), system_name = string_of(f.system_name),
      file = string_of(f.filename), line = f.start_line }
  end
  for _, bytes in ipairs(fields[4]) do
    local place = named(bytes, { "id", "mapping_id", "address", "line" })
    local line = named(place.line, { "function_id", "line" })
    assert(not made.places[place.id])
    made.places[place.id] = { mapping = place.mapping_id, address = place.address, line = line.line,
      func = assert(made.functions[line.function_id]) }
  end
  for i, bytes in ipairs(fields[2]) do
    local sample = named(bytes, { "places", "values" })
    made.samples[i] = { names = {}, places = {}, values = reading.numbers(sample.values) }
    assert(#made.samples[i].values == #made.types)
    for j, id in ipairs(reading.numbers(sample.places)) do
      local place = assert(made.places[id])
      made.samples[i].places[j], made.samples[i].names[j] = place, place.func.name
    end
  end
  for i, number in ipairs(reading.numbers(fields[13][1])) do made.comments[i] = string_of(number) end
  made.mapping = named(fields[3][1],
    { "id", "low", "high", "offset", [5] = "path", [6] = "build_id", [7] = "has_functions" })
  made.mapping.path, made.mapping.build_id = string_of(made.mapping.path), string_of(made.mapping.build_id)
  return made
end

local function document(image, path, ...)
  return read(exported.text("pprof", image, path, ...))
end

describe("messages of protocol buffers", function()
  it("match an example that pprof reads", function()
    local fields, message = protobuf.fields, protobuf.message
    local function place(id, line) return message(4, 1, id, 4, fields(1, id, 2, line)) end
    local function func(id, name, line) return message(5, 1, id, 2, name, 4, 4, 5, line) end
    local text = message(1, 1, 1, 2, 2) .. message(2, 1, { 1 }, 2, { 100 }) .. message(2, 1, { 2, 1 }, 2, { 300 }) ..
      place(1, 3) .. func(1, 3, 3) .. place(2, 9) .. func(2, 5, 9)
    for _, word in ipairs { "", "cpu", "nanoseconds", "main", "m.c", "work" } do text = text .. fields(6, word) end
    assert.equal("0a040801100212060a010112016412080a0202011202ac02220808012204080110032a080801100320042803" ..
      "220808022204080210092a08080210052004280932003203637075320b6e616e6f7365636f6e647332046d61696e32036d2e6332" ..
      "04776f726b",
      (text:gsub(".", function(byte) return ("%02x"):format(byte:byte()) end)))
  end)

  it("hold numbers of any size", function()
    local list = { 0, 1, 127, 128, 300, 1 << 32, math.maxinteger, -1, math.mininteger }
    assert.same(list, reading.numbers(reading.message(protobuf.fields(3, list))[3][1]))
    for _, value in ipairs(list) do
      assert.equal(value ~= 0 and value or nil, reading.message(protobuf.fields(200, value))[200][1])
    end
  end)

  it("leave out fields without a value, and have long ones", function()
    local long = ("x"):rep(70000)
    assert.same({ [2] = { 1 }, [4] = { long } },
      reading.message(protobuf.fields(1, nil, 2, true, 3, false, 4, long, 5)))
    assert.equal(protobuf.fields(9, protobuf.fields(1, long, 2, { 300 })), protobuf.message(9, 1, long, 2, { 300 }))
  end)
end)

describe("the export pprof", function()
  for name, image, path in exported.each_profile() do
    it("has the self and total time of each function: " .. name, function()
      local profile = exported.profile(image, path, { no_demangle = true })
      local made = document(image, path, "--no-demangle")
      local self, total = {}, {}
      for _, sample in ipairs(made.samples) do
        for i, place in ipairs(sample.places) do
          local key = place.address or place.func.name
          if i == 1 then self[key] = (self[key] or 0) + sample.values[1] end
          total[key] = (total[key] or 0) + sample.values[1]
        end
      end
      local near = #made.samples + 1
      for f in profile:functions() do
        assert.equal((f.self * NANOSECONDS + 0.5) // 1 | 0, self[f.address] or 0)
        -- `total` may be less: a truncated chain adds nothing to the callers that were cut off.
        assert.near((f.self + f.children) * NANOSECONDS, total[f.address] or 0,
          near + 1e-2 * profile.total * NANOSECONDS)
      end
    end)

    it("has the calls of each arc: " .. name, function()
      local calls, expected = {}, {}
      for _, sample in ipairs(document(image, path).samples) do
        if sample.values[2] > 0 then
          assert.same({ 2, 0 }, { #sample.places, sample.values[1] })
          calls[sample.places[2].address .. ">" .. sample.places[1].address] = sample.values[2]
        end
      end
      for arc in exported.profile(image, path):arcs() do
        expected[arc.caller.address .. ">" .. arc.callee.address] = arc.count > 0 and arc.count or nil
      end
      assert.same(expected, calls)
    end)
  end

  for name, image, path in exported.each_program() do
    it("has the same time by line with -l: " .. name, function()
      local by_line, by_function = document(image, path, "-l"), document(image, path)
      local function self(made)
        local times = {}
        for _, sample in ipairs(made.samples) do
          local leaf = sample.names[1]
          times[leaf] = (times[leaf] or 0) + sample.values[1]
        end
        return times
      end
      assert.same(self(by_function), self(by_line))
    end)
  end

  it("has the lines of self times with -l", function()
    local image, path, ticks = exported.inlined()
    local times = {}
    for _, sample in ipairs(document(image, path, "-l").samples) do
      local place = sample.places[1]
      local line = place.func.file:match "[^/]*$" .. ":" .. (place.line or "")
      if sample.values[1] > 0 then times[line] = (times[line] or 0) + sample.values[1] // 10000000 end
    end
    assert.same(ticks, times)
  end)

  it("has types, period, mapping and places", function()
    local built = build.program "calls"
    local made, profile = document(built.image, built.gmon), exported.profile(built.image, built.gmon)
    assert.same({ "cpu/nanoseconds", "calls/count" }, made.types)
    assert.same({ "cpu", "cpu/nanoseconds", 10000000 }, { made.default, made.period_type, made.period })
    local code = profile.image
    assert.same({ built.image, code.build_id, code.code_low, code.code_high, 1 },
      { made.mapping.path, made.mapping.build_id, made.mapping.low, made.mapping.high, made.mapping.has_functions })
    assert.equal(code.text_offset, code.text_low - code.code_low + made.mapping.offset)
    assert.truthy(made.comments[1]:find("call chains are estimated", 1, true))
    for _, place in pairs(made.places) do
      local f = place.address and profile:lookup(place.address)
      if f then
        assert.same({ f.name, f.file or "", f.line, 1 },
          { place.func.name, place.func.file, place.func.line, place.mapping })
      else
        assert.truthy(place.func.name:find "^[<%[]")
      end
    end
  end)

  it("has mangled names as system names", function()
    local built, mangled = build.program "shapes", 0
    for _, f in pairs(document(built.image, built.gmon).functions) do
      if f.system_name ~= "" then
        mangled = mangled + 1
        assert.truthy(f.system_name:find "^_Z" and not f.name:find "^_Z")
      end
    end
    assert.truthy(mangled > 3)
    for _, f in pairs(document(built.image, built.gmon, "--no-demangle").functions) do
      assert.equal("", f.system_name)
    end
  end)

  it("has cycles above their members", function()
    local stacks = {}
    for _, sample in ipairs(read(exported.crafted("pprof", crafted.example)).samples) do
      stacks[table.concat(sample.names, " ")] = sample.values[1]
    end
    assert.equal(50000000, stacks["pong <cycle 1> main"])
  end)

  it("has only valid UTF-8", function()
    local names = {}
    for _, f in pairs(read(exported.crafted("pprof", exported.names)).functions) do names[f.name] = true end
    for _, name in ipairs(exported.names.functions) do
      assert.truthy(names[name == "bad\xff\xc3(byte" and "bad\\xFF\\xC3(byte" or name], name)
    end
  end)

  it("has the unit of the profile", function()
    local plan = { functions = { "f" }, ticks = { f = 42 }, calls = {}, rate = 1, dimension = "cache misses",
      abbreviation = "" }
    local made = read(exported.crafted("pprof", plan))
    assert.same({ "cache misses/count", "cache misses", 42, 1 },
      { made.types[1], made.default, made.samples[1].values[1], made.period })
  end)
end)
