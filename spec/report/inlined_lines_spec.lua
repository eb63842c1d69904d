-- Lines of inlined functions: reports say where they were inlined. Every instruction gets a sample.
-- SPDX-License-Identifier: GPL-3.0-or-later

local contexts = require "support.contexts"
local core = require "gprof.core"
local gmon = require "support.gmon"
local gprof = require "gprof"
local oracle = require "support.oracle"
local program = require "support.program"
local shell = require "support.shell"
local small = require "support.small"

local sources <const> = {
  ["lines.c"] = [[
#include "lines.h"
INLINE number middle(number n) {
  return deep(n) * 5;
}
INLINE number one(number n) { return middle(n) + 1; }
INLINE number two(number n) { return one(n) * 3; }
INLINE number three(number n) { return two(n) ^ 7; }
__attribute__((noipa)) number first(number n) {
  number s = middle(n);
  return s + 1;
}
__attribute__((noipa)) number second(number n) {
  return deep(n * 3) - middle(n + 2);
}
__attribute__((noipa)) number third(number n) {
  return three(n);
}
__attribute__((noipa)) number fourth(number n) {
  number s = n % 5;
  return middle(s);
}
int main(void) {
  return (int)(first(3) + second(5) + third(7) + fourth(9));
}
]],
  ["lines.h"] = [[
typedef unsigned long number;
#define INLINE static inline __attribute__((always_inline))
INLINE number deep(number n) {
  return n % 7 * (n + 11) % 13;
}]],  -- the last line has no line break
  ["lines.cc"] = [[
template <typename T> struct Shape {
  T width;
  T area(T n) const { return width * n % 13; }
};
__attribute__((noinline)) unsigned work(unsigned n) {
  auto twice = [&](unsigned x) { return x * x % n; };
  return Shape<unsigned>{n}.area(n + 1) + twice(n);
}
int main(int argc, char **) { return work(argc); }
]],
}

local dir

local function compile(compiler, source, ...)
  local image = dir .. "/" .. compiler
  shell.check({ compiler, "-O2", "-g", "-no-pie", "-Wl,--build-id=none", "-o", image, source, ... }, { cwd = dir })
  return image
end

