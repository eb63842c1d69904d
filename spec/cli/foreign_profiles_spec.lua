-- Profiles of other tools are recognized by their first bytes, and the message says what to do.
-- SPDX-License-Identifier: GPL-3.0-or-later

local program = require "support.program"
local row = require "support.row"
local shell = require "support.shell"

-- Names of files, their first bytes, and a part of the message.
local files <const> = {
  { "perf.data", "PERFILE2" .. ("\0"):rep(200), "a profile of perf: .*examples/perf2gmon.lua" },
  { "perf.txt", "prog  4242 1234.567890:     250000 cycles:u:      55e0 work+0x10 (/tmp/prog)\n", "perf script" },
  { "callgrind.out.1", "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\n", "Callgrind" },
  { "callgrind.out.2", "version: 1\ncreator: callgrind-3.19.0\npid: 7\ncmd:  ./a\npart: 1\n\n\ndesc: I1 cache: \n\n" ..
    "positions: line\nevents: Ir\nsummary: 10\n", "Callgrind" },
  { "cachegrind.out.1", "desc: I1 cache:  32768 B, 64 B, 8-way associative\ndesc: D1 cache: 1\ncmd: ./a\nevents: Ir\n",
    "Cachegrind" },
  { "cpu.pb.gz", "\x1f\x8b\x08\0\0\0\0\0" .. ("\xff\3"):rep(50), "compressed, .*go tool pprof" },
  { "cpu.pb", "\x0a\x04\x08\x01\x10\x02\x0a\x04\x08\x03\x10\x04\x12\x08" .. ("\1"):rep(50), "go tool pprof" },
  { "prof.out", string.pack("<I8I8I8I8I8I8I8I8", 0, 3, 0, 10000, 0, 1, 1, 0x401000), "gperftools" },
  { "prof32.out", string.pack(">I4I4I4I4I4I4I4I4", 0, 3, 0, 10000, 0, 1, 1, 0x401000), "gperftools" },
  { "a.gcda", "adcgB22*\1\2\3\4" .. ("\0"):rep(40), "gcov.*examples/gcov2blocks.lua" },
  { "a.gcno", "oncgB22*\1\2\3\4" .. ("\0"):rep(40), "gcov.*examples/gcov2blocks.lua" },
  { "massif.out.1", "desc: (none)\ncmd: ./a\ntime_unit: i\n#-----------\nsnapshot=0\n", "Massif.*ms_print" },
  { "samples", "DAE\n" .. ("\0"):rep(100), "OProfile.*opreport" },
  { "a.speedscope.json", '{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[]}}',
    "speedscope" },
  { "b.speedscope.json", '{"exporter": "x", "profiles": [], "shared": {"frames": [{"name": "f"}]}}', "speedscope" },
  { "a.cpuprofile", '{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"}}],"timeDeltas":[]}', "Chrome" },
  { "old.cpuprofile", '{"head":{"functionName":"(root)","children":[]}}', "Chrome" },
  { "trace.json", '{"traceEvents":[{"ph":"B"}]}', "trace of Chrome" },
  { "isolate-v8.log", "v8-version,10,2,154,26,-node.26,0\nshared-library,/usr/bin/node,0x1,0x2,0\n", "prof%-process" },
  { "a.folded", "main;work;inner 42\nmain;other 3\n", "folded" },
  { "tar", ("c100 c8 c149 c255"):pack("gmon.out", "0000644", "", "ustar"), "%-%-profiles%-from=tar:FILE" },
  { "bb.out", "File a.c, 3 basic blocks\n\n Block #1: executed 26312 time(s)\n", "examples/bbconv.lua" },
  { "default.profraw", "\x81rforpl\xff" .. ("\0"):rep(100), "llvm%-profdata" },
}

describe("The profile of another tool", function()
  local image
  setup(function() image = row.image(2) end)

  for _, case in ipairs(files) do
    it("is recognized: " .. case[1], function()
      local path = shell.write(shell.tmpdir() .. "/" .. case[1], case[2])
      for _, words in ipairs { { image, path }, { "-b", "-p", image, path }, { path } } do
        local result = program.run(words)
        assert.same({ 1, "" }, { result.status, result.stdout })
        assert.equal("gprof.lua: " .. path .. ": ", result.stderr:sub(1, #path + 13))
        assert.matches(case[3], result.stderr)
        assert.equal(1, select(2, result.stderr:gsub("\n", "")))
      end
    end)
  end

  it("is not taken for one if it is something else", function()
    for _, text in ipairs { "hello\n", ("\0"):rep(100), '{"a": 1}', "a b c 1\n", "x" } do
      local path = shell.write(shell.tmpdir() .. "/file", text)
      local message = program.run({ image, path }).stderr
      assert.no.matches("read it", message)
      assert.no.matches("convert", message)
    end
  end)
end)
