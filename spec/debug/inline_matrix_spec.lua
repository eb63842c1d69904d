-- Inlined functions in code from compilers equal those that llvm-symbolizer finds. `make inline-matrix` compares more
-- than 100,000 addresses of many images.
--
-- The images have no symbols, because llvm-symbolizer prefers symbols to debugging information. Dynamic symbols remain:
-- for the outermost function, llvm-symbolizer may have the name of another one at the same address. Compared are the
-- addresses of instructions that are in functions. A part of them is also compared with eu-addr2line, if it can read
-- the image: it needs .debug_aranges, which clang writes only on request, and reads neither gcc's LTO nor split files.
-- Where it differs, llvm-dwarfdump shows the innermost entry, which decides.
-- SPDX-License-Identifier: GPL-3.0-or-later

local chance = require "support.chance"
local gprof = require "gprof"
local shell = require "support.shell"

local _, cases = chance.cases(1, 60)
cases = math.max(cases, 5)

-- Few cases are enough for the small programs, with the first variants.
local LARGE <const> = 500
local PER_CASE <const> = 12  -- addresses

if not (shell.installed "llvm-symbolizer" and shell.installed "clang") then
  return pending "needs llvm-symbolizer and clang"
end

local small <const> = [[
#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <vector>
static inline unsigned rotate(unsigned x, int n) { return x << n | x >> (32 - n); }
inline unsigned mix(unsigned x) {
  x ^= rotate(x, 5);
  return rotate(x * 0x9e3779b1, 13) ^ x;
}
namespace {
template <typename T> struct Box {
  T width, height;
  T area() const { return width * height; }
};
}
template <typename F> unsigned sum_of(const std::vector<unsigned> &v, F f) {
  unsigned sum = 0;
  for (auto x : v) sum += f(x);
  return sum;
}
__attribute__((noinline)) unsigned work(unsigned n) {
  std::vector<unsigned> v(n);
  std::iota(v.begin(), v.end(), 1);
  std::map<std::string, unsigned> m;
  for (auto x : v) m[std::to_string(x % 17)] += mix(x);
  unsigned total = sum_of(v, [&](unsigned x) {
    struct Local {
      unsigned y;
      unsigned twice() { return 2 * y + mix(y); }
    } local{x};
    return local.twice() + x % 3;
  });
  std::sort(v.begin(), v.end(), [](unsigned a, unsigned b) { return mix(a) < mix(b); });
  Box<double> box{1.5 * n, 2};
  return total + v[n / 2] + unsigned(box.area());
}
]]

local sources <const> = {
  ["main.cc"] = "unsigned work(unsigned);\nint main(int argc, char **) { return work(100 * argc) & 1; }\n",
  ["small.cc"] = small,
  ["large.cc"] = small .. [[
#include <functional>
#include <iostream>
#include <regex>
#include <set>
#include <sstream>
unsigned more(const std::string &text) {
  std::smatch match;
  std::regex pattern("([a-z]+)=([0-9]*)");
  std::set<std::string> found;
  for (auto from = text; std::regex_search(from, match, pattern); from = match.suffix()) found.insert(match[1]);
  std::ostringstream out;
  for (auto &x : found) out << x << mix(unsigned(x.size()));
  return std::hash<std::string>()(out.str());
}
]],
  ["deep.c"] = [[
#include <stdio.h>
#include <stdlib.h>
static inline unsigned rotate(unsigned x, int n) { return x << n | x >> (32 - n); }
static inline unsigned mix(unsigned x) {
  for (int i = 0; i < 3; i++) x = x * 31 + rotate(x, i + 1);
  return x;
}
static unsigned deep(unsigned x) { return mix(x) + mix(x + 1); }
static unsigned middle(unsigned x) { return x & 1 ? deep(x) : deep(x / 2) * 3; }
static __attribute__((noinline)) unsigned again(unsigned n, unsigned x) {
  if (n == 0) return middle(x);
  if (x > 100000000) { fprintf(stderr, "large\n"); abort(); }
  return again(n - 1, x + n) + mix(n);
}
int main(int argc, char **argv) { return again(9, (unsigned)argc) & 1; }
]],
  ["waves.f90"] = [[
module waves
contains
  real function height(x)
    real, intent(in) :: x
    height = twice(x) * twice(x + 1.0)
  contains
    real function twice(y)
      real, intent(in) :: y
      twice = 2.0 * y * x
    end function
  end function
end module
program sea
  use waves
  real :: total
  integer :: i
  total = 0.0
  do i = 1, 10
    total = total + height(real(i) + total)
  end do
  print *, total
end program
]],
}

