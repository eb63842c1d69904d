-- Reading fails: pipes that end at any byte, unreadable files, directories, and files that change while they are read.
-- The program prints a one-line message that names the file, and no partial report.
--
-- GPROF_FAULTS=all tries every byte, and thousands of changing files (`make faults`).
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local faults = require "support.faults"
local gmon = require "support.gmon"
local launch = require "support.launch"
local program = require "support.program"
local shell = require "support.shell"
local small = require "support.small"

local built = build.program "cycles"
local image, profile = built.image, built.gmon
local inputs = shell.tmpdir "inputs"
local symbols = shell.write(inputs .. "/symbols", shell.check { "nm", image }.stdout)
local objects = shell.write(inputs .. "/objects", shell.check { "nm", "-A", image }.stdout)

-- Returns the end offsets of a profile's records.
local function ends_of_records(path)
  local ends, parsed, offset = {}, gmon.parse(shell.read(path)), 20
  ends[offset] = true
  for _, record in ipairs(parsed.records) do
    assert(record.kind ~= "blocks")
    offset = offset + (record.kind == "arc" and 21 or 41 + 2 * record.bins.n)
    ends[offset] = true
  end
  return ends
end

describe("a pipe that closes early", function()
  local line = [[said=$(head -c $n %s | { "$@" 2>&1 >/dev/null; echo $?; }); echo $n $said]]

  it("is a truncated profile, unless it ends after a record", function()
    local ends = ends_of_records(profile)
    assert.truthy(ends[#shell.read(profile)])
    faults.each_place(line:format(profile), { "--sum-file=/dev/null", image, "-" }, #shell.read(profile), 40,
      function(n, said)
        if ends[n] then return said == "0" end
        return said:find "^gprof%.lua: standard input: %l[^:]+ 1$"
      end)
  end)

  -- A truncated line of text may still be valid.
  for _, case in ipairs { { symbols, "-S/dev/stdin" }, { objects, "-R/dev/stdin" } } do
    it("is a valid list of symbols up to any line: " .. case[2], function()
      faults.each_place(line:format(case[1]), { case[2], image, profile }, #shell.read(case[1]), 40, function(_, said)
        return said == "0" or said:find "^gprof%.lua: /dev/stdin: [^\n]+ 1$" or
          said:find "^gprof%.lua: [^:]+: does not belong to [^\n]+ 1$"
      end)
    end)
  end

  it("is a truncated file of block counts", function()
    local text = "Basic block profile finished on Sat Jan  1 00:00:00 2000\n\nFile x.c, 2 basic blocks \n\n" ..
      "    Block #1: executed    2 time(s) address= 0x1010 function= main line= 1 file= x.c\n" ..
      "    Block #2: executed    3 time(s) address= 0x1020 function= main line= 2 file= x.c\n\n"
    local path = shell.write(inputs .. "/bb.out", text)
    local script = program.root .. "/examples/bbconv.lua"
    local lua = shell.join(program.interpreter) .. " " .. shell.quote(script) .. " " .. shell.quote(image)
    local convert = [[said=$(head -c $n %s | { %s 2>&1 >/dev/null; echo $?; }); echo $n $said]]
    faults.each_place(convert:format(path, lua), {}, #text, 40, function(_, said)
      return said == "0" or said:find "^bbconv[%w.]*: [^\n]+ 1$"
    end)
  end)
end)

describe("a file that cannot be read", function()
  local memory = shell.exists "/proc/self/mem" and "/proc/self/mem"
  for _, place in ipairs { memory or inputs, inputs .. "/" } do
    for _, words in ipairs {
      { place, profile }, { image, place, "--gnu-compat" }, { "-S" .. place, image, profile },
      { "-R" .. place, image, profile }, { "--profiles-from=" .. place, image }, { "@" .. place, image, profile },
      { "--report=" .. place, image, profile },
    } do
      local shown = table.concat(words, " "):gsub(place, "FILE", 1):gsub("/%S*/", "")
      it("is reported: " .. shown .. ", " .. place:sub(1, 5), function()
        local result = program.run(words)
        assert.same({ 1, "" }, { result.status, result.stdout })
        assert.equal("gprof.lua: " .. place, result.stderr:sub(1, #place + 11))
        assert.truthy(result.stderr:find "^[^\n]+\n$", result.stderr)
      end)
    end
  end

  describe("is reported if it is a source:", function()
    local odd = inputs .. "/odd.c"
    local made = small.build { ["odd.c"] = ('#line 1 "%s"\nint main(void) { return 0; }\n'):format(odd) }
    local words = { "-b", "-l", "-A", made.image,
      small.profile(made, { blocks = { { build.address(made.image, "main"), 5 } } }) }

    local function check(problem, line)
      local result = launch.line(line, words)
      assert.same({ "", ("gprof.lua: warning: %s: %s\n"):format(odd, problem), 0 },
        { result.stdout, result.stderr, result.status })
    end

    it("reading fails", function()
      shell.write(odd, "int main(void) { return 0; }\n")
      local library = inputs .. "/unreadable.so"
      shell.check { "cc", "-shared", "-fPIC", "-D_GNU_SOURCE", "-Werror", "-Wall", "-o", library,
        build.fixture "unreadable.c", "-ldl" }
      -- verify_asan_link_order=0: AddressSanitizer need not be the first library.
      check("Input/output error", "UNREADABLE=/odd.c ASAN_OPTIONS=$ASAN_OPTIONS:verify_asan_link_order=0 LD_PRELOAD=" ..
        library .. ' exec "$@"')
    end)

    it("a link leads to a system file", function()
      if not memory then return pending "needs /proc/self/mem" end
      os.remove(odd)
      shell.check { "ln", "-s", memory, odd }
      check("is a system file", 'exec "$@"')
    end)
  end)
end)

-- Writes a profile with a megabyte of arcs, 21 bytes each.
local function many_arcs(name)
  local records = {}
  for i = 1, 50000 do records[i] = { kind = "arc", from = 0x1000 + i, self = 0x1000, count = i } end
  return gmon.write(inputs .. "/" .. name, gmon.magic { records = records })
end

describe("a file that becomes shorter while it is read", function()
  -- The program traces each arc to a pipe, and blocks until the spec reads it.
  it("is reported, even if it then ends after a record", function()
    local path = many_arcs "shrinking"
    local result = launch.line(([[{ "$@" 2>&1 >/dev/null; echo $?; } | {
      read -r line; read -r line; truncate -s %d %s; tail -n 2; }]]):format(20 + 21 * 40000, shell.quote(path)),
      { "-d", "--sum-file=/dev/null", image, path })
    assert.equal(("gprof.lua: %s: was truncated while being read\n1\n"):format(path), result.stdout)
  end)

  it("is reported if it is an image, whatever is missing", function()
    local copy = inputs .. "/growing_image"
    shell.check { "cp", image, copy }
    local result = launch.line(([[{ "$@" 2>&1 >/dev/null; echo $?; } | {
      read -r line; read -r line; echo >>%s; grep -v "^records: " | tail -n 2; }]]):format(shell.quote(copy)),
      { "-d64", "-b", "-q", copy, many_arcs "told" })
    assert.equal(("gprof.lua: %s: changed while it was read\n1\n"):format(copy), result.stdout)
  end)

  -- Runs the program repeatedly while another process truncates and rewrites a file. The program must print the report
  -- of the complete file or a one-line message about the file. For some images that shrink, libbfd prints a message of
  -- its own.
  local function disturb(words, path, times, cuts)
    local whole = shell.read(path)
    local expected = program.run(words, { cwd = inputs })
    assert.equal(0, expected.status, expected.stderr)
    shell.write(path .. ".whole", whole)
    shell.write(inputs .. "/expected", expected.stdout)
    local line = ([[
      >going; while [ -e going ]; do for size in %s; do truncate -s $size %s; done; cat %s.whole >%s; sleep 0.02; done &
      i=0; while [ $i -lt %d ]; do
        "$@" >report 2>told; status=$?; said=$(grep -v "^BFD: " told)
        cmp -s report expected && same=same || same=other
        echo "$status $same $said"; i=$((i + 1))
      done
      rm going; wait]]):format(cuts, path, path, path, times)
    local result = launch.line(line, words, { cwd = inputs })
    local good, bad = 0, 0
    for said in result.stdout:gmatch "([^\n]*)\n" do
      if said:find "^0 same" then
        good = good + 1
      else
        assert.truthy(said:find("^1 %l+ gprof%.lua: [^\n]*" .. path:match "[^/]*$" .. ": [^\n]+$"), said)
        bad = bad + 1
      end
    end
    assert.equal(times, good + bad, result.stdout:sub(-300) .. result.stderr)
    faults.tell("%s: complete report %d times, message %d times", table.concat(words, " "):gsub("%S*/", ""), good, bad)
  end

  -- One record: what was written until a moment is never a profile.
  it("is reported if it is a profile", function()
    local path = gmon.write(inputs .. "/changing", gmon.magic { records = {
      { kind = "histogram", low = 0x1000, high = 0x1000 + 4 * 500000, bins = { n = 500000, [3] = 7 } } } })
    disturb({ "-i", image, path }, inputs .. "/changing", faults.count(1500, 25), "600010 30")
  end)

  it("is reported if it is an image", function()
    local copy = inputs .. "/changing_image"
    shell.check { "cp", image, copy }
    for _, words in ipairs { { "-b" }, { "-b", "-l" }, { "-c", "-q", "-b" } } do
      words[#words + 1], words[#words + 2] = copy, profile
      disturb(words, copy, faults.count(700, 15), "9000 1000 0")
    end
  end)
end)
