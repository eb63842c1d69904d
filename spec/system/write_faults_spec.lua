-- Writing fails at any byte: the program prints a one-line message, the old file is unchanged, and no temporary file
-- remains.
--
-- GPROF_FAULTS=all tries every byte (`make faults`).
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local faults = require "support.faults"
local gmon = require "support.gmon"
local launch = require "support.launch"
local program = require "support.program"
local shell = require "support.shell"

local built = build.program "cycles"
local image, profile = built.image, built.gmon

-- Shell commands. Messages go to a pipe, which a limit on file sizes does not affect.
local limited <const> = [[said=$( { trap '' XFSZ; exec prlimit --fsize=$n "$@" >report; } 2>&1 ); status=$?]]
local signalled <const> = [[said=$( { exec prlimit --fsize=$n "$@" >report; } 2>&1 ); status=$?]]

-- Returns a shell script that prints whether each file has its old or its new contents, and the names of all files.
local function look_at(names)
  local parts = {}
  for _, name in ipairs(names) do
    parts[#parts + 1] = ("cmp -s %s old/%s || cmp -s %s full/%s || state=other"):format(name, name, name, name)
    parts[#parts + 1] = ("cp old/%s %s"):format(name, name)
  end
  return "state=\n" .. table.concat(parts, "\n") ..
    "\necho \"$n $status $state $(echo *) $said\""
end

-- Makes a directory for a command. `full` contains the complete output files, `old` and the directory itself contain
-- the old ones.
local function workplace(words, names)
  local dir = shell.tmpdir "written"
  shell.check { "mkdir", dir .. "/old", dir .. "/full" }
  shell.write(dir .. "/report", "")
  local made = program.run(words, { cwd = dir .. "/full" })
  assert(made.status == 0 and made.stderr == "", made.stderr)
  local most = #made.stdout
  for _, name in ipairs(names) do
    most = math.max(most, #shell.read(dir .. "/full/" .. name))
    for _, place in ipairs { "/old/", "/" } do shell.write(dir .. place .. name, "an older one\n") end
  end
  return dir, most, shell.listing(dir):gsub("\n", " "), made.stdout
end

local written <const> = {
  { words = { "-s", image, profile }, names = { "gmon.sum" } },
  { words = { "--sum-file=bsd", "--file-format=bsd", image, profile }, names = { "bsd" } },
  { words = { "-l", "-A", "-y", image, profile }, names = { "cycles.c-ann" } },
  { words = { "-s", "--jobs=2", image, profile, profile }, names = { "gmon.sum" } },
}

describe("a limit on file sizes", function()
  for _, case in ipairs(written) do
    local shown = table.concat(case.words, " "):gsub("%S*/", "")

    it("leaves the old file unchanged: " .. shown, function()
      local dir, size, files = workplace(case.words, case.names)
      local expected = "1  " .. files .. "gprof.lua: " .. case.names[1] .. ": cannot be written: File too large"
      faults.each_place(limited .. "\n" .. look_at(case.names), case.words, size, 25, function(_, said)
        return said == expected
      end, { cwd = dir })
    end)

    it("causes a message, not a signal: " .. shown, function()
      local dir, size, files = workplace(case.words, case.names)
      local expected = "1  " .. files .. "gprof.lua: " .. case.names[1] .. ": cannot be written: File too large"
      faults.each_place(signalled .. "\n" .. look_at(case.names), case.words, size, 10, function(_, said)
        return said == expected
      end, { cwd = dir })
    end)
  end

  it("truncates a report, with a message", function()
    for _, words in ipairs { { "-b", image, profile }, { image, profile }, { "-l", "-A", image, profile } } do
      local dir, size, _, full = workplace(words, {})
      shell.write(dir .. "/full/report", full)
      local line = limited .. "\nhead -c $n full/report | cmp -s - report && same=same || same=other\n" ..
        "echo \"$n $status $same $said\""
      faults.each_place(line, words, size, 25, function(_, said)
        return said == "1 same gprof.lua: standard output: File too large"
      end, { cwd = dir })
    end
  end)
end)

describe("a file that cannot be written", function()
  local dir = faults.directory { file = "" }
  for _, case in ipairs {
    { "none/sum", "its directory does not exist" },
    { "file/sum", "cannot be written: Not a directory" },
    { ".", "cannot be written: Is a directory" },
    { "/dev/full", "cannot be written: No space left on device" },
    { "/proc/version", "%g+: %u[%l ]+" },
    { ("a"):rep(300), "cannot be written: File name too long" },
  } do
    it("is reported: " .. case[1]:sub(1, 20), function()
      local result = program.run({ "-s", "--sum-file=" .. case[1], image, profile }, { cwd = dir })
      assert.same({ 1, "" }, { result.status, result.stdout })
      local rest = result.stderr:sub(#"gprof.lua: " + 1)
      assert.equal(case[1] .. ": ", rest:sub(1, #case[1] + 2))
      assert.truthy(case[1]:find "^/proc" or rest:sub(#case[1] + 3) == case[2] .. "\n", rest)
      assert.truthy(rest:find "^[^\n]+\n$", rest)
      assert.equal("file\n", shell.listing(dir))
    end)
  end
end)

describe("closed standard streams", function()
  it("are not replaced by other files", function()
    -- The source has fewer lines than the image knows; the warning comes while the annotated file is open.
    local dir = faults.directory { ["cycles.c"] = "int x;\n" }
    local words = { "-l", "-A", "-y", "-I.", image, profile }
    local open = launch.line([["$@"]], words, { cwd = dir })
    local expected = shell.read(dir .. "/cycles.c-ann")
    for _, closed in ipairs { "2>&-", ">&- 2>&-", "<&- >&- 2>&-" } do
      os.remove(dir .. "/cycles.c-ann")
      local result = launch.line('"$@" ' .. closed, words, { cwd = dir })
      assert.same({ open.status, expected }, { result.status, shell.read(dir .. "/cycles.c-ann") })
    end
  end)
end)

describe("a pipe without a reader", function()
  local records = { { kind = "histogram", low = 0x1000, high = 0x1000 + 400000, bins = { n = 100000, 1 } } }
  local big = gmon.write(shell.tmpdir() .. "/big", gmon.magic { records = records })
  local words = { "--sum-file=-", image, big }

  it("as the target of a sum gives a one-line message", function()
    local result = launch.line([[trap '' PIPE; { "$@"; echo $? >&2; } | head -c 1 >/dev/null]], words)
    assert.equal("gprof.lua: standard output: cannot be written: Broken pipe\n1\n", result.stderr)
  end)

  it("ends the program by SIGPIPE, as usual", function()
    local result = launch.line([[{ "$@"; echo $? >&2; } | head -c 1 >/dev/null]], words)
    assert.truthy(result.stderr:find "141\n$" or result.stderr:find "Broken pipe\n1\n$", result.stderr)
  end)
end)
