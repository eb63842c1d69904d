-- --html: the data of each thread in a page. The choice of threads is tested by html_figures_browser_spec.lua.
-- SPDX-License-Identifier: GPL-3.0-or-later

local contexts = require "support.contexts"
local crafted = require "support.crafted"
local gmon = require "support.gmon"
local gprof = require "gprof"
local pages = require "support.pages"
local program = require "support.program"
local recorder = require "support.recorder"
local shell = require "support.shell"
local stacks = require "support.context_stacks"

describe("the keys of threads in links", function()
  local make <const> = require("gprof.export.html.thread_choices").make

  it("are unique, whatever the names of the threads are", function()
    local threads = {}
    for i, name in ipairs { "a", "a", "a 0", "a 0'", "2", "b", "b", "!others", "" } do
      threads[i] = { name = name, number = i <= 5 and 0 or i - 5, ticks = 100 - i, calls = 0 }
    end
    local seen = {}
    for i, choice in ipairs(make(threads, function() return 0 end)) do
      assert.equal(threads[i], choice.threads[1])
      assert.is_nil(seen[choice.key], choice.key)
      seen[choice.key] = true
    end
    assert.is_true(seen["a 0"] and seen["a 0'"] and seen["b 2"] and seen["1"])
  end)
end)

-- Returns the names of files by their numbers.
local function named(data, numbers)
  local names = {}
  for i, number in ipairs(numbers) do names[i] = data.files[number + 1] or false end
  return names
end

-- Returns the figures of a view, with names instead of numbers. `data` has the files; `known`, names for numbers.
local function content(view, data, known)
  local functions, lines = view.functions, view.lines
  local found = { view.total, view.exact, view.arcs, view.cycles, view.tree }
  for _, field in ipairs { "self", "self_error", "children", "calls", "self_calls", "line" } do
    table.insert(found, functions[field])
  end
  local names = {}
  for i, name in ipairs(functions.name) do names[i] = math.type(name) == "integer" and known[name + 1] or name end
  table.insert(found, names)
  table.insert(found, named(data, functions.file))
  table.insert(found, lines and { lines.line, lines.self, lines.self_error, lines.node, named(data, lines.file) })
  return found
end

-- Returns the figures of source files by name.
local function figures(files, own)
  local found = {}
  for i, file in ipairs(files) do
    local values = own and own[i] or not own and file
    if values and #values.known > 0 then found[file.name] = { values.seconds, values.calls, values.known } end
  end
  return found
end

