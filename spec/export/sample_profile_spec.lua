-- Sample profiles for compilers: counts at the right places, accepted by LLVM's tools and by clang.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local crafted = require "support.crafted"
local gprof = require "gprof"
local program = require "support.program"
local recorder = require "support.recorder"
local shell = require "support.shell"

local SOURCE <const> = [[
#define KEEP __attribute__((noinline))
volatile int sink;
KEEP int leaf(int x)
{
  return x ^ sink;
}
static inline __attribute__((always_inline)) int twice(int x)
{
  sink += x;
  return sink * 2;
}
KEEP int work(int n)
{
  int sum = 0;
  for (int i = 0; i < n; i++) {
    sum += twice(i);
    if (i % 8 == 0)
      sum -= leaf(i);
    sum ^= twice(sum);
  }
  return sum;
}
KEEP int blocks(int n)
{
  for (int i = 0; i < n; i++) { if (i & 8) sink += leaf(i) / 3; else sink ^= i * 5; if (i & sink) sink *= leaf(sink); }
  return sink;
}
int main(void)
{
  return (work(80) ^ blocks(9)) == 1;
}
]]

-- Calls along the two recorded arcs. All code has 10 samples per byte, and two places have calls, 1004 together: so ten
-- samples per byte stand for 502 executions.
local LEAF_CALLS <const>, WORK_CALLS <const>, DENSITY <const>, ESTIMATE <const> = 1000, 4, 10, 502

