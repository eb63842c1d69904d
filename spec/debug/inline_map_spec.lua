-- Inlined functions: the chain of functions at an address, from crafted entries and from compilers; and the functions
-- of lines in reports.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local dwarf = require "support.dwarf"
local entries = require "support.entries"
local gmon = require "support.gmon"
local gprof = require "gprof"
local row = require "support.row"
local shell = require "support.shell"
local uleb = entries.uleb

local LOW <const>, HIGH <const> = row.BASE, row.address(12)

local plain
setup(function() plain = row.image(10) end)

-- Returns the image of crafted units. `more` has further sections.
local function image_of(plan, units, more)
  local sections = {}
  sections.debug_info, sections.debug_abbrev = entries.encode(plan, units)
  for name, text in pairs(more or {}) do sections[name] = text end
  return assert(gprof.image(dwarf.with_sections(sections, plain)))
end

-- Checks that the scopes at an address have the fields of its frames.
local function check_scopes(image, address, frames)
  local scope, past = image:scope(address)
  assert(past == nil or past > address)
  for i, frame in ipairs(frames or {}) do
    local call = frames[i + 1] or {}
    local name, declared, outer, line, discriminator = image:scope_fields(scope)
    assert.same({ frame.name, frame.declared, call.line, call.discriminator }, { name, declared, line, discriminator })
    scope = outer
  end
  assert.is_nil(scope)
end

-- Returns the names of the functions at an address, the innermost first; "-" if there is none.
local function chain(image, address)
  local names, frames = {}, image:frames(address)
  check_scopes(image, address, frames)
  for i, frame in ipairs(frames or { { name = "-" } }) do names[i] = frame.name or "?" end
  return table.concat(names, " < ")
end

-- Entries.
local function sub(name, with, ...)
  return { "subprogram", with = { { "name", "string", name }, table.unpack(with) }, ... }
end
local function inlined(name, with, ...)
  return { "inlined", with = { { "name", "string", name }, table.unpack(with) }, ... }
end
local function unit(with, ...)
  return { "compile_unit", with = with, ... }
end

-- The attributes of code from LOW + low to LOW + high.
local function code(low, high)
  return { { "low", "addr", LOW + low }, { "high", "data4", high - low } }
end

-- The unit's attributes for all code.
local all <const> = code(0, HIGH - LOW)

