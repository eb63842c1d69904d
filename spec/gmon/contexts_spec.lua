-- Sums of context profiles: nothing is lost, and the order of the parts makes no difference. Random profiles are added
-- up by a second implementation.
-- SPDX-License-Identifier: GPL-3.0-or-later

local contexts = require "support.contexts"
local core = require "gprof.core"
local crafted = require "support.crafted"
local gmon = require "support.gmon"
local gprof = require "gprof"
local property = require "support.property"
local recorder = require "support.recorder"
local shell = require "support.shell"

local image <const> = assert(gprof.image(crafted.image { functions = { "main", "work" } }))
local like <const> = gprof.data.new { image = image }
local dir <const> = shell.tmpdir "contexts"

-- Adds up files. Returns the path of the sum and its stamp; or nil and a message.
local function add_up(name, ...)
  local sum <close> = core.contexts(like)
  for _, path in ipairs { ... } do
    local id, message = sum:add(path)
    if not id then return nil, message end
  end
  local writer <close> = assert(core.writer(dir .. "/" .. name, "chosen"))
  local id = assert(sum:write(writer))
  assert(writer:finish())
  return dir .. "/" .. name, id
end

local function save(name, profile)
  return gmon.write(dir .. "/" .. name, contexts.pack(profile))
end

-- Random profiles ------------------------------------------------------------------------

-- The modules of all random profiles: their link-time addresses, build IDs and paths. The first is the program.
local known <const> = {
  { low = 0x1000, size = 0x5000, build_id = "program", path = "/bin/program" },
  { low = 0, size = 0x3210, build_id = "libx", path = "/lib/libx.so" },
  { low = 0, size = 0x800, path = "/lib/old.so" },
  { low = 0x400, size = 0x800, path = "/lib/old.so" },
}

-- Loads each module, some of them twice, at random addresses.
local function random_modules()
  local modules, next_address = {}, 0x10000
  for i, m in ipairs(known) do
    for time = 1, i == 1 and 1 or math.random(0, 2) do
      local low = next_address + math.random(0, 15) * 4096 + m.low % 4096
      modules[#modules + 1] = { bias = low - m.low, low = low, high = low + m.size, code = low + 0x100,
        code_end = low + m.size - 0x100, build_id = m.build_id, closed = time - 1, known = i,
        path = m.path .. (m.build_id and math.random(3) == 1 and ".copy" or "") }
      next_address = (low + m.size + 0x1fff) & ~0xfff
    end
  end
  local program = table.remove(modules, 1)
  for i = #modules, 2, -1 do
    local j = math.random(i)
    modules[i], modules[j] = modules[j], modules[i]
  end
  table.insert(modules, 1, program)
  return modules
end

