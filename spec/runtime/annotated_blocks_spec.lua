-- Annotated source with block counts: all lines with code agree with gcov, including those that never ran, in fixtures
-- and in random programs.
-- SPDX-License-Identifier: GPL-3.0-or-later

local blocks = require "support.blocks"
local chance = require "support.chance"
local elf = require "support.elf"
local gprof = require "gprof"
local launch = require "support.launch"
local random_program = require "support.random_program"
local shell = require "support.shell"

local compilers <const> = { "gcc", "clang" }
local cxx_compilers <const> = { "g++", "clang++" }

-- Returns the program's profile, and the path of its file.
local function profile_of(built, options)
  local result = blocks.run(built)
  assert.same({ "", 0 }, { result.stderr, result.status })
  local image, path = assert(gprof.image(built.image)), result.dir .. "/gmon.out"
  return assert(gprof.profile(image, assert(gprof.data(image, path)), options)), path
end

-- Returns the counts in the margins of -l -A -x by line, and the profile's path.
local function margins(built)
  local parts, lines = {}, {}
  local profile, path = profile_of(built, { line = "all", idle_blocks = true })
  profile:report("annotation", {
    all_lines = true, table_length = 0, display_unused_functions = true,
  }, function(text) parts[#parts + 1] = text end)
  local report, number = table.concat(parts):match "^%*%*%* File [^\n]+\n(.*)", 0
  for text in shell.read(built.dir .. "/" .. built.source .. ".c"):gmatch("([^\n]*)\n") do
    local line
    line, report = report:match "^([^\n]*)\n(.*)$"
    number = number + 1
    assert.equal(text, line:sub(#line - #text + 1))
    lines[number] = {}
    for count in line:sub(1, #line - #text):gmatch "[%d#]+" do
      table.insert(lines[number], math.tointeger(count) or 0)
    end
  end
  return lines, path
end

-- gcov's count of a line is the count of one of its blocks, or the sum of all its blocks.
local function agrees(counts, expected)
  local sum, found = 0, false
  for _, count in ipairs(counts) do
    sum, found = sum + count, found or count == expected
  end
  return sum == expected or found and expected > 0
end

-- Leaves out the counts of blocks for which the line table has no row. gcc makes no row for the condition of a `switch`
-- directly after a `case` label, so the count of this condition is added to the line before.
local function without_unplaced(counts, code, recorded)
  local unplaced, others = {}, {}
  for _, address in ipairs(code.unplaced) do
    unplaced[recorded[address] or 0] = true
  end
  for _, count in ipairs(counts) do
    others[#others + 1] = not unplaced[count] and count or nil
  end
  return others
end

-- Compares all lines with code. Returns how many ran, how many never ran, and how many have no count. Only lines
-- compiled by gcc may lack a count, if some of their code consists of jumps and `nop`s: gcc does not count such blocks.
local function check(built, compiler)
  local expected, code = blocks.gcov(built), blocks.code_lines(built)
  local lines, path = margins(built)
  local recorded = blocks.counts(path)
  local ran, idle, unknown = 0, 0, 0
  for number, counts in ipairs(lines) do
    local wanted = code[number] and expected[number]
    if wanted then
      ran, idle = ran + (wanted > 0 and 1 or 0), idle + (wanted > 0 and 0 or 1)
      unknown = unknown + (counts[1] and 0 or 1)
      local right = not counts[1] and not compiler:find "clang" and code[number].empty or
        counts[1] and (agrees(counts, wanted) or agrees(without_unplaced(counts, code[number], recorded), wanted))
      assert(right, ("%s.c:%d: gcov %d, ours '%s'"):format(built.source, number, wanted, table.concat(counts, ",")))
    end
  end
  return ran, idle, unknown
end

for _, compiler in ipairs(compilers) do
  describe("annotated source with block counts, " .. compiler, function()
    if compiler ~= "gcc" and not blocks.supported(compiler) then
      pending("programs compiled with " .. compiler .. ", which is not installed")
      return
    end

    it("has 0 for lines that never ran, and gcov's counts for the others: fixtures", function()
      for _, flags in ipairs { {}, { "-pg" }, { "-fno-plt", "-Wl,--no-relax" } } do
        local ran, idle = check(blocks.compile("branches", { compiler = compiler, flags = flags }), compiler)
        assert.truthy(ran >= 55 and idle >= 2, ran .. " lines ran, " .. idle .. " did not")
      end
      -- jumps.c is left out: in it, code after a call that did not return has the count of its block.
      for _, source in ipairs { "updcrc", "words" } do
        check(blocks.compile(source, { compiler = compiler }), compiler)
      end
    end)

    local repeatedly, _, first = chance.cases(9000, 18)
    it("has the same counts in random programs from seed " .. first, function()
      local tried, ran, idle, unknown = 0, 0, 0, 0
      repeatedly(function(again)
        tried = tried + 1
        local built = blocks.compile("random", { compiler = compiler, text = random_program.source() })
        local done, more_ran, more_idle, more_unknown = pcall(check, built, compiler)
        if not done then error(again .. tostring(more_ran)) end
        ran, idle, unknown = ran + more_ran, idle + more_idle, unknown + more_unknown
      end, 6)
      assert.truthy(ran >= 20 * tried and idle >= 20 * tried, ran .. " lines ran, " .. idle .. " did not")
      assert.truthy(unknown <= 10 + (ran + idle) // 25, ("%d of %d lines have no count"):format(unknown, ran + idle))
    end)
  end)
end

describe("blocks that never ran", function()
  local built, never
  setup(function()
    built = blocks.compile("branches")
    for text in shell.read(built.dir .. "/branches.c"):gmatch "([^\n]*)\n" do
      never = (never or 0) + 1
      if text:find("return n > 0 ? n : -n;", 1, true) then break end
    end
  end)

  it("have counts only in a profile of all lines with the option idle_blocks", function()
    for _, options in ipairs { { line = "all" }, { line = "all", idle_blocks = true, gnu_compat = true } } do
      assert.same({}, profile_of(built, options):annotate("branches.c")[never].counts)
    end
    local line = profile_of(built, { line = "all", idle_blocks = true }):annotate("branches.c")[never]
    assert.equal(0, line.blocks)
    assert.truthy(#line.counts >= 1)
  end)

  it("are listed with their counts of 0 by -C -z", function()
    local profile = profile_of(built, { line = "all", idle_blocks = true })
    local text = {}
    profile:report("executions", { display_unused_functions = true }, function(part) text[#text + 1] = part end)
    assert.truthy(table.concat(text):find(("branches%%.c:%d: %%(never:0x%%x+%%) 0 executions\n"):format(never)))
  end)

  it("are the only ones with a count of 0 within a function", function()
    local profile = profile_of(built, { line = "all", idle_blocks = true })
    local entries, known = {}, {}
    for id, owner, address in profile:functions("address", "id", "function_id", "address") do
      entries[address] = owner == id or nil
      for block in profile:blocks(id) do known[block] = true end
    end
    local text, zeros = {}, 0
    profile:report("executions", { display_unused_functions = true }, function(part) text[#text + 1] = part end)
    for address in table.concat(text):gmatch ":(0x%x+)%) 0 executions\n" do
      address, zeros = tonumber(address), zeros + 1
      assert.is_true(entries[address] or known[address], address)
    end
    assert.truthy(zeros > 20)
  end)

  it("are in HTML pages", function()
    local called = profile_of(blocks.compile("branches", { flags = { "-pg" } }))
    local source = require "gprof.export.html.sources".of(called:by_lines(), {}).files[1]
    local line = source.lines[never]
    assert.same({ never, 0, true }, { line.number, line.blocks, line.known })
  end)

  it("change nothing in a profile of functions", function()
    local options = { idle_blocks = true, static_call_graph = true }
    assert.is_nil(profile_of(built, options):annotate("branches.c")[never].counts)
  end)

  it("have no counts if the recorded blocks are not at counting calls", function()
    local image = assert(gprof.image(built.image))
    local data = gprof.data.new { image = image }
    data:add_block(blocks.functions(built.image).main.address, 1)
    local profile = assert(gprof.profile(image, data, { line = "all", idle_blocks = true }))
    assert.same({}, profile:annotate("branches.c")[never].counts)
  end)
end)

-- Exception handlers directly after calls that throw. Some handlers ran, others never did. A landing pad of `members`
-- jumps to a counter.
local handlers <const> = [=[
static volatile int caught;
struct guard {
  int n;
  guard(int n) : n(n) {
    if (n == 100)
      throw n;
  }
  ~guard() { caught++; }
};
static void fail_if(int n)
{
  if (n)
    throw n;
}
static int cleanup(int n)
{
  {
    guard one(1);
    fail_if(n == 1);
  }
  try {
    fail_if(n == 100);
    caught++;
  }
  catch (int e) {
    caught += e;
  }
  try {
    guard two(3);
    fail_if(n == 101);
    caught++;
  }
  catch (const char *) {
    caught += 7;
  }
  catch (int e) {
    caught += e;
  }
  return n;
}
static int once(int n)
{
  try {
    throw n;
  }
  catch (int e) {
    caught += e;
  }
  try {
    if (n == 100)
      throw "x";
    caught++;
  }
  catch (const char *) {
    caught++;
  }
  if (n > 1) {
    fail_if(0);
    caught--;
    fail_if(0);
    caught++;
  }
  return n;
}
static int members(int n)
{
  for (int i = 0; i < 2; i++) {
    try {
      guard one(n);
      guard two(n + 1);
      fail_if(n == 100);
      caught++;
    }
    catch (...) {
      caught = 3;
      throw;
    }
  }
  return n;
}
int main()
{
  for (int i = 0; i < 3; i++) {
    try {
      cleanup(i);
    }
    catch (int e) {
      once(e);
    }
    members(i);
  }
  try {
    members(99);
    caught = 1;
  }
  catch (int) {
    caught = 2;
  }
  return 0;
}
]=]

for _, compiler in ipairs(cxx_compilers) do
  describe("annotated source of C++ with block counts, " .. compiler, function()
    (blocks.supported(compiler) and it or pending)("has gcov's counts for exception handlers", function()
      local built = blocks.compile("handlers", { compiler = compiler, text = handlers })
      local ran, idle, unknown = check(built, compiler)
      assert.truthy(ran >= 35 and idle >= 10, ran .. " lines ran, " .. idle .. " did not")
      assert.equal(0, unknown)
    end)
  end)
end

-- Writes the annotated source of images; the arguments are a profile and the images. Prints for each image how many
-- lines have the count 0, and by how many kilobytes the memory grew.
local annotate <const> = [[
  local gprof = require "gprof"
  local function peak()
    return tonumber(io.open "/proc/self/status":read "a":match "VmHWM:%s*(%d+)")
  end
  for i = 2, #arg do
    local before, idle = peak(), 0
    local image = assert(gprof.image(arg[i]))
    local data = assert(gprof.data(image, arg[1]))
    local profile = assert(gprof.profile(image, data, { line = "all", idle_blocks = true }))
    profile:report("annotation", { all_lines = true, display_unused_functions = true }, function(text) end)
    for _, line in ipairs(profile:annotate "handlers.c") do
      idle = idle + (line.blocks == 0 and 1 or 0)
    end
    print(idle, peak() - before)
    image:close()
  end
]]

describe("Damaged tables of exception handlers are harmless:", function()
  local tables <const> = { ".eh_frame", ".gcc_except_table" }
  local built, bytes, counts
  setup(function()
    built = blocks.compile("handlers", { compiler = "g++", text = handlers })
    bytes, counts = shell.read(built.image), blocks.run(built).dir .. "/gmon.out"
  end)

  -- Returns how many lines have the count 0 for each image. One process reads all images. Fails on a crash, on an
  -- error, or if an image takes 64 MB of memory.
  local function idle_lines(images)
    local paths, found = { counts }, {}
    for i, image in ipairs(images) do
      paths[i + 1] = shell.write(("%s/damaged%d"):format(built.dir, i), image)
    end
    local result = launch.script(annotate, paths, { timeout = true })
    assert.same({ "", 0 }, { result.stderr, result.status })
    for idle, growth in result.stdout:gmatch "(%d+)\t(%d+)\n" do
      table.insert(found, tonumber(idle))
      assert.is_true(tonumber(growth) < 65536, growth)
    end
    assert.equal(#images, #found)
    return found
  end

  it("if a table is cut off, no line is shown as one that never ran", function()
    local images = { bytes }
    for _, name in ipairs(tables) do
      local _, size = elf.place(built.image, name)
      for _, left in ipairs { size // 2 + 1, 1 } do
        table.insert(images, elf.patch(bytes, name, { size = left }))
      end
    end
    local found = idle_lines(images)
    assert.is_true(table.remove(found, 1) >= 5)
    assert.same({ 0, 0, 0, 0 }, found)
  end)

  it("if the last entry at the end of .eh_frame is damaged, no line is shown as one that never ran", function()
    local offset = elf.place(built.image, ".eh_frame")
    local at, last, length = offset, nil, ("<I4"):unpack(bytes, offset + 1)
    while length > 0 do
      last, at = at, at + 4 + length
      length = ("<I4"):unpack(bytes, at + 1)
    end
    local damaged = bytes:sub(1, last + 4) .. "\xff\xff\xff\xff" .. bytes:sub(last + 9)
    assert.same({ 0 }, idle_lines { elf.patch(damaged, ".eh_frame", { size = at - offset }) })
  end)

  local repeatedly, _, first = chance.cases(9500, 12)
  it("random bytes from seed " .. first, function()
    repeatedly(function(again)
      local images = {}
      for i = 1, 12 do
        local offset, size = elf.place(built.image, tables[i % 2 + 1])
        local text = bytes
        for _ = 1, math.random(4) do
          local at, byte = offset + math.random(0, size - 1), chance.pick { 0, 1, 127, 128, 255, math.random(0, 255) }
          text = text:sub(1, at) .. string.char(byte) .. text:sub(at + 2)
        end
        images[i] = text
      end
      local done, message = pcall(idle_lines, images)
      assert(done, again .. tostring(message))
    end, 12)
  end)
end)

-- Programs whose code is entered in ways that no jump shows. The lines marked "ran" must not have the count 0; the
-- lines marked "never" must have it.
local unusual <const> = {
  ["exception handlers"] = { compilers = cxx_compilers, text = [=[
struct guard { int n; guard(int n) : n(n) {} ~guard() { n = 0; } };
static volatile int caught;
[[noreturn]] static void fail(int n) {
  throw n; // ran
}
static int late(int n) {
  if (n > 100) {
    guard one(n); // never
    fail(n);
  }
  try {
    guard two(n); // ran
    fail(n); // ran
  } catch (int e) { // ran
    caught += e; // ran
  } catch (const char *) {
    caught = 5; // never
  }
  if (caught > 100)
    caught = 7; // never
  return n; // ran
}
static int rethrow(int n) {
  try {
    try {
      if (n > 100)
        throw "never"; // never
      throw n; // ran
    } catch (const char *) {
      throw;
    } catch (...) {
      caught++; // ran
      throw; // ran
    }
  } catch (int e) { // ran
    return e; // ran
  }
}
int main() {
  return late(7) + rethrow(3) == 0; // ran
}
]=] },
  ["setjmp and longjmp"] = { compilers = compilers, text = [[
#include <setjmp.h>
static jmp_buf place;
static volatile int tries;
static void leave(int n) {
  if (n > 1) // ran
    longjmp(place, n); // ran
  tries++; // ran
}
static int attempt(int n) {
  if (n > 100)
    tries = 9; // never
  int got = setjmp(place); // ran
  if (got == 0) // ran
    leave(n); // ran
  if (got > 100)
    tries = 7; // never
  tries++; // ran
  return got; // ran
}
static int unused(int n) {
  if (setjmp(place)) // never
    return 5; // never
  leave(n); // never
  return 6; // never
}
int main(int argc, char **argv) {
  for (int i = 0; i < 4; i++) // ran
    attempt(i); // ran
  return argc > 7 ? unused(argc) : 0; // ran
}
]] },
  ["jump tables and computed jumps into blocks that never ran"] = { compilers = compilers, text = [[
static volatile int sum;
static void table(int n) {
  switch (n) {
    case 0:
      sum++; // never
    case 1:
      break;
    case 2:
      sum += 4; // never
    case 3:
      break; // ran
    case 4:
      sum--; // ran
      break; // ran
    default:
      sum += 2; // never
  }
}
static void tree(int n) {
  switch (n) { // ran
    case 2:
      sum += 4; // never
    case 3:
      break; // ran
    default:
      sum += 2; // never
      sum -= 2; // never
  }
}
static void computed(int n) {
  static void *const labels[] = {&&zero, &&one};
  for (int i = 0; i < n; i++) { // ran
    goto *labels[i]; // ran
  zero:
    sum++; // ran
    if (n > 50) {
      sum--; // never
  one:
      goto next; // ran
    }
  next:;
  }
}
int main(void) {
  table(3); // ran
  table(4); // ran
  tree(3); // ran
  computed(2); // ran
  return 0; // ran
}
]] },
}

local jump_table <const> = [[
static volatile int sum;
static int known(int n) {
  switch (n) { // ran
    case 0:
      sum++; // never
      sum--; // never
      break; // never
    case 1:
      sum += 2; // ran
      sum -= 2; // ran
      break; // ran
    case 2:
      sum += 3; // never
      for (int i = 0; i < n; i++) // never
        sum--; // never
    case 3:
      sum += 4; // never
      return 4; // never
    case 4:
      sum += 5; // ran
      n++; // ran
    default:
      sum += 6; // ran
      n--; // ran
  }
  return n; // ran
}
int main(void) {
  known(1); // ran
  return known(4) == 0; // ran
}
]]
-- gcc gives the jump of each inner `break` to the end of the outer switch, and only some of them the outer one's line.
unusual["a switch in a switch"] = { compilers = compilers, text = [[
static volatile int sum;
static void nested(int x, int y) {
  switch (x) { // ran
  case 0:
    switch (y) {
    case 1:
      if (sum > 9) // ran
        sum += 1; // never
      break; // ran
    case 2:
      if (sum > 7) // never
        sum += 2; // never
      break;
    default:
      sum += 4; // never
    }
    break; // ran
  case 1:
    sum += 2; // ran
    break; // ran
  }
}
int main(void) {
  nested(0, 1); // ran
  nested(1, 3); // ran
  return 0; // ran
}
]] }
unusual["a jump table of offsets"] = { compilers = compilers, text = jump_table }
unusual["a jump table of addresses"] = { compilers = compilers, text = jump_table, flags = { "-fno-pie", "-no-pie" } }

describe("a line that ran is never shown as one that did not:", function()
  for name, case in pairs(unusual) do
    for _, compiler in ipairs(case.compilers) do
      local test = blocks.supported(compiler) and it or pending
      test(name .. ", " .. compiler, function()
        local built = blocks.compile("unusual", { compiler = compiler, text = case.text, flags = case.flags })
        local counts, number = margins(built), 0
        for text in case.text:gmatch "([^\n]*)\n" do
          number = number + 1
          local sum = 0
          for _, count in ipairs(counts[number]) do
            sum = sum + count
          end
          local what = ("line %d: %s: %s"):format(number, text, table.concat(counts[number], ","))
          if text:find("// ran", 1, true) then
            assert(not counts[number][1] or sum > 0, what)
          elseif text:find("// never", 1, true) then
            assert(counts[number][1] and sum == 0, what)
          end
        end
      end)
    end
  end
end)