-- The images: compiler, source, flags. Only the first ones are tried with few cases.
local images <const> = {
  { "g++", "large.cc", "-gdwarf-5" }, { "clang++", "large.cc", "-gdwarf-5" }, { "clang", "deep.c", "-gdwarf-5" },
  { "g++", "large.cc", "-gdwarf-4", "-O3" }, { "clang++", "large.cc", "-gdwarf-4" }, { "g++", "large.cc", "-gdwarf-3" },
  { "g++", "large.cc", "-gdwarf-2" }, { "clang++", "large.cc", "-gdwarf-3", "-O3" },
  { "clang++", "large.cc", "-gdwarf-2" }, { "g++", "large.cc", "-flto" }, { "g++", "large.cc", "-gz" },
  { "g++", "large.cc", "-ffunction-sections", "-Wl,--gc-sections" }, { "clang++", "large.cc", "-ffunction-sections" },
  { "g++", "large.cc", "-gdwarf64" }, { "g++", "large.cc", "-fdebug-types-section" },
  { "gcc", "deep.c", "-O3" }, { "gcc", "deep.c", "-gdwarf-2", "-gstrict-dwarf", "-ffunction-sections" },
  { "clang", "deep.c", "-O3", "-gdwarf-2" }, { "gfortran", "waves.f90", "-O3" },
  { "gfortran", "waves.f90", "-gdwarf-4" }, { "g++", "large.cc", "-gsplit-dwarf" },
  { "g++", "large.cc", "-gdwarf-4", "-gsplit-dwarf" }, { "clang++", "large.cc", "-gsplit-dwarf" },
  { "clang++", "large.cc", "-flto", "-fuse-ld=lld" }, { "clang++", "large.cc", "-gdwarf-aranges" },
}
local FEW <const> = 3

local dir

