-- Annotated source, lines and blocks in the default mode: margins and statistics, the search for sources, unusual
-- sources, separate listings, and the Lua interface.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local crafted = require "support.crafted"
local gprof = require "gprof"
local launch = require "support.launch"
local program = require "support.program"
local shell = require "support.shell"
local small = require "support.small"

local made <const> = small.build()
local line <const> = made.rows["small.c"]
local profile <const> = small.run(made)

-- Runs the program, which must succeed without messages. Returns its standard output.
local function printed(...)
  local result = program.run { "-b", ... }
  assert.same({ 0, "" }, { result.status, result.stderr })
  return result.stdout
end

-- Splits a report into the source with its margins and the statistics below it. Returns both.
local function pages_of(report)
  local text, rest = report:match "^%*%*%* File [^\n]+:\n(.-\n)(\n\nTop .*)$"
  if not text then
    text, rest = report:match "^%*%*%* File [^\n]+:\n(.-\n)(\nExecution Summary:.*)$"
  end
  return text, rest
end

-- Returns the margins of a report: an array with the text before each source line.
local function margins_of(report, source)
  local at, margins = report:match "^%*%*%* File [^\n]+:\n()", {}
  for text in source:gmatch "[^\n]*\n?" do
    if text ~= "" then
      local finish = assert(report:find(text, at, true), text)
      margins[#margins + 1] = report:sub(at, finish - 1):match "^ *(.-)[ >-]*$"
      at = finish + #text
    end
  end
  return margins
end

local function check_margins(expected, ...)
  assert.same(expected, margins_of(printed(...), made.text))
end

-- Margins and statistics --------------------------------------------------------------------

describe("Annotated source", function()
  -- A cold part is elsewhere in the code, begins on a line of its own, and is never called.
  it("shows the calls of functions that compilers have split into parts", function()
    local built = build.program "clones"
    local counts = {}
    for count, text in printed("-A", "-t0", built.image, built.gmon):gmatch "\n *([%d,#]+) %-> ([^\n]*)" do
      counts[text] = count
    end
    local work <const> = "static NOINLINE unsigned work(const struct pair *p)"
    assert.equal("300", counts[work])
    assert.equal("150", counts["static unsigned guard(unsigned x)"])
    local image = gprof.image(built.image)
    local lines = gprof.profile(image, gprof.data(image, built.gmon)):annotate "clones.c"
    for _, entry in ipairs(lines) do
      if entry.text == work .. "\n" then assert.same({ 300 }, entry.counts) end
    end
  end)

  -- No call to main is recorded, but main ran: its count is unknown.
  it("has calls and blocks in the margin, and statistics below", function()
    assert.equal(([[
*** File %s/small.c:
         3,0 -> int leaf(int x) { return x + 1; } int twig(int x) { return x + 2; }
           1 -> int loop(int n) {
           1 ->   int y = 0;
         1,4 ->   for (int i = 0; i < n;
           3 ->        i++)
           3 ->     y += leaf(i);
                  if (y > 100)
       ##### ->     y = twig(y);
           1 ->   return y;
                }
%s
                int main(void) {
           1 ->   return loop(3);
                }


Top 10 Lines:

     Line      Count

        4          5
        1          3
        5          3
        6          3
        2          1
        3          1
        9          1
       13          1

Execution Summary:

       13   Executable lines in this file
        8   Lines executed
    61.54   Percent of the file executed

       18   Total number of line executions
     1.38   Average executions per line
]]):format(made.dir, (" "):rep(16)), printed("-l", "-A", made.image, profile))
  end)

  it("repeats a count on all lines of a block with -x", function()
    check_margins({ "3,0", "1", "1", "1,4", "3", "3", "3", "#####", "0,1", "1", "", "", "1", "1" },
      "-l", "-A", "-x", made.image, profile)
  end)

  it("marks lines executed less often than -m", function()
    check_margins({ "3,0", "#####", "#####", "1,4", "3", "3", "", "#####", "#####", "", "", "", "#####", "" },
      "-l", "-A", "-m", "3", made.image, profile)
    check_margins({ "3,0", "1", "1", "1,4", "3", "3", "", "0", "1", "", "", "", "1", "" },
      "-l", "-A", "-m", "0", made.image, profile)
  end)

  it("lists the number of lines given by -t, the most executed first", function()
    local whole = printed("-l", "-A", made.image, profile)
    for _, length in ipairs { 1, 3, 8, 100 } do
      local _, below = pages_of(printed("-l", "-A", "-t", length, made.image, profile))
      local rows = {}
      for row in below:match "^\n\nTop %d+ Lines:\n\n     Line      Count\n\n(.-)\nExecution":gmatch "[^\n]+\n" do
        rows[#rows + 1] = row
      end
      assert.equal(math.min(length, 8), #rows)
      assert.truthy(whole:find("Count\n\n" .. table.concat(rows), 1, true))
    end
    local text, below = pages_of(printed("-l", "-A", "-t0", made.image, profile))
    assert.equal((pages_of(whole)):gsub("%s+$", ""), (text:gsub("%s+$", "")))
    assert.truthy(below:find "^\nExecution Summary:\n\n +13 ")
  end)

  it("has a summary that says whether it covers only selected functions", function()
    for options, heading in pairs {
      [{}] = "Execution Summary:", [{ "-Amain" }] = "Execution Summary (of the selected functions):",
      [{ "--gnu-compat", "-Amain" }] = "Execution Summary:",
    } do
      local text = printed("-A", "-l", "-z", made.image, profile, table.unpack(options))
      assert.truthy(text:find("\n" .. heading .. "\n", 1, true), text)
    end
  end)

  it("shows only the calls of functions without -l; one warning mentions the blocks", function()
    for _, words in ipairs { { "-A" }, { "-C" }, { "-A", "-C", "-p" } } do
      local result = program.run { "-b", made.image, profile, table.unpack(words) }
      assert.same({ 0, "gprof.lua: warning: basic-block counts are printed only with -l (--line)\n" },
        { result.status, result.stderr })
    end
    local report = program.run({ "-b", "-A", made.image, profile }).stdout
    assert.same({ "3,0", "1", "", "", "", "", "", "", "", "", "", "", "", "" }, margins_of(report, made.text))
    assert.truthy(report:find "\n +3   Executable lines in this file\n +2   Lines executed\n")
    assert.equal("", program.run({ "-b", "-p", made.image, profile }).stderr)
  end)

  it("shows all block counts of a line, however many", function()
    local blocks, expected, sum = {}, {}, 0
    for i = 1, 12 do
      local address = (i <= 6 and line[4][1] or line[4][#line[4]] - 6) + i - 1
      blocks[i] = { address, i * 1000000007 }
      expected[i], sum = math.tointeger(i * 1000000007), sum + i * 1000000007
    end
    local counts = small.profile(made, { blocks = blocks, arcs = { { line[13][1] + 3, line[2][1], 1 } } })
    local report = printed("-l", "-A", made.image, counts)
    assert.equal(table.concat(expected, ","), margins_of(report, made.text)[4])
    assert.truthy(report:find(("\n%9d %10d\n"):format(4, sum), 1, true))
    assert.truthy(report:find(("\n%9d   Total number of line executions\n"):format(sum + 1), 1, true))
  end)

  it("leaves out files where nothing was executed, except with -z", function()
    local idle = small.profile(made, { ticks = { [line[4][1] + 1 & ~1] = 1 }, blocks = { { line[4][1], 0 } } })
    assert.equal("", printed("-l", "-A", made.image, idle))
    assert.truthy(printed("-l", "-A", "-z", made.image, idle):find("##### ->   for (int i", 1, true))
    local block = small.profile(made, { blocks = { { line[4][1], 1 } } })
    assert.truthy(printed("-l", "-A", made.image, block):find("1 ->   for (int i", 1, true))
  end)

  it("says so if lines have time, but no counts, or neither", function()
    local none <const> = "gprof.lua: warning: annotated source: the selected lines have no time and no counts\n"
    local timed = small.profile(made, { ticks = { [line[4][1] + 1 & ~1] = 1 } })
    local function told(...) return program.run({ "-b", ... }).stderr end
    for _, options in ipairs { { "-A" }, { "-l", "-A" }, { "-Aloop" } } do
      assert.equal("gprof.lua: warning: annotated source: lines have time, but no counts (see --annotate-time)\n",
        told(made.image, timed, table.unpack(options)))
    end
    assert.equal(none, told("-Aleaf", made.image, timed))
    assert.equal(none, told("-Aleaf", "--annotate-time", made.image, timed))
    assert.equal("", told("-A", "--gnu-compat", made.image, timed))
  end)

  it("has files in which only samples were taken, with seconds", function()
    local timed = small.profile(made, { ticks = { [line[4][1] + 1 & ~1] = 1 } })
    local text = printed("--annotate-time", "-Aloop", made.image, timed)
    assert.truthy(text:find("     0.01                   for (int i", 1, true), text)
  end)

  it("has the functions that symspecs select", function()
    check_margins({ "3,0", "1", "1", "1,4", "3", "3", "", "#####", "1", "", "", "", "1", "" },
      "-l", "-Asmall.c", made.image, profile)
    check_margins({ "3,0", "", "", "", "", "", "", "", "", "", "", "", "1", "" },
      "-l", "-A", "-Jloop", made.image, profile)
    assert.equal("", printed("-l", "-A", "-Jsmall.c", made.image, profile))
  end)

  it("has only the lines of functions that symspecs select, with or without -l", function()
    local function excerpts(...)
      local text = printed("-t0", ...):gsub("\n\nExecution Summary.*", "")
      return (text:gsub("File %S+/", "File "))
    end
    assert.equal("*** File small.c, line 1:\n           3 -> " .. made.text:match "[^\n]*",
      excerpts("-l", "-Aleaf", made.image, profile))
    assert.equal("*** File small.c, line 4:\n         1,4 ->   for (int i = 0; i < n;",
      excerpts("-l", "-Asmall.c:4", made.image, profile))
    local calls = small.profile(made, { arcs = { { line[13][1] + 3, line[2][1], 1 } } })
    local loop = excerpts("-Aloop", made.image, calls)
    assert.truthy(loop:find "^%*%*%* File small%.c, lines 2 to 10:\n +1 %-> int loop", loop)
    assert.equal(9, select(2, loop:gsub("\n", "")))
    assert.truthy(printed("--gnu-compat", "-Aloop", made.image, calls):find "^%*%*%* File [^\n]+small%.c:\n")
  end)

  it("has an excerpt for each function if they are far apart", function()
    local text = "int main(void) {\n  return 0;\n}\n" .. ("\n"):rep(30) ..
      "static int\nidle(int x)\n{\n  return x;\n}\nint (*used)(int) = idle;"
    local apart = small.build({ ["apart.c"] = text }, shell.tmpdir())
    local rows = apart.rows["apart.c"]
    local path = small.profile(apart, { arcs = { { rows[2][1], rows[36][1], 2 } } })
    assert.equal(([[
*** File %s/apart.c, lines 1 to 3:
                int main(void) {
                  return 0;
                }

*** File %s/apart.c, lines 34 to 38:
                static int
                idle(int x)
           2 -> {
                  return x;
                }
]]):format(apart.dir, apart.dir), (printed("-t0", "-Amain", "-Aidle", apart.image, path):gsub("\nExecution.*", "")))
  end)
end)

describe("--annotate-time", function()
  it("shows seconds before the counts, with the same sum as the flat profile", function()
    local report = printed("--annotate-time", made.image, profile)
    assert.truthy(report:find("\n     0.06          3,0 -> int leaf", 1, true), report)
    assert.truthy(report:find("\n     0.02          1,4 ->   for (int", 1, true))
    assert.truthy(report:find("\n" .. (" "):rep(21) .. "1 -> int loop", 1, true))
    local sum = 0
    for seconds in pages_of(report):gmatch "%f[^\n%z] *(%d+%.%d%d) " do
      sum = sum + tonumber(seconds)
    end
    assert.near(0.10, sum, 1e-9)
  end)

  it("prints the files with the most time first", function()
    local two = small.build({ ["a.c"] = "int a(int x) { return x + 1; }\n",
      ["b.c"] = "int a(int);\nint main(void) { return a(3); }\n" }, shell.tmpdir())
    local image = assert(gprof.image(two.image))
    local function files(of_a, of_main)
      local function at(name) return small.even(image:find(name).address) end
      local path = small.profile(two, { ticks = { [at "a"] = of_a, [at "main"] = of_main },
        arcs = { { image:find "main".address + 4, image:find "a".address, 1 },
          { image:find "a".address, image:find "main".address, 1 } } })
      local names = {}
      for name in printed("--annotate-time", two.image, path):gmatch "%*%*%* File %S-(%w%.c):" do
        names[#names + 1] = name
      end
      return table.concat(names, " ")
    end
    assert.same({ "a.c b.c", "b.c a.c" }, { files(20, 10), files(10, 20) })
  end)

  it("implies -l and -A, and does not change the other margins", function()
    local function without_seconds(text)
      return (("\n" .. text):gsub("\n..........", "\n"))
    end
    local text = pages_of(printed("--annotate-time", made.image, profile))
    assert.equal("\n" .. pages_of(printed("-l", "-A", made.image, profile)):gsub("%s+$", ""),
      (without_seconds(text):gsub("%s+$", "")))
  end)
end)

-- Finding sources -----------------------------------------------------------------------------

-- Writes a source file with the same modification time as the program.
local function put(text, path)
  shell.check { "mkdir", "-p", (path:match "^(.*)/") }
  shell.write(path, text)
  shell.check { "touch", "-r", made.image, path }
end

describe("A source", function()
  -- Compiles a program that records `recorded` as the directory of its source. Removes the source and returns the
  -- image's path.
  local function compile(recorded)
    local dir = shell.tmpdir()
    local moved = small.build(nil, dir, "-gdwarf-4", ("-fdebug-prefix-map=%s=%s"):format(dir, recorded))
    os.remove(dir .. "/small.c")
    return moved.image
  end

  -- Returns the path of the source copy that the program uses, or nil if it uses none. Each copy contains its own path.
  local function used_copy(image, places, words, path)
    local work = shell.tmpdir()
    for _, place in ipairs(places) do
      put("/* " .. place .. " */\n" .. small.text, work .. "/" .. place)
      shell.check { "touch", "-d", "@1", work .. "/" .. place }
    end
    local result = program.run({ "-b", "-l", "-A", image, profile, table.unpack(words or {}) },
      { cwd = work, env = { GPROF_PATH = path or false } })
    assert.equal(0, result.status)
    return result.stdout:match "/%* (.-) %*/", result.stderr
  end

  local relative <const> = compile "src"
  local absolute <const> = compile "/no/where"
  local all <const> = { "src/small.c", "a/src/small.c", "b/src/small.c", "a/small.c", "b/small.c" }

  it("is read from the recorded path, if it exists", function()
    assert.equal("src/small.c", (used_copy(relative, all)))
    assert.equal("src/small.c", (used_copy(relative, all, { "-I", "a" })))
  end)

  it("is searched for in directories by the recorded path, then by its last component", function()
    assert.equal("a/src/small.c", (used_copy(relative, { table.unpack(all, 2) }, { "-I", "a" })))
    assert.equal("b/src/small.c", (used_copy(relative, { table.unpack(all, 2) }, { "-I", "none:b:a" })))
    assert.equal("b/src/small.c", (used_copy(relative, { "b/src/small.c", "a/small.c" }, { "-Ia", "-Ib" })))
    assert.equal("b/small.c", (used_copy(relative, { "a/small.c", "b/small.c" }, { "-I", "b:a" })))
    assert.equal("b/small.c", (used_copy(absolute, { "a/small.c", "b/small.c" }, { "-I", "b", "-I", "a" })))
  end)

  it("is found below the directory to which its tree was moved", function()
    local copies = { "a/where/small.c", "a/small.c", "b/small.c" }
    assert.equal("a/where/small.c", (used_copy(absolute, copies, { "-I", "b:a" })))
    assert.equal("b/small.c", (used_copy(absolute, copies, { "--gnu-compat", "-I", "b:a" })))
    assert.equal("a/src/small.c", (used_copy(compile "../old/src", { "a/src/small.c", "a/small.c" }, { "-I", "a" })))
  end)

  it("is searched for in GPROF_PATH, after the directories of -I", function()
    assert.equal("a/small.c", (used_copy(absolute, all, {}, "none:a:b")))
    assert.equal("b/small.c", (used_copy(absolute, all, { "-I", "b" }, "a")))
    assert.equal("a/small.c", (used_copy(absolute, { "a/small.c" }, { "-I", "b" }, "a")))
  end)

  it("that is missing causes a warning, and the others are printed", function()
    local found, said = used_copy(absolute, all)
    assert.is_nil(found)
    assert.equal("gprof.lua: warning: /no/where/small.c: source not found (-I adds directories to search)\n", said)
    local twins = small.build({ ["a.c"] = "int a(void) { return 1; }\n",
      ["b.c"] = "int a(void);\nint main(void) { return a(); }\n" })
    os.remove(twins.dir .. "/a.c")
    local result = program.run { "-b", "-l", "-A", twins.image, small.profile(twins, { blocks = {
      { twins.rows["a.c"][1][1], 5 }, { twins.rows["b.c"][2][1], 6 } } }) }
    assert.same({ 0, ("gprof.lua: warning: %s/a.c: source not found (-I adds directories to search)\n"):
      format(twins.dir) },
      { result.status, result.stderr })
    assert.truthy(result.stdout:find("^%*%*%* File [^\n]+/b.c:\n +int a%(void%);\n +6 %-> int main"))
  end)

  it("that is missing causes one warning together with all other missing sources", function()
    local sources, blocks = { ["main.c"] = "int main(void) { return 0; }\n" }, {}
    for i = 1, 5 do sources["f" .. i .. ".c"] = ("int f%d(void) { return 1; }\n"):format(i) end
    local six = small.build(sources)
    for i = 1, 5 do
      os.remove(("%s/f%d.c"):format(six.dir, i))
      blocks[i] = { six.rows["f" .. i .. ".c"][1][1], 5 }
    end
    local result = program.run { "-b", "-l", "-A", six.image, small.profile(six, { blocks = blocks }) }
    assert.same({ "", 0 }, { result.stdout, result.status })
    assert.matches("^gprof.lua: warning: 5 source files not found: %S+/f%d.c, %S+/f%d.c, %S+/f%d.c and 2 more " ..
      "%(%-I adds directories to search%)\n$", result.stderr)
  end)

  it("that is missing causes a warning of one line, whatever its name contains", function()
    local odd = small.build { ["odd.c"] = '#line 1 "a\\n\\033[2Jb"\nint main(void) { return 0; }\n' }
    local block = { build.address(odd.image, "main"), 5 }
    local result = program.run { "-l", "-A", odd.image, small.profile(odd, { blocks = { block } }) }
    assert.same({ 0, "gprof.lua: warning: ?/a\\n\\x1b[2Jb: source not found (-I adds directories to search)\n" },
      { result.status, (result.stderr:gsub(" [^ ]*/a", " ?/a")) })
  end)
end)

-- Unusual sources -----------------------------------------------------------------------------

describe("Source text is printed unchanged:", function()
  local texts <const> = {
    ["UTF-8"] = "/* na\u{ef}ve \u{2603} \u{1f600} */\nint main(void) { /* \u{fc} */ return 0; }\n",
    ["invalid UTF-8"] = "/* \xff\xfe\x80 */\nint main(void) { return 0; /* \xe4 */ }\n",
    ["CRLF"] = "/* one */\r\nint main(void)\r\n{\r\n  return 0;\r\n}\r\n",
    ["percent signs"] = "/* %d %s %% %5$s */\nint main(void) { return 100 % 7; }\n",
    ["NUL"] = "/* a\0b */\nint main(void) { return 0; }\n",
    ["a line of a megabyte"] = "/* " .. ("long "):rep(210000) .. "*/ int main(void) { return 0; }\n",
    ["blank lines and form feeds"] = "\n\n\f\n \t\nint main(void) { return 0; }\n\n\n",
  }
  for title, text in pairs(texts) do
    it(title, function()
      local odd = small.build { ["odd.c"] = text }
      local code = next(odd.rows["odd.c"])
      local report = printed("-l", "-A", odd.image,
        small.profile(odd, { blocks = { { odd.rows["odd.c"][code][1], 7 } } }))
      local at = report:match "^%*%*%* File [^\n]+:\n()"
      for source in text:gmatch "[^\n]*\n" do
        assert.truthy(report:sub(at, at + 15):find "^ *%S* %-> $" or report:sub(at, at + 15) == (" "):rep(16))
        assert.is_true(source == report:sub(at + 16, at + 15 + #source))
        at = at + 16 + #source
      end
      assert.truthy(report:find("^\n\nTop 10 Lines:", at))
    end)
  end

  it("no newline at the end", function()
    local odd = small.build { ["odd.c"] = "int main(void) { return 0; }" }
    local counts = small.profile(odd, { blocks = { { odd.rows["odd.c"][1][1], 7 } } })
    assert.truthy(printed("-l", "-A", odd.image, counts)
      :find(" -> int main(void) { return 0; }\n\n\nTop 10 Lines:\n", 1, true))
  end)
end)

describe("One warning is printed for a source that", function()
  -- Compiles a small program, changes its source with `prepare`, and annotates the source. Returns the standard output
  -- and the warning.
  local function with_source(prepare, line_of_shell)
    local other = small.build()
    local path = other.dir .. "/small.c"
    prepare(path, other.image)
    local result = launch.line(line_of_shell or [[exec "$@"]],
      { "-b", "-l", "-A", "-x", other.image, small.run(other) }, { timeout = true })
    assert.equal(0, result.status, result.stderr)
    return result.stdout, result.stderr:match("^gprof%.lua: warning: " .. path:gsub("%p", "%%%0") .. ": ([^\n]+)\n$")
      or result.stderr
  end

  it("is newer than the program", function()
    local text, warning = with_source(function(path) shell.check { "touch", "-d", "+1 hour", path } end)
    assert.equal("is newer than the program: its lines may have moved", warning)
    assert.truthy(text:find "\nExecution Summary:")
  end)

  it("is shorter than the program's line numbers", function()
    local text, warning = with_source(function(path, image)
      shell.write(path, "one\ntwo\n")
      shell.check { "touch", "-r", image, path }
    end)
    assert.equal("has 2 lines, but the program was compiled from at least 14", warning)
    assert.truthy(text:find("3,0 -> one\n           1 -> two\n\n\nTop", 1, true))
  end)

  it("is empty", function()
    local text, warning = with_source(function(path, image)
      shell.write(path, "")
      shell.check { "touch", "-r", image, path }
    end)
    assert.equal("has 0 lines, but the program was compiled from at least 14", warning)
    assert.truthy(text:find "^%*%*%* File [^\n]+:\n\n\nTop")
  end)

  it("is a directory", function()
    local text, warning = with_source(function(path)
      os.remove(path)
      shell.check { "mkdir", path }
    end)
    assert.same({ "", "is not a regular file" }, { text, warning })
  end)

  it("is a pipe without a writer", function()
    local text, warning = with_source(function(path)
      os.remove(path)
      shell.check { "mkfifo", path }
    end)
    assert.same({ "", "is not a regular file" }, { text, warning })
  end)

  it("is too large, or has too many lines", function()
    for size, expected in pairs { ["6G"] = "has more than 32 MB, and is not shown",
      ["33554433"] = "has more than 32 MB, and is not shown" } do
      local text, warning = with_source(function(path) shell.check { "truncate", "--size=" .. size, path } end,
        not os.getenv "GPROF_LUA" and 'ulimit -v 300000; exec "$@"' or nil) -- sanitizers reserve terabytes
      assert.same({ "", expected }, { text, warning })
    end
    local text, warning = with_source(function(path) shell.write(path, ("\n"):rep(2000001)) end)
    assert.same({ "", "has more than 2000000 lines, and is not shown" }, { text, warning })
  end)

  it("is a system file, which may be endless", function()
    for _, target in ipairs { "/proc/self/status", "/proc/kmsg", "/sys/kernel/notes" } do
      if shell.run({ "test", "-f", target }).status == 0 then
        local text, warning = with_source(function(path)
          os.remove(path)
          shell.check { "ln", "-s", target, path }
        end)
        assert.same({ "", "is a system file" }, { text, warning })
      end
    end
  end)

  it("is not readable", function()
    local text, warning = with_source(function(path) shell.check { "chmod", "0", path } end, launch.permitted())
    assert.same({ "", "Permission denied" }, { text, warning })
  end)

  it("belongs to an image with line numbers; without them, none is printed", function()
    local bare = build.program("calls", "nodebug")
    local result = program.run { "-b", "-l", "-A", bare.image, bare.gmon }
    assert.same({ 0, "", ("gprof.lua: warning: %s: has no line numbers: compile it with -g\n"):format(bare.image) },
      { result.status, result.stdout, result.stderr })
  end)
end)

-- Separate listings -----------------------------------------------------------------------------

describe("-y", function()
  local function write_files(...)
    local dir = shell.tmpdir()
    local result = program.run({ "-b", ... }, { cwd = dir })
    assert.same({ 0, "", "" }, { result.status, result.stdout, result.stderr })
    return dir
  end

  it("writes the listing without its heading to a file, and prints nothing", function()
    local dir = write_files("-l", "-A", "-y", made.image, profile)
    assert.equal("small.c-ann\n", shell.listing(dir))
    local report = printed("-l", "-A", made.image, profile)
    assert.equal(report, ("*** File %s/small.c:\n"):format(made.dir) .. shell.read(dir .. "/small.c-ann"))
  end)

  it("names listings of files with equal names after their directories", function()
    local twins = build.program "twins"
    local dir = write_files("-l", "-A", "-y", twins.image, twins.gmon)
    local names = shell.listing(dir)
    assert.truthy(names == "common.c-ann\nleft-common.c-ann\ntwins.c-ann\n" or
      names == "common.c-ann\nright-common.c-ann\ntwins.c-ann\n", names)
    local pages = {}
    for page in (printed("-l", "-A", twins.image, twins.gmon) .. "\n\f\n"):gmatch "(.-)\n\f\n" do
      local name, text = page:match "^%*%*%* File ([^\n]+):\n(.*)$"
      pages[text] = name
    end
    for name in names:gmatch "[^\n]+" do
      local text = shell.read(dir .. "/" .. name)
      assert.equal(name:match "([^-]*)%-ann$", (pages[text] or "nothing like it"):match "[^/]*$")
      pages[text] = nil
    end
    assert.is_nil(next(pages))
  end)

  it("replaces an older file only when the new one is complete", function()
    local dir = shell.tmpdir()
    shell.write(dir .. "/small.c-ann", ("an older one\n"):rep(1000))
    local arguments = { "-b", "-l", "-A", "-y", made.image, profile }
    assert.equal(0, program.run(arguments, { cwd = dir }).status)
    assert.is_nil(shell.read(dir .. "/small.c-ann"):find("older", 1, true))
    assert.equal("small.c-ann\n", shell.listing(dir))
  end)

  it("follows no link, and replaces none", function()
    for _, target in ipairs { "precious", "nowhere", "small.c-ann", "directory" } do
      local dir = shell.tmpdir()
      shell.write(dir .. "/precious", "precious")
      shell.check({ "sh", "-c", 'mkdir directory && ln -s "$1" small.c-ann', "sh", target }, { cwd = dir })
      local result = program.run({ "-b", "-l", "-A", "-y", made.image, profile }, { cwd = dir })
      assert.same({ 1, "", "gprof.lua: small.c-ann: is a symbolic link: links are followed only if an option names " ..
        "them, and never with --sandbox\n" }, { result.status, result.stdout, result.stderr })
      assert.equal("precious", shell.read(dir .. "/precious"))
      assert.equal("directory\nprecious\nsmall.c-ann\n", shell.listing(dir))
      assert.equal(target .. "\n", shell.check({ "readlink", "small.c-ann" }, { cwd = dir }).stdout)
    end
  end)

  it("does not change other hard links to the old file", function()
    local dir = shell.tmpdir()
    shell.write(dir .. "/other", "other")
    shell.check({ "ln", "other", "small.c-ann" }, { cwd = dir })
    assert.equal(0, program.run({ "-b", "-l", "-A", "-y", made.image, profile }, { cwd = dir }).status)
    assert.equal("other", shell.read(dir .. "/other"))
  end)

  it("refuses to write to anything but a regular file, and does not block", function()
    for what, expected in pairs { ["mkfifo small.c-ann"] = "not a regular file",
      ["mkdir small.c-ann"] = "Is a directory" } do
      local dir = shell.tmpdir()
      shell.check({ "sh", "-c", what }, { cwd = dir })
      local result = program.run({ "-b", "-l", "-A", "-y", made.image, profile }, { cwd = dir, timeout = true })
      assert.same({ 1, "", ("gprof.lua: small.c-ann: cannot be written: %s\n"):format(expected) },
        { result.status, result.stdout, result.stderr })
      assert.equal("small.c-ann\n", shell.listing(dir))
    end
  end)

  it("does not overwrite a source or the program", function()
    local dir = shell.tmpdir()
    local main, part = "int part(void);\n\nint main(void) { return part(); }\n", "int part(void) { return 0; }\n"
    shell.write(dir .. "/x", main)
    shell.write(dir .. "/x-ann", part)
    shell.write(dir .. "/y", "int other(void) { return 0; }\n")
    shell.check({ "gcc", "-g", "-pg", "-x", "c", "-o", "y-ann", "x", "x-ann", "y" }, { cwd = dir })
    shell.check({ "./y-ann" }, { cwd = dir })
    local program_before = shell.read(dir .. "/y-ann")
    for _, mode in ipairs { "-b", "--gnu-compat" } do
      local result = program.run({ mode, "-l", "-z", "-A", "-y", "y-ann" }, { cwd = dir })
      assert.same({ 0, "" }, { result.status, result.stdout })
      for _, name in ipairs { "x-ann", "y-ann" } do
        assert.truthy(result.stderr:find(("gprof.lua: warning: %s: the listing would overwrite the " ..
          "program or a source file\n"):format(name), 1, true), result.stderr)
      end
      assert.equal(part, shell.read(dir .. "/x-ann"))
      assert.equal(program_before, shell.read(dir .. "/y-ann"))
      assert.truthy(shell.read(dir .. "/x-ann-ann"):find("int part(void) { return 0; }", 1, true))
    end
  end)

  it("writes only to the current directory, whatever the names in the debugging information", function()
    local dir = shell.tmpdir()
    for _, name in ipairs { "../../up.c", "/tmp/../tmp/absolute.c", "..", "down/", "/", "." } do
      local work = shell.tmpdir()
      shell.write(work .. "/a.c", ("#line 1 %q\nint main(void) { return 0; }\n"):format(name))
      shell.check({ "gcc", "-g", "-pg", "-o", "a.out", "a.c" }, { cwd = work })
      shell.check({ "./a.out" }, { cwd = work })
      shell.check { "mkdir", "-p", dir .. "/one/two" }
      local result = program.run({ "-b", "-l", "-z", "-A", "-y", "-I" .. work, work .. "/a.out", work .. "/gmon.out" },
        { cwd = dir .. "/one/two" })
      assert.equal(0, result.status, result.stderr)
      assert.equal("one\n", shell.listing(dir))
      assert.equal("two\n", shell.listing(dir .. "/one"))
    end
  end)

  it("fails with one line in a read-only directory", function()
    local dir = shell.tmpdir()
    shell.check { "chmod", "555", dir }
    local result = launch.line(launch.permitted(), { "-b", "-l", "-A", "-y", made.image, profile }, { cwd = dir })
    shell.check { "chmod", "755", dir }
    assert.same({ 1, "", "gprof.lua: small.c-ann: cannot create a file in its directory: Permission denied\n" },
      { result.status, result.stdout, result.stderr })
    assert.equal("", shell.listing(dir))
  end)

  it("leaves the old file unchanged and no partial file if the disk is full", function()
    local long = small.build { ["odd.c"] = "/* " .. ("long "):rep(210000) .. "*/ int main(void) { return 0; }\n" }
    local counts = small.profile(long, { blocks = { { long.rows["odd.c"][1][1], 7 } } })
    for _, old in ipairs { "an older one", false } do
      local dir = shell.tmpdir()
      if old then shell.write(dir .. "/odd.c-ann", old) end
      local result = launch.line([[trap '' XFSZ; ulimit -f 100; exec "$@"]],
        { "-b", "-l", "-A", "-y", long.image, counts }, { cwd = dir })
      assert.same({ 1, "", "gprof.lua: odd.c-ann: cannot be written: File too large\n" },
        { result.status, result.stdout, result.stderr })
      assert.equal(old and "odd.c-ann\n" or "", shell.listing(dir))
      assert.equal(old, old and shell.read(dir .. "/odd.c-ann"))
    end
  end)
end)

-- Profiles by line --------------------------------------------------------------------------------

describe("-l", function()
  it("changes nothing if there are no line numbers", function()
    local bare = build.program("calls", "nodebug")
    for _, option in ipairs { "-p", "-q", "-C", "-r" } do
      assert.equal(printed(option, bare.image, bare.gmon), printed("-l", option, bare.image, bare.gmon))
    end
    local full = build.program "calls"
    local list = shell.write(shell.tmpdir() .. "/nm", shell.check({ "nm", full.image }).stdout)
    for _, option in ipairs { "-p", "-q", "-C" } do
      assert.equal(printed(option, "-S", list, full.image, full.gmon),
        printed("-l", option, "-S", list, full.image, full.gmon))
    end
  end)

  it("shows time by line, wherever the line's code is", function()
    local report = printed("-l", "-p", made.image, profile)
    assert.truthy(report:find("\n 60.00      0.06     0.06        3    20.00    20.00  leaf (small.c:1 @ 1000)\n",
      1, true) or report:find("\n 60.00      0.06     0.06        3    20.00    20.00  leaf %(small.c:1 @ %x+%)\n"))
    local times = {}
    for seconds, number in report:gmatch "\n +[%d.]+ +[%d.]+ +(%d%.%d%d) [^\n]*%(small%.c:(%d+) @ " do
      number = tonumber(number)
      times[number] = (times[number] or 0) + tonumber(seconds)
    end
    assert.same({ [1] = 0.06, [2] = 0.0, [4] = 0.02, [6] = 0.02 }, times)
  end)

  it("accepts symspecs for lines: a number for one line, a name for all lines of a function", function()
    local function lines(spec)
      local found = {}
      for number in printed("-l", "-z", "-p" .. spec, made.image, profile):gmatch "%(small%.c:(%d+) @ " do
        found[tonumber(number)] = true
      end
      return found
    end
    assert.same({ [4] = true }, lines "small.c:4")
    assert.same({ [4] = true }, lines ":4")
    assert.same({ [4] = true }, lines "4")
    assert.same({ [12] = true, [13] = true, [14] = true }, lines "main")
    assert.same({ [12] = true, [13] = true, [14] = true }, lines "small.c:main")
  end)
end)

local function open(path, gmon, options)
  local image = assert(gprof.image(path))
  return assert(gprof.profile(image, assert(gprof.data(image, gmon)), options))
end

describe("A profile by line", function()
  for name, variant in build.each(pending) do
    it(("has lines whose times add up to the function's: %s %s"):format(name, variant), function()
      local built = build.program(name, variant)
      if not built.gmon then
        assert.equal("mute", name)
        return
      end
      local functions, lines = open(built.image, built.gmon), open(built.image, built.gmon, { line = true })
      local entries, compared = {}, 0
      for f in lines:functions() do
        if f.id == f.function_id then entries[f.address] = f end
      end
      for f in functions:functions() do
        local entry, sum = entries[f.address], 0
        for part in entry:lines() do
          sum = sum + part.self
          assert.equal(entry.id, part.function_id)
        end
        assert.near(f.self, sum, 1e-9)
        -- Self-calls count as calls between lines.
        assert.equal(f.calls + f.self_calls, entry.calls + entry.self_calls)
        compared = compared + 1
      end
      assert.is_true(compared > 5)
      assert.near(functions.total or 0, lines.total or 0, 1e-9)
    end)

    -- Static programs are skipped, because they contain the whole C library.
    if not variant:find "static" then
      it(("does not change if all lines are read: %s %s"):format(name, variant), function()
        local built = build.program(name, variant)
        if not built.gmon then
          assert.equal("mute", name)
          return
        end
        local flat = {}
        for i, line_option in ipairs { true, "all" } do
          flat[i] = crafted.printed("flat", open(built.image, built.gmon, { line = line_option }), { brief = true })
        end
        assert.equal(flat[2], flat[1])
      end)
    end
  end
end)

-- Lua interface -------------------------------------------------------------------------------------

describe("In Lua, a profile by line", function()
  local lines <const> = open(made.image, profile, { line = "all" })
  local functions <const> = open(made.image, profile)
  local loop <const> = lines:lookup(line[2][1])

  it("has the field by_line", function()
    assert.is_true(lines.by_line)
    assert.is_false(functions.by_line)
  end)

  it("has the lines of each function, the line of its entry first", function()
    local found = {}
    for part in loop:lines() do
      found[#found + 1] = { part.line, part.is_line, part.is_function, part.symbol }
    end
    assert.same({ 2, false, true, "loop" }, found[1])
    local numbers = {}
    for i, part in ipairs(found) do
      numbers[i] = part[1]
      assert.same({ i > 1, i == 1, "loop" }, { table.unpack(part, 2) })
    end
    assert.same({ 2, 3, 4, 6, 5, 4, 7, 8, 9, 10 }, numbers)
    local ids, again = {}, {}
    for part in loop:lines() do ids[#ids + 1] = part.id end
    for id in lines:lines(loop.id, nil, "id") do again[#again + 1] = id end
    assert.same(ids, again)
    for id in loop:lines(nil, "id") do assert.equal(table.remove(ids, 1), id) end
  end)

  it("gives the function of a line", function()
    local part = lines:lookup(line[6][1])
    assert.same({ 6, true, false, loop.id }, { part.line, part.is_line, part.is_function, part.function_id })
    assert.equal(loop.id, loop.function_id)
  end)

  it("has the blocks of each line", function()
    local found = {}
    for part in loop:lines() do
      for address, count in part:blocks() do
        found[#found + 1] = { part.line, address, count }
      end
    end
    assert.same({ { 3, line[3][1], 1 }, { 4, line[4][1], 1 }, { 6, line[6][1], 3 }, { 5, line[5][1], 3 },
      { 4, line[4][#line[4]], 4 }, { 8, line[8][1], 0 }, { 9, line[9][1] + 1, 1 } }, found)
    assert.is_nil((loop:blocks()()))
  end)

  it("differs from a profile by function, which has the blocks of functions", function()
    local counts = {}
    for _, count in functions:lookup(line[2][1]):blocks() do counts[#counts + 1] = count end
    assert.same({ 1, 1, 4, 3, 3, 0, 1 }, counts)
    counts = {}
    for _, count in functions:blocks(functions:lookup(line[12][1]).id) do counts[#counts + 1] = count end
    assert.same({ 1 }, counts)
  end)

  it("can be annotated", function()
    local text = assert(lines:annotate "small.c")
    assert.equal(14, #text)
    assert.near(math.sqrt(2) / 100, text[4].seconds_error, 1e-15)
    text[4].seconds_error = nil
    assert.same({ number = 4, text = "  for (int i = 0; i < n;\n", counts = { 1, 4 }, blocks = 5, seconds = 0.02 },
      text[4])
    text = assert(lines:annotate "small.c")
    assert.same({ 3, 0 }, text[1].counts)
    assert.same({ 3, nil, 0.06 }, { text[1].calls, text[1].blocks, text[1].seconds })
    assert.same({ number = 11, text = "\n" }, text[11])
    local whole = {}
    for i, entry in ipairs(text) do whole[i] = entry.text end
    assert.equal(made.text, table.concat(whole))
    assert.same(text, lines:annotate(made.dir .. "/small.c"))
  end)

  it("cannot be annotated for a file that is unknown, missing or ambiguous", function()
    assert.same({ nil, "none.c: not a source file of the program" }, { lines:annotate "none.c" })
    assert.same({ nil, "mall.c: not a source file of the program" }, { lines:annotate "mall.c" })
    local twins = build.program "twins"
    local two = open(twins.image, twins.gmon, { line = true })
    assert.same({ nil, "common.c: ambiguous: 2 source files have that name" }, { two:annotate "common.c" })
    assert.truthy(two:annotate "left/common.c")
    local moved = small.build()
    local counts = small.run(moved)
    shell.check { "mkdir", moved.dir .. "/elsewhere" }
    shell.check { "mv", moved.dir .. "/small.c", moved.dir .. "/elsewhere" }
    local other = open(moved.image, counts, { line = true })
    assert.same({ nil, moved.dir .. "/small.c: source not found" }, { other:annotate "small.c" })
    assert.equal(14, #other:annotate("small.c", { moved.dir .. "/elsewhere" }))
  end)

  it("rejects invalid arguments", function()
    assert.has_error(function() functions:lookup(line[2][1]):lines() end)
    assert.has_error(function() functions:lines(1) end)
    assert.has_error(function() lines:lines(0) end)
    assert.has_error(function() lines:lines(lines:lookup(line[2][1]).id, "no_such_field") end)
    assert.has_error(function() lines:blocks(1 << 40) end)
    assert.has_error(function() lines:blocks() end)
    assert.has_error(function() lines:lines(lines:lookup(line[6][1])) end)
  end)
end)

-- Lines with counts ------------------------------------------------------------------------------

describe("The annotation object", function()
  local annotation = require "gprof.library.annotation"
  local lines <const> = open(made.image, profile, { line = "all" })
  local number <const> = assert(annotation.find(lines, "small.c"))

  -- Returns the counts of lines as text.
  local function counts_of(carry)
    local known <close> = annotation.lines(lines, number)
    local list = {}
    for place, counts, seconds in annotation.counts(known, carry) do
      list[#list + 1] = ("%d:%s:%.2f"):format(place, table.concat(counts, ","), seconds)
    end
    return table.concat(list, " ")
  end

  it("iterates over the counts of blocks that begin on a line", function()
    assert.equal("1:3,0:0.06 2:1:", counts_of():match "^.-2:1:")
  end)

  it("carries the last count of a block to the following lines, and to the next file", function()
    local carry = {}
    assert.truthy(counts_of(carry):find " 7:3:")
    local again = { last = carry.last }
    counts_of(again)
    assert.equal(carry.last, again.last)
  end)

  it("exists only for valid file numbers, and cannot be used after closing", function()
    assert.has_error(function() annotation.lines(lines, 0) end,
      "bad argument #2 to 'lines' (no file with this number)")
    local known
    do
      local closing <close> = annotation.lines(lines, number)
      known = closing
      assert.equal(14, known.last)
    end
    assert.has_error(function() return known.last end, "annotation is closed")
    assert.has_error(function() known:lines() end)
  end)
end)
