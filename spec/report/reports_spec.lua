-- The reports: what they print for a known profile, what options change, and custom reports.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local crafted = require "support.crafted"
local gprof = require "gprof"
local launch = require "support.launch"
local program = require "support.program"
local row = require "support.row"
local work = require "support.work"

local plan <const> = crafted.example

local function changed(changes)
  return setmetatable(changes, { __index = plan })
end

local printed <const>, brief <const> = crafted.printed, { brief = true }

describe("the flat profile", function()
  local heading = "  %   cumulative   self              self     total           \n"

  it("has a row for each function with time or calls", function()
    assert.equal("Flat profile:\n\nEach sample counts as 0.01 seconds.\n" .. heading ..
      " time   seconds   seconds    calls  ms/call  ms/call  name    \n" .. [[
 42.11      0.40     0.40        8    50.00    50.00  leaf
 31.58      0.70     0.30        2   150.00   300.00  work
 21.05      0.90     0.20        4    50.00    50.00  ping
  5.26      0.95     0.05        4    12.50    37.50  pong
]], printed("flat", crafted.profile(plan), brief))
  end)

  it("has rows for all functions with -z", function()
    local text = printed("flat", crafted.profile(plan), { brief = true, display_unused_functions = true })
    assert.equal([[
  5.26      0.95     0.05        4    12.50    37.50  pong
  0.00      0.95     0.00                             idle
  0.00      0.95     0.00                             main
]], text:match("[^\n]*pong\n.*"))
  end)

  it("says that no time was accumulated", function()
    assert.equal("Flat profile:\n\nEach sample counts as 0.01 seconds.\n no time accumulated\n\n" .. heading ..
      " time   seconds   seconds    calls  Ts/call  Ts/call  name    \n" .. [[
  0.00      0.00     0.00        2     0.00     0.00  work
]], printed("flat", crafted.profile(changed { ticks = {}, calls = { { "main", "work", 2 } } }), brief))
  end)

  -- Each case is one function, whose caller takes no time. First the sampling rate, ticks and calls; then the expected
  -- unit and time per call.
  for _, case in ipairs {
    { 1, 65535, 1, "Ks/call", "65.53" }, { 1, 1000, 1, "Ks/call", "1.00" },
    { 1, 999, 1, " s/call", "999.00" }, { 1, 1, 1, " s/call", "1.00" },
    { 4, 3, 1, "ms/call", "750.00" }, { 1, 1, 1000, "ms/call", "1.00" },
    { 100, 1, 25, "us/call", "400.00" }, { 1000, 7, 1000000, "ns/call", "7.00" },
    { 100, 2, 400000000, "ps/call", "50.00" }, { 1000000, 5, 1000000000, "fs/call", "5.00" },
    { 1000000000, 3, 4000000000, "Ts/call", "0.00" }, { 1000000000, 5, 4000000000, "as/call", "1.25" },
    { 100, 0, 9, "Ts/call", "0.00" },
  } do
    local rate, ticks, calls, unit, figure = table.unpack(case)
    local sum = ("%d ticks of 1/%d s in %d calls are %s %s"):format(ticks, rate, calls, figure, unit)
    it("chooses its unit: " .. sum, function()
      local text = printed("flat", crafted.profile {
        functions = { "main", "f" }, ticks = { f = ticks }, calls = { { "main", "f", calls } }, rate = rate }, brief)
      assert.equal((" "):rep(9 - #unit) .. unit, text:match("calls(.-) [^ ]+ +name"):sub(1, 9))
      assert.equal(figure, text:match("(%S+) +f\n"))
    end)
  end

  it("uses the histogram's unit", function()
    local profile = crafted.profile(changed { dimension = "fortnights", abbreviation = "f", rate = 1 })
    local text = printed("flat", profile, brief)
    assert.truthy(text:find("Each sample counts as 1 fortnights.\n", 1, true))
    assert.truthy(text:find("\n time fortnight  fortnigh    calls   f/call   f/call  name    \n", 1, true))
  end)

  it("shows the bare prefix of a unit without abbreviation", function()
    local text = printed("flat", crafted.profile(changed { abbreviation = "\0" }), brief)
    assert.truthy(text:find("\n time   seconds   seconds    calls        m        m  name    \n", 1, true))
  end)

  it("fails with a message without a histogram", function()
    local profile = crafted.profile { functions = plan.functions, calls = plan.calls }
    assert.error_matches(function() printed("flat", profile) end, "histogram")
  end)
end)

local heading <const> = "\t\t\tCall graph\n\n\ngranularity: each sample hit covers %s\n\n" ..
  "index %% time    self  children    called     name\n"

describe("the call graph", function()
  it("has an entry for each function and cycle with time or calls", function()
    assert.equal(heading:format("32 byte(s) for 1.05% of 0.95 seconds") .. [[
                                                 <spontaneous>
[1]    100.0    0.00    0.95                 main [1]
                0.30    0.30       2/2           work [2]
                0.25    0.10       1/1           ping <cycle 1> [5]
-----------------------------------------------
                                   7             work [2]
                0.30    0.30       2/2           main [1]
[2]     63.2    0.30    0.30       2+7       work [2]
                0.30    0.00       6/8           leaf [3]
                                   7             work [2]
-----------------------------------------------
                0.10    0.00       2/8           pong <cycle 1> [6]
                0.30    0.00       6/8           work [2]
[3]     42.1    0.40    0.00       8         leaf [3]
-----------------------------------------------
[4]     36.8    0.25    0.10       1+7       <cycle 1 as a whole> [4]
                0.20    0.00       4             ping <cycle 1> [5]
                0.05    0.10       4             pong <cycle 1> [6]
-----------------------------------------------
                                   3             pong <cycle 1> [6]
                0.25    0.10       1/1           main [1]
[5]     21.1    0.20    0.00       4         ping <cycle 1> [5]
                                   4             pong <cycle 1> [6]
-----------------------------------------------
                                   4             ping <cycle 1> [5]
[6]     15.8    0.05    0.10       4         pong <cycle 1> [6]
                0.10    0.00       2/8           leaf [3]
                                   3             ping <cycle 1> [5]
-----------------------------------------------
]], printed("graph", crafted.profile(plan), brief))
  end)

  it("uses the histogram's unit where GNU gprof does", function()
    local profile = crafted.profile { functions = { "main", "f" }, ticks = { f = 4 }, rate = 1,
      calls = { { "main", "f", 8 } }, dimension = "cache-misses", abbreviation = "1" }
    for _, report in ipairs { "graph", "bsd.graph" } do
      for unit, gnu_compat in pairs { ["cache-misses"] = false, seconds = true } do
        local text = printed(report, profile, { brief = true, gnu_compat = gnu_compat })
        assert.truthy(text:find(("covers 32 byte(s) for 25.00%% of 4.00 %s\n"):format(unit), 1, true), text)
      end
    end
  end)

  it("has entries for all functions with -z", function()
    local text = printed("graph", crafted.profile(plan), { brief = true, display_unused_functions = true })
    assert.equal([[
                                                 <spontaneous>
[7]      0.0    0.00    0.00                 idle [7]
-----------------------------------------------
]], text:match("\n%-+\n(.[^%-]*%[7%]\n%-+\n)$"))
  end)

  it("reports that no time was propagated, with and without a histogram", function()
    local entry = [[
                0.00    0.00       3/3           main [4]
[1]      0.0    0.00    0.00       3         work [1]
-----------------------------------------------
]]
    for ticks, bytes in pairs { [false] = 0, [{}] = 32 } do
      local profile = crafted.profile {
        functions = plan.functions, ticks = ticks or nil, calls = { { "main", "work", 3 } } }
      assert.equal(heading:format(bytes .. " byte(s) no time propagated") .. entry, printed("graph", profile, brief))
    end
  end)

  it("refers to functions without an entry by a number in parentheses", function()
    local profile = crafted.profile { functions = { "main", "mcount" }, ticks = { main = 1 },
      calls = { { "main", "mcount", 5 } } }
    assert.truthy(printed("graph", profile, brief):find("       5/5           mcount (2)\n", 1, true))
  end)
end)

describe("the index", function()
  -- Seven functions, so that columns have different lengths.
  local profile = crafted.profile {
    functions = { "a", "bb", "ccc", "dddd", "eeeee", "ffffff", "ggggggg" }, ticks = { a = 1 },
    calls = {
      { "a", "bb", 1 }, { "a", "ccc", 1 }, { "a", "dddd", 1 }, { "a", "ffffff", 1 }, { "ffffff", "ggggggg", 1 },
    },
  }

  it("lists functions in three columns, from top to bottom", function()
    assert.equal([[
Index by function name

   [1] a                       [3] ccc                     [5] ffffff
   [2] bb                      [4] dddd                    [6] ggggggg
]], printed("index", profile))
  end)

  it("lists all functions with -z, and cycles at the end", function()
    assert.equal([[
Index by function name

   [7] idle                    [5] ping                    [4] <cycle 1>
   [3] leaf                    [6] pong
   [1] main                    [2] work
]], printed("index", crafted.profile(plan), { display_unused_functions = true }))
  end)

  it("has the width of the option", function()
    for width, line in pairs {
      [30] = "   [1] a      [3] ccc    [5] ffffff\n",
      [100] = "   [1] a                              [3] ccc                            [5] ffffff\n",
      [1] = "   [1] a [3] ccc [5] ffffff\n",
    } do
      assert.equal(line, printed("index", profile, { width = width }):match("\n\n(.-\n)"))
    end
  end)

  -- The sanitized interpreter does not run under valgrind.
  if not os.getenv "GPROF_LUA" then it("demangles only the names that it lists", function()
    if not work.countable() then return pending "needs valgrind, which counts instructions" end
    local names = { "main", "_Z4usedv" }
    for i = 3, 2000 do names[i] = ("_ZNSt6vectorIN5outer5innerILi%dEEESaIS2_EE6insertERKS2_m"):format(i) end
    local large, text = { functions = names, calls = { { "main", "_Z4usedv", 1 } } }, [[
      local image = gprof.image "%s"
      gprof.profile(image, gprof.data(image, "%s"), { no_demangle = %s }):report("index", {}, function() end)
    ]]
    local counts = work.measure { text:format(crafted.image(large), crafted.gmon(large), true),
      text:format(crafted.image(large), crafted.gmon(large), false) }
    assert.is_true(counts[2] < 1.2 * counts[1], table.concat(counts, " "))
  end) end

  it("prints the file after a static function's name", function()
    local built = build.program("twins")
    local image = gprof.image(built.image)
    local twins = gprof.profile(image, gprof.data(image, built.gmon))
    local text = printed("index", twins, { width = 200 })
    assert.truthy(text:find("%[%d+%] work %(twins%.c%)"))
    assert.equal(2, select(2, text:gsub("work %(common%.c%)", "")))
    text = printed("index", twins, { width = 400, print_path = true })
    assert.truthy(text:find(("work (%s/left/common.c)"):format(built.dir), 1, true))
  end)
end)

describe("names of functions", function()
  it("may have any length and any bytes", function()
    local names = { "main", "100%", "%s%1$d%n", ("long_"):rep(8000) .. "name", "operator new", [[back\slash"quote']] }
    local calls = {}
    for i = 2, #names do
      calls[i - 1] = { "main", names[i], i }
    end
    local profile = crafted.profile { functions = names, ticks = {}, calls = calls }
    for _, report in ipairs { "flat", "graph", "index" } do
      local text = printed(report, profile, brief)
      for i = 2, #names do
        assert.truthy(text:find(" " .. names[i], 1, true), report)
      end
    end
  end)
end)

describe("names of files", function()
  local built = build.program("twins")
  local image = gprof.image(built.image)
  local profile = gprof.profile(image, gprof.data(image, built.gmon))

  for _, name in ipairs { "flat", "graph" } do
    it("follow functions if requested: " .. name, function()
      assert.is_nil(printed(name, profile, brief):find("common.c", 1, true))
      local text = printed(name, profile, { brief = true, inline_file_names = true })
      assert.truthy(text:find(" work %(common%.c:%d+%)"))
      assert.truthy(text:find(" left_run %(common%.c:%d+%)"))
      text = printed(name, profile, { brief = true, inline_file_names = true, print_path = true })
      assert.truthy(text:find((" work (%s/right/common.c:"):format(built.dir), 1, true))
    end)
  end
end)

describe("the explanations", function()
  local profile = crafted.profile(plan)

  local function explanation(name)
    local short, full = printed(name, profile, brief), printed(name, profile)
    full = full:gsub("\t\t     Call graph %(explanation follows%)", "\t\t\tCall graph")
    assert.equal(short, full:sub(1, #short))
    return full:sub(#short + 1)
  end

  for _, name in ipairs { "flat", "graph" } do
    it("fit 80 columns and have no blanks at the ends of lines: " .. name, function()
      local text = explanation(name)
      for line in text:gmatch("[^\n]*") do
        assert.is_true(utf8.len(line) <= 80, line)
        assert.is_nil(line:find("%s$"))
      end
      assert.truthy(text:find("^\n%u"))
      assert.truthy(text:find("[^\n]\n$"))
    end)
  end

  it("cover every column of the flat profile", function()
    local text = explanation("flat")
    for _, column in ipairs { "%", "time", "cumulative", "seconds", "self", "calls", "/call", "total", "name" } do
      assert.truthy(("\n" .. text):find("\n *" .. column:gsub("%p", "%%%0") .. " "), column)
    end
  end)

  it("cover every column of the call graph, <spontaneous> and cycles", function()
    local text = explanation("graph")
    for _, column in ipairs { "index", "% time", "self", "children", "called", "name", "<spontaneous>" } do
      assert.truthy(("\n" .. text):find("\n *" .. column:gsub("%p", "%%%0") .. " "), column)
    end
    assert.truthy(text:find("cycle as a whole", 1, true))
  end)

  it("omit the index", function()
    assert.equal(printed("index", profile, brief), printed("index", profile))
  end)
end)

describe("printing", function()
  local profile = crafted.profile(plan)

  it("stops at an error of the function that receives the output", function()
    local calls = 0
    local done, problem = pcall(profile.report, profile, "graph", {}, function()
      calls = calls + 1
      error({ "full" }, 0)
    end)
    assert.is_false(done)
    assert.same({ "full" }, problem)
    assert.equal(1, calls)
  end)

  it("goes to standard output by default", function()
    local result = launch.script([[
      local gprof = require "gprof"
      local image = gprof.image(arg[1])
      gprof.profile(image, gprof.data(image, arg[2])):report("flat", { brief = true })
    ]], { crafted.image(plan), crafted.gmon(plan) })
    assert.equal("", result.stderr)
    assert.equal(printed("flat", profile, brief), result.stdout)
  end)

  it("does not modify the options", function()
    local options = setmetatable({}, { __newindex = function() error "changed" end })
    for _, name in ipairs { "flat", "graph", "index" } do
      assert.is_true(#printed(name, profile, options) > 100)
    end
  end)
end)

describe("a custom report", function()
  local profile = crafted.profile(plan)

  -- Renders a report as if it were one of our modules. Returns its text.
  local function printed_as_module(report, options)
    package.preload["gprof.report.own"] = function() return report end
    local done, text = pcall(printed, "own", profile, options)
    package.preload["gprof.report.own"], package.loaded["gprof.report.own"] = nil, nil
    return done and text or error(text, 0)
  end

  -- A report that prints the callers of each function, largest share first.
  local function blame(of, options, write)
    for f in of:functions("name") do
      local callers = {}
      for arc in f:callers() do
        if not arc.recursive then
          table.insert(callers, 1, ("%s %.0f"):format(arc.caller.name, 100 * arc.count / arc.of))
        end
      end
      if callers[options.least or 1] then
        write(f.name .. ": " .. table.concat(callers, ", ") .. "\n")
      end
    end
  end

  it("is a module like ours: a function of the profile, the options and the stream", function()
    assert.equal("leaf: work 75, pong 25\nping: main 100\nwork: main 100\n", printed_as_module(blame))
    assert.equal("leaf: work 75, pong 25\n", printed_as_module(blame, { least = 2 }))
  end)

  it("can call our reports, which are functions of the same kind", function()
    local names = { "flat", "graph", "index" }
    local expected = {}
    for i, name in ipairs(names) do
      expected[i] = name .. "\n" .. printed(name, profile, brief)
    end
    assert.equal(table.concat(expected), printed_as_module(function(of, options, write)
      for _, name in ipairs(names) do
        write(name .. "\n")
        require("gprof.report." .. name)(of, options, write)
      end
    end, brief))
  end)

  it("passes its errors to the caller", function()
    local done, problem = pcall(printed_as_module, function() error({ "enough" }, 0) end)
    assert.is_false(done)
    assert.same({ "enough" }, problem)
  end)
end)

describe("a report whose objects are closed while it prints", function()
  -- The number of functions. The report on them is larger than a stream's buffer.
  local MANY <const> = 3000
  local image_path, data_path

  setup(function()
    local records = { row.histogram(0, MANY) }
    for i = 1, MANY do table.insert(records, row.arc(i - 1, i, i)) end
    image_path, data_path = row.image(MANY), row.profile(records)
  end)

  local function opened()
    local image = gprof.image(image_path)
    return { image = image, profile = gprof.profile(image, gprof.data(image, data_path)) }
  end

  for _, name in ipairs { "flat", "graph", "index" } do
    for _, closed in ipairs { "profile", "image" } do
      it(("fails: %s, %s"):format(name, closed), function()
        local all = opened()
        assert.error_matches(function()
          all.profile:report(name, { inline_file_names = true }, function() all[closed]:close() end)
        end, closed .. " is closed$")
        collectgarbage()
      end)
    end
  end

  -- At the first row, the stream's buffer has room for less than a row.
  it("fails if they are closed as a row begins", function()
    local all = opened()
    local function report(profile, _, write)
      for left = 7168, 1, -256 do
        write(("x"):rep(65536 - left))
        write:each(nil, "%d %s\n", profile:functions("self", "calls", "name"))
      end
    end
    assert.error_matches(function()
      all.profile:report(report, {}, function() all.image:close() end)
    end, "image is closed$")
  end)

  it("fails if a table of names or of formats closes them", function()
    for _, place in ipairs { 1, 2 } do
      local all = opened()
      local tables = { { "" }, { [0] = "%d %d %s\n" } }
      tables[place] = setmetatable({}, { __index = function()
        all.image:close()
        return "%1$d %3$s\n"
      end })
      assert.error_matches(function()
        all.profile:report(function(profile, _, write)
          write:each(place == 1 and tables[1] or nil, place == 2 and tables[2] or "%2$d %3$s\n",
            profile:functions("self", "id", "calls", "name"))
        end, {}, function() end)
      end, "image is closed$")
    end
  end)

  it("replaces an invalid width by a valid one", function()
    local profile = opened().profile
    local function index(width)
      local text = {}
      profile:report("index", { width = width }, function(piece) text[#text + 1] = piece end)
      return table.concat(text)
    end
    for _, width in ipairs { 0, -300, math.mininteger } do
      assert.equal(index(1), index(width))
    end
  end)
end)

describe("an index with long names", function()
  -- Returns the number of lines of the index of six functions, one of which has a name of this length.
  local function lines(length, ...)
    local like = { functions = { "a", "b", "c", "d", "e", ("f"):rep(length) }, ticks = {}, calls = {} }
    for i, name in ipairs(like.functions) do like.ticks[name], like.calls[i] = i, { "a", name, 1 } end
    local result = program.run { "-b", "-q", crafted.image(like), crafted.gmon(like), ... }
    local text = result.stdout:match "Index by function name\n\n(.-)\n*\f?$"
    return select(2, text:gsub("\n", "")) + 1
  end

  it("has one name on each line if a name does not fit into a line", function()
    assert.equal(2, lines(80))
    assert.equal(6, lines(81))
    assert.equal(2, lines(150, "-w", "150"))
    assert.equal(6, lines(151, "-w", "150"))
    assert.equal(2, lines(60, "-w", "30"))
    assert.equal(2, lines(300, "--gnu-compat"))
    assert.equal(2, lines(300, "-T"))
  end)
end)

describe("the unit of times per call", function()
  it("suits the functions that are printed", function()
    local like = { functions = { "slow", "fast", "main", "start" }, ticks = { slow = 100, fast = 10 },
      calls = { { "start", "main", 1 }, { "main", "slow", 1 }, { "main", "fast", 50000000 } } }
    local image, profile = crafted.image(like), crafted.gmon(like)
    local function unit(...)
      return program.run({ "-b", "-p", image, profile, ... }).stdout:match "calls +(%S+)/call"
    end
    assert.equal("s", unit())
    assert.equal("ns", unit "-pfast")
    assert.equal("ms", unit "-Pslow")
    assert.equal("s", unit "-pslow")
    assert.equal("ms", unit("--gnu-compat", "-pfast"))  -- of main, for fast
  end)
end)
