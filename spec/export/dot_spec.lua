-- The exports dot and svg: the contents of the graph, its thresholds, and the output of Graphviz.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local crafted = require "support.crafted"
local exported = require "support.exported"
local launch = require "support.launch"
local program = require "support.program"
local shell = require "support.shell"

-- Parses a graph. Returns the nodes' labels and `colors` keyed by name, the edges' labels keyed by "from > to", and the
-- `note`. A label is one line of text; a node's label omits its name. `boxes` has the labels of the boxes around
-- cycles; `inside` the names of their members, in the order of the graph.
local function read(text)
  local graph, names = { nodes = {}, edges = {}, colors = {}, note = text:match '\n  label="([^"]*)"' }, {}
  graph.boxes, graph.inside = {}, {}
  for box in text:gmatch "\n  subgraph cluster_%d+ (%b{})" do
    table.insert(graph.boxes, (box:match '\n    label="([^"]*)"':gsub("\\n", " ")))
    for name in box:gmatch '\n    n%d+ %[label="(.-)[\\"]' do table.insert(graph.inside, name) end
  end
  for id, label, color in text:gmatch '\n +(n%d+) %[label="(.-[^\\])", fillcolor="(#%x+)"' do
    names[id] = label:match "^(.-)\\n" or label
    graph.nodes[names[id]] = label:sub(#names[id] + 3):gsub("\\n", " ")
    graph.colors[names[id]] = color
  end
  for from, to, label in text:gmatch '\n  (n%d+) %-> (n%d+) %[label="([^"]*)"' do
    graph.edges[names[from] .. " > " .. names[to]] = label:gsub("\\n", " ")
  end
  return graph
end

-- The program has 100 samples, so ticks are percentages.
local plan <const> = {
  functions = { "main", "parse", "eval", "alloc" },
  ticks = { main = 10, parse = 15, eval = 25, alloc = 50 },
  calls = { { "main", "parse", 1 }, { "main", "eval", 5 }, { "parse", "eval", 20 }, { "eval", "eval", 60 },
    { "eval", "alloc", 400 } },
}

-- 1,000 samples, nearly all in main.
local uneven <const> = {
  functions = { "main", "four", "five", "called" },
  ticks = { main = 991, four = 4, five = 5 },
  calls = { { "main", "four", 1 }, { "main", "five", 1 }, { "five", "called", 1 }, { "main", "called", 1 } },
}

describe("the export dot", function()
  it("labels functions and calls with shares and counts", function()
    local graph = read(exported.crafted("dot", plan))
    assert.same({ main = "100.00% (10.00%)", parse = "75.00% (15.00%) 1×", eval = "75.00% (25.00%) 25+60×",
      alloc = "50.00% (50.00%) 400×" }, graph.nodes)
    assert.same({ ["main > parse"] = "75.00% 1×", ["main > eval"] = "15.00% 5×", ["parse > eval"] = "60.00% 20×",
      ["eval > eval"] = "60×", ["eval > alloc"] = "50.00% 400×" }, graph.edges)
    assert.equal("dashed: time divided among callers by their calls, a guess", graph.note)
  end)

  it("colours functions from blue to red", function()
    local colors = read(exported.crafted("dot", plan)).colors
    assert.same({ "#ff0000", "#dada06" }, { colors.main, colors.eval })
  end)

  it("has functions without time and calls only with -z", function()
    local function idle(...)
      return read(exported.crafted("dot", crafted.example, "--node-threshold=0", ...)).nodes.idle
    end
    assert.same({ nil, "0.00% (0.00%)" }, { idle(), idle "-z" })
  end)

  it("has a box around the members of a cycle", function()
    local graph = read(exported.crafted("dot", crafted.example))
    assert.same({ { "<cycle 1> 36.84% (26.32%) 1+7×" }, { "ping", "pong" } }, { graph.boxes, graph.inside })
    assert.equal("21.05% (21.05%) 4×", graph.nodes.ping)
    assert.equal("3×", graph.edges["pong > ping"])
    assert.equal("36.84% 1×", graph.edges["main > ping"])
  end)

  it("has both ends of each arc whose time is above the threshold", function()
    local cyclic = { functions = { "main", "enter", "work" }, ticks = { work = 991, main = 9 },
      calls = { { "main", "enter", 1 }, { "enter", "work", 7 }, { "work", "enter", 7 } } }
    local graph = read(exported.crafted("dot", cyclic))
    assert.matches("^0.00%% %(0.00%%%) ", graph.nodes.enter)
    for _, threshold in ipairs { "0.5", "99.05" } do
      graph = read(exported.crafted("dot", cyclic, "--node-threshold=" .. threshold))
      assert.same({ ["main > enter"] = "99.10% 1×", ["enter > work"] = "7×", ["work > enter"] = "7×" }, graph.edges)
      assert.same({ "enter", "work" }, graph.inside)
    end
  end)

  it("has dashed arcs where time is divided among callers by guess", function()
    local shared = { functions = { "main", "a", "b", "work", "own" }, ticks = { work = 60, own = 40 },
      calls = { { "main", "a", 1 }, { "main", "b", 1 }, { "a", "work", 1 }, { "b", "work", 2 }, { "b", "own", 1 } } }
    local text, dashed = exported.crafted("dot", shared), {}
    for from, to in text:gmatch "\n  (n%d+) %-> (n%d+) [^\n]*style=dashed%];" do
      dashed[#dashed + 1] = text:match("\n  " .. from .. ' %[label="(%a+)') .. " > " ..
        text:match("\n  " .. to .. ' %[label="(%a+)')
    end
    assert.same({ "a > work", "b > work" }, dashed)
    assert.equal("dashed: time divided among callers by their calls, a guess", read(text).note)
  end)

  it("has a member of each cycle whose time is above the threshold", function()
    local ring = { functions = { "main", "a", "b", "c", "d" }, ticks = { main = 984, a = 4, b = 3, c = 5, d = 4 },
      calls = { { "a", "b", 1 }, { "b", "c", 1 }, { "c", "a", 1 }, { "d", "d", 1 } } }
    local graph = read(exported.crafted("dot", ring, "--node-threshold=1"))
    assert.same({ { "c" }, { "<cycle 1> 1.20% (1.20%) 0+3×" } }, { graph.inside, graph.boxes })
  end)

  it("has arcs with measured time whose calls were not counted", function()
    local image, path = exported.libraries()
    local graph = read(program.run({ "-b", "--export=dot", image, path }).stdout)
    assert.equal("13.33%", graph.edges["main > work_one@libone.so"])
    assert.equal("53.33%", graph.edges["main > <libgone.so>"])
  end)

  it("shows only arcs that have both ends", function()
    for _, image, path in exported.each_profile() do
      for _, threshold in ipairs { "0", "0.5", "5", "30" } do
        local text, known = exported.text("dot", image, path, "--node-threshold=" .. threshold), {}
        for id in text:gmatch "\n +(n%d+) %[" do known[id] = true end
        for from, to in text:gmatch "\n  (n%d+) %-> (n%d+) " do assert.is_true(known[from] and known[to]) end
      end
    end
  end)

  it("leaves out functions below 0.5 %, and their calls, with a note", function()
    local graph = read(exported.crafted("dot", uneven))
    assert.same({ five = "0.50% (0.50%) 1×", main = "100.00% (99.10%)" }, graph.nodes)
    assert.same({ ["main > five"] = "0.50% 1×" }, graph.edges)
    assert.equal("below the thresholds: 2 functions and 3 arcs", graph.note)
  end)

  it("obeys --node-threshold and --edge-threshold", function()
    local graph = read(exported.crafted("dot", uneven, "--node-threshold=0", "--edge-threshold=0"))
    assert.same({ "0.00% 1×", "0.40% 1×" }, { graph.edges["five > called"], graph.edges["main > four"] })
    assert.is_nil(graph.note)
    graph = read(exported.crafted("dot", uneven, "--edge-threshold=0.45", "--node-threshold", ".4"))
    assert.truthy(graph.nodes.four)
    assert.is_nil(graph.edges["main > four"])
    graph = read(exported.crafted("dot", uneven, "--node-threshold=100"))
    assert.same({ main = "100.00% (99.10%)" }, graph.nodes)
  end)

  it("has all functions if no time was sampled, labelled with calls only", function()
    local graph = read(exported.crafted("dot", { functions = { "f", "g" }, ticks = {}, calls = { { "f", "g", 9 } } }))
    assert.same({ f = "", g = "9×" }, graph.nodes)
    assert.same({ ["f > g"] = "9×" }, graph.edges)
  end)

  it("leaves out calls with a count of 0 (-c)", function()
    local built = build.program "calls"
    assert.is_nil(exported.text("dot", built.image, built.gmon, "-c", "--edge-threshold=0"):find('"0×"', 1, true))
  end)

  it("cuts names that are too long for dot", function()
    local long = { functions = { ("\u{e9}"):rep(9000), "g" }, ticks = { g = 1 }, calls = {} }
    long.ticks[long.functions[1]] = 1
    local text = exported.crafted("dot", long)
    for line in text:gmatch "[^\n]+" do
      assert.truthy(#line < 16384)
      assert.truthy(utf8.len(line))
    end
  end)
end)

describe("the export svg", function()
  -- Runs gprof.lua with a shell script as the command dot.
  local function run_with(script, ...)
    local dir = shell.tmpdir "dot"
    shell.write(dir .. "/dot", "#!/bin/sh\n" .. script)
    shell.check { "chmod", "755", dir .. "/dot" }
    return launch.line(("PATH=%s:$PATH \"$@\""):format(dir), { ..., crafted.image(plan), crafted.gmon(plan) })
  end

  local function check_failure(message, result)
    assert.same({ "", "gprof.lua: " .. message .. "\n", 1 }, { result.stdout, result.stderr, result.status })
  end

  it("is the output of dot for the export dot", function()
    local result = run_with('test "$*" = -Tsvg && cat', "--export=svg")
    assert.same({ exported.crafted("dot", plan), "" }, { result.stdout, result.stderr })
  end)

  it("writes nothing if dot fails", function()
    local dir = shell.tmpdir()
    local export = "--export=svg:" .. dir .. "/x"
    local result = run_with("echo begun; echo no room >&2; echo more; exit 3", export)
    check_failure("dot (Graphviz) failed: no room", result)
    check_failure("dot (Graphviz) failed: exit status 3", run_with("exit 3", export))
    result = run_with("kill -9 $$", "--export=svg")
    assert.truthy(result.stderr:find "^gprof%.lua: dot %(Graphviz%) failed: [^\n]+\n$")
    assert.equal("", shell.listing(dir))
  end)

  -- Graphviz handles SIGINT in its own way, and may then hang.
  it("ends dot if it is interrupted", function()
    local file = shell.tmpdir() .. "/process"
    local script = "trap '' INT; echo $$ >%s; kill -INT $PPID; exec sleep 1000"
    assert.equal(130, run_with(script:format(file), "--export=svg").status)
    local process = shell.read(file):match "%d+"
    local runs = "grep -q '^State:.[^ZX]' /proc/%s/status 2>/dev/null" -- ended processes may stay as zombies
    assert.equal(0, shell.run({ "sh", "-c", shell.await("! " .. runs:format(process)) }).status)
  end)

  it("reports that dot is not installed", function()
    local dir = shell.tmpdir()
    local result = launch.line('interpreter=$(command -v "$1"); shift; PATH=/nonexistent "$interpreter" "$@"',
      { "--export=svg:" .. dir .. "/x", crafted.image(plan), crafted.gmon(plan) })
    check_failure("dot: command not found: the svg export needs it; install Graphviz", result)
    assert.equal("", shell.listing(dir))
  end)
end)

if not shell.installed "dot" then
  return pending "Graphviz reads the exports: needs graphviz"
end

describe("Graphviz", function()
  -- Runs dot. Returns the number of nodes and the number of edges that it printed, and its output.
  local function count(text)
    local path = shell.write(shell.tmpdir() .. "/graph.dot", text)
    local result = shell.run { "dot", "-Tplain", path }
    assert.same({ 0, "" }, { result.status, result.stderr })
    local _, nodes = result.stdout:gsub("\nnode ", "")
    local _, edges = result.stdout:gsub("\nedge ", "")
    return nodes, edges, result.stdout
  end

  it("draws names with entities of HTML, and characters that XML cannot contain, as they are or escaped", function()
    local names = { "f(int&)", "&amp;", "&lt;b&#62;", "\u{FFFE}" }
    local text = exported.crafted("dot", { functions = names, calls = {},
      ticks = { ["f(int&)"] = 1, ["&amp;"] = 1, ["&lt;b&#62;"] = 1, ["\u{FFFE}"] = 1 } })
    local path = shell.write(shell.tmpdir() .. "/graph.dot", text)
    local svg = shell.run({ "dot", "-Tsvg", path }).stdout
    for _, shown in ipairs { "f(int&amp;)", "&amp;amp;", "&amp;lt;b&amp;#62;", "\\u{FFFE}" } do
      assert.truthy(svg:find(">" .. shown .. "</text>", 1, true), shown)
    end
    assert.truthy(text:find('[label="f(int&)\\n', 1, true))
  end)

  for name, image, path in exported.each_profile() do
    it("reads all nodes and edges: " .. name, function()
      local profile, arcs = exported.profile(image, path), 0
      for arc in profile:arcs() do
        arcs = arcs + ((arc.count > 0 or arc.self + arc.children > 0) and 1 or 0)
      end
      local text = exported.text("dot", image, path, "--node-threshold=0", "--edge-threshold=0")
      local nodes, edges = count(text)
      assert.equal(arcs, edges)
      assert.equal(select(2, text:gsub("\n +n%d+ %[", "")), nodes)
      assert.truthy(nodes > 0)
    end)
  end

  it("reads unusual and very long names", function()
    local nodes, edges = count(exported.crafted("dot", exported.names, "--node-threshold=0", "--edge-threshold=0"))
    assert.same({ #exported.names.functions, #exported.names.calls }, { nodes, edges })
    count(exported.crafted("dot", { functions = { ("x"):rep(60000), "g" }, ticks = { g = 1 }, calls = {} }))
  end)

  it("draws the graph", function()
    local dir = shell.tmpdir()
    local result = program.run { "--export=svg:" .. dir .. "/graph.svg", crafted.image(plan), crafted.gmon(plan) }
    assert.same({ "", "", 0 }, { result.stdout, result.stderr, result.status })
    local text = shell.read(dir .. "/graph.svg")
    assert.truthy(text:find("</svg>\n$"))
    for _, word in ipairs { "parse", "75.00%", "25+60×" } do
      assert.truthy(text:find(">" .. word .. "<", 1, true), word)
    end
  end)
end)