-- Returns the names that numbers stand for in a thread's views.
local function known_names(data, other)
  local names = table.move(data.functions.name, 1, #data.functions.name, 1, {})
  for _, name in ipairs(other and other.functions.name or {}) do
    names[#names + 1] = math.type(name) == "integer" and data.functions.name[name + 1] or name
  end
  return names
end

-- Checks that each choice of a page has what a page with --thread has. Returns the number of choices.
local function check_choices(image, profile, ...)
  local whole = pages.write(image, profile, ...)
  local data, other = pages.parts(whole).data, pages.element(whole, "other")
  local known = known_names(data, other)
  for i, key in ipairs(data.threads.choices.key) do
    local id = "thread-" .. i - 1
    local one = pages.write(image, profile, "--thread=" .. key, ...)
    local alone, view = pages.parts(one).data, pages.element(whole, id)
    assert.same(content(alone, alone), content(view, data, known), key)
    assert.same(figures(alone.sources), figures(data.sources, view.figures), key)
    for _, text in ipairs(view.summary) do assert.truthy(one:find("<span>" .. text .. "</span>", 1, true), text) end
    assert.equal(one:find('class="warning few"', 1, true) ~= nil, view.few ~= nil, key)
    local inlined, theirs = pages.element(whole, id .. "-other"), pages.element(one, "other")
    assert.equal(theirs == nil, inlined == nil)
    if inlined then
      local names = known_names(alone, theirs)
      assert.same(content(theirs, alone, names), content(inlined, data, known), key)
    end
  end
  return #data.threads.choices.key, other ~= nil
end

-- Returns a program and a profile with a library, both with inlined functions, and two threads: each instruction of the
-- program has a sample in the one, each of the library in the other, and the first of the program in both.
local function inlined_program()
  local dir <const> = shell.tmpdir "inlined_threads"
  local source <const> = [[
    static inline __attribute__((always_inline)) unsigned %s(unsigned n) { return n %% 7 * (n + 11) %% 13; }
    __attribute__((noipa)) unsigned %s(unsigned n) { return %s(n) + %s(n * 3); }
  ]]
  local tables, modules, low, high = {}, {}, nil, nil
  for i, object in ipairs { { "program", "inner", "work", "int main(void) { return (int)work(3); }", "-no-pie" },
    { "one.so", "deep", "outer", "", "-shared", "-fPIC" } } do
    local path, inline, name <const> = dir .. "/" .. object[1], object[2], object[3]
    shell.write(path .. ".c", source:format(inline, name, inline, inline) .. object[4])
    shell.check { "gcc", "-O2", "-g", "-Wl,--build-id=none", "-o", path, path .. ".c", table.unpack(object, 5) }
    local image, bias, records = gprof.image(path), (i - 1) << 32, {}
    for address = image.text_low, image.text_high - 1 do
      if image:frames(address) then
        records[#records + 1] = { context = 0, from = bias + address, count = i }
      end
    end
    modules[i] = { bias = bias, low = bias + image.text_low & -4096, high = bias + image.text_high,
      code = bias + image.text_low, code_end = bias + image.text_high, path = path }
    tables[i] = table.move(records, 1, #records, 1, { name = name })
    low, high = low or image.text_low, high or image.text_high
  end
  table.insert(tables[2], tables[1][1])
  local profile = contexts.pack { process = { low = low, high = high, finish = 1 << 60 }, modules = modules,
    tables = tables }
  return dir .. "/program", gmon.write(dir .. "/gmon.out.ctx", profile)
end

describe("The choices of threads in a page", function()
  local functions <const> = { "main", "parse", "render", "idle" }
  local image = crafted.image { functions = functions }

  -- Writes the page of threads. Returns its data, and the page.
  local function page_of(list, names, ...)
    local context = gmon.write(shell.tmpdir() .. "/gmon.out.ctx", stacks.pack(functions, list, nil, names))
    local page = pages.write(image, context, ...)
    return pages.parts(page).data, page, context
  end

  it("show what --thread shows", function()
    local _, _, context = page_of({ { "main", "parse", "render", "parse", ticks = 300 },
      { "main", "render", ticks = 900, thread = 2 }, { "main", "idle", thread = 3 } }, { "one", "two", "three" })
    assert.equal(3, check_choices(image, context))
    assert.equal(3, check_choices(image, context, "-qmain"))
  end)

  it("show what --thread shows of source, libraries and inlined functions", function()
    local choices, has_inlines = check_choices(inlined_program())
    assert.same({ 2, true }, { choices, has_inlines })
  end)

  it("are the busiest threads first; keys are names, or numbers of threads with the same name", function()
    local data = page_of({ { "main", ticks = 5 }, { "main", ticks = 9, thread = 2 }, { "main", ticks = 7, thread = 3 },
      { "main", ticks = 6, thread = 4 } }, { "a", "same", "same", "2" })
    assert.same({ "same 2", "3", "4", "a" }, data.threads.choices.key)
    assert.same({ 3, 0, 1, 2 }, data.threads.choice)
    assert.same({}, data.threads.choices.group)
  end)

  it("have keys, even if a thread has no name", function()
    local data = page_of({ { "main", ticks = 5 }, { "main", ticks = 9, thread = 2 } }, { "", "a" })
    assert.same({ "a", "1" }, data.threads.choices.key)
  end)

  it("gather threads without samples, and all but 32 others", function()
    local list, names = {}, {}
    for i = 1, 50 do
      local ticks = i % 5 > 0 and 1000 - i or 0
      list[i], names[i] = { "main", i % 2 == 0 and "parse" or "render", ticks = ticks, thread = i }, "t" .. i
    end
    local data, page = page_of(list, names)
    local keys, groups = data.threads.choices.key, data.threads.choices.group
    assert.same({ 34, "t1", "!others", "!idle" }, { #keys, keys[1], keys[33], keys[34] })
    assert.same({ "others", "idle" }, { groups[33], groups[34] })
    local ticks, calls = 0, 0
    for i in ipairs(keys) do
      local view = pages.element(page, "thread-" .. i - 1)
      ticks = ticks + view.total
      for _, count in ipairs(view.functions.calls) do calls = calls + count end
    end
    assert.near(data.total, ticks, 1e-6)
    local all = 0
    for _, count in ipairs(data.functions.calls) do all = all + count end
    assert.equal(all, calls)
    assert.is_nil(pages.element(page, "thread-34"))
  end)

  it("are only those that --thread selects, and absent if that is one", function()
    local list = { { "main", ticks = 5 }, { "main", ticks = 9, thread = 2 }, { "main", ticks = 7, thread = 3 } }
    local names = { "a", "b", "c" }
    assert.same({ "c", "a" }, page_of(list, names, "--thread=a", "--thread=c").threads.choices.key)
    assert.same({ 1, -1, 0 }, page_of(list, names, "--thread=a", "--thread=c").threads.choice)
    assert.same({}, page_of(list, names, "--thread=a").threads.choices.key)
  end)

  it("order threads by calls if nothing was sampled", function()
    local data = page_of({ { "main", "parse" }, { "main", "parse", "render", thread = 2 } }, { "few", "many" })
    assert.same({ "many", "few" }, data.threads.choices.key)
  end)

  it("have names that are not interpreted as markup", function()
    local bad <const> = "</script><b>\xff"
    local data, page = page_of({ { "main", ticks = 5 }, { "main", ticks = 9, thread = 2 } }, { "a", bad })
    assert.same({ "</script><b>\\xFF", "a" }, data.threads.choices.key)
    assert.is_nil(page:find("</script><b>", 1, true))
  end)
end)

-- The call paths of threads then stay unused.
describe("a page of a program that was rebuilt since it was recorded", function()
  local lack = recorder.lack()
  if lack then return pending(lack) end

  it("has a warning, and no choice of threads", function()
    local old = recorder.compile "threads.c"
    local rebuilt = recorder.compile("threads.c", { flags = { "-DREBUILT", "-fno-ipa-icf", "-g3" } })
    local made = recorder.run(old, { "4", "100", "4" })
    local result = program.run({ "--html=page", rebuilt.image, "gmon.out" }, { cwd = made.dir })
    assert.same({ 0, "" }, { result.status, result.stdout })
    assert.matches("gmon%.out%.ctx: was recorded with another build", result.stderr)
    assert.matches("</html>\n$", shell.read(made.dir .. "/page"))
  end)
end)
