-- The runtime library that counts basic blocks: its counts equal gcov's, also with threads and forks, and GNU gprof
-- reads them.
-- SPDX-License-Identifier: GPL-3.0-or-later

local blocks = require "support.blocks"
local chance = require "support.chance"
local gmon = require "support.gmon"
local gprof = require "gprof"
local launch = require "support.launch"
local oracle = require "support.oracle"
local parity = require "support.parity"
local program = require "support.program"
local shell = require "support.shell"

-- Runs a program that must succeed without output on standard error. Returns the path of its profile, and the result.
local function profile(built, arguments, options)
  local result = blocks.run(built, arguments, options)
  assert.same({ "", 0 }, { result.stderr, result.status })
  return result.dir .. "/gmon.out", result
end

local function listing(dir)
  return shell.check({ "ls", "-A", dir }).stdout
end

local function maximum(list)
  return math.max(table.unpack(list))
end

local compilers <const> = { "gcc", "clang" }

-- Calls the function for each installed compiler.
local function with_compilers(run)
  for _, compiler in ipairs(compilers) do
    if compiler == "gcc" or blocks.supported(compiler) then
      run(compiler)
    else
      pending("blocks counted with " .. compiler .. ", which is not installed")
    end
  end
end

-- Lines ------------------------------------------------------------------------------------

-- Compares counts by line with gcov's. If a block begins on a line, gcov's count for the line is one of two counts:
-- - the count of the block with the line's first instruction. An `if` after other statements continues their block; it
-- has blocks of its own only for the rest of its condition.
-- - the largest count of a block on the line. The condition of a `for` runs once more than its body, and is not the
-- line's first block.
-- On a line that never ran, no block ran. Lines on which no block begins are not compared: they count for the line
-- where their block begins.
local function check_lines(built, counts)
  local lines, expected, compared = blocks.by_line(built, counts), blocks.gcov(built), 0
  for number, line in pairs(lines) do
    local wanted = expected[number]
    if #line > 0 and wanted then
      compared = compared + 1
      assert((line.first == wanted or maximum(line) == wanted) and (wanted > 0 or maximum(line) == 0),
        ("%s.c:%d: gcov %d, first %d, blocks %s"):format(built.source, number, wanted, line.first,
          table.concat(line, " ")))
    end
  end
  return compared
end

