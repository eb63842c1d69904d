--- Generates context profiles (doc/contexts.md) of a generated program: call paths in several threads, and samples in
-- the program and in a library.
--
-- @module bench.contexts
-- SPDX-License-Identifier: GPL-3.0-or-later

local chance = require "bench.chance"
local programs = require "bench.programs"
local shell = require "bench.shell"

local random, pick = math.random, chance.pick
local quote = shell.quote

local contexts = {}

local THREADS <const> = 4

-- The fractions of contexts with a sample, of samples in the library, and of call sites in the library: callbacks.
local SAMPLED <const>, IN_LIBRARY <const>, CALLBACKS <const> = 0.1, 0.2, 0.02

local PAGE <const>, LIBRARY_BIAS <const> = 0x1000, 0x7f0000000000

-- Identifies the gmon.out that belongs to a context profile.
local STAMP <const> = 1

--- Returns a program or library as a module of a context profile, with its `functions`.
local function module_of(image, bias)
  local functions, low, high = programs.functions(image)
  local notes = assert(shell.capture("readelf -n " .. quote(image)))
  local id = notes:match("Build ID: (%x+)"):gsub("%x%x", function(byte) return string.char(tonumber(byte, 16)) end)
  return { path = image, build_id = id, bias = bias, low = bias + (low & -PAGE), high = bias + (high + PAGE & -PAGE),
    code = bias + low, code_end = bias + high, functions = functions }
end

--- Returns a random address in a random function of a module, or in function `f`.
local function address_in(module, f)
  f = f or pick(module.functions)
  return module.bias + f.address + random(f.size - 1)
end

--- Returns a function that returns call site number i of a function: always the same.
local function call_sites(program, library)
  local sites = {}
  return function(f, i)
    sites[f] = sites[f] or {}
    sites[f][i] = sites[f][i] or { callee = pick(program.functions),
      from = random() < CALLBACKS and address_in(library) or address_in(program, f) }
    return sites[f][i]
  end
end

--- Returns the records of a thread with a number of contexts. They are in the order in which a program would make them:
-- depth first.
local function table_of(program, library, site_of, count)
  local records, running = { name = "worker" }, {}
  local function add(record)
    records[#records + 1] = record
    return #records + 2
  end
  local function call(context, site)
    local f = site.callee
    return add { context = context, entered = running[f], from = site.from, self = f.address + 4,
      count = chance.long_tail(1000000, 1.5) }
  end
  -- Makes the context of a call, and others below it: `size` contexts in total.
  local function enter(context, site, size)
    local f, own, i = site.callee, call(context, site), 0
    running[f], size = own, size - 1
    if random() < SAMPLED then
      add { context = own, from = random() < IN_LIBRARY and address_in(library) or address_in(program, f),
        count = chance.long_tail(1000, 1) }
    end
    while size > 0 do
      i = i + 1
      local inner = site_of(f, i)
      if running[inner.callee] then
        call(own, inner)
      else
        local part = random(size)
        enter(own, inner, part)
        size = size - part
      end
    end
    running[f] = nil
  end
  enter(0, { callee = program.functions[1], from = address_in(library) }, count)
  return records
end

--- Returns the records of a gmon.out with the samples and calls of context profiles' tables.
local function summed(program, tables)
  local low, high = program.code, program.code_end
  local bins = { n = (high - low) // 4 }  -- a bin covers four bytes, as glibc's do
  local records, arcs = { { kind = "histogram", low = low, high = high, bins = bins, rate = 1000 } }, {}
  local function add_call(call)
    local from = call.from < high and call.from or -1
    arcs[from] = arcs[from] or {}
    local arc = arcs[from][call.self]
    if not arc then
      arc = { kind = "arc", from = from, self = call.self, count = 0 }
      arcs[from][call.self], records[#records + 1] = arc, arc
    end
    arc.count = arc.count + call.count
  end
  local function add_sample(sample)
    local bin = (sample.from - low) // 4 + 1
    if sample.from < high then bins[bin] = (bins[bin] or 0) + sample.count end
  end
  for _, records_of_table in ipairs(tables) do
    for _, record in ipairs(records_of_table) do (record.self and add_call or add_sample)(record) end
  end
  return records
end

--- Writes gmon.out and gmon.out.ctx. The program and the library are from `bench.programs`, without `pie`.
-- @tparam string dir
-- @tparam string program path, as reports will find it
-- @tparam string library path, as reports will find it
-- @tparam integer count number of contexts
-- @treturn string path of gmon.out
function contexts.write(dir, program, library, count)
  local gmon, packer = require "support.gmon", require "support.contexts"
  local modules = { module_of(program, 0), module_of(library, LIBRARY_BIAS) }
  local tables, path = {}, dir .. "/gmon.out"
  math.randomseed(1)
  local site_of = call_sites(modules[1], modules[2])
  for i = 1, THREADS do tables[i] = table_of(modules[1], modules[2], site_of, count // THREADS) end
  local process = { finish = STAMP, low = modules[1].code, high = modules[1].code_end }
  shell.write(path .. ".ctx", packer.pack { process = process, modules = modules, tables = tables })
  shell.write(path, gmon.magic { spare = ("<I4i8"):pack(0, STAMP), records = summed(modules[1], tables) })
  return path
end

return contexts
