-- Exports of a program with shared libraries: functions belong to their library, not to the program.
-- SPDX-License-Identifier: GPL-3.0-or-later

local exported = require "support.exported"
local gprof = require "gprof"
local pages = require "support.pages"
local program = require "support.program"
local reading = require "support.protobuf"
local dkjson = require "dkjson"

local image <const>, path <const>, objects <const> = exported.libraries()
local profile <const> = exported.profile(image, path)

-- The names of functions in exports, in the order of `exported.objects`.
local names <const> = { "main", "work_one@libone.so", "<libtwo.so>", "<libgone.so>" }
local ticks <const> = { 10, 20, 40, 80 }

-- Returns an export. Without -l, a warning says that a library is missing.
local function export(kind, ...)
  local result = program.run { "--export=" .. kind, image, path, ... }
  assert.same({ 0, ... == "-l" and 0 or 1 }, { result.status, select(2, result.stderr:gsub("\n", "")) })
  return result.stdout
end

it("the objects of a profile are the program and its libraries", function()
  local list = profile:objects()
  for i, object in ipairs(list) do
    local made = objects[i]
    assert.same({ i > 1 and exported.objects[i][1] or nil, made.path, made.build_id },
      { object.name, object.path, object.build_id })
    assert.equal(i < 4, object.image ~= nil)
    local address = made.address + object.slide
    assert.is_true(object.low <= address and address < object.high)
    assert.equal(made.offset, address - object.low + object.offset)
    assert.is_true(i == 1 or list[i - 1].high <= object.low)
  end
  assert.equal(4, #list)
end)

it("the only object of other profiles is the program", function()
  local plain = exported.profile(image, path, { assume_proportional = true })
  local list = plain:objects()
  assert.same({ 1, image, objects[1].build_id, 0 }, { #list, list[1].path, list[1].build_id, list[1].slide })
end)

it("the image of a library may be closed: its profiles have what they need, and new ones open it again", function()
  local own = exported.profile(image, path)
  own:objects()[2].image:close()
  assert.equal("work_one@libone.so", own:find("work_one@libone.so").name)
  for _, inlines in ipairs { false, true } do
    local new = assert(gprof.profile(own.image, gprof.data(own.image, path), { libraries = true, inlines = inlines }))
    assert.equal(20, new:find("work_one@libone.so").ticks)
    assert.truthy(new:objects()[2].image:find "work_one")
  end
end)

-- Decodes the messages of a field into tables from numbers of fields to values.
local function messages(fields, number)
  local list = {}
  for i, bytes in ipairs(fields[number]) do
    list[i] = {}
    for key, values in pairs(reading.message(bytes)) do list[i][key] = values[1] end
  end
  return list
end

describe("The export pprof", function()
  for _, arguments in ipairs { {}, { "-l" }, { "--inlines" } } do
    it("has a mapping for each object: " .. table.concat(arguments), function()
      local fields = reading.message(export("pprof", table.unpack(arguments)))
      local mappings, functions, found = messages(fields, 3), messages(fields, 5), {}
      local function text(number) return fields[6][number + 1] end
      for i, mapping in ipairs(mappings) do
        assert.same({ i, objects[i].path, objects[i].build_id }, { mapping[1], text(mapping[5]), text(mapping[6]) })
      end
      for _, place in ipairs(messages(fields, 4)) do
        local mapping, name = mappings[place[2]], text(functions[reading.message(place[4])[1][1]][2])
        found[name] = place[2]
        if place[3] then
          assert.is_true(mapping[2] <= place[3] and place[3] < mapping[3], name)
          if name == names[1] or name == names[2] then
            assert.equal(objects[place[2]].offset, place[3] - mapping[2] + (mapping[4] or 0), name)
          end
        end
      end
      assert.same({ [names[1]] = 1, [names[2]] = 2, [names[3]] = 3, [names[4]] = 4 }, found)
    end)
  end
end)

describe("The export callgrind", function()
  it("has the object and the file of each callee, since gprof2dot would take those of the call before", function()
    local calls, before = 0, {}
    for line in export "callgrind":gmatch "[^\n]+" do
      if line:find "^calls=" then
        calls = calls + 1
        assert.same({ "cob=", "cfi=", "cfn=" },
          { before[#before - 2]:sub(1, 4), before[#before - 1]:sub(1, 4), before[#before]:sub(1, 4) })
      end
      before[#before + 1] = line
    end
    assert.equal(4, calls)
  end)

  for _, arguments in ipairs { {}, { "-l" }, { "--inlines" } } do
    it("has the objects of functions and of callees: " .. table.concat(arguments), function()
      local known, own, called = { ob = {}, fn = {} }, {}, {}
      local object, callee
      local function expanded(kind, text)
        local number, name = text:match "^%((%d+)%) ?(.*)$"
        if name ~= "" then known[kind][number] = name end
        return known[kind][number]
      end
      for key, value in export("callgrind", table.unpack(arguments)):gmatch "(%a+)=([^\n]*)" do
        if key == "ob" then
          object = expanded("ob", value)
        elseif key == "fn" then
          own[expanded("fn", value)], callee = object, object
        elseif key == "cob" then
          callee = expanded("ob", value)
        elseif key == "cfn" then
          called[expanded("fn", value)], callee = callee, object
        end
      end
      assert.equal(image, own["<spontaneous>"])
      for i, name in ipairs(names) do
        assert.same({ objects[i].path, objects[i].path }, { own[name], called[name] }, name)
      end
    end)
  end
end)

it("the export json lists the objects", function()
  local made, owners = dkjson.decode(export "json"), {}
  for i, object in ipairs(made.objects) do
    local own = profile:objects()[i]
    assert.same({ own.name, own.path, own.build_id, ("0x%x"):format(own.slide) },
      { object.name, object.path, object.build_id, object.slide })
  end
  for _, f in ipairs(made.functions) do owners[f.name] = f.object or "program" end
  for i, name in ipairs(names) do assert.equal(exported.objects[i][1], owners[name]) end
  assert.is_nil(dkjson.decode((exported.text("json", image, path, "--no-libraries"))).objects)
end)

it("the exports csv and csv-arcs have the objects in additional columns", function()
  local rows = export "csv"
  assert.truthy(rows:find("self_calls,object\r\n", 1, true))
  for i, name in ipairs(names) do
    local object = i > 1 and exported.objects[i][1] or ""
    assert.truthy(("\n" .. rows):find("\n" .. name:gsub("%p", "%%%0") .. ",[^\r]*," .. object .. "\r\n"), name)
  end
  local arcs = export "csv-arcs"
  assert.truthy(arcs:find("children,caller_object,callee_object\r\n", 1, true))
  assert.truthy(arcs:find("\nmain,[^\r]*,work_one@libone.so,[^\r]*,,libone.so\r\n"))
  assert.is_nil(exported.text("csv", image, path, "--no-libraries"):find "object")
end)

it("stacks name the library of each function", function()
  local lines = {}
  for stack, weight in export "folded":gmatch "([^\n]+) (%d+)\n" do lines[stack] = tonumber(weight) end
  assert.same({ main = 10000, ["main;" .. names[2]] = 20000, ["main;" .. names[3]] = 40000,
    ["main;" .. names[4]] = 80000 }, lines)
  for _, kind in ipairs { "speedscope", "cpuprofile" } do
    local text = export(kind)
    for _, name in ipairs(names) do assert.truthy(text:find('"' .. name .. '"', 1, true), kind) end
  end
end)

it("the page has the library of each function", function()
  local page_path = require "support.shell".tmpdir() .. "/page.html"
  assert.equal(0, program.run { "--html=" .. page_path, image, path }.status)
  local functions = pages.parts(require "support.shell".read(page_path)).data.functions
  for f, name in ipairs(functions.name) do
    for i, known in ipairs(names) do
      if name == known then
        assert.equal(i > 1 and exported.objects[i][1] or nil, functions.objects[functions.object[f] + 1])
      end
    end
  end
  for i, name in ipairs(names) do assert.equal(ticks[i], profile:find(name).ticks) end
end)