-- Chooses among few addresses, so that different profiles have call paths in common.
local function random_address(modules)
  if math.random(8) == 1 then return math.random(3) * 16 end
  local m = modules[math.random(#modules)]
  return m.low + 0x100 + math.random(3) * 8
end

local function random_table(modules, count)
  local records = { name = ("thread %d"):format(math.random(3)), handlers = math.random(4) == 1 and 1 or 0,
    threads = math.random(0, 5), cpu = math.random(1 << 40), signals = math.random(1000), inside = math.random(9) }
  local paths = { 0, 1, 2 }  -- numbers of contexts
  for number = 3, count + 2 do
    local record = { context = paths[math.random(#paths)], from = random_address(modules),
      count = math.random(0, 1 << math.random(0, 40)) }
    local kind = math.random(10)
    if kind <= 6 then
      record.self = random_address(modules)
      paths[#paths + 1] = number
    elseif kind <= 8 then
      record.self, record.entered = random_address(modules), paths[math.random(#paths)]
    elseif kind == 9 then
      record.self, record.entered = 0xffffffff, 0xffffffff
    end
    records[#records + 1] = record
  end
  return records
end

local function random_profile()
  local modules = random_modules()
  local low = modules[1].low
  local profile = { modules = modules, tables = {}, process = { id = math.random(99), begin = math.random(1 << 60),
    finish = math.random(1 << 60), lost = math.random(0, 5), low = low + 0x100, high = low + 0x400,
    joined = math.random(0, 1), clock_error = math.random(0, 40), rate = math.random(0, 1) * 1000,
    limit = math.random(1 << 30), command = math.random(2) == 1 and "program\0-v\0" or nil } }
  for i = 1, math.random(0, 4) do profile.tables[i] = random_table(modules, math.random(0, 60)) end
  return profile
end

-- The second implementation ----------------------------------------------------------------

-- Returns a function that names addresses of a file: the module, and the address as linked.
local function namer(file)
  return function(address)
    for _, m in ipairs(file.modules) do
      if math.ult(address - m.low, m.high - m.low) then
        local path = m.build_id == "" and m.path or ""
        return ("%s %s %x %x %x"):format(m.build_id, path, m.low - m.bias, m.high - m.bias, address - m.bias)
      end
    end
    return ("%x"):format(address)
  end
end

-- Adds the records of a file to `sums`: counts by table, call path and kind.
local function add_records(sums, file)
  local name = namer(file)
  for _, thread in ipairs(file.threads) do
    local paths = {}
    for i = 0, thread.rows - 1 do
      local row = thread[i]
      local key
      if i < 3 then
        paths[i] = ("%s %d: root %d"):format(thread.name, thread.handlers, i)
      elseif row.entered ~= 0xffffffff then
        key = paths[row.context] .. " / " .. name(row.from)
        if row.self ~= 0 then key = key .. " > " .. name(row.self) end
        if row.self ~= 0 and row.entered == i then
          paths[i] = key
        elseif row.self ~= 0 then
          key = key .. " enters " .. paths[row.entered]
        end
        sums[key] = (sums[key] or 0) + row.count
      end
    end
    local whole = ("%s %d"):format(thread.name, thread.handlers)
    for _, field in ipairs { "threads", "cpu", "signals", "inside" } do
      sums[whole .. field] = (sums[whole .. field] or 0) + thread[field]
    end
  end
end

-- Returns the counts of files, and what they say about their processes.
local function contents(...)
  local sums, all = {}, { processes = 0, lost = 0, joined = 0, rate = 0, limit = 0, clock_error = 0 }
  for _, path in ipairs { ... } do
    local file = recorder.read(path)
    local process, bias = file.process, file.modules[1].bias
    all.command = all.processes == 0 and process.command or all.command == process.command and all.command or ""
    all.processes = all.processes + (file.processes or 1)
    all.lost = all.lost + process.lost
    all.begin = math.min(all.begin or process.begin, process.begin)
    all.finish = math.max(all.finish or 0, process.finish)
    all.low, all.high = process.low - bias, process.high - bias
    for _, field in ipairs { "joined", "rate", "limit", "clock_error" } do
      all[field] = math.max(all[field], process[field])
    end
    add_records(sums, file)
  end
  return sums, all
end

local function random_profiles()
  return { random_profile(), random_profile(), random_profile() }
end

local function check_sums(profiles)
  local a, b, c = save("a", profiles[1]), save("b", profiles[2]), save("c", profiles[3])
  local sum, id = assert(add_up("sum", a, b, c))
  local bytes = shell.read(sum)
  local expected, about = contents(a, b, c)
  local found, found_about = contents(sum)
  assert.same(about, found_about)
  assert.same(expected, found)
  assert.equal(id, (("<I4"):unpack(bytes, #bytes - 3)))
  local left, right, one = add_up("left", a, b), add_up("right", b, c), add_up("one", a)
  assert.is_true(bytes == shell.read(add_up("again", left, c)))
  assert.is_true(bytes == shell.read(add_up("again", a, right)))
  assert.is_true(bytes == shell.read(add_up("again", c, b, a)))
  assert.is_true(bytes == shell.read(add_up("again", sum)))
  assert.is_true(bytes == shell.read(add_up("again", right, one)))
end

describe("the sum of context profiles", function()
  it("has every count of its parts, in any order and any grouping", function()
    property.hold(31000, 30, random_profiles, check_sums)
  end)
end)

-- Files that cannot be added ---------------------------------------------------------------

local MAIN <const>, WORK <const> = 0x701000, 0x701020

-- Returns a profile of one module.
local function plain(records, changes)
  local profile = { process = { low = MAIN, high = MAIN + 0x60 },
    modules = { { bias = 0x700000, low = 0x700000, high = 0x702000 } }, tables = { records } }
  for key, value in pairs(changes or {}) do profile[key] = value end
  return profile
end

it("a part without a histogram adds none to the sum of context profiles", function()
  local function part(low, high)
    return save(("part %x"):format(low), plain({}, { process = { low = low, high = high } }))
  end
  local function same_sum(a, b)
    assert.is_true(shell.read(add_up("one", table.unpack(a))) == shell.read(add_up("other", table.unpack(b))))
  end
  local whole, none, zero = part(MAIN, MAIN + 0x60), part(0x300, 0x300), part(0, 0)
  local process = recorder.read(add_up("sum", none, whole, zero)).process
  assert.equal(0x60, process.high - process.low)
  same_sum({ whole, none, zero }, { zero, none, whole })
  same_sum({ none, zero }, { zero, none })
  same_sum({ none, whole }, { (add_up("sum", none, whole)) })
  same_sum({ none }, { (add_up("sum", none)) })
end)

it("the sum of context profiles has the same flags in any order, and no unknown ones", function()
  local WALL <const>, UNKNOWN <const> = 2, 0x7a000000
  local function with(flags, rate)
    return save(("flags %d %d"):format(flags, rate), plain({}, { process = { low = MAIN, high = WORK, joined = flags,
      rate = rate } }))
  end
  for _, case in ipairs { { with(UNKNOWN, 1000), with(0, 1000) }, { with(WALL, 0), with(0, 0) },
    { with(WALL, 0), with(0, 1000) }, { with(0, 0), with(WALL, 1000) } } do
    local one, other = add_up("one", case[1], case[2]), add_up("other", case[2], case[1])
    assert.is_true(shell.read(one) == shell.read(other))
  end
  assert.equal(0, recorder.read(add_up("sum", with(UNKNOWN, 1000))).process.joined)
end)

describe("a context profile cannot be added", function()
  local good <const> = save("good", plain { { context = 0, from = MAIN, self = WORK, count = 5 } })

  local function refuse(message, profile)
    local bad = save("bad", profile)
    assert.same({ nil, bad .. ": " .. message }, { add_up("sum", good, bad) })
  end

  it("if it is damaged, or not a context profile", function()
    refuse("is damaged: its checksum is wrong", plain({}, { sum = 1 }))
    refuse("the section at offset 120 claims 0 processes", plain({}, { processes = 0 }))
    refuse("the section at offset 120 claims 18446744073709551615 processes", plain({}, { processes = -1 }))
    local other = gmon.write(dir .. "/other", gmon.magic { records = {} })
    assert.same({ nil, other .. ": is not a context profile" }, { add_up("sum", good, other) })
  end)

  it("if records refer to records that are not contexts", function()
    local function record(changes)
      local records = {
        { context = 0, from = MAIN, self = WORK, count = 1 },               -- 3
        { context = 3, from = WORK, count = 1 },                            -- 4: a sample
        { context = 3, entered = 3, from = WORK, self = WORK, count = 1 },  -- 5: recursive
        { context = 0, entered = 0xffffffff, from = MAIN, self = WORK, count = 1 }, -- 6: to be ignored
        { context = 3, from = WORK, self = MAIN, count = 1 } }              -- 7
      for key, value in pairs(changes) do records[5][key] = value end
      return plain(records)
    end
    assert(add_up("sum", good, save("whole", record {})))
    for _, number in ipairs { 4, 5, 6 } do
      local message = "record 7 in the section at offset 195 refers to a record that is not a context"
      refuse(message, record { context = number })
      refuse(message, record { entered = number })
    end
  end)

  it("if it is from another program, or was sampled at another rate", function()
    local another = "was recorded with another program, or another build, than earlier context profiles"
    refuse(another, plain({}, { modules = { { bias = 0x700000, low = 0x700000, high = 0x702000, path = "other" } } }))
    refuse(another, plain({}, { modules = { { bias = 0x700000, low = 0x700000, high = 0x703000 } } }))
    refuse(another, plain({}, { modules = { { bias = 0x700000, low = 0x700000, high = 0x702000, build_id = "x" } } }))
    refuse("was recorded with 500 samples per second, but earlier context profiles with 1000",
      plain({}, { process = { low = MAIN, high = WORK, rate = 500 } }))
  end)

  it("if its modules are impossible", function()
    local module = { bias = 0x700000, low = 0x700000, high = 0x702000 }
    refuse("has no modules", plain({}, { modules = {} }))
    refuse("modules in the section at offset 120 overlap", plain({}, { modules = { module, module } }))
    refuse("the modules in the section at offset 120 are too large",
      plain({}, { modules = { module, { low = 1 << 40, high = -1 } } }))
    refuse("a module in the section at offset 120 has a build ID of 65 bytes: the limit is 64",
      plain({}, { modules = { module, { low = 1 << 40, high = 1 << 41, build_id = ("x"):rep(65) } } }))
  end)

  it("if an address cannot be kept, or a sum is too large", function()
    refuse("a record in the section at offset 195 has the address 0x8000000000000000, where no program has code",
      plain { { context = 0, from = math.mininteger, count = 1 } })
    refuse("a count exceeds 63 bits in the section at offset 195",
      plain { { context = 0, from = MAIN, self = WORK, count = math.maxinteger } })
    refuse("a count exceeds 63 bits in the section at offset 195", plain { signals = -1 })
    refuse("a count exceeds 63 bits in the section at offset 389",
      plain { { context = 0, from = MAIN, self = MAIN, count = math.maxinteger } })
    refuse("the sum has too many threads in the section at offset 195", plain { threads = 0xffffffff })
  end)
end)