describe("Inlined functions at an address", function()
  for version = 2, 5 do
    for _, wide in ipairs { false, true } do
      it(("are nested, the innermost first: DWARF %d, %d bits"):format(version, wide and 64 or 32), function()
        local image = image_of({ version = version, wide = wide }, { unit(all,
          sub("outer", code(0, 64), inlined("mid", code(16, 48), { "lexical_block", inlined("deep", code(20, 24)) }),
            inlined("late", code(50, 60))),
          sub("other", code(64, 80))) })
        for offset, names in pairs { [0] = "outer", [15] = "outer", [16] = "mid < outer", [20] = "deep < mid < outer",
            [23] = "deep < mid < outer", [24] = "mid < outer", [48] = "outer", [50] = "late < outer", [63] = "outer",
            [64] = "other", [80] = "-" } do
          assert.equal(names, chain(image, LOW + offset), offset)
        end
      end)
    end
  end

  it("are found with each form of an end, a length and an address", function()
    local addresses = ("<I4I2BBI8I8"):pack(24, 5, 8, 0, LOW + 16, LOW + 32)
    for _, form in ipairs { "addr", "data1", "data2", "data4", "data8", "udata", "sdata", "implicit_const", "addrx",
        "addrx1", "addrx2", "addrx3", "addrx4", "GNU_addr_index" } do
      local indexed = form:find "addr[x_]" or form == "GNU_addr_index"
      local low = indexed and { "low", form, 0 } or { "low", "addr", LOW + 16 }
      local high = { "high", form, indexed and 1 or form == "addr" and LOW + 32 or 16 }
      for _, indirect in ipairs { false, form ~= "implicit_const" or nil } do
        high.indirect = indirect
        local image = image_of({ version = 5 }, { unit({ { "addr_base", "sec_offset", 8 }, table.unpack(all) },
          sub("outer", code(0, 64), inlined("inner", { low, high }))) }, { debug_addr = addresses })
        assert.equal("outer", chain(image, LOW + 15), form)
        assert.equal("inner < outer", chain(image, LOW + 16), form)
        assert.equal("inner < outer", chain(image, LOW + 31), form)
        assert.equal("outer", chain(image, LOW + 32), form)
      end
    end
  end)

  it("are found after attributes of every other form", function()
    local with = code(0, 32)
    for i, form in ipairs { "block", "block1", "block2", "block4", "exprloc", "data16", "flag", "sdata", "strp",
        "line_strp", "strx", "strx1", "strx2", "strx3", "strx4", "rnglistx", "loclistx", "ref_sig8", "ref_sup4",
        "ref_sup8", "GNU_ref_alt", "GNU_strp_alt", "strp_sup", "flag_present", "implicit_const", "GNU_str_index",
        "sec_offset" } do
      local text = form:find "block" or form == "exprloc"
      table.insert(with, 1, { 0x2000 + 16 + i, form, text and "abc" or form == "data16" and ("x"):rep(16) or 5 })
    end
    local image = image_of({ version = 5 }, { unit(all, sub("outer", with, inlined("inner", code(8, 16)))) })
    assert.equal("inner < outer", chain(image, LOW + 8))
  end)

  it("are found in .debug_ranges", function()
    local pairs_of = ("<I8I8I8I8I8I8I8I8I8I8"):pack(4, 8, 1, 1, 20, 12, -1, LOW + 32, 0, 8) .. ("<I8I8"):pack(0, 0)
    for version = 3, 4 do
      local image = image_of({ version = version }, { unit(all, sub("outer", code(0, 64),
        inlined("inner", { { "ranges", version == 3 and "data4" or "sec_offset", 16 } }))) },
        { debug_ranges = ("x"):rep(16) .. pairs_of })
      local found = {}
      for offset = 0, 63 do
        if chain(image, LOW + offset) ~= "outer" then found[#found + 1] = offset end
      end
      assert.same({ 4, 5, 6, 7, 32, 33, 34, 35, 36, 37, 38, 39 }, found)
    end
  end)

  it("are found in .debug_rnglists, with each kind of entry", function()
    local addresses = ("<I4I2BBI8I8I8"):pack(32, 5, 8, 0, LOW + 10, LOW + 12, LOW + 40)
    local list = "\4\2\4" ..                                             -- 2 to 3, from the unit's address
      "\2\0\1" .. "\3\2\2" .. "\1\1" .. "\4\8\9" ..                      -- 10, 11; 40, 41; 20
      "\5" .. ("<I8"):pack(LOW + 48) .. "\4\0\1" ..                      -- 48
      "\6" .. ("<I8I8"):pack(LOW + 50, LOW + 52) .. "\7" .. ("<I8"):pack(LOW + 54) .. "\1" ..
      "\5" .. ("<I8"):pack(-1) .. "\4" .. uleb(LOW + 7) .. uleb(LOW + 8) ..  -- discarded
      "\6" .. ("<I8I8"):pack(0, LOW + 62) .. "\6" .. ("<I8I8"):pack(LOW + 61, LOW + 60) .. "\0" ..
      "\7" .. ("<I8"):pack(LOW + 58) .. "\1"                             -- after the end
    for _, wide in ipairs { false, true } do
      local head = (wide and "\255\255\255\255" or "") .. (wide and "<I8I2BBI4" or "<I4I2BBI4"):pack(0, 5, 8, 0, 2)
      local index = (wide and "<I8I8" or "<I4I4"):pack(wide and 16 or 8, wide and 16 or 8)
      for _, form in ipairs { "rnglistx", "sec_offset" } do
        local at = form == "rnglistx" and 1 or #head + #index
        local image = image_of({ version = 5, wide = wide }, { unit({ { "rnglists_base", "sec_offset", #head },
          { "addr_base", "sec_offset", 8 }, table.unpack(all) },
          sub("outer", code(0, 64), inlined("inner", { { "ranges", form, at } }))) },
          { debug_addr = addresses, debug_rnglists = head .. index .. list })
        local found = {}
        for offset = 0, 63 do
          if chain(image, LOW + offset) ~= "outer" then found[#found + 1] = offset end
        end
        assert.same({ 2, 3, 10, 11, 20, 40, 41, 48, 50, 51, 54 }, found)
      end
    end
  end)

  it("are of several functions if a function is inlined in a nested one", function()
    local image = image_of({ version = 5 }, { unit(all, sub("outer", code(0, 16),
      sub("nested", code(32, 64), inlined("inner", code(40, 44))), inlined("mine", code(4, 8)))) })
    assert.equal("inner < nested", chain(image, LOW + 40))
    assert.equal("mine < outer", chain(image, LOW + 4))
  end)

  it("are not those of discarded code, which begins at 0", function()
    local overlap <const> = { { "low", "addr", 0 }, { "high", "data8", HIGH } }
    for _, low in ipairs { 0, -1, -2 } do
      local image = image_of({ version = 5 }, {
        unit(all, sub("gone", { { "low", "addr", low }, overlap[2] }, inlined("inner", code(0, 64))),
          sub("kept", code(0, 32), inlined("mine", code(8, 16)))) })
      assert.equal("kept", chain(image, LOW))
      assert.equal("mine < kept", chain(image, LOW + 8))
      assert.equal("-", chain(image, LOW + 40))
    end
  end)

  it("are found where units do not say which code they have", function()
    local image = image_of({ version = 2 }, { unit({}, sub("one", code(0, 16))),
      unit({ { "low", "addr", 0 } }, sub("two", code(16, 32), inlined("inner", code(20, 24)))) })
    assert.equal("one", chain(image, LOW))
    assert.equal("inner < two", chain(image, LOW + 20))
  end)

  it("are those of the first unit, if units overlap", function()
    local image = image_of({ version = 5 }, { unit(all, sub("one", code(0, 16), inlined("a", code(4, 8)))),
      unit(all, sub("two", code(0, 32), inlined("b", code(4, 12)))) })
    assert.equal("a < one", chain(image, LOW + 4))
    assert.equal("one", chain(image, LOW + 8))
    assert.equal("two", chain(image, LOW + 16))
  end)

  it("skip units of types, partial units, and the children of types and calls", function()
    local hidden = sub("hidden", code(0, 16))
    local after = sub("after", code(16, 32))
    local type = { "enumeration_type", with = { { "sibling", "ref4", after } }, hidden }
    local image = image_of({ version = 4 }, { { "partial_unit", with = all, sub("partial", code(32, 48)) },
      unit(all, type, after) })
    assert.equal("-", chain(image, LOW))
    assert.equal("after", chain(image, LOW + 16))
    assert.equal("-", chain(image, LOW + 32))
  end)
end)

describe("The name of a function", function()
  -- Returns the names of subprograms, each with some attributes. `before` are further units, `within` further entries
  -- of their unit.
  local function names_of(list, plan, more, before, within)
    local units, own = table.move(before or {}, 1, before and #before or 0, 1, {}), unit(all)
    for i, with in ipairs(list) do
      own[i + 1] = { "subprogram", with = table.move(with, 1, #with, 3, code(16 * i - 16, 16 * i)) }
    end
    table.move(within or {}, 1, within and #within or 0, #own + 1, own)
    units[#units + 1] = own
    local image, names = image_of(plan or { version = 5 }, units, more), {}
    for i = 1, #list do names[i] = chain(image, LOW + 16 * i - 16) end
    return names
  end

  it("is its linkage name, or else its name", function()
    assert.same({ "f", "_Z1f", "_Z1f", "?", "?" }, names_of {
      { { "name", "string", "f" } },
      { { "name", "string", "f" }, { "linkage_name", "string", "_Z1f" } },
      { { 0x2007, "string", "_Z1f" }, { "name", "string", "f" } },
      {}, { { "name", "string", "" } } })
  end)

  it("is read from each section of strings", function()
    local more = { debug_str = "zero\0one\0", debug_line_str = "two\0three\0",
      debug_str_offsets = ("<I4I2I2I4I4"):pack(12, 5, 0, 0, 5) }
    local list = { { { "name", "strp", 5 } }, { { "name", "line_strp", 4 } }, { { "name", "strp", 500 } } }
    for _, form in ipairs { "strx", "strx1", "strx2", "strx3", "strx4", "GNU_str_index" } do
      list[#list + 1] = { { "name", form, 1 } }
    end
    assert.same({ "one", "three", "?", "one", "one", "one", "one", "one", "one" }, names_of(list, nil, more))
  end)

  it("is found through origins and specifications, in any unit", function()
    local declared = { "subprogram", with = { { "linkage_name", "string", "_Z4deep" }, { "declaration", "flag", 1 } } }
    local class = { "structure_type", declared }
    local abstract = { "subprogram", with = { { "specification", "ref4", declared }, { "name", "string", "deep" } } }
    local near = {}
    for i, form in ipairs { "ref2", "ref4", "ref8", "ref_udata", "ref_addr" } do
      near[i] = { { "origin", form, abstract } }
    end
    for version = 2, 5 do
      assert.same({ "_Z4deep", "_Z4deep", "_Z4deep", "_Z4deep", "_Z4deep" },
        names_of(near, { version = version, wide = version % 2 == 0 }, nil, nil, { class, abstract }))
    end
    local long = sub(("x"):rep(3000), {})
    local before = { unit({}, { "namespace", class }, abstract), { "partial_unit", sub("unused", {}) }, unit({}, long) }
    assert.same({ "_Z4deep", "_Z4deep", ("x"):rep(3000) }, names_of({ { { "origin", "ref_addr", abstract } },
      { { "specification", "ref_addr", declared } }, { { "origin", "ref_addr", long } } }, nil, nil, before))
  end)

  it("is unknown if references lead nowhere, or in a circle", function()
    local self, a, b = { "subprogram" }, { "subprogram" }, { "subprogram" }
    self.with = { { "origin", "ref4", self } }
    a.with, b.with = { { "specification", "ref4", b } }, { { "origin", "ref4", a } }
    local list, unknown = { { { "origin", "ref4", self } }, { { "origin", "ref4", a } } }, { "?", "?" }
    for _, offset in ipairs { 0, 1, 5, 11, 2000, 0x7fffffff } do
      local to = { near = offset, offset = offset }
      table.move({ { { "origin", "ref4", to } }, { { "origin", "ref_addr", to } } }, 1, 2, #list + 1, list)
      table.move({ "?", "?" }, 1, 2, #unknown + 1, unknown)
    end
    list[12], unknown[12] = { { "origin", "ref_sup4", 11 } }, "?"
    for i = 13, #list do list[i], unknown[i] = nil, nil end
    assert.same(unknown, names_of(list, nil, nil, nil, { self, a, b }))
  end)
end)

-- Damage --------------------------------------------------------------------------------------------------------------

describe("Damaged entries", function()
  local kept = sub("kept", code(0, 16), inlined("inner", code(4, 8)))

  -- Whether the functions before the damage are still known.
  local function reads_kept(units, more, plan)
    local image = image_of(plan or { version = 5 }, units, more)
    assert.equal("inner < kept", chain(image, LOW + 4))
    for offset = 16, 191, 16 do image:frames(LOW + offset) end
    return image
  end

  it("are one warning, with the number of units, and the other units are read", function()
    local lost = unit({ { 0x2001, "block1", "" }, table.unpack(all) }, sub("lost", code(16, 32)))
    local info, abbrev = entries.encode({ version = 5 }, { lost, lost, unit(all, kept) })
    local warnings = {}
    local function open(text, rest)
      local sections = { debug_info = text .. rest, debug_abbrev = abbrev }
      local image = assert(gprof.image(dwarf.with_sections(sections, plain),
        { warn = function(message) warnings[#warnings + 1] = message end }))
      return image, ("%s: some inlined functions are unknown: the debugging information of %%d unit%%s is damaged")
        :format(image.path)
    end
    local image, warning = open(info:gsub("\1\0", "\1\255"), "")
    assert.equal("inner < kept", chain(image, LOW + 4))
    assert.equal("-", chain(image, LOW + 16))
    assert.same({ warning:format(2, "s") }, warnings)
    image, warning = open(info, "\1\0\0")
    assert.equal("inner < kept", chain(image, LOW + 4))
    assert.same(warning:format(1, ""), warnings[2])
    open(info, "")
    assert.equal(2, #warnings)
  end)

  it("may overlap, or reach beyond the functions that contain them", function()
    local wide = sub("wide", code(16, 64), inlined("a", code(8, 40)), inlined("b", code(24, 80)))
    local image = reads_kept { unit(all, kept, wide, sub("again", code(32, 48))) }
    assert.equal("again", chain(image, LOW + 32))
    assert.equal("b < wide", chain(image, LOW + 70))
  end)

  it("may have lists of ranges that lead nowhere or do not end", function()
    for _, at in ipairs { 0, 3, 8, 1000, 0xffffffff } do
      for _, form in ipairs { "sec_offset", "rnglistx" } do
        local damaged = { "subprogram", with = { { "ranges", form, at }, { "name", "string", "damaged" } } }
        reads_kept({ unit(all, kept, damaged) }, { debug_rnglists = ("\5\1"):rep(20) .. "\9", debug_addr = "\1" })
        reads_kept({ unit(all, kept, damaged) }, { debug_ranges = ("\5\1"):rep(21) }, { version = 4 })
      end
    end
  end)

  it("may have siblings that lead back", function()
    local type = { "enumeration_type", sub("child", code(32, 48)) }
    for _, back in ipairs { 0, 1, 20 } do
      type.with = { { "sibling", "ref4", { near = back } } }
      assert.equal("child", chain(reads_kept { unit(all, kept, type) }, LOW + 32))
    end
    type.with = { { "sibling", "ref4", { near = 0x7fffffff } } }
    assert.equal("child", chain(reads_kept { unit(all, kept, type) }, LOW + 32))
  end)

  it("may end anywhere", function()
    local info, abbrev = entries.encode({ version = 5 }, { unit(all, kept) })
    for size = 0, #info - 1, 3 do
      local rest = ("<I4"):pack(math.max(size - 4, 0)) .. info:sub(5, size)
      local sections = { debug_info = rest .. "\0", debug_abbrev = abbrev }
      local image = assert(gprof.image(dwarf.with_sections(sections, plain)))
      assert.truthy(("- kept inner < kept"):find(chain(image, LOW + 4), 1, true))
    end
  end)

  it("may have forms that name forms, and blocks that reach beyond the unit", function()
    local chained = sub("chained", { { 0x2001, "data1", 1, indirect = true }, table.unpack(code(16, 32)) })
    local info, abbrev = entries.encode({ version = 5 }, { unit(all, kept, chained) })
    local function read(text)
      local sections = { debug_info = ("<s4"):pack(text:sub(5)), debug_abbrev = abbrev }
      local image = assert(gprof.image(dwarf.with_sections(sections, plain)))
      assert.equal("inner < kept", chain(image, LOW + 4))
      return chain(image, LOW + 16)
    end
    assert.equal("chained", read(info))
    assert.equal("chained", read(info:gsub("chained\0", "%0" .. ("\22"):rep(50000))))
    assert.equal("-", read(info:gsub("chained\0\11", "chained\0" .. ("\22"):rep(50000) .. "\4\255\255\255\127")))
  end)

  it("may be nested a million levels deep", function()
    local deepest = sub("deepest", code(16, 32))
    local info, abbrev = entries.encode({ version = 5 }, { unit(all, kept, { "lexical_block", deepest }) })
    local before, block, rest = info:sub(5):match "^(.*)(.)(.deepest.*)$"
    local sections = { debug_info = ("<s4"):pack(before .. block:rep(1000000) .. rest), debug_abbrev = abbrev }
    local image = assert(gprof.image(dwarf.with_sections(sections, plain)))
    assert.equal("inner < kept", chain(image, LOW + 4))
    assert.equal("deepest", chain(image, LOW + 16))
  end)

  it("may all refer to one long entry, which is not read for each of them", function()
    local COUNT <const>, LONG <const> = 4000, { "subprogram", with = {} }
    for i = 1, 2000 do LONG.with[i] = { 0x2001, "data1", 0 } end
    table.insert(LONG.with, { "linkage_name", "string", "long" })
    local unread = sub("unread", code(16, 32))
    local short = sub("short", code(0, 16))
    for _, entry in ipairs { short, unread } do table.insert(entry.with, { "specification", "ref4", LONG }) end
    local info, abbrev = entries.encode({ version = 5 }, { unit(all, LONG, short, unread) })
    local before, entry, after = info:match "^....(.*)(.short.*)(.unread.*)$"
    local sections = { debug_info = ("<s4"):pack(before .. entry:rep(COUNT) .. after), debug_abbrev = abbrev }
    local image = assert(gprof.image(dwarf.with_sections(sections, plain)))
    assert.equal("unread", chain(image, LOW + 16))
  end)

  it("may be nested a hundred thousand levels deep", function()
    local DEPTH <const> = 100000
    local inner = inlined("inner", code(4, 8), { "lexical_block" })
    local info, abbrev = entries.encode({ version = 5 }, { unit(all, sub("outer", code(0, 16), inner)) })
    local nested = info:sub(13, -5)  -- without the header, the innermost entry and the ends
    local deepest = nested:match "inner.*$"
    local entry = nested:sub(-#deepest - 1)
    local body = info:sub(5, 12) .. nested .. entry:rep(DEPTH)
    local sections = { debug_info = ("<s4"):pack(body), debug_abbrev = abbrev }
    local image = assert(gprof.image(dwarf.with_sections(sections, plain)))
    assert.equal(DEPTH + 2, #image:frames(LOW + 4))
    assert.equal(1, #image:frames(LOW + 8))
  end)
end)

-- Compiled programs ---------------------------------------------------------------------------------------------------

-- Labels mark instructions whose frames follow from the source: each function with a label is inlined once.
local source <const> = [[
static volatile unsigned sink;
#define HERE(name) __asm__ volatile (".globl at_" #name "\nat_" #name ":\n\tnop")
#define INLINE static inline __attribute__((always_inline))
INLINE void deep(unsigned x) { sink += x; HERE(deep); sink *= 3; }
INLINE void middle(unsigned x) {
  HERE(middle);
  deep(x + 1);
}
#ifdef APART
#define PLACE , section("apart")
#else
#define PLACE
#endif
__attribute__((noinline PLACE)) void outer(unsigned x) {
  if (x)
    middle(x);
  HERE(outer);
  sink++;
}
int main(void) {
  outer(1);
  return 0;
}
]]

local templates <const> = [[
#include "truth.h"
namespace n {
template <typename T> struct Box {
  T value;
  INLINE_MEMBER T twice() const {
    HERE(twice);
    return 2 * value;
  }
};
}
template <typename F> INLINE_MEMBER static unsigned apply(F f) { return f(3); }
__attribute__((noinline)) unsigned user(unsigned x) {
  return apply([x](unsigned y) INLINE_MEMBER {
    n::Box<unsigned> box{x + y};
    return box.twice();
  });
}
int main() { sink = user(1); }
]]

local header <const> = [[
static volatile unsigned sink;
#define HERE(name) __asm__ volatile (".globl at_" #name "\nat_" #name ":\n\tnop")
#define INLINE_MEMBER __attribute__((always_inline))
]]

local dir

-- Compiles a program. Returns a function from the name of a label to its frames: "NAME:LINE < ...". Checks that the
-- source at the label is that of the innermost frame.
local function frames_in(compiler, file, flags, after)
  local path = ("%s/%s"):format(dir, (table.concat({ compiler, file, table.unpack(flags) }, "_"):gsub("[/ ]", "_")))
  shell.check({ compiler, "-O2", "-g", "-o", path, file, table.unpack(flags) }, { cwd = dir })
  if after then after(path) end
  local image = assert(gprof.image(path))
  return function(label)
    local words, address = {}, build.address(image.path, "at_" .. label)
    local frames = assert(image:frames(address))
    assert.same({ frames[1].file, frames[1].line, frames[1].name }, { image:source(address) })
    assert.same({ frames[1].file, frames[1].line }, { image:line(address) })
    for i, frame in ipairs(frames) do
      words[i] = ("%s:%s"):format(frame.name, frame.line)
      assert.equal(frame.line and file, frame.file and frame.file:match "[^/]*$")
      assert.equal(words[i + 1] ~= nil, frame.inlined and words[i + 1] ~= nil)
    end
    return table.concat(words, " < ")
  end
end

local variants <const> = { {}, { "-gdwarf-2" }, { "-gdwarf-3" }, { "-gdwarf-4" }, { "-gdwarf-5", "-gdwarf64" },
  { "-gz" }, { "-flto" }, { "-ffunction-sections", "-Wl,--gc-sections" }, { "-fdebug-types-section" }, { "-DAPART" } }

describe("The frames of compiled code", function()
  setup(function()
    dir = shell.tmpdir "frames"
    shell.write(dir .. "/truth.c", source)
    shell.write(dir .. "/truth.cc", templates)
    shell.write(dir .. "/truth.h", header)
  end)

  for _, compiler in ipairs { "gcc", "clang" } do
    local installed = shell.installed(compiler)
    for _, flags in ipairs(chance.some(variants, 2)) do
      local title = ("follow from the source: %s %s"):format(compiler, table.concat(flags, " "))
      local needs_lld = compiler == "clang" and flags[1] == "-flto"
      if needs_lld then flags = { "-flto", "-fuse-ld=lld" } end
      if not installed or needs_lld and not shell.installed "ld.lld" then
        pending(title)
      else
        it(title, function()
          local at = frames_in(compiler, "truth.c", flags)
          assert.equal("deep:4 < middle:7 < outer:16", at "deep")
          assert.equal("middle:6 < outer:16", at "middle")
          assert.equal("outer:17", at "outer")
        end)
      end
    end
  end

  it("know where functions are declared, and tell calls in one line apart", function()
    if not shell.installed "clang" then pending "needs clang" return end
    local made = build.compiled("declared", { "clang", "-O2", "-g", "-fdebug-info-for-profiling", "-shared", "-o", "p",
      "p.c" }, { ["p.c"] = "static volatile int sink;\nstatic inline void add(int x)\n{\n  sink += x;\n}\n\n" ..
      "void both(int x)\n{\n  add(x); if (x) add(x + 1); add(x + 2);\n}\n" })
    local image, calls = assert(gprof.image(made .. "/p")), {}
    for address, file, line in image:lines() do
      local frames = file and line == 4 and image:frames(address)
      if frames then
        assert.same({ "add", 2, true }, { frames[1].name, frames[1].declared, frames[1].inlined })
        assert.same({ "both", 7, 9 }, { frames[2].name, frames[2].declared, frames[2].line })
        assert.is_nil(frames[1].discriminator)
        calls[frames[2].discriminator or 0] = true
      end
    end
    local count = 0
    for _ in pairs(calls) do count = count + 1 end
    assert.equal(3, count)
  end)

  for compiler, lambda in pairs { ["g++"] = "operator%(%)", ["clang++"] = "_ZZ4userjENK3%$_0clEj" } do
    local title = "follow from the source, with templates and lambdas: " .. compiler
    if shell.installed(compiler) then
      for _, flags in ipairs { { "-std=c++17" }, { "-std=c++17", "-gdwarf-4", "-fdebug-types-section" } } do
        it(("%s %s"):format(title, table.concat(flags, " ")), function()
          local found = frames_in(compiler, "truth.cc", flags) "twice"
          local expected = "^_ZNK1n3BoxIjE5twiceEv:6 < " .. lambda .. ":15 < .*apply.*:11 < _Z4userj:13$"
          assert.truthy(found:find(expected), found)
        end)
      end
    else
      pending(title)
    end
  end

  -- Checks a program with -gsplit-dwarf. `move` prepares its files.
  local function check_split(compiler, version, move)
    local flags = { "-gsplit-dwarf", "-gdwarf-" .. version, "-ffunction-sections" }
    local at = frames_in(compiler, "truth.c", flags, move)
    assert.equal("deep:4 < middle:7 < outer:16", at "deep")
    assert.equal("middle:6 < outer:16", at "middle")
  end

  -- Moves the .dwo files of a program to another directory.
  local function move_split(path, to)
    local listed = shell.check({ "sh", "-c", "ls *.dwo" }, { cwd = dir }).stdout
    for name in listed:gmatch "[^\n]+" do shell.check({ "mv", name, to .. "/" .. name }, { cwd = dir }) end
    return path
  end

  for _, compiler in ipairs { "gcc", "clang" } do
    for version = 4, 5 do
      local title = ("are found in split files: %s, DWARF %d"):format(compiler, version)
      if shell.installed(compiler) then
        it(title, function()
          check_split(compiler, version)
          shell.check({ "sh", "-c", "rm *.dwo" }, { cwd = dir })
        end)
      else
        pending(title)
      end
    end
  end

  it("are found in a package of split files", function()
    check_split("gcc", 4, function(path)
      shell.check({ "dwp", "-e", path, "-o", path .. ".dwp" }, { cwd = dir })
      move_split(path, shell.tmpdir "elsewhere")
    end)
  end)

  it("are found in split files if the package is from another build", function()
    check_split("gcc", 4, function(path)
      shell.check({ "gcc", "-O1", "-g", "-gsplit-dwarf", "-gdwarf-4", "-o", "other", "truth.c" }, { cwd = dir })
      shell.check({ "dwp", "-e", "other", "-o", path .. ".dwp" }, { cwd = dir })
    end)
  end)

  -- Moves the debugging information of a program into a file in another directory. Returns that directory.
  local function strip(path, name)
    local elsewhere = shell.tmpdir "elsewhere"
    local file = elsewhere .. "/" .. name
    shell.check { "sh", "-c", ('mkdir -p "$(dirname %s)"'):format(file) }
    shell.check { "objcopy", "--only-keep-debug", path, file }
    shell.check { "objcopy", "--strip-debug", "--add-gnu-debuglink=" .. file, path }
    return elsewhere
  end

  -- Checks the functions of a stripped program. `arrange` puts the split files somewhere.
  local function check_stripped(arrange)
    local path = dir .. "/stripped"
    shell.check({ "gcc", "-O2", "-g", "-gsplit-dwarf", "-gdwarf-4", "-o", path, "truth.c" }, { cwd = dir })
    local at = build.address(path, "at_deep")
    local expected = gprof.image(path):frames(at)
    assert.equal("deep", expected[1].name)
    local debug_dir, moved = arrange(path)
    assert.same(expected, assert(gprof.image(moved or path, { debug_dir = { debug_dir } })):frames(at))
  end

  it("are found in split files and packages beside the program or its debugging file", function()
    local function package(path, to)
      shell.check({ "dwp", "-e", path, "-o", to }, { cwd = dir })
      move_split(path, shell.tmpdir "nowhere")
    end
    check_stripped(function(path)  -- files beside the program, which was moved
      local folder = shell.tmpdir "moved"
      move_split(path, folder)
      shell.check { "mv", path, folder .. "/program" }
      return strip(folder .. "/program", "program.debug"), folder .. "/program"
    end)
    check_stripped(function(path)
      package(path, path .. ".dwp")
      return strip(path, "program.debug")
    end)
    shell.check { "rm", dir .. "/stripped.dwp" }
    for _, name in ipairs { "program.debug.dwp", "program.dwp" } do
      check_stripped(function(path)
        local elsewhere = strip(path, "program.debug")
        package(elsewhere .. "/program.debug", elsewhere .. "/" .. name)
        return elsewhere
      end)
    end
  end)

  it("are found although packages from another build, or damaged ones, are found first", function()
    shell.check({ "gcc", "-O1", "-g", "-gsplit-dwarf", "-gdwarf-4", "-o", "other", "truth.c" }, { cwd = dir })
    shell.check({ "dwp", "-e", "other", "-o", "other.dwp" }, { cwd = dir })
    for _, wrong in ipairs { shell.read(dir .. "/other.dwp"), "damaged" } do
      local warnings = {}
      local path = dir .. "/many"
      shell.check({ "gcc", "-O2", "-g", "-gsplit-dwarf", "-gdwarf-4", "-o", path, "truth.c" }, { cwd = dir })
      local at = build.address(path, "at_deep")
      local expected = gprof.image(path):frames(at)
      shell.check({ "dwp", "-e", path, "-o", path .. ".dwp" }, { cwd = dir })
      move_split(path, shell.tmpdir "nowhere")
      local elsewhere = strip(path, "many.debug")
      for _, name in ipairs { "many.debug.dwp", "many.dwp" } do shell.write(elsewhere .. "/" .. name, wrong) end
      local image = assert(gprof.image(path,
        { debug_dir = { elsewhere }, warn = function(message) warnings[#warnings + 1] = message end }))
      assert.same(expected, assert(image:frames(at)))
      assert.same({ ("%s: is damaged, or from a different build than %s, and is not used"):format(
        elsewhere .. "/many.debug.dwp", path) }, warnings)
    end
  end)

  it("lack those of split files that are missing", function()
    local path = dir .. "/lacking"
    shell.check({ "gcc", "-O2", "-g", "-gsplit-dwarf", "-o", path, "truth.c" }, { cwd = dir })
    move_split(path, shell.tmpdir "elsewhere")
    assert.is_nil(assert(gprof.image(path)):frames(build.address(path, "at_deep")))
  end)

  it("have no lines of calls in strict DWARF 2", function()
    local found = frames_in("gcc", "truth.c", { "-gdwarf-2", "-gstrict-dwarf", "-ffunction-sections" }) "deep"
    assert.equal("deep:4 < middle:nil < outer:nil", found)
  end)

  for version, options in pairs { [4] = {}, [5] = {}, ["5, with .debug_sup"] = { "-5" } } do
    it(("are found in a shared debugging file (dwz), DWARF %s"):format(version), function()
      local function share(path)
        shell.check { "cp", path, path .. ".too" }
        shell.check { "dwz", "-m", path .. ".dwz", path, path .. ".too", table.unpack(options) }
      end
      local at = frames_in("gcc", "truth.c", { "-gdwarf-" .. tostring(version):sub(1, 1) }, share)
      assert.equal("deep:4 < middle:7 < outer:16", at "deep")
    end)
  end
end)

-- Reports -------------------------------------------------------------------------------------------------------------

-- The compiler moves the rare part of `deep` behind the rest of `outer`, so that its code has two ranges.
local divided <const> = [[
#define HERE(name) __asm__ volatile (".globl at_" #name "\nat_" #name ":\n\tnop\n\tnop\n\tnop\n\tnop")
static volatile unsigned sink;
__attribute__((noinline)) static void rare(unsigned x) { sink = x; }
static inline __attribute__((always_inline)) unsigned deep(unsigned x) {
  HERE(usual);
  if (__builtin_expect(x == 12345, 0)) {
    HERE(rare);
    rare(x);
  }
  return sink + x;
}
__attribute__((noinline)) unsigned outer(unsigned x) {
  for (unsigned i = 0; i < x; i++)
    sink += deep(i);
  return sink;
}
int main(void) { return outer(100) == 1; }
]]

describe("The profile by line names the innermost function", function()
  -- Returns the name and the seconds of each line of a program with 40 samples in the usual part of `deep`, and 60 in
  -- its rare part.
  local function lines_of(compiler, flags)
    local path = shell.tmpdir "divided"
    shell.write(path .. "/divided.c", divided)
    shell.check({ compiler, "-O2", "-g", "-o", "divided", "divided.c", table.unpack(flags) }, { cwd = path })
    local usual, rare = build.address(path .. "/divided", "at_usual"), build.address(path .. "/divided", "at_rare")
    shell.check({ "objcopy", "-N", "at_usual", "-N", "at_rare", "divided" }, { cwd = path })
    local image = assert(gprof.image(path .. "/divided"))
    local low = image.text_low
    local bins = { n = (image.text_high - low) // 2 }
    bins[(usual + 1 - low) // 2 + 1] = 40
    bins[(rare + 1 - low) // 2 + 1] = 60
    local data = gmon.write(path .. "/gmon.out", gmon.magic { records = {
      { kind = "histogram", low = low, high = low + 2 * bins.n, bins = bins } } })
    local found = {}
    for f in gprof.profile(image, gprof.data(image, data), { line = true }):functions() do
      if f.self > 0 then found[#found + 1] = ("%s:%d %.2f"):format(f.name, f.line, f.self) end
    end
    return table.concat(found, ", ")
  end

  for _, compiler in ipairs { "gcc", "clang" } do
    for version = 3, 5 do
      local title = ("in code of several ranges: %s, DWARF %d"):format(compiler, version)
      if shell.installed(compiler) then
        it(title, function()
          assert.equal("deep:7 0.60, deep:5 0.40", lines_of(compiler, { "-gdwarf-" .. version }))
        end)
      else
        pending(title)
      end
    end
  end
end)