local function compile(compiler, source, ...)
  local words = { compiler, "-O2", "-g", "-o", "image", source, ... }
  if source:find "%.cc$" then words[#words + 1] = "main.cc" end
  shell.check(words, { cwd = dir })
  shell.check({ "objcopy", "-w", "-N", "*", "image" }, { cwd = dir })
  return dir .. "/image"
end

-- Returns the addresses of at most `most` instructions of .text.
local function instructions(path, most)
  local all, some = {}, {}
  local text = shell.check { "objdump", "-d", "-j", ".text", "--no-show-raw-insn", path }.stdout
  for address in text:gmatch "\n *(%x+):\t" do all[#all + 1] = tonumber(address, 16) end
  for i = 1, #all, math.max(1, #all // most) do some[#some + 1] = all[i] end
  return some
end

-- Removes "." and ".." from a path.
local function normal(path)
  local count
  path = path:gsub("//+", "/")
  repeat path, count = path:gsub("/%./", "/", 1) until count == 0
  repeat path, count = path:gsub("/[^/]+/%.%./", "/", 1) until count == 0
  return path
end

-- Returns llvm-symbolizer's frames of each address: "NAME FILE:LINE", the innermost first.
local function symbolize(path, addresses)
  local lines, found = {}, {}
  for i, address in ipairs(addresses) do lines[i] = ("%#x\n"):format(address) end
  local text = shell.check({ "llvm-symbolizer", "--inlines", "--no-demangle", "--functions=linkage", "--obj=" .. path },
    { stdin = shell.write(dir .. "/addresses", table.concat(lines)) }).stdout
  for block in text:gmatch "(.-)\n\n" do
    local frames = {}
    for name, file, line in (block .. "\n"):gmatch "([^\n]*)\n([^\n]*):(%d+):%d+\n" do
      frames[#frames + 1] = { name = name, file = normal(file), line = tonumber(line) }
    end
    found[#found + 1] = frames
  end
  assert.equal(#addresses, #found)
  return found
end

-- Whether elfutils can read an image.
local function suits_elfutils(image)
  local flags = table.concat(image, " ", 3)
  if image[1]:find "clang" then return flags:find "aranges" end
  return not flags:find "lto" and not flags:find "split"
end

-- Returns eu-addr2line's frames of each address.
local function symbolize_by_elfutils(path, addresses)
  local words, found, name = { "eu-addr2line", "-a", "-i", "-f", "-e", path }, {}, nil
  for i, address in ipairs(addresses) do words[6 + i] = ("%#x"):format(address) end
  for line in shell.check(words).stdout:gmatch "[^\n]+" do
    if line:find "^0x%x+$" then
      found[#found + 1] = {}
    elseif not name then
      name = line:gsub(" inlined .*", "")
    else
      local file, number = line:match "^(.-):(%d+)"
      table.insert(found[#found], { name = name, file = normal(file), line = tonumber(number) })
      name = nil
    end
  end
  assert.equal(#addresses, #found)
  return found
end

-- Returns the name of the innermost function at an address, and the line of its call if it is inlined, from its entry.
local function innermost(path, address)
  local text = shell.check({ "llvm-dwarfdump", ("--lookup=%#x"):format(address), path }).stdout
  local entry = text:match ".*(\n0x%x+: +DW_TAG_inlined_subroutine.*)$" or
    text:match ".*(\n0x%x+: +DW_TAG_subprogram.*)$" or ""
  return entry:match 'DW_AT_abstract_origin\t%(0x%x+ "(.-)"%)' or entry:match 'DW_AT_linkage_name\t%("(.-)"%)' or
    entry:match 'DW_AT_specification\t%(0x%x+ "(.-)"%)' or entry:match 'DW_AT_name\t%("(.-)"%)',
    tonumber(entry:match "DW_AT_call_line\t%((%d+)%)")
end

-- Returns the addresses of dynamic symbols by name.
local function dynamic_symbols(path)
  local addresses = {}
  local text = shell.check { "nm", "-D", "--defined-only", "--without-symbol-versions", path }.stdout
  for address, name in text:gmatch "(%x+) %a ([^\n]+)" do addresses[name] = address end
  return addresses
end

-- Whether a frame of ours equals one of llvm-symbolizer's. In a unit with type units, our names of files may lack the
-- directory in which the compiler ran. Names are equal if they have the same address in `aliases`.
local function same(ours, theirs, aliases)
  local file = ours.file and normal(ours.file) or "??"
  local address = aliases[theirs.name]
  return (ours.name == theirs.name or address and address == aliases[ours.name]) and (ours.line or 0) == theirs.line and
    (theirs.line == 0 or file == theirs.file or theirs.file == normal(dir .. "/" .. file))
end

local function describe_frames(frames)
  local words = {}
  for i, frame in ipairs(frames) do words[i] = ("%s %s:%s"):format(frame.name, frame.file, frame.line) end
  return table.concat(words, " < ")
end

-- Compares the frames of an image with those of a program. Where they differ, `decide` may accept ours. Returns the
-- number of addresses in functions.
local function compare(image, addresses, found, program, decide)
  local count, aliases, none = 0, dynamic_symbols(image.path), {}
  for i, theirs in ipairs(found) do
    local ours = image:frames(addresses[i])
    if ours then
      local equal = #ours == #theirs
      for k = 1, #ours do equal = equal and same(ours[k], theirs[k], k == #ours and aliases or none) end
      assert(equal or decide and decide(addresses[i], ours), ("%x: %s, but %s: %s"):format(addresses[i],
        describe_frames(ours), program, describe_frames(theirs)))
      count = count + 1
    else
      assert.equal(1, #theirs)
      assert.equal("??", theirs[1].name)
    end
  end
  return count
end

-- Compares the frames of an image with llvm-symbolizer's.
local function compare_all(path, addresses)
  local image <close> = assert(gprof.image(path))
  return compare(image, addresses, symbolize(path, addresses), "llvm-symbolizer")
end

-- Compares each eighth address with eu-addr2line's, if that knows its function. Returns the number of addresses, and of
-- those where it differs.
local function compare_part(path, addresses)
  local image <close> = assert(gprof.image(path))
  local part, answered, found, differ = {}, {}, {}, 0
  for i = 1, #addresses, 8 do part[#part + 1] = addresses[i] end
  for i, theirs in ipairs(symbolize_by_elfutils(path, part)) do
    if theirs[1].name ~= "??" then answered[#answered + 1], found[#found + 1] = part[i], theirs end
  end
  local function decide(address, ours)
    local name, line = innermost(path, address)
    differ = differ + 1
    return ours[1].name == name and (ours[2] and ours[2].line) == line
  end
  return compare(image, answered, found, "eu-addr2line", decide), differ
end

describe("The inlined functions at each address equal llvm-symbolizer's:", function()
  setup(function()
    dir = shell.tmpdir "matrix"
    for name, text in pairs(sources) do shell.write(dir .. "/" .. name, text) end
  end)

  for i = 1, cases >= LARGE and #images or FEW do
    local image = images[i]
    local title = table.concat(image, " ")
    if shell.installed(image[1]) then
      it(title, function()
        local source = cases < LARGE and image[2]:gsub("large", "small") or image[2]
        local path = compile(image[1], source, table.unpack(image, 3))
        local addresses = instructions(path, PER_CASE * cases)
        local count, second, differ = compare_all(path, addresses), 0, 0
        assert.is_true(count > 30, count)
        if suits_elfutils(image) and shell.installed "eu-addr2line" then
          second, differ = compare_part(path, addresses)
          -- strict DWARF 2 has no lists of ranges, and eu-addr2line misses inlined code outside of the first range of
          -- the function around it
          assert.is_true(second > 3 and (title:find "strict" ~= nil or differ <= second // 10), differ)
        end
        if cases >= LARGE then
          print(("%s: %d addresses; eu-addr2line: %d, %d differ"):format(title, count, second, differ))
        end
      end)
    else
      pending(title)
    end
  end
end)
