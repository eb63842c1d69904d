-- Images, profiles, libraries and exports, and command lines that read up to four of them. One or two are damaged.
-- SPDX-License-Identifier: GPL-3.0-or-later

local damage = require "fuzz.images.damage"
local fixtures = require "fuzz.images.fixtures"
local mutations = require "fuzz.images.mutations"
local shell = require "support.shell"

local any_files = {}

-- Options; words without "-" follow the image and the profile.
local lines <const> = {
  "--compare={OLD},{OLDIMAGE} --force", "--compare={OLD},{OLDIMAGE} --force --export=json:{OUT}",
  "--compare={OLD},{OLDIMAGE} --fail-on=100000", "--compare={JSON}", "--compare={JSON} --force -n main",
  "--compare={JSON} --force --html={OUT}", "--compare={OLD} --color=always -w20",
  "--compare={OLD} --fail-on=calls:0,0 --export=sarif:{OUT}", "--compare={OLD} --export=markdown:{OUT}",
  "--compare={OLD} --fail-on=self:0@main --export=junit:{OUT}", "--baseline={OUT} --update-baseline {OLD}",
  "--export=cpuprofile:{OUT}", "--export=lcov:{OUT}",
  "--html={OUT} -I{SOURCES}", "--html={OUT} -l", "--html={OUT} -z --tree", "--html={OUT} --with={LIBRARY}:{OLD}",
  "--html={OUT} -c", "--with={LIBRARY}:{OLD} -b", "--with={LIBRARY}:{OLD} --export=callgrind:{OUT}",
  "--with={LIBRARY}:{OLD} --tree -p", "--with={LIBRARY}:{OLD} --slide=0x1000",
  "-s --sum-file={OUT}", "-s --sum-file={OUT} {OLD}", "-l -A -I{SOURCES}", "--bounds", "--tree", "--verify", "-i", "-r",
  "--errors -p", "-q -c", "-C -l", "--gnu-compat -l -A -I{SOURCES}", "--gnu-compat -c", "--slide=auto -p",
  "--export=pprof:{OUT} -l", "--export=callgrind:{OUT} -l", "--export=speedscope:{OUT}", "--export=folded:{OUT}",
  "--export=dot:{OUT}", "--export=csv:{OUT}", "--export=csv-arcs:{OUT}", "--export=json:{OUT} -l",
}

-- The files that may be damaged, and how.
local ways <const> = {
  IMAGE = mutations.damage, OLDIMAGE = mutations.damage, LIBRARY = mutations.damage,
  PROFILE = damage.bytes, OLD = damage.bytes, JSON = damage.bytes,
}

local function pick(list) return list[math.random(#list)] end

-- Returns the contents of all files of a command line, before they are damaged.
local function contents(fixture, other)
  return { IMAGE = fixture.image, OLDIMAGE = fixture.image, LIBRARY = other.image, PROFILE = fixture.profile_bytes,
    OLD = fixture.profile_bytes, JSON = fixture.json }
end

-- Writes the files of a run. Returns a description of the damage.
local function write_files(line, fixture, other, dir)
  local files, names, done = contents(fixture, other), { "IMAGE", "PROFILE" }, {}
  for _, name in ipairs { "OLDIMAGE", "LIBRARY", "OLD", "JSON" } do
    if line:find("{" .. name .. "}", 1, true) then names[#names + 1] = name end
  end
  for _ = 1, math.random(2) do
    local name = pick(names)
    local what
    files[name], what = ways[name](files[name])
    done[#done + 1] = name .. ": " .. what
  end
  for _, name in ipairs(names) do shell.write(dir .. "/" .. name, files[name]) end
  return table.concat(done, "; ")
end

local function words_of(line, fixture, dir)
  local words, others = {}, { dir .. "/IMAGE", dir .. "/PROFILE" }
  for word in line:gmatch "%S+" do
    local list = word:find "^-" and words or others
    list[#list + 1] = word:gsub("{(%u+)}", function(name)
      return name == "SOURCES" and fixture.dir or dir .. "/" .. name
    end)
  end
  return table.move(others, 1, #others, #words + 1, words)
end

--- Makes the files.
-- @tparam string dir output directory
-- @tparam function run runs the program with words
-- @tparam[opt] integer most number of fixtures
-- @treturn function takes the directory of a run; returns words, the damage, and the line that the words are from
function any_files.load(dir, run, most)
  local all = fixtures.make(dir, most)
  for _, fixture in ipairs(all) do
    fixture.profile_bytes = shell.read(fixture.profile)
    local made = run("--export=json:" .. dir .. "/json", fixture.dir .. "/image", fixture.profile)
    fixture.json = made and shell.read(dir .. "/json") or "{}"
  end
  return function(where)
    local fixture, other, line = pick(all), pick(all), pick(lines)
    local damaged = write_files(line, fixture, other, where)
    return words_of(line, fixture, where), damaged, line
  end
end

return any_files
