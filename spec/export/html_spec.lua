-- --html: the contents of a page. Its behaviour in a browser is tested by html_browser_spec.lua.
-- SPDX-License-Identifier: GPL-3.0-or-later

local crafted = require "support.crafted"
local exported = require "support.exported"
local format = require "support.gmon"
local gprof = require "gprof"
local launch = require "support.launch"
local pages = require "support.pages"
local program = require "support.program"
local shell = require "support.shell"
local small = require "support.small"

local plan <const> = crafted.example
local image <const>, profile <const> = crafted.image(plan), crafted.gmon(plan)

local function count(text, pattern)
  return select(2, text:gsub(pattern, ""))
end

local function check_failure(message, ...)
  local result = program.run({ ... })
  assert.same({ "", "gprof.lua: " .. message .. "\n", 1 }, { result.stdout, result.stderr, result.status })
end

local function by_name(data, column)
  local values = {}
  for i, name in ipairs(data.functions.name) do values[name] = data.functions[column][i] end
  return values
end

describe("A page", function()
  it("is the same in every run, in a file and on standard output", function()
    local text = pages.write(image, profile)
    assert.equal(text, (pages.write(image, profile)))
    local result = program.run { "--html=-", image, profile }
    assert.same({ text, "", 0 }, { result.stdout, result.stderr, result.status })
  end)

  it("does not change reports, and can be combined with exports", function()
    local dir = shell.tmpdir()
    local result = program.run({ "-bp", "--html=a", "--export=json:b", image, profile }, { cwd = dir })
    local flat = program.run({ "-bp", image, profile }).stdout
    assert.same({ flat, "", 0 }, { result.stdout, result.stderr, result.status })
    assert.equal("a\nb\n", shell.listing(dir))
  end)

  it("shows long names in their short forms, which keep the functions' own names", function()
    local argument = ("n::Part<int, "):rep(9) .. "int" .. (" >"):rep(9)
    local names = { "main", "void n::Map<" .. argument .. ">::each<int>(int)", "n::Map<" .. argument .. ">::find(int)",
      "n::Map<" .. argument .. ">::find(char)" }
    local long = { functions = names, ticks = {}, calls = {} }
    for i, name in ipairs(names) do long.ticks[name] = 10 - i end
    local data = pages.parts((pages.write(crafted.image(long), crafted.gmon(long)))).data
    assert.same(names, data.functions.name)
    assert.same({ ["1"] = "n::Map<>::each<>", ["2"] = "n::Map<>::find(int)", ["3"] = "n::Map<>::find(char)" },
      data.labels)
  end)

  it("can be written by scripts as a report", function()
    local parts = {}
    crafted.profile(plan):report(require "gprof.export.html", {}, function(text) parts[#parts + 1] = text end)
    local written, made = pages.parts(pages.write(image, profile)).data, pages.parts(table.concat(parts)).data
    assert.same({ image, profile }, written.inputs)
    written.inputs, made.inputs = nil, nil -- another file
    assert.same(written, made)
  end)

  it("has the names of its files as words of a command, which are no options", function()
    local dir = shell.tmpdir()
    shell.write(dir .. "/-image", shell.read(image))
    shell.write(dir .. "/@run", shell.read(profile))
    local result = program.run({ "--html=-", "--", "-image", "@run" }, { cwd = dir })
    assert.same({ "./-image", "./@run" }, pages.parts(result.stdout).data.inputs)
  end)

  it("has no references to other files or hosts", function()
    local parts = pages.parts((pages.crafted(pages.names)))
    local text = parts.head .. parts.style .. parts.markup .. parts.script
    assert.is_nil(text:gsub("http://www%.w3%.org/2000/svg", ""):find "https?:") -- a name, which nobody opens
    assert.is_nil(text:find "%f[%a]src%s*=")
    assert.is_nil(text:find "@import")
    assert.is_nil(text:find "%f[%a]url%([^#]")
    assert.equal(0, count(parts.head .. parts.markup, "%f[%a]href%s*="))
    for _, word in ipairs { "fetch%(", "XMLHttpRequest", "WebSocket", "innerHTML", "outerHTML", "insertAdjacentHTML",
      "document%.write", "eval%(", "Function%(", "import%(", "sessionStorage", "indexedDB",
      "cookie" } do
      assert.is_nil(parts.script:find("%f[%w]" .. word), word)
    end
  end)

  it("stores only the choice of colours in the browser", function()
    local script = pages.parts((pages.write(image, profile))).script
    local uses = 0
    for use in script:gmatch "%f[%w]localStorage([^\n]*)" do
      uses = uses + 1
      assert.matches("^%.[gs]etItem%(STORED_COLOURS[,)]", use)
    end
    assert.equal(2, uses)
  end)

  it("has a policy that allows only its own script and style", function()
    local parts = pages.parts((pages.write(image, profile)))
    local policy = parts.policy:gsub("'sha256%-([^']*)'", function(hash)
      local path = shell.write(shell.tmpdir() .. "/hash", hash)
      local line = [[base64 -d "$1" | od -An -v -tx1 | tr -d ' \n']]
      return "'" .. shell.check({ "sh", "-c", line, "sh", path }).stdout .. "'"
    end)
    local function digest(text)
      return shell.check({ "sha256sum", shell.write(shell.tmpdir() .. "/text", text) }).stdout:match "^%x+"
    end
    assert.equal(("default-src 'none'; script-src '%s'; style-src '%s'; base-uri 'none'; form-action 'none'"):format(
      digest(parts.script), digest(parts.style)), policy)
    assert.is_nil(parts.markup:find " style=")
    assert.is_nil(parts.markup:find "%son%l+=")
  end)

  it("includes style sheet and scripts unchanged; they contain nothing that would end them early", function()
    local parts = pages.parts((pages.write(image, profile)))
    local function read(name) return shell.read(program.root .. "/lua/gprof/export/html/" .. name) end
    assert.equal("\n" .. read "page.css", parts.style)
    for name in shell.listing(program.root .. "/lua/gprof/export/html"):gmatch "[^\n]+%.js" do
      assert.truthy(parts.script:find(read(name), 1, true), name)
    end
    assert.is_nil(parts.script:find "</[sS]")
    assert.is_nil(parts.script:find("<!--", 1, true))
    assert.is_nil(parts.style:find("</", 1, true))
  end)
end)

describe("Names in a page", function()
  local text = pages.crafted(pages.names)
  local parts = pages.parts(text)

  it("are valid UTF-8, whatever bytes they had", function()
    assert.truthy(utf8.len(text))
    assert.is_nil(text:find "[%z\1-\8\11-\31\127]")
    assert.is_nil(text:find "\u{2028}")
    assert.is_nil(text:find "\u{202E}")
  end)

  it("are not interpreted as markup", function()
    assert.equal(2, count(text, "<[sS][cC][rR][iI][pP][tT]"))
    assert.equal(2, count(text, "</[sS][cC][rR][iI][pP][tT]"))
    assert.equal(0, count(text, "<b>"))
    assert.equal(0, count(text, "<!%-%-"))
    assert.equal(1, count(text, "</title>"))
    assert.is_nil(parts.json:find "[<>&]")
    assert.truthy(parts.markup:find("&lt;/script&gt;&lt;b&gt;bold", 1, true))
  end)

  it("are complete, with escapes for invisible characters", function()
    local names = by_name(parts.data, "calls")
    for i, name in ipairs(pages.names.functions) do
      local shown = name:gsub("[\n\t\x7f\1]", function(byte) return ("\\x%02X"):format(byte:byte()) end)
        :gsub("\xff", "\\xFF"):gsub("\xc3%(", "\\xC3(")
      shown = shown:gsub("\u{2028}", "\\u{2028}"):gsub("\u{2029}", "\\u{2029}"):gsub("\u{202E}", "\\u{202E}")
      if i > 1 then assert.equal(i, names[shown], shown) end
    end
  end)

  it("of programs are not interpreted as markup either", function()
    local dir = shell.tmpdir()
    shell.check { "cp", image, dir .. "/<b>&'\"" }
    local page = pages.parts((pages.write(dir .. "/<b>&'\"", profile)))
    assert.truthy(page.head:find("<title>&lt;b&gt;&amp;&#39;&quot; – profile</title>", 1, true))
    assert.truthy(page.markup:find("<h1>&lt;b&gt;&amp;&#39;&quot;</h1>", 1, true))
  end)
end)

describe("Figures in a page", function()
  for name, path, gmon in exported.each_program() do
    it("are those of the profile: " .. name, function()
      local data = pages.parts((pages.write(path, gmon, "--no-demangle"))).data
      local known = exported.profile(path, gmon, { no_demangle = true })
      local functions, places = data.functions, {}
      local function key(shown, file, line, calls)
        return ("%s %s:%s called %d times"):format(shown, file or "", tonumber(line) or "", calls)
      end
      for i, shown in ipairs(functions.name) do
        places[key(shown, data.files[functions.file[i] + 1], functions.line[i], functions.calls[i])] = i
      end
      for f in known:functions() do
        local place = places[key(f.name, f.file, f.line, f.calls)]
        assert.truthy(place or f.ticks == 0 and f.calls == 0, f.name)
        for _, field in ipairs { "self", "children", "self_error" } do
          if place then assert.near(f[field], functions[field][place], 1e-6, f.name) end
        end
      end
    end)
  end

  it("of each function, arc and cycle are those of the profile", function()
    local data = pages.parts((pages.write(image, profile))).data
    local known = crafted.profile(plan)
    for f in known:functions() do
      if f.name ~= "idle" then
        for _, column in ipairs { "self", "children", "calls", "self_calls", "self_error" } do
          assert.near(f[column], by_name(data, column)[f.name], 1e-6, f.name)
        end
      end
    end
    assert.is_nil(by_name(data, "calls").idle)
    local arcs = {}
    for i, caller in ipairs(data.arcs.caller) do
      local names = data.functions.name
      arcs[names[caller + 1] .. ">" .. names[data.arcs.callee[i] + 1]] = { data.arcs.count[i], data.arcs.self[i],
        data.arcs.children[i] }
    end
    for arc in known:arcs() do
      local key = arc.caller.name .. ">" .. arc.callee.name
      for i, field in ipairs { "count", "self", "children" } do assert.near(arc[field], arcs[key][i], 1e-6, key) end
    end
    local cycle = known:cycles()()
    assert.equal(1, #data.cycles)
    assert.near(cycle.children, data.cycles[1].children, 1e-6)
    local members = {}
    for i, member in ipairs(data.cycles[1].members) do members[i] = data.functions.name[member + 1] end
    table.sort(members)
    assert.same({ "ping", "pong" }, members)
  end)

  it("include functions without time and calls only with -z", function()
    assert.truthy(by_name(pages.parts((pages.write(image, profile, "-z"))).data, "calls").idle)
  end)

  it("of the call tree add up: the root has all time, and children have no more than their parent", function()
    local data = pages.parts((pages.write(image, profile))).data
    local tree, inside = data.tree, {}
    assert.near(data.total, tree.weight[1] / tree.parts, 1e-6)
    for i = 2, #tree.frame do
      local parent = tree.parent[i] + 1
      assert.truthy(parent < i)
      inside[parent] = (inside[parent] or 0) + tree.weight[i]
    end
    for i, weight in pairs(inside) do assert.truthy(weight <= tree.weight[i]) end
  end)

  it("of a huge call tree are those of the heaviest paths; hidden frames have the rest", function()
    local deep = crafted.layered(20, 3)  -- three billion call paths
    local parts = pages.parts((pages.crafted(deep)))
    local tree, hidden, children = parts.data.tree, 0, {}
    for i, frame in ipairs(tree.frame) do
      local parent = tree.parent[i] + 1
      children[parent] = (children[parent] or 0) + tree.weight[i]
      if frame == -2 then hidden = hidden + tree.weight[i] end
    end
    assert.truthy(#tree.frame > 10000 and #parts.json < 1500000, #parts.json)
    assert.equal(tree.weight[1], children[0])
    assert.truthy(hidden > 0 and hidden < 0.7 * tree.weight[1], hidden)
    for i, weight in pairs(children) do assert.truthy(i == 0 or weight <= tree.weight[i]) end
  end)

  it("are by function even with -l", function()
    local path, gmon = exported.inlined()
    assert.equal((pages.write(path, gmon)), (pages.write(path, gmon, "-l")))
  end)

  it("are in static tables for browsers without scripts", function()
    local markup = pages.parts((pages.write(image, profile))).markup
    for _, row in ipairs {
      '<tr><td>42.1<td>0.40<td>0.06<td>0.40<td>8<td class="name">leaf\n',
      '<tr><td class="name">main<td class="name">work<td>2<td>0.60\n',
    } do
      assert.truthy(markup:find(row, 1, true), row)
    end
  end)

  it("are in static tables without counts if calls were not counted", function()
    local markup = pages.parts((pages.write(exported.sampled()))).markup
    for _, row in ipairs { '<tr><td>90.0<td>0.090<td>0.009<td>0.090<td class="name">work\n',
      '<tr><td class="name">main<td class="name">work<td>0.030\n' } do
      assert.truthy(markup:find(row, 1, true), row)
    end
  end)

  it("have the unit of the profile", function()
    local other = { functions = { "main" }, ticks = { main = 200 }, rate = 50, dimension = "misses",
      abbreviation = "m" }
    local parts = pages.parts((pages.crafted(other)))
    local data = parts.data
    assert.same({ "misses", "m", 4, 0.02 }, { data.unit, data.abbreviation, data.total, data.period })
    assert.equal(200, parts.data.tree.weight[1])
    assert.truthy(parts.markup:find "4%.00 misses")
  end)

  it("keep large counts exact", function()
    local large = { functions = { "main", "f" }, ticks = { main = 1 }, calls = { { "main", "f", 4294967295 } } }
    assert.equal(4294967295, by_name(pages.parts((pages.crafted(large))).data, "calls").f)
  end)
end)

describe("A page has a note about", function()
  local function notes(...)
    return pages.parts((pages.crafted(...))).markup:match '<ul class="notes".-</ul>' or ""
  end

  it("a missing histogram", function()
    local parts = pages.parts((pages.crafted { functions = plan.functions, calls = plan.calls }))
    assert.truthy(parts.markup:find("there is no histogram", 1, true))
    local null = require "dkjson".null
    assert.same({ null, null }, { parts.data.period or null, parts.data.tree or null })
    assert.equal(8, by_name(parts.data, "calls").leaf)
  end)

  it("missing arcs", function()
    assert.truthy(notes({ functions = plan.functions, ticks = plan.ticks }):find("there are no arcs", 1, true))
    assert.is_nil(notes(plan):find("there are no arcs", 1, true))
  end)

  it("missing debugging information", function()
    assert.truthy(notes(plan):find("no debugging information", 1, true))
    local path, gmon = exported.inlined()
    assert.is_nil(pages.parts((pages.write(path, gmon))).markup:find("no debugging information", 1, true))
  end)

  it("a profile without samples and calls", function()
    local dir = shell.tmpdir()
    local empty = crafted.gmon { functions = plan.functions }
    assert.equal(0, program.run({ "--html=page", image, empty }, { cwd = dir }).status)
    assert.truthy(shell.read(dir .. "/page"):find("there is no histogram", 1, true))
  end)

  it("options that select functions", function()
    assert.truthy(notes(plan, "-pleaf"):find("Only the functions and calls selected by options", 1, true))
  end)
end)

describe("A page has a warning about", function()
  local function warnings(...)
    return pages.parts((pages.crafted(...))).markup:match '<p class="warning.-</p>' or ""
  end

  it("too few samples, which says what to do", function()
    assert.match("<b>Only 95 samples.</b> Times are uncertain by about their errors (±). <em>Run the program " ..
      "for longer, or name several profiles: they are added up.</em>", warnings(plan), 1, true)
    assert.match("Only 1 sample.", warnings { functions = plan.functions, ticks = { main = 1 } }, 1, true)
    assert.equal("", warnings { functions = plan.functions, ticks = { main = 100 } })
    assert.equal("", warnings { functions = plan.functions, calls = plan.calls })
  end)
end)

describe("The other view of a page", function()
  local path, gmon = exported.inlined()

  -- Returns the first view of a page, and the other one, with its names and files.
  local function views_of(...)
    local page = pages.write(path, gmon, ...)
    local parts, view = pages.parts(page), pages.element(page, "other")
    if not view then return parts.data end
    for i, name in ipairs(view.functions.name) do
      view.functions.name[i] = math.type(name) == "integer" and parts.data.functions.name[name + 1] or name
    end
    view.lines = { node = view.nodes_of_lines }
    view.files = parts.data.files
    return parts.data, view
  end

  -- Returns what a view shows, with the names of files.
  local function content(view)
    local files = {}
    for i, file in ipairs(view.functions.file) do files[i] = view.files[file + 1] or false end
    local functions = setmetatable({ file = files }, { __index = view.functions })
    return { functions.name, functions.self, functions.children, functions.calls, functions.line, functions.file,
      view.arcs, view.cycles, view.tree, view.labels, view.lines.node, view.inlines }
  end

  -- Checks both views of a page with these options. Returns the names in the one with inlined functions. Lines are
  -- those that the options select in the first view.
  local function check_views(...)
    local compiled, other = views_of(...)
    local inlined, others_other = views_of("--inlines", ...)
    if ... then
      for _, view in ipairs { compiled, other, inlined, others_other } do view.lines.node = nil end
    end
    assert.same(content(inlined), content(other))
    assert.same(content(compiled), content(others_other))
    assert.same({ false, true }, { compiled.inlines, inlined.inlines })
    table.sort(inlined.functions.name)
    return inlined.functions.name
  end

  it("is the page with --inlines, and the other way round", function()
    assert.same({ "leaf", "main", "twice" }, check_views())
  end)

  it("has the functions that options select", function()
    assert.same({ "leaf", "main", "twice" }, check_views "-qmain")
    assert.same({ "leaf", "main" }, check_views("-pmain", "-qleaf"))
    assert.same({ "leaf", "main", "twice" }, check_views "-Aleaf")
  end)

  it("has the functions of libraries that are added", function()
    local dir = shell.tmpdir "with"
    shell.write(dir .. "/one.c", "static inline __attribute__((always_inline)) int deep(int x) { return x % 7; }\n" ..
      "int work(int x) { return deep(x) * 3; }\n")
    shell.check({ "gcc", "-O2", "-g", "-shared", "-fPIC", "-o", "one.so", "one.c" }, { cwd = dir })
    local opened = gprof.image(dir .. "/one.so")
    local low, high = opened.text_low, opened.text_high
    local bins = {}
    for i = 1, (high - low) // 2 do bins[i] = 1 end
    local records = format.write(dir .. "/one.gmon", format.magic { records = { { kind = "histogram", low = low,
      high = low + 2 * #bins, bins = bins, rate = 100 } } })
    local with = ("--with=%s:%s"):format(opened.path, records)
    local names = table.concat(check_views(with), " ")
    assert.matches("deep@one%.so .*leaf main .*twice work@one%.so", names)
  end)

  it("is missing if nothing was inlined, and with GNU's behaviour", function()
    assert.is_nil((select(2, views_of "--gnu-compat")))
    assert.is_nil(pages.write(image, profile):find('id="other"', 1, true))
  end)

  it("is missing if an option selects a function that was only inlined, and a note says so", function()
    local page = pages.write(path, gmon, "--inlines", "-ptwice")
    assert.is_nil(page:find('id="other"', 1, true))
    local notes = page:match '<ul class="notes".-</ul>':gsub("&#39;", "'")
    assert.matches("There is no switch for inlined functions: the symspec 'twice' names functions that were only " ..
      "inlined.", notes, 1, true)
  end)
end)

describe("Source in a page", function()
  local path, gmon = exported.inlined()

  -- Maps the base names of a page's source files to tables: `lines`, { text, seconds, calls } keyed by line number;
  -- `seconds`, of the whole file; `count`, the number of its lines.
  local function files_of(...)
    local files = {}
    for _, file in ipairs(pages.parts((pages.write(...))).data.sources) do
      local lines, number, jump = {}, 1, 1
      local known = {}
      for _, entry in ipairs(file.known) do known[entry[1] + 1] = entry end
      for i, text in ipairs(file.text) do
        if file.jumps[jump] == i - 1 then number, jump = file.jumps[jump + 1], jump + 2 end
        lines[number] = { text = text, seconds = known[i] and known[i][2] or 0, calls = known[i] and known[i][4] or -1 }
        number = number + 1
      end
      files[file.name:match "[^/]*$"] = { lines = lines, seconds = file.seconds, count = file.count }
    end
    return files
  end

  it("has the seconds and calls of annotated source", function()
    local files = files_of(path, gmon)
    assert.near(0.05, files["main.c"].lines[3].seconds, 1e-6)
    assert.near(0.07, files["twice.h"].lines[2].seconds, 1e-6)
    assert.equal(4, files["main.c"].lines[2].calls)
    assert.equal("int leaf(int x) {", files["main.c"].lines[2].text)
    assert.near(0.07, files["main.c"].seconds, 1e-6)
    local opened = exported.profile(path, gmon, { line = true })
    for number, line in ipairs(assert(opened:annotate "main.c")) do
      assert.near(line.seconds or 0, files["main.c"].lines[number].seconds, 1e-6)
    end
  end)

  it("has the callers of inlined lines, with and without -l", function()
    for _, option in ipairs { "--annotate-time", "-l", "--inlines" } do
      local found, page = {}, pages.parts((pages.write(path, gmon, option))).data
      for _, file in ipairs(page.sources) do
        for _, entry in ipairs(file.inlined) do
          assert.same({ 1, 0, 0, "main" }, { table.unpack(entry, 1, 4) })
          found[file.name:match "[^/]*$"] = { page.files[entry[5] + 1]:match "[^/]*$", entry[6], entry[7] }
        end
      end
      assert.near(0.07, found["twice.h"][3], 1e-6)
      found["twice.h"][3] = nil
      assert.same({ ["twice.h"] = { "main.c", 7 } }, found)
    end
  end)

  it("is searched for in the directories of -I, and reported if it is not found", function()
    local made = small.build()
    local run = small.run(made)
    assert.truthy(files_of(made.image, run)["small.c"])
    shell.check { "mkdir", made.dir .. "/elsewhere" }
    shell.check { "mv", made.dir .. "/small.c", made.dir .. "/elsewhere" }
    local page = pages.parts((pages.write(made.image, run)))
    assert.same({}, page.data.sources)
    assert.truthy(page.markup:find "Source files that cannot be read: [^<]*small%.c%. Name their directories with %-I")
    assert.truthy(files_of(made.image, run, "-I" .. made.dir .. "/elsewhere")["small.c"])
  end)

  it("is reported if it is newer than the program", function()
    local made = small.build()
    local run = small.run(made)
    assert.is_nil(pages.write(made.image, run):find("newer than the program (lines", 1, true))
    shell.check { "touch", "-d", "2100-01-01", made.dir .. "/small.c" }
    assert.truthy(pages.write(made.image, run):find("newer than the program (lines", 1, true))
  end)

  it("has counts of blocks", function()
    local made = small.build()
    local places = made.rows["small.c"]
    local run = small.profile(made, { ticks = { [small.even(places[2][1])] = 1 },
      arcs = { { places[12][1] + 6, places[2][1], 1 } }, blocks = { { places[6][1], 41 } } })
    local found
    for _, entry in ipairs(pages.parts((pages.write(made.image, run))).data.sources[1].known) do
      if entry[1] == 5 then found = entry[5] end
    end
    assert.equal(41, found)
  end)

  it("is not interpreted as markup", function()
    local made = small.build { ["main.c"] = "int main(void) {\r\n" ..
      "\treturn 0; // </script><b>\xff\f\u{2028}\u{202E}\n}\n" }
    local at = small.even(made.rows["main.c"][2][1])
    local run = small.profile(made, { ticks = { [at] = 3 } })
    local lines = files_of(made.image, run)["main.c"].lines
    assert.equal("int main(void) {", lines[1].text)
    assert.equal("\treturn 0; // </script><b>\\xFF\\x0C\\u{2028}\\u{202E}", lines[2].text)
    assert.equal(2, count(pages.write(made.image, run), "</script"))
  end)

  it("of a long file is reduced to the lines around figures", function()
    local body = { "int main(void) {" }
    for i = 2, 3000 do body[i] = i == 2000 and "  return 0;" or "" end
    body[3001] = "}"
    local made = small.build { ["main.c"] = table.concat(body, "\n") .. "\n" }
    local at = small.even(made.rows["main.c"][2000][1])
    local file = files_of(made.image, small.profile(made, { ticks = { [at] = 3 } }))["main.c"]
    assert.near(0.03, file.lines[2000].seconds, 1e-6)
    assert.same({ 3001, nil, "", "" }, { file.count, file.lines[1984], file.lines[1985].text, file.lines[2015].text })
    assert.is_nil(file.lines[2016])
  end)

  it("has its long lines cut, and is reduced above the size limit", function()
    local filler = "/*" .. ("\u{e9}"):rep(300) .. "*/\n"
    local made = small.build { ["main.c"] = "int leaf(void);\n" .. filler .. "int main(void) { return leaf(); }\n",
      ["leaf.c"] = "int leaf(void) { return 3; }\n" .. ("/*" .. ("x"):rep(390) .. "*/\n"):rep(1100) }
    local ticks = { [small.even(made.rows["main.c"][3][1])] = 9, [small.even(made.rows["leaf.c"][1][1])] = 1 }
    local files = files_of(made.image, small.profile(made, { ticks = ticks }))
    assert.truthy(utf8.len(files["main.c"].lines[2].text))
    assert.truthy(files["main.c"].lines[2].text:find "\u{e9} %.%.%.$")
    assert.same({ 1101, 394 }, { files["leaf.c"].count, #files["leaf.c"].lines[16].text })
    assert.is_nil(files["leaf.c"].lines[17])
  end)

  it("is left out where other lines have more time", function()
    local body, ticks = { "int leaf(int);", "int main(int n, char **v) {" }, {}
    for i = 1, 400 do body[2 + i] = "  n += leaf(n);" .. ("\n"):rep(30) end
    body[#body + 1] = "  return n;\n}\n"
    local made = small.build { ["main.c"] = table.concat(body, "\n"),
      ["leaf.c"] = "int leaf(int n) { return n + 1; }\n" }
    for number, addresses in pairs(made.rows["main.c"]) do
      if number > 2 then ticks[small.even(addresses[1])] = number end
    end
    ticks[small.even(made.rows["leaf.c"][1][1])] = 1
    local run = small.profile(made, { ticks = ticks })
    local files, page = files_of(made.image, run), pages.write(made.image, run)
    assert.is_nil(files["leaf.c"])
    assert.equal("  n += leaf(n);", files["main.c"].lines[3 + 31 * 399].text)
    assert.is_nil(files["main.c"].lines[3])
    assert.truthy(page:find("The source of 1 file is left out to limit the size of this page: leaf%.c%."))
  end)
end)

describe("A comparison in a page", function()
  it("has the rows of gprof.compare", function()
    local slower = { functions = plan.functions, calls = plan.calls,
      ticks = { work = 330, ping = 20, pong = 5, leaf = 42 } }
    local old, new = crafted.gmon(plan), crafted.gmon(slower)
    local path = shell.tmpdir() .. "/page"
    local result = program.run { "-b", "--html=" .. path, "--compare=" .. old, image, new }
    assert.same({ 0, "" }, { result.status, result.stderr })
    local parts = pages.parts(shell.read(path))
    local given, rows = parts.data.comparison, gprof.compare((crafted.profile(plan)), (crafted.profile(slower)))
    assert.equal(#rows, #given.name)
    for i, row in ipairs(rows) do
      assert.same({ row.name, row.status }, { given.name[i], given.status[i] })
      for _, field in ipairs { "self", "total", "calls" } do
        for _, part in ipairs { "old", "new", "change" } do
          assert.near(row[field][part], given[field][part][i], 1e-6)
        end
      end
      assert.equal(row.self.noise, given.self.noise[i] == 1)
    end
    assert.same({ "work", "leaf" }, { given.name[1], given.name[2] })
    assert.truthy(parts.markup:find("Changes in self time", 1, true))
    assert.truthy(parts.markup:find('<td>0.30<td>3.30<td>+3.00<td><td>2<td>2<td class="name">work', 1, true))
    assert.truthy(parts.markup:find('<td>noise<td>8<td>8<td class="name">leaf', 1, true))
  end)

  it("has calls alone if a profile has no times", function()
    local counted = { functions = plan.functions, calls = plan.calls }
    local markup = pages.parts((pages.crafted(plan, "--compare=" .. crafted.gmon(counted)))).markup
    assert.truthy(markup:find("<h2>Changes in calls</h2>", 1, true))
    assert.truthy(markup:find('<tr><td>2<td>2<td class="name">work', 1, true))
  end)
end)

describe("A comparison with other clones in a page", function()
  it("has their old names", function()
    local function plan_of(name)
      return { functions = { "main", name }, ticks = { [name] = 30 }, calls = { { "main", name, 2 } } }
    end
    local old, new = (crafted.profile(plan_of "f")), (crafted.profile(plan_of "f.isra.0"))
    local text = {}
    new:report(require "gprof.export.html", { comparison = gprof.compare(old, new) },
      function(part) text[#text + 1] = part end)
    local given = pages.parts(table.concat(text)).data.comparison
    for i, name in ipairs(given.name) do
      assert.equal(name == "f.isra.0" and "f" or nil, given.old_name[i])
    end
  end)
end)

describe("The scripts of a page", function()
  it("define each name once, since they share one scope", function()
    local found = {}
    for line in require "gprof.export.html.assets".script():gmatch "[^\n]+" do
      local name = line:match "^const ([%w_$]+) =" or line:match "^let ([%w_$]+) =" or
        line:match "^function%*? ?([%w_$]+)%("
      assert.is_nil(name and found[name], name)
      if name then found[name] = true end
    end
    assert.truthy(found.linkToTree and found.expand)
  end)
end)

describe("A large page", function()
  if os.getenv "GPROF_LUA" then return end -- with sanitizers, the same page takes half a minute

  it("adds less than a megabyte to its data", function()
    local text = pages.crafted(pages.many())
    local parts = pages.parts(text)
    assert.equal(10000, #parts.data.functions.name)
    assert.truthy(#text - #parts.json < 1000000, #text - #parts.json)
    assert.truthy(#parts.json < 2650000, #parts.json)
    assert.truthy(parts.markup:find("Enable scripts to see 9000 more functions", 1, true))
  end)
end)

describe("A page that cannot be written is reported in one line:", function()
  it("without a name", function()
    check_failure("option --html: the file name is empty", "--html=")
    check_failure("option '--html' needs an argument", "--html")
  end)

  it("together with an export on standard output", function()
    check_failure("option --html: only one export can go to standard output", "--export=json", "--html=-")
  end)

  it("to a directory, or into a missing directory", function()
    local dir = shell.tmpdir()
    check_failure(dir .. ": cannot be written: Is a directory", "--html=" .. dir, image, profile)
    check_failure(dir .. "/none/file: its directory does not exist", "--html=" .. dir .. "/none/file", image, profile)
    assert.equal("", shell.listing(dir))
  end)

  it("to a read-only file", function()
    local path = shell.write(shell.tmpdir() .. "/file", "old")
    shell.check { "chmod", "444", path }
    local result = launch.line(launch.permitted(), { "--html=" .. path, image, profile })
    assert.same({ "", "gprof.lua: " .. path .. ": cannot be written: Permission denied\n", 1 },
      { result.stdout, result.stderr, result.status })
    assert.equal("old", shell.read(path))
  end)

  it("without its style sheet or scripts", function()
    for _, name in ipairs { "page.css", "tree.js" } do
      local copy = shell.tmpdir()
      shell.check { "cp", "-R", program.root .. "/gprof.lua", program.root .. "/lua", copy }
      shell.check { "mkdir", copy .. "/build" }
      shell.check { "cp", "-R", program.root .. "/build/gprof", copy .. "/build" }
      shell.check { "rm", copy .. "/lua/gprof/export/html/" .. name }
      local result = launch.copy(copy .. "/gprof.lua", { "--html=page", image, profile }, { cwd = copy })
      assert.equal(1, result.status)
      assert.equal("", result.stdout)
      assert.truthy(result.stderr:find("^gprof%.lua: [^\n]*/lua/gprof/export/html/" .. name:gsub("%.", "%%.") ..
        ": No such file or directory %(the HTML page needs this file: reinstall gprof%)\n$"), result.stderr)
      assert.is_false(shell.exists(copy .. "/page"))
    end
  end)
end)