-- Writes a profile with a sample at each instruction whose line is known. Returns their addresses.
local function sample(path)
  local image, addresses, records = gprof.image(path), {}, {}
  local text = shell.check { "objdump", "-d", "-j", ".text", "--no-show-raw-insn", path }.stdout
  for address in text:gmatch "\n *(%x+):\t" do
    address = tonumber(address, 16)
    if (image:frames(address) or { {} })[1].line then
      addresses[#addresses + 1] = address
      records[#records + 1] = { context = 0, from = address, count = 1 }
    end
  end
  local low, high = image.text_low, image.text_high
  image:close()
  return gmon.write(path .. ".ctx", contexts.pack { process = { low = low, high = high, finish = 1 << 60 },
    modules = { { bias = 0, low = 0x400000, high = 0x500000, code = low, code_end = high, path = path } },
    tables = { records } }), addresses
end

local function profile_of(path, data, options)
  local image = assert(gprof.image(path))
  return assert(gprof.profile(image, assert(gprof.data(image, data)), options))
end

local function run(...)
  local result = program.run { ... }
  assert.equal(0, result.status, result.stderr)
  return result.stdout, result.stderr
end

describe("With inlined functions, a profile by line", function()
  local path, data

  setup(function()
    dir = shell.tmpdir "inlined_lines"
    for name, text in pairs(sources) do shell.write(dir .. "/" .. name, text) end
    path = compile("gcc", "lines.c")
    data = sample(path)
  end)

  for _, words in ipairs { { "gcc", "lines.c" }, { "clang", "lines.c", "-gdwarf-5" }, { "g++", "lines.cc" } } do
    it("knows the functions around each line, compiled by " .. words[1], function()
      if not shell.installed(words[1]) then return pending("needs " .. words[1]) end
      local image = compile(table.unpack(words))
      local samples, addresses = sample(image)
      local profile = profile_of(image, samples, { line = true, inlines = true, no_demangle = true })
      assert.is_true(profile.has_frames)
      assert.is_false(profile.has_inlines)
      local longest = 0
      for _, address in ipairs(addresses) do
        local frames = profile.image:frames(address)
        local row = profile:lookup(address)
        assert.same(frames, profile:frames(row.id), ("%#x"):format(address))
        assert.same({ frames[1], frames[2] }, profile:frames(row.id, 2))
        assert.equal(frames[1].inlined, profile:is_inlined(row.id))
        longest = math.max(longest, #frames)
      end
      assert.is_true(longest > 1)
      local ticks = 0
      for t in profile:functions("self", "ticks") do ticks = ticks + t end
      assert.equal(#addresses, ticks)
    end)
  end

  it("shows names as in reports", function()
    local image = compile("g++", "lines.cc")
    local profile, found = profile_of(image, (sample(image)), { line = true, inlines = true }), {}
    for id in profile:functions("address", "id") do
      for _, frame in ipairs(profile:frames(id) or {}) do found[frame.name] = true end
    end
    assert.is_true(found["Shape<unsigned int>::area(unsigned int) const"])
    assert.is_true(found["work(unsigned int)"])
  end)

  it("has the chain of each line in its name, up to four functions", function()
    local text = run("-b", "-p", "-l", "--inlines", path, data)
    assert.matches("\n[^\n]* deep %(lines%.h:4 @ %x+%) inlined in second %(lines%.c:13%)\n", text)
    assert.matches(" deep %(lines%.h:4 @ %x+%) inlined in middle %(lines%.c:3%), second %(lines%.c:13%)\n", text)
    assert.matches(" second %(lines%.c:12 @ %x+%)\n", text)
    -- functions that begin with inlined code
    assert.matches(" first %(lines%.h:4 @ %x+%): deep inlined in middle %(lines%.c:3%), first %(lines%.c:9%)\n", text)
    assert.matches(" third %(lines%.h:4 @ %x+%): deep inlined in middle %(lines%.c:3%), one %(lines%.c:5%), " ..
      "two %(lines%.c:6%), three %(lines%.c:7%), %.%.%.\n", text)
    text = run("-b", "-q", "-l", "--inlines", path, data)
    assert.is_nil(text:match "Index by function name.*inlined")
  end)

  it("has one row for each chain, so that the rows of a line add up", function()
    local sums = { {}, {} }
    for i, inlines in ipairs { false, true } do
      local profile = profile_of(path, data, { line = true, inlines = inlines })
      for id, ticks in profile:functions("self", "id", "ticks") do
        local file, line = profile:get(id, "file", "line")
        local key = ("%s:%s"):format(file, line)
        if ticks > 0 then sums[i][key] = (sums[i][key] or 0) + ticks end
      end
    end
    assert.is_truthy(next(sums[1]))
    assert.same(sums[1], sums[2])
  end)

  -- Returns the samples of line 4 of lines.h by caller.
  local function expected()
    local image, callers = gprof.image(path), {}
    local _, addresses = sample(path)
    for _, address in ipairs(addresses) do
      local frames = image:frames(address)
      if frames[1].name == "deep" and frames[1].line == 4 then
        local caller = ("%s:%d"):format(frames[2].name, frames[2].line)
        callers[caller] = (callers[caller] or 0) + 1
      end
    end
    image:close()
    return callers
  end

  it("tells scripts where lines were inlined, and the time of each copy", function()
    for _, inlines in ipairs { true, false } do
      local callers = expected()
      local profile = profile_of(path, data, { line = true, inlines = inlines })
      local found = {}
      for _, caller in ipairs(profile:annotate("lines.h")[4].inlined_in or {}) do
        assert.matches("/lines%.c$", caller.file)
        found[caller.name .. ":" .. caller.line] = caller.seconds * profile.rate
      end
      assert.equal(inlines, next(found) ~= nil)
      for caller, ticks in pairs(found) do
        assert.near(callers[caller], ticks, 2, caller)  -- bins of two bytes may cover two lines
        callers[caller] = nil
      end
      assert.equal(not inlines, next(callers) ~= nil)
    end
  end)

  it("has notes below inlined lines in annotated source, with and without -l", function()
    for _, option in ipairs { "-l", "--annotate-time" } do
      local text = run("-b", "-A", option, "--inlines", path, data)
      local middle, second = text:match("\n *[%d.]* *  return n %% 7 [^\n]*\n" .. (" "):rep(option == "-l" and 18 or 28)
        .. "%^ inlined in middle %(lines%.c:3%) (%d+) %%, second %(lines%.c:13%) (%d+) %%\n")
      assert.equal(100, middle + second)
      -- the line after it is the last one of the file
      assert.matches("\n +}\n", text:match "%^ inlined in middle.*$")
    end
    assert.is_nil(run("-b", "-A", "-l", path, data):find("inlined", 1, true))
  end)

  -- Returns the sum of the samples of lines, by place.
  local function ticks_of(profile)
    local ticks = {}
    for t, file, line in profile:functions("self", "ticks", "file", "line") do
      local key = file and ("%s:%d"):format(file:match "[^/]*$", line)
      if t > 0 then ticks[key] = (ticks[key] or 0) + t end
    end
    return ticks
  end

  it("selects the lines of a function wherever they were inlined", function()
    local whole = ticks_of(profile_of(path, data, { line = true, inlines = true }))
    for _, spec in ipairs { "deep", "lines.h:deep", "/^deep$/" } do
      local profile = profile_of(path, data, { line = "all", inlines = true, include = { annotation = { spec } } })
      local found = 0
      for id, selected, ticks in profile:functions("address", "id", "annotated", "ticks") do
        local file, line = profile:get(id, "file", "line")
        if selected and ticks > 0 then
          found = found + ticks
          assert.equal("lines.h:4", ("%s:%d"):format(file:match "[^/]*$", line))
        end
      end
      assert.equal(whole["lines.h:4"], found, spec)
    end
    local text = run("-b", "-l", "-pdeep", "--inlines", path, data)
    assert.matches("\n[^\n]* deep %(lines%.h:4 @ %x+%) inlined in ", text)
    assert.is_nil(text:match "\n[%d. ]+%w+ %(lines%.c:[^\n]*\n", text)
    text = run("-b", "-l", "-pfirst", "--inlines", path, data)
    assert.matches("\n[^\n]* first %(lines%.c:10 @ %x+%)\n", text)
    assert.is_nil(text:find(" deep (", 1, true))
  end)

  it("has names that are symspecs as printed, also of inlined functions without --inlines", function()
    local text, count = run("-b", "-l", "-p", path, data), 0
    for name in text:gmatch " (%w+ %(lines%.[ch]:%d+ @ %x+%))\n" do
      count = count + 1
      local one = run("-b", "-l", "-p" .. name, path, data)
      assert.matches("\n100.00 [^\n]* " .. name:gsub("%p", "%%%0") .. "\n$", one)
    end
    assert.is_true(count > 8, text)
    for spec, line in pairs { deep = 4, ["lines.h:deep"] = 4, two = 6, ["lines.c:/^t.o$/"] = 6 } do
      text = run("-b", "-l", "-p" .. spec, path, data)
      assert.matches("\n[^\n]* %w+ %(lines%.[ch]:" .. line .. " @ %x+%)\n", text)
      assert.is_nil(text:find("first (", 1, true))
    end
  end)

  it("has the lines of inlined functions in annotated source of these functions", function()
    for _, option in ipairs { "-l", "-b" } do
      local text = run("-b", "-Amiddle", option, "--inlines", path, data)
      assert.matches("^%*%*%* File [^\n]*lines%.c, lines 1 to 3:\n[^\n]*\n[^\n]*number middle[^\n]*\n" ..
        "[^\n]*deep%(n%) %* 5;\n[^\n]*%^ inlined in [^\n]*\n[^\n]*\n\n", text)
      text = run("-b", "-Adeep", option, "--inlines", path, data)
      assert.matches("^%*%*%* File [^\n]*lines%.h, lines 2 to 4:\n", text)
      assert.is_nil(text:find("lines.c, ", 1, true))
    end
    local result = program.run { "-b", "-l", "-Adeep", path, data }
    assert.equal(1, result.status)
    assert.matches("the compiler may have inlined all its calls (--inlines shows inlined functions)", result.stderr, 1,
      true)
  end)

  it("is made once, also without debugging information", function()
    local bare = dir .. "/bare"
    shell.check { "objcopy", "--strip-debug", path, bare }
    local made, make = 0, core.lines
    finally(function() core.lines = make end)
    core.lines = function(...)
      made = made + 1
      return make(...)
    end
    for _, image in ipairs { path, bare } do
      for _, name in ipairs { "annotation", "lines" } do
        for _, line in ipairs { "all", false } do
          local options = { line = line, inlines = true, include = { annotation = { "first" } } }
          made = 0
          profile_of(image, data, options):report(name, options, function() end)
          assert.equal(1, made, ("%s %s %s"):format(image, name, line))
        end
      end
    end
  end)

  it("has the same counts in annotated source by function as without inlined functions", function()
    local plain = run("-b", "-A", "-z", path, data)
    local noted = run("-b", "-A", "-z", "--inlines", path, data)
    assert.matches("\n +3   Executable lines in this file\n", plain)
    assert.equal(plain, (noted:gsub("\n +%^ inlined in [^\n]*", "")))
  end)

  it("has the same execution counts as without inlined functions", function()
    local text = run("-b", "-C", "-z", path, data)
    assert.matches(": %(main:0x%x+%) 0 executions\n", text)
    assert.equal(text, (run("-b", "-C", "-z", "--inlines", path, data)))
  end)

  it("has notes in the list of lines with the most time, cut to the terminal", function()
    local text = run("-b", "--lines", "--inlines", path, data)
    assert.matches("\n[^\n]*lines%.h:4 +deep [^\n]*\n {18}inlined in middle %(lines%.c:3%) %d+ %%, second", (text:gsub(
      "\n                  (%S)", "\n {18}%1")))
    assert.matches("\n[^\n]*lines%.c:3 +middle  [^\n]*\n", text)  -- its copies are one function
    assert.is_nil(run("-b", "--lines", path, data):find("inlined", 1, true))
    local lines = {}
    profile_of(path, data, { inlines = true }):report("lines", { brief = true, inlines = true, terminal_width = 60 },
      function(part) lines[#lines + 1] = part end)
    for line in table.concat(lines):gmatch "[^\n]+" do assert.is_true(utf8.len(line) <= 70, line) end
    assert.matches("\n +inlined in[^\n]*…\n", table.concat(lines))
  end)

  it("has inlined functions in reports by function, but not in exports of lines", function()
    local text, message = run("-b", "-l", "--tree", "--inlines", path, data)
    assert.matches(" middle %(inlined%)\n", text)
    assert.matches("\n[^\n]* deep %(inlined%)\n", run("-b", "-l", "--tree=middle", "--inlines", path, data))
    assert.equal("", message)
    text = run("-l", "--export=folded", "--inlines", path, data)
    assert.matches(";middle;deep ", text)
    for _, kind in ipairs { "callgrind", "pprof" } do
      _, message = run("-l", "--export=" .. kind, "--inlines", path, data)
      assert.matches("--inlines has no effect on --export=" .. kind .. " with -l (--line)", message, 1, true)
    end
  end)

  it("is GNU gprof's with --gnu-compat", function()
    for _, style in ipairs { "-p", "-A" } do
      local compat = run("--gnu-compat", "-b", "-l", style, path, data)
      assert.equal(compat, (run("--gnu-compat", "-b", "-l", style, "--inlines", path, data)))
    end
  end)
end)

describe("The name of a function", function()
  it("selects all lines that were inlined into it, of which GNU gprof omits those after lines of its own", function()
    local made = small.build({ ["work.c"] = [[
#define CODE asm volatile("nop; nop; nop; nop" ::: "memory")
static inline __attribute__((always_inline)) void inner(void) {
  CODE;
}
__attribute__((noipa)) void work(void) { CODE;
  inner();
  CODE;
  inner();
}
int main(void) { work(); return 0; }
]] }, nil, "-O2")
    local ticks, rows = {}, made.rows["work.c"]
    for _, line in ipairs { 3, 7 } do
      for _, address in ipairs(rows[line]) do ticks[small.even(address)] = 10 end
    end
    local entry = rows[5][1]
    local words = { "-b", "-l", "-pwork", made.image,
      small.profile(made, { ticks = ticks, arcs = { { entry - 1, entry, 1 } } }) }
    local function places(text)
      local before, after
      for address in text:gmatch " inner %(work%.c:3 @ (%x+)%)" do
        if tonumber(address, 16) < rows[7][1] then before = true else after = true end
      end
      return { before, after }
    end
    assert.same({ true, true }, places((run(table.unpack(words)))))
    if not oracle.available() then return pending "needs GNU gprof 2.40" end
    local theirs = oracle.run(words)
    assert.equal(0, theirs.status, theirs.stderr)
    assert.same({ true, nil }, places(theirs.stdout))
  end)
end)
