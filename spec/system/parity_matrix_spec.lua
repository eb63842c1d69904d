-- With --gnu-compat, reports are GNU gprof's, byte for byte, for random combinations of images, profiles, options,
-- symbol files and maps. Each case is cheap, so there can be many: make check-all runs 20,000.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local gmon = require "support.gmon"
local parity = require "support.parity"
local shell = require "support.shell"
local symspecs = require "support.symspecs"

if not parity.possible(pending) then return end

local random <const>, pick <const> = math.random, chance.pick

-- Images ------------------------------------------------------------------------------------

-- Making an image costs more than running a case, so this many consecutive seeds share an image.
local SHARED <const> = 50

local programs <const> = {
  { "calls" }, { "calls", "O2" }, { "cycles" }, { "twins" }, { "aliases" }, { "labels" }, { "shapes", "O2" },
  { "waves" }, { "crowd" }, { "clones" }, { "clones", "O3" },
}

-- Returns one of the programs, or a random image.
local function some_subject()
  local key = pick(programs)
  if random(3) == 1 and build.supported(key[1], key[2]) then
    return chance.subject(build.program(key[1], key[2]).image)
  end
  return chance.image()
end

-- Returns the subject of the case with this seed.
local current = {}
local function subject_of(seed)
  local number = seed // SHARED
  if current.number ~= number then
    math.randomseed(number)
    local subject = some_subject()
    current = { number = number, subject = subject, words = symspecs.vocabulary(subject.image) }
  end
  math.randomseed(seed)
  return current.subject, current.words
end

-- Files -------------------------------------------------------------------------------------

-- Writes one profile or two, in any format. The second may be the same file, or incompatible with the first.
local function some_profiles(subject, dir)
  local format = pick { false, false, false, "magic", "bsd", "4.4bsd" }
  local function profile(name)
    local bytes = chance.profile(subject, format or nil)
    if #bytes < 24 then bytes = chance.profile(subject, "magic") end -- GNU gprof refuses shorter files
    return gmon.write(dir .. "/" .. name, bytes)
  end
  local first = profile "gmon.out"
  return pick { { first }, { first }, { first }, { first, first }, { first, profile "gmon.2" } }
end

-- Writes a map with the functions in a few object files. The last function, which has no samples, is in a file of its
-- own.
local function some_map(subject, path)
  local lines, object = {}, "a"
  for _, symbol in ipairs(build.symbols(subject.image)) do
    if random(3) == 1 then object = pick { "a", "b", "c" } end
    if symbol.address >= subject.last then object = "z" end
    if symbol.type:find "[tTW]" then
      lines[#lines + 1] = ("%s.o:%016x %s %s\n"):format(object, symbol.address, symbol.type, symbol.name)
    end
  end
  return shell.write(path, table.concat(lines))
end

-- Options -----------------------------------------------------------------------------------

-- SPEC and FROM/TO stand for symspecs, NM and MAP for files.
local plain <const> = {
  "-p", "-q", "-C", "-z", "-z", "-a", "-D", "-T", "-i", "-P", "-Q", "-Z", "-B", "-L", "-w132", "-w20", "-w 4294967299",
  "--no-demangle", "--inline-file-names", "-m 4294967297", "-c",
  "-pSPEC", "-PSPEC", "-qSPEC", "-QSPEC", "-CSPEC", "-ZSPEC", "-n SPEC", "-N SPEC", "-e SPEC", "-E SPEC", "-f SPEC",
  "-l", "-l", "-A", "-ASPEC", "-J", "-JSPEC", "-x",
  "-F SPEC", "-k FROM/TO", "-k FROM/TO", "-qFROM/TO", "-QFROM/TO", "-S NM", "-S NM", "-R MAP", "-r",
}

-- Tells whether an option must not be combined with those chosen. Function orders exclude each other. If symspecs name
-- calls, GNU gprof's order depends on memory that has moved.
local function clashes(option, chosen)
  local order, spec = option:find "^%-[rR]", option:find "SPEC" or option:find "FROM"
  for _, other in ipairs(chosen) do
    local other_order, other_spec = other:find "^%-[rR]", other:find "SPEC" or other:find "FROM"
    if order and (other_order or other_spec) or spec and other_order then return true end
  end
end

local function some_options()
  local chosen = {}
  for _ = 1, random(0, 5) do
    local option = pick(plain)
    if not clashes(option, chosen) then chosen[#chosen + 1] = option end
  end
  return chosen
end

-- Returns the arguments that options stand for.
local function arguments_of(options, subject, words, dir)
  local arguments = { "-b" }
  for _, option in ipairs(options) do
    local name, value = option:match "^(%-%a)(.*)$"
    if option:find("SPEC", 1, true) or option:find("FROM", 1, true) then
      local spec = symspecs.pick(words, option:find("FROM", 1, true))
      arguments[#arguments + 1] = value:find "^ " and name or name .. spec
      if value:find "^ " then arguments[#arguments + 1] = spec end
    elseif value == " NM" then
      table.move({ name, symspecs.symbol_file(subject.image, dir .. "/nm") }, 1, 2, #arguments + 1, arguments)
    elseif value == " MAP" then
      table.move({ name, some_map(subject, dir .. "/map") }, 1, 2, #arguments + 1, arguments)
    else
      for word in option:gmatch "%S+" do arguments[#arguments + 1] = word end
    end
  end
  return arguments
end

describe("With --gnu-compat, reports are GNU gprof's for combinations of", function()
  it("images, profiles, options, symbol files and maps", function()
    local repeatedly, dir = chance.cases(20240601, 250), shell.tmpdir()
    repeatedly(function(note, seed)
      local subject, words = subject_of(seed)
      local profiles, options = some_profiles(subject, dir), some_options()
      local arguments = arguments_of(options, subject, words, dir)
      arguments[#arguments + 1] = subject.image
      table.move(profiles, 1, #profiles, #arguments + 1, arguments)
      parity.check(arguments, nil, note)
    end)
  end)
end)
