-- Prepared rows: formats with the names of fields, for the functions, cycles and arcs of a profile.
-- SPDX-License-Identifier: GPL-3.0-or-later

local crafted = require "support.crafted"
local names = require "gprof.names"
local output = require "gprof.output"

-- `one` and `two` call each other; `leaf` calls itself; `idle` is called, but was not sampled.
local plan <const> = {
  functions = { "main", "one", "two", "leaf", "idle", "never" },
  ticks = { main = 10, one = 20, two = 5, leaf = 65 },
  calls = { { "main", "one", 3 }, { "one", "two", 8 }, { "two", "one", 8 }, { "two", "leaf", 50 },
    { "leaf", "leaf", 7 }, { "main", "idle", 1 } },
}

describe("stream:rows", function()
  local profile <const> = crafted.profile(plan)
  local id_of <const> = {}
  for id, name in profile:functions(nil, "id", "name") do id_of[name] = id end
  local cycle_id <const> = (profile:cycles(nil, "id")())
  local labels <const> = names.labels(profile, { references = true })

  -- Returns what a function writes to a stream, and what it returns.
  local function written(write)
    local pieces = {}
    local stream <close> = output.through(function(text) pieces[#pieces + 1] = text end)
    local result = write(stream)
    stream:flush()
    return table.concat(pieces), result
  end

  -- Writes rows of a list for some nodes.
  local function rows(list, formats, options, ...)
    local calls = table.pack(...)
    return written(function(stream)
      local row, count = stream:rows(profile, list, formats, options), 0
      for _, call in ipairs(calls) do
        count = count + row(table.unpack(type(call) == "table" and call or { call }))
      end
      return count
    end)
  end

  it("writes fields by name, in the format of each", function()
    assert.same({ "leaf 65.00  50/7  \n", 1 },
      { rows("function", "%{name} %{ticks:.2f} %{calls:3d}/%{self_calls:-3d}\n", nil, id_of.leaf) })
    assert.equal("100 % of main", (rows("function", "100 %% of %{name}", nil, id_of.main)))
  end)

  it("writes the same values as an iterator returns", function()
    local conversions <const> = { symbol = "s", kind = "s", reference = "s", id = "d", index = "d",
      percent = ".6f", self = ".6f", children = ".6f", graph_self = ".6f", graph_percent = ".6f" }
    for field, conversion in pairs(conversions) do
      for id, value in profile:functions(nil, "id", field) do
        assert.equal(("%" .. conversion):format(value),
          (rows("function", ("%%{%s:%s}"):format(field, conversion), nil, id)), field)
      end
    end
  end)

  it("writes the arcs around a node in the order of its entry, and the members of a cycle", function()
    local arc <const> = "%{caller} -> %{callee}: %{count:d}/%{of:d}\n"
    local options <const> = { labels = names.labels(profile) }
    for _, list in ipairs { "callers", "callees" } do
      local expected = {}
      for id in pairs(plan.functions) do
        for caller, callee, count, of in profile[list](profile, id, nil, "caller", "callee", "count", "of") do
          expected[#expected + 1] = ("%s -> %s: %d/%d\n"):format(caller.name, callee.name, count, of)
        end
      end
      local ids = {}
      for id in pairs(plan.functions) do ids[#ids + 1] = id end
      local text, count = rows(list, arc, options, table.unpack(ids))
      assert.equal(table.concat(expected), text)
      assert.equal(#expected, count)
    end
    assert.equal("two one ", (rows("members", "%{name} ", nil, cycle_id)))
    assert.equal("<cycle 1> 3", (rows("entry", "%{name} %{calls:d}", nil, cycle_id)))
    assert.equal("1 <cycle 1>", (rows("cycle", "%{number} %{name}", nil, cycle_id)))
    assert.equal("main", (rows("arc", "%{caller}", { labels = labels }, 1)):match "^%a+")
  end)

  it("chooses the format by a field, by default the kind", function()
    local kinds <const> = { recursive = "R ", called = "C ", uncalled = "U " }
    assert.equal("U C R C U ", (rows("function", kinds, nil, id_of.main, id_of.one, id_of.leaf, id_of.idle,
      id_of.never)))
    assert.equal("R ", (rows("cycle", kinds, nil, cycle_id)))
    local arcs <const> = { counted = "%{count:d} ", recursive = "(%{count:d}) " }
    assert.equal("(8) 3 ", (rows("callers", arcs, nil, id_of.one)))
    assert.equal("idle used ", (rows("function", { [false] = "idle ", [true] = "used " }, { by = "used" },
      id_of.never, id_of.main)))
  end)

  it("writes values of the call, by the names that they are given", function()
    assert.equal("main  1.50 x|", (rows("function", "%{name} %{mean:5.2f} %{mark}|", { values = { "mean", "mark" } },
      { id_of.main, 1.5, "x" })))
    assert.error_matches(function() rows("function", "%{mean:5.2f}", { values = { "mean" } }, id_of.main) end,
      "field 'mean' of a row: number expected, got no value$")
  end)

  it("converts values as string.format does", function()
    assert.equal(("%05d|%#x|%q|%.3s|nil|false"):format(id_of.main, id_of.main, "main", "main"),
      (rows("function", "%{id:05d}|%{id:#x}|%{name:q}|%{name:.3s}|%{file}|%{is_cycle}", nil, id_of.main)))
    assert.equal("  1 ff", (rows("function", "%{a:3i} %{b:x}", { values = { "a", "b" } }, { id_of.main, 1, 255 })))
  end)

  it("lets a function change the format, from the values of fields", function()
    local function paint(format, ticks, calls)
      return ticks + calls > 60 and "<" .. format .. ">" or format
    end
    assert.equal("main <leaf>", (rows("function", "%{name}", { paint = paint, paint_by = { "ticks", "calls" } },
      id_of.main)) .. " " .. (rows("function", { recursive = "%{name}" }, { paint = paint,
      paint_by = { "ticks", "calls" } }, id_of.leaf)))
  end)

  it("leaves out the rows for which a function returns an empty format", function()
    local function paint(format, count) return count > 1 and format or "" end
    local all = rows("callees", "%{callee_id} ", nil, id_of.main)
    local some = rows("callees", "%{callee_id} ", { paint = paint, paint_by = { "count" } }, id_of.main)
    assert.truthy(#some > 0 and #some < #all, some)
  end)

  it("writes labels in place of numbers", function()
    assert.equal(labels[id_of.leaf], (rows("function", "%{label}", { labels = labels }, id_of.leaf)))
    assert.truthy((rows("function", "%{label}", { labels = labels }, id_of.one)):find "^one <cycle 1> %[%d%]$")
    local narrow = names.labels(crafted.profile(plan), { width = 40 })
    assert.has_error(function() rows("function", "%{label}", { labels = narrow }, 1) end,
      "option 'labels': these labels belong to another profile")
  end)

  it("names an option with a wrong value", function()
    for problem, options in pairs {
      ["option 'by': field name expected, got table"] = { by = {} },
      ["option 'paint_by': field name expected, got number"] = { paint = print, paint_by = { 1 } },
      ["option 'labels': labels expected, got string"] = { labels = "all" },
      ["option 'values': table expected, got string"] = { values = "mean" },
      ["option 'values': array of strings expected"] = { values = { "mean", 1 } },
      ["option 'paint': function expected, got number"] = { paint = 1 },
      ["option 'paint_by': table expected, got string"] = { paint_by = "ticks" },
      ["bad argument #4 to 'rows' (no option 'label')"] = { label = labels },
      ["bad argument #4 to 'rows' (no option '1')"] = { "label" },
    } do
      local done, message = pcall(rows, "function", { called = "%{name}" }, options, 1)
      assert.same({ false, problem }, { done, (message:gsub("^.-: ", "")) })
    end
    for problem, options in pairs {
      ["bad argument #2 to 'labels' (option 'width': integer expected, got string)"] = { width = "x" },
      ["bad argument #2 to 'labels' (option 'suffixes': table expected, got string)"] = { suffixes = "x" },
      ["bad argument #2 to 'labels' (no option 'short_name')"] = { short_name = true },
      ["bad argument #2 to 'labels' (option 'suffixes': strings expected)"] = { suffixes = { "x", 5 } },
    } do
      local done, message = pcall(function() return names.labels(profile, options), nil end)
      assert.same({ false, problem }, { done, (message:gsub("^.-: ", "")) })
    end
    local done, message = pcall(function() return names.labels({}), nil end)
    assert.is_false(done)
    assert.truthy(message:find "rows_spec.lua.*#1 to 'labels' %(gprof.profile expected, got table%)", message)
  end)

  it("writes rows that are longer than its buffer, and very many", function()
    local long = ("x"):rep(100000)
    local options <const> = { values = { "text" } }
    assert.equal(long .. "main\n", (rows("function", "%{text}%{name}\n", options, { id_of.main, long })))
    local text = written(function(stream)
      local row = stream:rows(profile, "function", "%{name} %{id:d}\n")
      for _ = 1, 20000 do row(id_of.leaf) end
    end)
    assert.equal(("leaf %d\n"):format(id_of.leaf):rep(20000), text)
  end)

  it("rejects unknown lists, fields, formats and numbers", function()
    local function refused(message, list, formats, options, ...)
      local arguments = table.pack(...)
      assert.error_matches(function() rows(list, formats, options, table.unpack(arguments)) end, message)
    end
    refused("invalid list 'functions'", "functions", "", nil)
    refused("not a profile by line: create it with the option 'line'", "lines", "%{line}", nil, id_of.main)
    refused("rows of callers: no field 'calls'", "callers", "%{calls:d}", nil)
    refused("rows of function: no field 'caller'", "function", "%{caller}", nil)
    refused("rows of arc: no field 'calls'", "arc", {}, { by = "calls" })
    refused("formats of rows need names", "function", "%s", nil)
    refused("invalid conversion in format: '%%{name'", "function", "%{name", nil)
    refused("invalid conversion in format: '%%{name:5y}'", "function", "%{name:5y}", nil)
    refused("field 'name' of a row: number expected, got string", "function", "%{name:5x}", nil, id_of.main)
    refused("format of a row: too long", "function", ("%{name}"):rep(40), nil)
    refused("format of a row: string expected, got nil", "function", {}, nil, id_of.main)
    refused("field 'name' of a row: number expected, got string", "function", "%{name:d}", nil, id_of.main)
    refused("no function, cycle or arc with this number", "function", "", nil, cycle_id)
    refused("no function, cycle or arc with this number", "cycle", "", nil, id_of.main)
    refused("no function, cycle or arc with this number", "arc", "", nil, 100)
    refused("labels expected, got table", "function", "", { labels = {} })
  end)

  it("checks after Lua code has run that the profile is open", function()
    local made = crafted.profile(plan)
    local stream = output.through(function() made:close() end)
    local row = stream:rows(made, "function", "%{text}%{name}\n", { values = { "text" } })
    assert.error_matches(function()
      for _ = 1, 3 do row(1, ("y"):rep(60000)) end
    end, "profile is closed")
    local other = crafted.profile(plan)
    local painted = output.through(function() end):rows(other, "function", "%{name}", { paint = function(format)
      other:close()
      return format
    end })
    assert.error_matches(function() painted(1) end, "profile is closed")
  end)
end)
