-- Reports in BSD's style: what they print for a known profile, and in which order. GNU gprof prints the same.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local crafted = require "support.crafted"
local gmon = require "support.gmon"
local parity = require "support.parity"
local program = require "support.program"
local programs = require "fixtures.programs"
local shell = require "support.shell"

local plan <const> = crafted.example

local function made(of)
  return (crafted.profile(of))
end

local function printed(name, profile, options)
  return crafted.printed("bsd." .. name, profile, options or { brief = true })
end

-- Runs the program on the plan, or on another one. Returns its output.
local function run(words, other)
  local files = { crafted.image(other or plan), crafted.gmon(other or plan) }
  local result = program.run(table.move(files, 1, 2, #words + 1, { table.unpack(words) }))
  assert.equal("", result.stderr)
  return result.stdout
end

describe("the call graph of a file in a BSD format without bins", function()
  -- main calls work three times
  local functions = { "main", "work" }
  local at = crafted.addresses { functions = functions }
  local image = crafted.image { functions = functions }
  local content = { low = at.main, high = at.work + 0x20, arcs = { { at.main + 1, at.work, 3 } } }

  it("has times of 0.00 in both modes, as in GNU gprof", function()
    for name, encode in pairs { bsd = gmon.bsd, ["4.4bsd"] = gmon.bsd44 } do
      local path = gmon.write(("%s/%s"):format(shell.tmpdir(), name), encode(content))
      local output = program.run({ "--gnu-compat", "-b", "-q", image, path }).stdout
      assert.matches("\n +0%.00 +0%.00 +3/3 +main %[%d+%]\n%[1%] +0%.0 +0%.00 +0%.00 +3 +work %[1%]\n", output)
      assert.equal(output, program.run({ "-b", "-q", image, path }).stdout)
    end
  end)

  it("equals GNU gprof's, also beside a file in its own format", function()
    if not parity.possible(pending) then return end
    local path = gmon.write(shell.tmpdir() .. "/bsd", gmon.bsd44(content))
    local own = crafted.gmon { functions = functions, calls = { { "main", "work", 3 } } }
    for _, files in ipairs { { path }, { own }, { path, own }, { own, path } } do
      for _, style in ipairs { "-q", "-qT" } do parity.check { "-b", style, image, table.unpack(files) } end
    end
  end)
end)

describe("the call graph in BSD's style", function()
  local heading <const> = "\ngranularity: each sample hit covers %s\n\n" .. (" "):rep(34) ..
    "called/total       parents \nindex  %%time    self descendants  called+self    name    \tindex\n" ..
    (" "):rep(34) .. "called/total       children\n\n"

  it("has blank lines around its rules, and wide columns", function()
    assert.equal(heading:format("32 byte(s) for 1.05% of 0.95 seconds") .. [[
                                                     <spontaneous>
[1]    100.0    0.00        0.95                 main [1]
                0.30        0.30       2/2           work [2]
                0.25        0.10       1/1           ping <cycle 1> [5]

-----------------------------------------------

                                       7             work [2]
                0.30        0.30       2/2           main [1]
[2]     63.2    0.30        0.30       2+7       work [2]
                0.30        0.00       6/8           leaf [3]
                                       7             work [2]

-----------------------------------------------

                0.10        0.00       2/8           pong <cycle 1> [6]
                0.30        0.00       6/8           work [2]
[3]     42.1    0.40        0.00       8         leaf [3]

-----------------------------------------------

[4]     36.8    0.25        0.10       1+7       <cycle 1 as a whole> [4]
                0.20        0.00       4             ping <cycle 1> [5]
                0.05        0.10       4             pong <cycle 1> [6]

-----------------------------------------------

                                       3             pong <cycle 1> [6]
                0.25        0.10       1/1           main [1]
[5]     21.1    0.20        0.00       4         ping <cycle 1> [5]
                                       4             pong <cycle 1> [6]

-----------------------------------------------

                                       4             ping <cycle 1> [5]
[6]     15.8    0.05        0.10       4         pong <cycle 1> [6]
                0.10        0.00       2/8           leaf [3]
                                       3             ping <cycle 1> [5]

-----------------------------------------------

]], printed("graph", made(plan)))
  end)

  it("prints undefined times without a histogram with --gnu-compat, as GNU gprof does", function()
    local profile = made { functions = plan.functions, calls = { { "main", "work", 3 } } }
    local text = heading:format("0 byte(s) no time propagated") .. [[
                0.00        0.00       3/3           main [4]
[1]      0.0    0.00        0.00       3         work [1]

-----------------------------------------------

]]
    assert.equal(text, printed("graph", profile))
    assert.equal((text:gsub("0%.00(        )0%.00", "-nan%1-nan")),
      printed("graph", profile, { brief = true, gnu_compat = true }))
  end)
end)

describe("the flat profile in BSD's style", function()
  local columns <const> = "  %   cumulative   self              self     total           \n"

  it("has index numbers and milliseconds", function()
    assert.equal("\ngranularity: each sample hit covers 32 byte(s) for 1.05% of 0.95 seconds\n\n" .. columns ..
      " time   seconds   seconds    calls  ms/call  ms/call  name    \n" .. [[
 42.1       0.40     0.40        8    50.00    50.00  leaf [3]
 31.6       0.70     0.30        2   150.00   300.00  work [2]
 21.1       0.90     0.20        4    50.00    50.00  ping <cycle 1> [5]
  5.3       0.95     0.05        4    12.50    37.50  pong <cycle 1> [6]
]], printed("flat", made(plan)))
  end)

  it("uses the histogram's unit", function()
    local profile = made { functions = { "main", "f" }, ticks = { f = 4 }, rate = 1,
      calls = { { "main", "f", 8 } }, dimension = "cache-misses", abbreviation = "1" }
    assert.equal("\ngranularity: each sample hit covers 32 byte(s) for 25.00% of 4.00 cache-misses\n\n" .. columns ..
      " time cache-mis  cache-mi    calls  m1/call  m1/call  name    \n" ..
      "100.0       4.00     4.00        8   500.00   500.00  f [1]\n", printed("flat", profile))
  end)

  it("says that no time was accumulated", function()
    local profile = made { functions = plan.functions, ticks = {}, calls = { { "main", "work", 2 } } }
    assert.equal("\ngranularity: each sample hit covers 32 byte(s) no time accumulated\n\n" .. columns ..
      " time   seconds   seconds    calls  ms/call  ms/call  name    \n" ..
      "  0.0       0.00     0.00        2     0.00     0.00  work [1]\n", printed("flat", profile))
  end)

  it("has no index numbers without a call graph", function()
    local text = printed("flat", made { functions = plan.functions, ticks = { work = 3 } })
    assert.equal("100.0       0.03     0.03                             work\n", text:match("[^\n]*\n$"))
  end)
end)

describe("the index in BSD's style", function()
  it("has columns of equal width, whatever -w is", function()
    for _, width in ipairs { 1, 80, 132 } do
      assert.equal("Index by function name\n\n" ..
        "   [3] leaf                  [6] pong                  [4] <cycle 1>          \n" ..
        "   [5] ping                  [2] work               \n",
        printed("index", made(plan), { width = width }))
    end
  end)

  it("truncates names", function()
    local profile = made { functions = { "a234567890123456789", "b2345678901234567890" },
      ticks = { a234567890123456789 = 1, b2345678901234567890 = 2 } }
    assert.equal("Index by function name\n\n   [2] a234567890123456789   [1] b234567890123456789\n",
      printed("index", profile))
  end)
end)

describe("-T", function()
  it("prints the call graph before the flat profile, and then the index", function()
    local profile = made(plan)
    local graph, flat, index = printed("graph", profile), printed("flat", profile), printed("index", profile)
    assert.equal(graph .. "\f\n" .. flat .. "\f\n" .. index, run { "-b", "-T" })
    assert.equal(graph .. "\f\n" .. flat .. "\f\n" .. index, run { "-b", "--traditional", "-p", "-q" })
    assert.equal(graph .. "\f\n" .. index, run { "-b", "-T", "-q" })
    assert.equal(flat, run { "-b", "-T", "-Q" })
  end)

  it("prints the explanation before each report", function()
    local long, brief = run { "-T" }, run { "-b", "-T" }
    local graph, rest = brief:match("^(.-)\f\n(.*)$")
    local at = assert(long:find("\f\n", 1, true))
    assert.equal("How to read the call graph\n", long:match("^[^\n]*\n"))
    assert.equal(graph, long:sub(at - #graph, at - 1))
    assert.equal("How to read the flat profile\n", long:match("^[^\n]*\n", at + 2))
    assert.equal(rest, long:sub(-#rest))
  end)

  it("prints names as in the symbol table, even with --demangle", function()
    local shapes = { functions = { "main", "_Z4areaj" }, ticks = { _Z4areaj = 1 },
      calls = { { "main", "_Z4areaj", 1 } } }
    assert.truthy(run({ "-b" }, shapes):find("area(unsigned int) [2]", 1, true))
    local text = run({ "-b", "-T", "--demangle" }, shapes)
    local _, times = text:gsub("_Z4areaj", "")
    assert.equal(4, times) -- main's callee, its own entry, the flat profile, the index
    assert.is_nil(text:find("area(", 1, true))
  end)
end)

describe("-T with --gnu-compat", function()
  if not parity.possible(pending) then return end

  local check <const> = parity.check

  local option_lists <const> = {
    {}, { "-p" }, { "-q" }, { "-p", "-q" }, { "-P" }, { "-Q" }, { "-z" }, { "-a" }, { "-D", "-z", "-a" },
    { "-w132" }, { "-w1", "-q" }, { "--inline-file-names" }, { "-L", "--inline-file-names" }, { "--no-demangle" },
  }

  for _, entry in ipairs(programs) do
    local supported, lack = build.supported(entry.name)
    if not supported then
      pending(entry.name .. ": " .. lack)
    elseif entry.name ~= "mute" then
      it("prints what GNU gprof prints for " .. entry.name, function()
        local built = build.program(entry.name)
        for _, list in ipairs(option_lists) do
          local arguments = { "-b", "-T", table.unpack(list) }
          check(table.move({ built.image, built.gmon }, 1, 2, #arguments + 1, arguments))
        end
      end)
    end
  end

  it("prints what GNU gprof prints for random images and profiles", function()
    local dir, repeatedly = shell.tmpdir(), chance.cases(1, 80)
    repeatedly(function(note)
      local subject = chance.image()
      local bytes, empty = chance.profile(subject)
      local arguments = { "-b", "-T", subject.image, gmon.write(dir .. "/gmon.out", bytes) }
      for _ = 1, math.random(0, 2) do
        table.insert(arguments, 2, chance.pick(chance.pick(option_lists)) or "-T")
      end
      -- Without records, -z would print execution counts, which are tested elsewhere.
      if not empty then check(arguments, nil, note) end
    end)
  end)

  it("prints what GNU gprof prints for many functions with names too long for the index", function()
    local names = {}
    for i = 1, 1200 do
      names[i] = ("a_function_of_a_long_name_%d"):format(i)
    end
    local many = { functions = names, ticks = { [names[7]] = 3 }, calls = { { names[7], names[8], 5 } } }
    check { "-b", "-T", "-z", crafted.image(many), crafted.gmon(many) }
  end)
end)