with_compilers(function(compiler)
  describe("counts of blocks, " .. compiler, function()
    -- For each source, the minimum number of lines whose counts are compared.
    for source, least in pairs { updcrc = 14, branches = 50, jumps = 25, words = 39 } do
      it("agree with gcov's counts of lines: " .. source, function()
        for _, flags in ipairs { {}, { "-pg" } } do
          local built = blocks.compile(source, { compiler = compiler, flags = flags })
          local counts = blocks.counts(profile(built))
          assert.truthy(check_lines(built, counts) >= least)
          -- Nothing else is recorded: each address is the address of a counting call.
          for _, code in ipairs(blocks.functions(built.image)) do
            for _, address in ipairs(code.blocks) do
              counts[address] = nil
            end
          end
          assert.same({}, counts)
        end
      end)
    end

    it("do not need the library: its source can be compiled without options, as part of the program", function()
      local counter = shell.tmpdir("counter") .. "/counter.o"
      shell.check { compiler, "-Wall", "-Wextra", "-Werror", "-c", program.root .. "/csrc/runtime/blocks.c",
        "-o", counter }
      for _, flags in ipairs { {}, { "-pg" } } do
        local built = blocks.compile("updcrc", { compiler = compiler, flags = flags, link = { counter, "-pthread" } })
        assert.truthy(check_lines(built, blocks.counts(profile(built))) >= 14)
      end
    end)

    it("equal those in the manual's example", function()
      local built = blocks.compile("updcrc", { compiler = compiler, flags = { "-pg" }, together = true })
      local lines, by_text, number = blocks.by_line(built, blocks.counts(profile(built))), {}, 0
      for text in shell.read(built.dir .. "/updcrc.c"):gmatch("([^\n]*)\n") do
        number = number + 1
        by_text[text:match("^%s*(.-)$")] = lines[number]
      end
      local function first(text)
        return by_text[text].first
      end
      assert.same({ 2, 1, 1, 26312, 26312, 2 }, { first "if (s == NULL) {", first "c = 0xffffffffUL;",
        first "c = crc;", first "c = table[(c ^ *s++) & 0xff] ^ (c >> 8);", first "} while (--n);", first "crc = c;" })
    end)

    -- clang makes separate blocks for repeating and leaving the loop, as the compiler of GNU gprof's manual did.
    if compiler == "clang" then
      it("distinguish repeating and leaving the manual's loop", function()
        local built = blocks.compile("updcrc", { compiler = "clang" })
        local found
        for _, line in pairs(blocks.by_line(built, blocks.counts(profile(built)))) do
          found = #line == 3 and line.first == 26312 and line or found
        end
        table.sort(found)
        assert.same({ 1, 26311, 26312 }, { table.unpack(found) })
      end)
    end
  end)

  -- Functions --------------------------------------------------------------------------------

  describe("the first block of a function, " .. compiler .. ",", function()
    -- Calls to main are not counted. The functions in `empty` begin with a loop: if gcc optimizes, their first block is
    -- empty and not instrumented.
    local unknown = { main = true }
    local empty = { fill = true, deep = true, word = true, run = true }

    -- Compares the counts of first blocks with the calls that -pg counts independently. Inlining is disabled.
    local function check_functions(source, level, coverage)
      local built = blocks.compile(source, { compiler = compiler, coverage = coverage,
        flags = { "-pg", level, "-fno-inline", "-fno-optimize-sibling-calls" } })
      local path = profile(built)
      local counts, arcs = blocks.counts(path), gmon.select(gmon.parse(shell.read(path)), "arc")
      local compared = 0
      for _, code in ipairs(blocks.functions(built.image)) do
        if not unknown[code.name] and not (compiler == "gcc" and level ~= "-O0" and empty[code.name]) then
          local called = 0
          for _, arc in ipairs(arcs) do
            -- The recorded callee address is shortly after the function's start.
            called = called + (arc.self >= code.address and arc.self <= code[#code] and arc.count or 0)
          end
          assert.same({ code.name, called }, { code.name, counts[code.blocks[1]] or 0 })
          compared = compared + 1
        end
      end
      return compared
    end

    for _, level in ipairs(chance.some({ "-O0", "-O1", "-O2", "-O3" }, 4)) do
      it("counts the function's calls at " .. level, function()
        for source, least in pairs { updcrc = 1, branches = 5, jumps = 4, words = 6 } do
          assert.truthy(check_functions(source, level) >= least)
        end
      end)
    end

    if compiler == "clang" then
      it("counts the function's calls if other blocks are not instrumented", function()
        for source, least in pairs { updcrc = 2, branches = 7, jumps = 4, words = 8 } do
          assert.truthy(check_functions(source, "-O0", "trace-pc") >= least)
        end
      end)
    end
  end)

  -- Threads ------------------------------------------------------------------------------------

  describe("threads, " .. compiler, function()
    local built
    setup(function()
      built = blocks.compile("threads", { compiler = compiler })
    end)

    for mode, expected in pairs {
      joined = 800000, detached = 800000, running = 800000, brief = 2000, locked = 2000, poor = 800000,
      late = 8 * (1 + 3 * 100000), -- in each thread, the destructor of a key runs 3 times
      ["main ends first"] = 800000,
    } do
      it("lose no count: " .. mode, function()
        assert.equal(expected, blocks.entries(built, (profile(built, { mode }))))
      end)
    end

    it("each ask for memory once", function()
      local _, result = profile(built, { "poor" })
      assert.equal("10\n", result.stdout) -- for the common table, main, and 8 threads
    end)

    it("may continue counting while the counts are written", function()
      assert.truthy(blocks.entries(built, (profile(built, { "hurrying" }))) >= 800000)
    end)
  end)

  -- Processes ----------------------------------------------------------------------------------

  for _, flags in ipairs { {}, { "-pg" } } do
    describe(("processes, %s %s"):format(compiler, flags[1] or "without -pg"), function()
      local built
      setup(function()
        built = blocks.compile("processes", { compiler = compiler, flags = flags })
      end)

      for _, mode in ipairs { "fork", "fork with threads" } do
        it("have separate profiles, without duplicate counts: " .. mode, function()
          local idle = mode == "fork" and 0 or 1
          local _, result = profile(built, { mode }, { env = { GMON_OUT_PREFIX = "my.profile" } })
          local child = math.tointeger(result.stdout)
          local own = result.dir .. "/my.profile." .. child
          assert.equal(7, blocks.entries(built, own))
          shell.check { "mv", own, result.dir .. "/child" }
          local parent = listing(result.dir):match("my%.profile%.%d+")
          assert.equal(5 + 11 + idle, blocks.entries(built, result.dir .. "/" .. parent))
          assert.equal("child\n" .. parent .. "\n", listing(result.dir))
        end)
      end

      it("share gmon.out; the last one to exit writes it", function()
        assert.equal(5 + 11, blocks.entries(built, (profile(built, { "fork" }))))
      end)

      it("are not confused by vfork", function()
        assert.equal(3, blocks.entries(built, (profile(built, { "vfork" }))))
      end)

      for mode, wanted in pairs { _exit = { 7 }, abort = { nil, 6 } } do
        it("write no profile, and end with the same status or signal, at " .. mode, function()
          local result = blocks.run(built, { mode })
          assert.same({ "", wanted[1], wanted[2] }, { result.stderr, result.status, result.signal })
          assert.equal("", listing(result.dir))
        end)
      end

      it("keep their exit status at exit", function()
        local result = blocks.run(built, { "exit" })
        assert.same({ "", 3 }, { result.stderr, result.status })
        assert.equal(2, blocks.entries(built, result.dir .. "/gmon.out"))
      end)

      it("count blocks in signal handlers and in the interrupted code", function()
        local path, result = profile(built, { "signals" })
        assert.equal(math.tointeger(result.stdout), blocks.entries(built, path))
      end)

      it("lose no count if a handler runs between any two instructions, including those that count", function()
        if #blocks.functions(built.image).step.blocks == 0 then
          pending "single-stepping is implemented for x86-64 only"
          return
        end
        local path, result = profile(built, { "steps" })
        local steps = math.tointeger(result.stdout)
        assert.truthy(steps > 100)
        assert.equal(steps, blocks.entries(built, path))
      end)

      it("write the profile to the directory in which they exit", function()
        local dir = shell.tmpdir("elsewhere")
        local _, result = profile(built, { "chdir", dir })
        assert.equal("", listing(result.dir))
        assert.equal(1, blocks.entries(built, dir .. "/gmon.out"))
      end)
    end)
  end
end)

-- Before and after main -----------------------------------------------------------------------

describe("before and after main", function()
  local ticks <const> = 1 + 10 + 100 + 1000 + 10000 + 100000

  for _, flags in ipairs { {}, { "-pg" }, { "-static" }, { "-pg", "-static" } } do
    it(("everything is counted, with '%s'"):format(table.concat(flags, " ")), function()
      local built = blocks.compile("order", { flags = flags })
      assert.equal(ticks, blocks.entries(built, (profile(built))))
    end)
  end

  it("an exit handler that changes the directory determines where the profile is", function()
    for _, flags in ipairs { {}, { "-pg" } } do
      local built, dir = blocks.compile("order", { flags = flags }), shell.tmpdir("elsewhere")
      local _, result = profile(built, {}, { env = { EXIT_TO = dir } })
      assert.equal("", listing(result.dir))
      assert.equal(ticks, blocks.entries(built, dir .. "/gmon.out"))
    end
  end)

  it("a destructor that writes to a closed standard output does not write to the profile", function()
    for _, flags in ipairs { {}, { "-pg" } } do
      local built = blocks.compile("order", { flags = flags })
      local path = profile(built, {}, { env = { LAST_WORDS = "the end" }, line = '"$@" >&-' })
      assert.equal(ticks, blocks.entries(built, path))
    end
  end)

  it("a destructor that changes the directory does not separate the record from the profile", function()
    local built = blocks.compile("order", { flags = { "-pg" } })
    local dir = shell.tmpdir("elsewhere")
    local path = profile(built, {}, { env = { ELSEWHERE = dir } })
    assert.equal(ticks, blocks.entries(built, path))
    assert.equal("", listing(dir))
  end)
end)

-- Images --------------------------------------------------------------------------------------

describe("addresses are link-time addresses", function()
  for _, words in ipairs(chance.some({ "", "-pg", "-no-pie -fno-pie", "-pg -no-pie -fno-pie", "-static", "-pg -static",
    "-static-pie", "-no-pie -fno-pie -Wl,-Ttext-segment=0x10000000", "-fno-plt", "-Wl,-z,noseparate-code",
    "-Wl,--gc-sections -ffunction-sections", "-fno-plt -Wl,--no-relax", "-fno-plt -Wl,--no-relax -static",
    "-fno-plt -Wl,--no-relax -no-pie -fno-pie -rdynamic", "-fno-plt -Wl,--no-relax -fuse-ld=gold -pg" }, 3)) do
    it(("in an image linked with '%s'"):format(words), function()
      local flags = {}
      for word in words:gmatch("%S+") do
        flags[#flags + 1] = word
      end
      local built = blocks.compile("updcrc", { flags = flags })
      local counts = blocks.counts(profile(built))
      assert.truthy(check_lines(built, counts) >= 14)
    end)
  end

  it("of the image only, not of shared objects, linked or loaded", function()
    for _, linked in ipairs { true, false } do
      local dir = shell.tmpdir("object")
      local object = dir .. "/libeach.so"
      local flags = { "-fPIC", "-shared", "-nostartfiles", "-DOBJECT" }
      shell.check { "cp", blocks.compile("shared", { flags = flags, link = false }).image, object }
      local built = blocks.compile("shared", { flags = linked and { "-DLINKED", "-Wl,--no-as-needed",
        "-Wl,-rpath," .. dir, object } or { "-rdynamic" } })
      local path = profile(built, { object })
      assert.equal(42, blocks.entries(built, path))
      for address in pairs(blocks.counts(path)) do
        assert.truthy(address < 0x100000)
      end
    end
  end)
end)

describe("at exit", function()
  it("only memory that the threads used is read", function()
    local built = blocks.compile "large"
    local _, result = profile(built, {}, { env = { GMON_OUT_PREFIX = "gmon" } })
    local child, faults = result.stdout:match "^(%d+) (%d+)\n$"
    assert.equal(16, blocks.entries(built, ("%s/gmon.%s"):format(result.dir, child)))
    assert.is_true(tonumber(faults) < 4000, faults) -- each table has 4096 pages
  end)
end)

-- Files ---------------------------------------------------------------------------------------

describe("the profile", function()
  local plain, profiled
  setup(function()
    plain = blocks.compile("branches")
    profiled = blocks.compile("branches", { flags = { "-pg" } })
  end)

  it("holds samples and calls, too, when linked with -pg", function()
    local parsed = gmon.parse(shell.read((profile(profiled))))
    assert.equal(1, #gmon.select(parsed, "histogram"))
    assert.truthy(#gmon.select(parsed, "arc") > 3)
    parsed = gmon.parse(shell.read((profile(plain))))
    assert.equal(1, #parsed.records)
  end)

  it("has only the counts of the last run", function()
    for _, built in ipairs { plain, profiled } do
      local path, result = profile(built)
      local once = blocks.counts(path)
      -- The program overwrites a longer profile, then an unrelated file of the same name.
      shell.write(path, shell.read(path) .. shell.read(path))
      profile(built, {}, { cwd = result.dir })
      assert.same(once, blocks.counts(path))
      shell.write(path, ("x"):rep(100000))
      profile(built, {}, { cwd = result.dir })
      assert.same(once, blocks.counts(path))
      assert.equal("gmon.out\n", listing(result.dir))
    end
  end)

  -- A static program can access glibc's state, and simulate a failed allocation in glibc.
  it("has only blocks if glibc writes nothing, and no counts of an earlier run", function()
    local built = blocks.compile("silent", { flags = { "-pg", "-static" } })
    local path, result = profile(built)
    local once = shell.read(path)
    assert.equal(1, #gmon.parse(once).records)
    shell.write(path, shell.read((profile(profiled))))
    profile(built, {}, { cwd = result.dir })
    assert.equal(once, shell.read(path))
  end)

  it("is gmon.out if a file with the prefix in GMON_OUT_PREFIX cannot be created", function()
    for _, built in ipairs { plain, profiled } do
      local path = profile(built, {}, { env = { GMON_OUT_PREFIX = "no/such/place" } })
      assert.truthy(next(blocks.counts(path)))
    end
  end)

  it("is read and written by this library", function()
    for _, built in ipairs { plain, profiled } do
      local path, result = profile(built)
      local image = assert(gprof.image(built.image))
      local data = assert(gprof.data(image, path, path))
      assert.equal(2, data.block_records)
      assert(data:write(result.dir .. "/sum"))
      local counts = blocks.counts(path)
      for address, count in pairs(counts) do
        counts[address] = 2 * count
      end
      local sum = {}
      for _, block in ipairs(gmon.select(gmon.parse(shell.read(result.dir .. "/sum")), "blocks")[1]) do
        sum[block[1]] = block[2]
      end
      assert.same(counts, sum)
    end
  end)

  -- Checks that the run printed one line, which matches the pattern, and kept its exit status.
  local function complains(result, pattern)
    assert.equal(0, result.status)
    local own = {}
    for line in result.stderr:gmatch("[^\n]+") do
      own[#own + 1] = line:find("^libgprof%-blocks: ") and line or nil
    end
    assert.equal(1, #own, result.stderr)
    assert.truthy(own[1]:find(pattern), own[1])
  end

  it("cannot be written over a directory, or in a deleted directory", function()
    for _, flags in ipairs { {}, { "-pg" } } do
      local built = blocks.compile("processes", { flags = flags })
      local dir = shell.tmpdir("taken")
      shell.check { "mkdir", dir .. "/gmon.out" }
      complains(blocks.run(built, { "chdir", dir }), "gmon%.out: Is a directory$")
      assert.equal("gmon.out\n", listing(dir))
      complains(blocks.run(built, { "gone", shell.tmpdir("gone") }), "gmon%.out: No such file or directory$")
    end
  end)

  -- With -pg, glibc also writes a profile and messages.
  describe("and its messages", function()
    local taken
    before_each(function()
      taken = shell.tmpdir "taken"
      shell.check { "mkdir", taken .. "/gmon.out" }
    end)

    it("do not kill a program whose standard error is a pipe without a reader", function()
      local line = 'mkfifo pipe; exec 3<>pipe 2>pipe 3<&-; "$@"; echo $?'
      local result = blocks.run(blocks.compile "processes", { "exit" }, { cwd = taken, line = line })
      assert.equal("3\n", result.stdout)
    end)

    for name, flags in pairs { ["without -pg"] = {}, ["with -pg"] = { "-pg" } } do
      local built
      setup(function()
        built = blocks.compile("processes", { flags = flags })
      end)

      it("do not go to another file that has become descriptor 2, " .. name, function()
        local result = blocks.run(built, { "reopen", taken .. "/own" }, { cwd = taken })
        assert.same({ "", 0 }, { result.stderr, result.status })
        assert.falsy(shell.read(taken .. "/own"):find "libgprof")
      end)

      it("do not exist in a program with another user's privileges, " .. name, function()
        local lack = launch.lack_of_setuid()
        if lack then pending(lack) return end
        local dir = shell.tmpdir "setuid"
        local secure = { image = dir .. "/program" }
        shell.check { "cp", built.image, secure.image }
        shell.check { "chmod", "4755", secure.image }
        shell.check { "chmod", "-R", "a+rX", dir, taken }
        local line = 'exec setpriv --reuid 65534 --clear-groups "$@"'
        local result = blocks.run(secure, { "exit" }, { cwd = taken, line = line })
        assert.equal(3, result.status)
        assert.falsy(result.stderr:find "libgprof")
        blocks.run(secure, { "exit" }, { cwd = dir, line = line })
        assert.equal(flags[1] and "gmon.out\nprogram\n" or "program\n", listing(dir))
        local glibc = flags[1] and gmon.parse(shell.read(dir .. "/gmon.out"))
        assert.same({}, glibc and gmon.select(glibc, "blocks") or {})
      end)
    end
  end)

  -- The shell's limit is in blocks of 512 bytes. Exceeding it raises SIGXFSZ.
  it("is unchanged if there is no room for a new one", function()
    local path, result = profile(plain)
    local before = shell.read(path)
    assert.truthy(#before > 512)
    for _, line in ipairs { 'ulimit -f 1; "$@"', "trap '' XFSZ; ulimit -f 1; \"$@\"" } do
      complains(blocks.run(plain, {}, { cwd = result.dir, line = line .. " >/dev/null" }), "gmon%.out: File too large$")
      assert.equal(before, shell.read(path))
      assert.equal("gmon.out\n", listing(result.dir))
    end
  end)

  it("keeps samples and calls if there is no room for the record", function()
    local whole = shell.read((profile(profiled)))
    local parsed = gmon.parse(whole)
    local record = 5 + 16 * #table.remove(parsed.records)
    local limit = (#whole - record + 511) // 512
    assert.truthy(limit * 512 < #whole)
    local result = blocks.run(profiled, {}, { line = ('ulimit -f %d; "$@" >/dev/null'):format(limit) })
    complains(result, "gmon%.out: File too large$")
    local left = gmon.parse(shell.read(result.dir .. "/gmon.out"))
    assert.equal(#whole - record, #shell.read(result.dir .. "/gmon.out"))
    assert.equal(0, #gmon.select(left, "blocks"))
    assert.same(gmon.select(parsed, "arc"), gmon.select(left, "arc"))
  end)

  it("gets no record of blocks if the rest of the profile was truncated", function()
    local result = blocks.run(profiled, {}, { line = "trap '' XFSZ; ulimit -f 1; \"$@\" >/dev/null" })
    complains(result, "gmon%.out: is incomplete")
    assert.equal(512, #shell.read(result.dir .. "/gmon.out"))
  end)

  it("lacks blocks whose counting call goes through a register or a thunk; the message says what helps", function()
    for _, flag in ipairs { "-mcmodel=large", "-mindirect-branch=thunk" } do
      local with = blocks.run(blocks.compile("branches", { flags = { "-fno-plt", "-Wl,--no-relax", flag } }))
      complains(with, "some blocks are missing; .*without .*" .. flag:match "^[^=]+":gsub("%-", "%%-"))
      assert.same({}, blocks.counts(with.dir .. "/gmon.out"))
    end
    assert.equal("", blocks.run(blocks.compile("branches", { flags = { "-fno-plt", "-Wl,--no-relax" } })).stderr)
  end)

  it("lacks blocks whose counting call became a jump, with a message", function()
    local flags = { "-O2" }
    local built = blocks.compile("tails", { flags = flags })
    local result = blocks.run(built)
    complains(result, "some blocks are missing; compile with %-fno%-optimize%-sibling%-calls")
    local functions, counts = blocks.functions(built.image), blocks.counts(result.dir .. "/gmon.out")
    assert.equal(0, #functions.tick.blocks)
    for _, address in ipairs(functions.main.blocks) do
      counts[address] = nil
    end
    assert.same({}, counts)
    flags[2] = "-fno-optimize-sibling-calls"
    built = blocks.compile("tails", { flags = flags })
    assert.equal(12, blocks.entries(built, (profile(built))))
  end)
end)

-- GNU gprof -----------------------------------------------------------------------------------

describe("GNU gprof", function()
  if not parity.possible(pending) then return end

  local function run(option, built, path)
    local result = oracle.run({ "-b", "-l", option, "-x", built.image, path })
    assert.same({ "", 0 }, { result.stderr, result.status })
    return result.stdout
  end

  it("annotates the manual's example as in the manual", function()
    local built = blocks.compile("updcrc", { flags = { "-pg" } })
    local annotated = run("-A", built, (profile(built))):gsub(" +\n", "\n")
    annotated = annotated:match("\n( *unsigned long updcrc.-)\n\n *int main")
    local expected = [[
                unsigned long updcrc(const unsigned char *s, unsigned n)
           2 -> {
                    unsigned long c;
                    static unsigned long crc = 0xffffffffUL;

           2 ->     if (s == NULL) {
           1 ->         c = 0xffffffffUL;
                    } else {
           1 ->         c = crc;
           1 ->         if (n) do {
       26312 ->             c = table[(c ^ *s++) & 0xff] ^ (c >> 8);
       26312 ->         } while (--n);
                    }
           2 ->     crc = c;
           2 ->     return c ^ 0xffffffffUL;
           2 -> }]]
    assert.equal(expected, annotated)
  end)

  with_compilers(function(compiler)
    for _, source in ipairs { "updcrc", "branches", "jumps", "words" } do
      for _, flags in ipairs(chance.some({ {}, { "-pg" } }, 2)) do
        it(("lists the same counts: %s, %s %s"):format(source, compiler, flags[1] or "without -pg"), function()
          local built = blocks.compile(source, { compiler = compiler, flags = flags })
          local path = profile(built)
          local counts, rows, compared = blocks.counts(path), {}, 0
          for line, address, count in run("-C", built, path):gmatch(":(%d+): %([^\n]-:(0x%x+)%) (%d+) executions\n") do
            rows[tonumber(address)] = line .. ": " .. count
          end
          for number, line in pairs(blocks.by_line(built, counts)) do
            for i, address in ipairs(line.address) do
              compared = compared + (counts[address] and 1 or 0)
              assert.equal(counts[address] and ("%d: %d"):format(number, line[i]), rows[address])
            end
          end
          assert.truthy(compared >= 15)
        end)
      end
    end
  end)
end)