local function compiled(compiler, flags)
  local argv = { compiler, "-O2", "-no-pie" }
  for flag in flags:gmatch "%S+" do argv[#argv + 1] = flag end
  for _, word in ipairs { "-o", "p", "p.c" } do argv[#argv + 1] = word end
  return build.compiled("sample-profile", argv, { ["p.c"] = SOURCE })
end

local FLAGS <const> = { gcc = "-g", clang = "-g -fdebug-info-for-profiling" }

-- Returns the address of the first symbol of a name, and the return address of its first call.
local function addresses(path, name)
  local code = shell.check({ "objdump", "-d", "--no-show-raw-insn", path }).stdout
  local entry = code:match("\n(%x+) <" .. name .. ">:\n")
  local call = code:match("call[^\n]*<" .. name .. ">\n%s*(%x+):") or
    code:match("call[^\n]*<" .. name .. ">\n\n?%x* ?[^\n]*\n%s*(%x+):")
  return tonumber(entry, 16), tonumber(call, 16)
end

-- Returns a profile of a program with DENSITY samples in each byte, and a number of calls of `leaf`, which may have
-- another symbol.
local function profile_of(path, leaf_calls, leaf_symbol)
  local image = assert(gprof.image(path))
  local low, high = image.text_low - 64, image.text_high + 64
  local bins = {}
  for byte = 1, high - low do bins[byte] = DENSITY end
  local data = gprof.data.new { image = image }
  assert(data:add_histogram { low = low, high = high, bins = bins, bin_count = high - low, rate = 1000 })
  local leaf, leaf_call = addresses(path, leaf_symbol or "leaf")
  local work, work_call = addresses(path, "work")
  assert(data:add_arc(leaf_call, leaf, leaf_calls))
  assert(data:add_arc(work_call, work, WORK_CALLS))
  return assert(gprof.profile(image, data))
end

local function exported(profile)
  local warnings = {}
  local text = crafted.printed(require "gprof.export.sample_profile", profile,
    { warn = function(message) warnings[#warnings + 1] = message end })
  return text, warnings
end

-- Reads a sample profile: for each function and each inlined one, its places. A place with calls is a string. Checks
-- the totals, and that all estimates are as expected.
local function tree(text)
  local root = { places = {}, sum = 0 }
  local stack = { [-1] = root }
  local function finish(depth)
    for i = #stack, depth, -1 do
      if stack[i] then
        assert.equal(stack[i].total, stack[i].sum)
        stack[i - 1].sum = stack[i - 1].sum + stack[i].total
        stack[i] = nil
      end
    end
  end
  for line in text:gmatch "[^\n]+" do
    local indent, rest = line:match "^( *)(.*)$"
    local offset, count, calls = rest:match "^([%d.]+): (%d+)(.*)$"
    finish(#indent)
    if count then
      local parent = stack[#indent - 1]
      parent.sum = parent.sum + tonumber(count)
      parent.places[offset] = calls == "" and tonumber(count) or count .. calls
      if calls == "" then assert.equal(ESTIMATE, tonumber(count)) end
    else
      local name, total, head = rest:match "^(.-):(%d+):?(%d*)$"
      name = name:gsub(": ", ":") .. (head ~= "" and ":" .. head or "")
      stack[#indent] = { places = {}, sum = 0, total = tonumber(total) }
      stack[#indent - 1].places[name] = stack[#indent].places
    end
  end
  finish(0)
  return root.places
end

local function installed(...)
  for _, command in ipairs { ... } do
    if not shell.installed(command) then pending("needs " .. command) return false end
  end
  return true
end

describe("a sample profile", function()
  for compiler, flags in pairs(FLAGS) do
    it("has exact calls and estimated executions, also of inlined functions: " .. compiler, function()
      if not installed(compiler) then return end
      local path = compiled(compiler, flags) .. "/p"
      local text, warnings = exported(profile_of(path, LEAF_CALLS))
      local found = tree(text)
      local work = found["work:4"]
      assert.equal("1000 leaf:1000", work["6"])
      for _, offset in ipairs { "4:twice", "7:twice" } do
        assert.same({ ["2"] = ESTIMATE, ["3"] = ESTIMATE }, work[offset])
      end
      assert.equal("4 work:4", found["main:0"]["2"])
      assert.equal(ESTIMATE, found["leaf:1000"]["2"])
      -- There are also samples in start-up code.
      assert.truthy(warnings[1]:find("p: %d+ %% of the samples are in code without debugging information, and not " ..
        "in the sample profile$"))
      assert.equal(compiler == "gcc" and path .. ": was not compiled by clang, so the sample profile does not tell " ..
        "blocks of one line apart" or nil, warnings[2])
    end)
  end

  it("does not count the rest of a call, in a part of a function, as a further call", function()
    local path = shell.tmpdir "part" .. "/p"
    shell.check { "objcopy", "--redefine-sym", "leaf=leaf.part.0", compiled("gcc", "-g") .. "/p", path }
    local text = exported(profile_of(path, LEAF_CALLS, "leaf.part.0"))
    assert.truthy(text:find "\nleaf:%d+:0\n")
    assert.truthy(text:find("\n 6: " .. LEAF_CALLS .. "\n", 1, true))
  end)

  it("has the calls of rounded addresses where only one place is possible", function()
    local path = compiled("gcc", "-g") .. "/p"
    local image = assert(gprof.image(path))
    local leaf = addresses(path, "leaf")
    local data = gprof.data.new { image = image }
    local _, work_call = addresses(path, "work")
    assert(data:add_arc(work_call & ~15, leaf, 7))
    assert(data:add_histogram { low = leaf, high = leaf + 4, bins = { 1 }, bin_count = 1 })
    local text = exported(assert(gprof.profile(image, data)))
    assert.truthy(text:find("leaf:%d+:7\n"))
    for line in text:gmatch "[^\n]+" do
      assert.truthy(line:find "^leaf:" or line:find "^main:7:0$" or line:find "^ %d: %d+$" or
        line:find "^ 2: 7 leaf:7$",
        line)
    end
  end)

  -- The cold parts of functions are side by side.
  it("has samples in a cold part, which is outside its function", function()
    local work = [[
__attribute__((noinline)) int %s(int n)
{
  if (n > %d) {
    rare(n);
    rare(n + %d);
  }
  return n ^ sink;
}
]]
    local argv = { "gcc", "-O2", "-g", "-no-pie", "-o", "p", "p.c" }
    local path = build.compiled("sample-profile-cold", argv, { ["p.c"] = "volatile int sink;\n" ..
      "__attribute__((noinline, cold)) void rare(int n) { sink ^= n; }\n" .. work:format("one", 5, 1) ..
      work:format("two", 6, 3) .. work:format("three", 7, 4) ..
      "int main(void) { return (one(3) + two(2) + three(1)) & 1; }\n" }) .. "/p"
    local symbols = build.symbols(path)
    for _, name in ipairs { "one", "two", "three" } do
      local cold = symbols.by_name[name .. ".cold"]
      if not cold then pending("the compiler makes no cold part") return end
      local image = assert(gprof.image(path))
      local data = gprof.data.new { image = image }
      assert(data:add_histogram { low = cold[1], high = cold[1] + 8, bins = { 8 }, bin_count = 1, rate = 1000 })
      local text = exported(assert(gprof.profile(image, data)))
      assert.truthy(text:find("^" .. name .. ":%d+:0\n 3: %d+\n"), text)
      assert.is_nil(text:find "\n%a", text)
    end
  end)

  -- glibc rounds return addresses down to multiples of 16; then a call may be in the function before.
  it("has the calls of functions where the place of a call is not certain", function()
    local argv = { "gcc", "-O2", "-g", "-falign-functions=16", "-pg", "-no-pie", "-o", "p", "p.c" }
    local path = build.compiled("sample-profile-rounded", argv, { ["p.c"] = [[
volatile int sink;
__attribute__((noinline)) void inner(int n) { sink += n; }
__attribute__((noinline)) void outer(int n) { inner(n); sink++; }
int main(void) { outer(1); return 0; }
]] }) .. "/p"
    local image, symbols = assert(gprof.image(path)), build.symbols(path).by_name
    local data, low = gprof.data.new { image = image }, image.text_low
    assert(data:add_arc(symbols.outer[1], symbols.inner[1] + 10, 600))
    assert(data:add_arc(symbols.main[1] & ~15, symbols.outer[1] + 10, 500))
    assert(data:add_histogram { low = low, high = low + 4, bins = { 0 }, bin_count = 1 })
    local text = "\n" .. exported(assert(gprof.profile(image, data)))
    assert.truthy(text:find "\ninner:600:600\n 0: 600\n", text)
    assert.truthy(text:find "\nouter:500:500\n 0: 500\n", text)
  end)

  it("has sums of at most 63 bits", function()
    local path = compiled("gcc", FLAGS.gcc) .. "/p"
    local text = exported(profile_of(path, 1 << 62))
    assert.truthy(("\n" .. text):find("\nwork:9223372036854775807:4\n"))
    assert.truthy(text:find("\n 6: 4611686018427387904 leaf:4611686018427387904\n", 1, true))
    assert.falsy(text:find("-", 1, true))
  end)

  -- Functions of many shapes, and the number of their calls. None has samples.
  local SHAPES <const> = [[
#define KEEP __attribute__((noinline))
volatile int sink, input = 3;
static inline __attribute__((always_inline)) int twice(int x)
{
  sink += x;
  return sink * 2;
}
KEEP void one_line(int n) { sink += n; }
KEEP int braces_below(int n)
{
  return n ^ sink;
}

KEEP static int
name_below(
  int n)
{

  sink += n;
  return sink;
}
KEEP int first_inlined(int n)
{
  return twice(n) + 1;
}
KEEP int first_branch(int n)
{
  if (n > 4)
    sink += 5;
  return sink + n;
}
KEEP int first_loop(int n)
{
  for (int i = 0; i < n; i++)
    sink ^= i;
  return sink;
}
KEEP double no_code(double x)
{
  return x;
}
KEEP void empty(void)
{
  __asm__ volatile("");
}
KEEP int last_call(int n)
{
  return first_branch(n) + 1;
}
int main(void)
{
  one_line(input); braces_below(input); sink += name_below(input); first_inlined(input); first_loop(input);
  sink += no_code(input); empty(); return last_call(input) & 1;
}
]]
  local CALLS <const> = { one_line = 1001, braces_below = 1002, name_below = 1003, first_inlined = 1004,
    first_branch = 1005, first_loop = 1006, no_code = 1007, empty = 1008, last_call = 1009 }

  -- Returns a profile of calls only, along arcs from unknown places.
  local function profile_of_calls(path)
    local image = assert(gprof.image(path))
    local data, low = gprof.data.new { image = image }, image.text_low
    for name, count in pairs(CALLS) do
      assert(data:add_arc(low + 1, build.address(path, name), count))
    end
    assert(data:add_histogram { low = low, high = low + 4, bins = { 0 }, bin_count = 1 })
    return assert(gprof.profile(image, data))
  end

  it("has the calls of functions without samples, which clang uses", function()
    if not installed "clang" then return end
    for _, flags in ipairs { "-O2 -pg", "-O1", "-O0 -pg" } do
      local dir = shell.tmpdir "shapes"
      shell.write(dir .. "/s.c", SHAPES)
      local argv = "clang -g -fdebug-info-for-profiling -no-pie -o s s.c " .. flags
      shell.check({ "sh", "-c", argv }, { cwd = dir })
      local text = exported(profile_of_calls(dir .. "/s"))
      shell.write(dir .. "/a", text)
      shell.check({ "clang", "-O2", "-g", "-fdebug-info-for-profiling", "-fprofile-sample-use=a", "-S", "-emit-llvm",
        "-o", "s.ll", "s.c" }, { cwd = dir })
      local code = shell.read(dir .. "/s.ll")
      for name, count in pairs(CALLS) do
        assert.truthy(("\n" .. text):find("\n" .. name .. ":%d+:" .. count .. "\n"), name)
        local number = code:match("\ndefine [^\n]*@" .. name .. "%([^\n]* !prof !(%d+) ")
        assert.truthy(number and code:find(('\n!%s = !{!"function_entry_count", i64 %d}'):format(number, count + 1), 1,
          true), flags .. ": " .. name)
      end
    end
  end)

  it("has the calls of functions without debugging information at their first line", function()
    local dir = shell.tmpdir "mixed"
    shell.write(dir .. "/s.c", "void plain(int);\nint main(void)\n{\n  plain(1);\n  return 0;\n}\n")
    shell.write(dir .. "/t.c", "volatile int sink;\nvoid plain(int n) { sink += n; }\n")
    shell.check({ "sh", "-c", "gcc -O1 -c t.c && gcc -O1 -g -no-pie -o s s.c t.o" }, { cwd = dir })
    local image = assert(gprof.image(dir .. "/s"))
    local data, low = gprof.data.new { image = image }, image.text_low
    local symbols = build.symbols(dir .. "/s").by_name
    assert(data:add_arc(low + 1, symbols.plain[1], 300))
    assert(data:add_arc(low + 1, symbols.main[1], 2))
    assert(data:add_histogram { low = low, high = low + 4, bins = { 0 }, bin_count = 1 })
    local text = exported(assert(gprof.profile(image, data)))
    assert.matches("^plain:300:300\n 0: 300\nmain:%d+:2\n 1: 2\n 2: 2\n", text)
  end)

  it("is read and merged by llvm-profdata", function()
    if not installed("clang", "llvm-profdata") then return end
    local dir = shell.tmpdir "profdata"
    local path = compiled("clang", FLAGS.clang) .. "/p"
    shell.write(dir .. "/a", (exported(profile_of(path, LEAF_CALLS))))
    local shown = shell.check({ "llvm-profdata", "show", "--sample", dir .. "/a" })
    assert.equal("", shown.stderr)
    assert.truthy(shown.stdout:find "Function: work: %d+, 4, %d+ sampled lines")
    assert.truthy(shown.stdout:find("6: 1000, calls: leaf:1000", 1, true))
    assert.truthy(shown.stdout:find("inlined callee: twice: 1004", 1, true))
    shell.check { "llvm-profdata", "merge", "--sample", "--text", "-o", dir .. "/twice", dir .. "/a", dir .. "/a" }
    assert.truthy(shell.read(dir .. "/twice"):find("work:%d+:8\n"))
  end)

  it("applies to the program that clang compiles, block by block", function()
    if not installed "clang" then return end
    local made, dir = compiled("clang", FLAGS.clang), shell.tmpdir "used"
    local text = exported(profile_of(made .. "/p", LEAF_CALLS))
    assert.truthy(text:find "\nblocks:%d+:0\n")
    local _, blocks = text:match "\nblocks:[^\n]*\n(.*)":gsub("\n? 2%.%d+: %d+", "")
    assert.is_true(blocks > 3)
    shell.write(dir .. "/a", text)
    shell.write(dir .. "/p.c", SOURCE)
    local result = shell.run({ "clang", "-O2", "-Wall", "-Werror", "-fprofile-sample-use=a", "-mllvm",
      "-sample-profile-check-record-coverage=50", "-S", "-emit-llvm", "-o", "p.ll", "p.c" }, { cwd = dir })
    assert.same({ 0, "" }, { result.status, result.stderr })
    local code = shell.read(dir .. "/p.ll")
    assert.truthy(code:find("function_entry_count\", i64 1001", 1, true))
    assert.truthy(code:find("function_entry_count\", i64 5", 1, true))
    assert.truthy(code:find("branch_weights", 1, true))
  end)

  if not chance.thorough then return end

  it("is made and used as the manual says", function()
    if not installed("clang", "llvm-profdata") then return end
    if recorder.lack() then pending(recorder.lack()) return end
    local dir, commands = shell.tmpdir "manual", {}
    local section = shell.read(program.root .. "/doc/manual.md"):match "\n### Optimizing with clang\n(.-)\n### "
    for line in section:gmatch "\n%$ ([^\n]+)" do commands[#commands + 1] = line end
    for line in section:gmatch "`(llvm%-profdata show [^`]+)`" do commands[#commands + 1] = line end
    assert.equal(5, #commands)
    shell.check({ "ln", "-s", program.root .. "/examples", dir .. "/examples" })
    local interpreter = shell.join(program.interpreter) .. " " .. shell.quote(program.root .. "/gprof.lua")
    for _, command in ipairs(commands) do
      command = command:gsub("^gprof%.lua", function() return interpreter end)
      local result = shell.check({ "sh", "-c", command }, { cwd = dir, timeout = true })
      -- In a run as short as this, samples in the C library's start-up code may be many.
      local others = result.stderr:gsub("[^\n]* of the samples are in code without debugging information[^\n]*\n", "")
      if not command:find "%-%-record" then assert.equal("", others, command) end
    end
    assert.truthy(shell.read(dir .. "/words.prof"):find "\nfind:%d+:%d+\n" or
      shell.read(dir .. "/words.prof"):find " find:%d+\n")
    assert.truthy(shell.check({ "./optimized" }, { cwd = dir }).stdout:find "the most frequent word")
  end)

  it("needs debugging information, and a histogram", function()
    local dir = shell.tmpdir "plain"
    shell.write(dir .. "/p.c", SOURCE)
    shell.check({ "gcc", "-O2", "-no-pie", "-pg", "-o", "p", "p.c" }, { cwd = dir })
    local image = assert(gprof.image(dir .. "/p"))
    local data = gprof.data.new { image = image }
    local low = addresses(dir .. "/p", "leaf")
    assert(data:add_histogram { low = low, high = low + 4, bins = { 3 }, bin_count = 1 })
    assert(data:write(dir .. "/gmon.out"))
    local result = program.run({ "--export=sample-profile", "p" }, { cwd = dir })
    assert.same({ 1, "", "gprof.lua: p: has no debugging information for the recorded code, which a sample profile " ..
      "needs: compile with -g\n" }, { result.status, result.stdout, result.stderr })
    data = gprof.data.new { image = image }
    assert(data:add_histogram { low = low, high = low + 4, bins = {}, bin_count = 1 })
    assert(data:write(dir .. "/gmon.out"))
    result = program.run({ "--export=sample-profile", "p" }, { cwd = dir })
    assert.same({ 1, "gprof.lua: p: the profile has neither samples nor calls, of which a sample profile is made: " ..
      "run the program for longer\n" }, { result.status, result.stderr })
    data = gprof.data.new { image = image }
    assert(data:add_arc(low + 1, low, 1))
    assert(data:write(dir .. "/gmon.out"))
    result = program.run({ "--export=sample-profile", "p" }, { cwd = dir })
    assert.same({ 1, "gprof.lua: gmon.out: has no histogram, which the export 'sample-profile' needs\n" },
      { result.status, result.stderr })
  end)
end)
