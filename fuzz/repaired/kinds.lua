-- The kinds of files that are changed as trees: for each kind, the files, how they belong together, and command lines.
-- All are of one small program, whose code is at fixed addresses.
-- SPDX-License-Identifier: GPL-3.0-or-later

local archives = require "fuzz.repaired.archives"
local build = require "support.build"
local contexts = require "support.contexts"
local debugging = require "fuzz.repaired.debugging"
local gmon = require "support.gmon"
local json_trees = require "fuzz.repaired.json_trees"
local nodes = require "fuzz.repaired.nodes"
local profiles = require "fuzz.repaired.profiles"
local script_functions = require "gprof.scripts.script_functions"
local shell = require "support.shell"
local tar = require "support.tar"

local kinds = {}

--- Returns the words of a command line.
-- @tparam string line with "{NAME}" for the path of a file, and "{SOURCES}"
-- @tparam string dir directory of the files
-- @tparam[opt] string sources directory of the sources
-- @treturn {string,...}
function kinds.words(line, dir, sources)
  local words = {}
  for word in line:gmatch "%S+" do
    words[#words + 1] = word:gsub("{([%w.]+)}", function(name)
      return name == "SOURCES" and sources or dir .. "/" .. name
    end)
  end
  return words
end

local SOURCE <const> = [[
static volatile int sink;
static inline int deep(int x) { sink += x; return 2 * x; }
static inline int middle(int x) { return x > 3 ? deep(x) : deep(x + 1); }
__attribute__((noipa)) int leaf(int x) { return x > 5 ? middle(x) : middle(2 * x); }
__attribute__((noipa)) int work(int x) { return leaf(x) + leaf(x + 1); }
__attribute__((noipa)) int ping(int x);
__attribute__((noipa)) int pong(int x) { return x ? ping(x - 1) : leaf(x); }
__attribute__((noipa)) int ping(int x) { return x ? pong(x - 1) : work(x); }
int main(void) { return work(2) + ping(3); }
]]

local COMPILE <const> = "%s -ffile-prefix-map=$PWD=. -gdwarf-5 -O2 %s -c program.c -o program.o && " ..
  "gcc -nostdlib -static -Wl,-Ttext=0x1000,-e,main,--build-id=%s -o program program.o"

-- Compiles the program in a new directory below `dir`. Returns the directory; nil if the compiler cannot.
local function compile(dir, name, compiler, flags)
  local own = dir .. "/" .. name
  shell.check { "mkdir", "-p", own }
  shell.write(own .. "/program.c", SOURCE)
  local line = COMPILE:format(compiler, flags or "", "0x0102030405060708")
  return shell.run({ "sh", "-c", line }, { cwd = own }).status == 0 and own or nil
end

-- Profiles ------------------------------------------------------------------------------------------------------------

-- The address of a library, and that of callers outside of the program in gmon.out.
local LIBRARY <const>, OUTSIDE <const> = 0x7f0000000000, -1

-- Returns a function from names to addresses in the code of functions; and the range of the code.
local function addresses_in(image)
  local by_name = build.symbols(image).by_name
  local low, size = build.section(image, ".text")
  return function(name) return by_name[name][1] end, low & ~3, (low + size + 3) & ~3
end

-- Returns the profile of run `i`: gmon.out, and the context profile beside it.
local function run_of(image, i)
  local at, low, high = addresses_in(image)
  local written, bins, arcs = (1 << 60) + i, { n = (high - low) // 4 }, {}
  local paths = { { context = 0, from = LIBRARY + 16, self = at "main" + 4, count = 1 },
    { context = 3, from = at "main" + 8, self = at "work" + 4, count = i },
    { context = 4, from = at "work" + 6, self = at "leaf" + 4, count = 7 },
    { context = 5, from = at "leaf" + 5, count = 10 + i }, { context = 4, from = at "work" + 2, count = 3 },
    { context = 3, from = at "main" + 12, self = at "ping" + 4, count = 2 },
    { context = 8, from = at "ping" + 6, self = at "pong" + 4, count = 4 },
    { context = 9, entered = 8, from = at "pong" + 6, self = at "ping" + 4, count = 3 },
    { context = 9, from = at "pong" + 4, count = 5 }, { context = 3, from = LIBRARY + 32, count = 6 } }
  local handler = { handlers = 1, name = "thread",
    { context = 0, from = LIBRARY + 8, self = at "leaf" + 4, count = 1 } }
  local second = { name = "other", signals = 3, cpu = 3000000, { context = 1, from = at "leaf" + 8, count = 1 } }
  for _, records in ipairs { paths, handler, second } do
    for _, record in ipairs(records) do
      if record.self then
        arcs[#arcs + 1] = { kind = "arc", from = record.from < LIBRARY and record.from or OUTSIDE, self = record.self,
          count = record.count }
      elseif record.from < LIBRARY then
        bins[(record.from - low) // 4 + 1] = record.count
      end
    end
  end
  local histogram = { kind = "histogram", low = low, high = high, bins = bins, rate = 1000 }
  return gmon.magic { spare = ("<I4I8"):pack(0, written), records = { histogram, table.unpack(arcs) } },
    contexts.pack { process = { low = low, high = high, finish = written, begin = i, id = i },
      modules = { { low = low, high = high, build_id = "\1\2\3\4\5\6\7\8", path = "program" },
        { low = LIBRARY, high = LIBRARY + 0x1000, bias = LIBRARY, path = "/lib/libx.so", build_id = "x" } },
      tables = { paths, handler, second } }
end

-- Returns the profile of run `i` of a Lua program.
local function script_run(i)
  local list, lines, high = { { source = "=stdin", first = 0, last = 0, signature = 1, rank = 2, name = "",
    lines = { 0, 4 } }, { source = "@program.c", first = 2, last = 2, signature = 2, rank = 1, name = "deep",
    lines = { 2 } }, { source = "@program.c", first = 4, last = 6, signature = 512 * i, rank = 1, name = "leaf",
    lines = { 4, 5, 6 } }, { source = "[C]math.abs", first = 0, last = 0, signature = 1, rank = 1, name = "math.abs",
    lines = { 0 } } }, {}, script_functions.LOW
  script_functions.sort(list)
  for number, f in ipairs(list) do
    f.low, high = high, high + 4 * #f.lines
    lines[number] = ("<I4I8"):pack((f.low - script_functions.LOW) // 4, 10 * number + i)
  end
  local process = { low = script_functions.LOW, high = high, finish = (1 << 60) + i, begin = i, id = i }
  local paths = { name = "Lua", { context = 0, from = 0, self = list[2].low, count = 1 },
    { context = 3, from = list[2].low + 6, self = list[4].low, count = 2 + i },
    { context = 4, from = list[4].low + 6, self = list[3].low, count = 9 },
    { context = 5, from = list[3].low, count = 4 }, { context = 4, from = list[4].low + 4, count = 2 } }
  local sections = contexts.sections { process = process, tables = { paths },
    modules = { { low = script_functions.LOW, high = high, path = "" } } }
  table.insert(sections, 1, { 5, script_functions.encode(list) })
  table.insert(sections, 4, { 6, table.concat(lines) })
  return contexts.pack { sections = sections }
end

-- Kinds ---------------------------------------------------------------------------------------------------------------

-- Each kind is made by a function of a directory; of a function that runs the program; and of the directory in which
-- the runs are made. It returns:
--
-- - `files`, the bytes of each;
-- - `readers`, functions from bytes to trees, of the files that are changed or corrected;
-- - `link`, a function that corrects what one file says of another;
-- - `kept`, a set of the files that are only corrected;
-- - `lines`, words of command lines, with "{NAME}" for the path of a file.
local makers = {}

local function reader(read)
  return function(bytes) return nodes.read(read, bytes) end
end

function makers.contexts(dir)
  local image = compile(dir, "contexts", "gcc") .. "/program"
  local files = { IMAGE = shell.read(image) }
  files.RUN, files["RUN.ctx"] = run_of(image, 1)
  files.SECOND, files["SECOND.ctx"] = run_of(image, 2)
  return { files = files, readers = { RUN = reader(profiles.gmon), ["RUN.ctx"] = reader(profiles.contexts),
      SECOND = reader(profiles.gmon), ["SECOND.ctx"] = reader(profiles.contexts) },
    link = function(trees)
      profiles.stamp(trees.RUN, trees["RUN.ctx"])
      profiles.stamp(trees.SECOND, trees["SECOND.ctx"])
    end, kept = { RUN = true, SECOND = true },
    lines = { "-p {IMAGE} {RUN}", "-q {IMAGE} {RUN}", "--tree {IMAGE} {RUN}", "--threads {IMAGE} {RUN}",
      "--objects {IMAGE} {RUN}", "-p --thread=other {IMAGE} {RUN}", "-l -p {IMAGE} {RUN}", "--lines {IMAGE} {RUN}",
      "--inlines -q {IMAGE} {RUN}", "-i {IMAGE} {RUN}", "--verify {IMAGE} {RUN}", "-q {IMAGE} {RUN.ctx}",
      "-b {IMAGE} {RUN} {SECOND}", "-s --sum-file={OUT} {IMAGE} {RUN} {SECOND}",
      "-s --sum-file={OUT} {IMAGE} {SECOND} {RUN}", "-s --keep-going --sum-file={OUT} {IMAGE} {RUN} {SECOND}",
      "--html={OUT} {IMAGE} {RUN}", "--export=folded:{OUT} {IMAGE} {RUN}", "--export=json:{OUT} {IMAGE} {RUN.ctx}",
      "--export=speedscope:{OUT} --thread=* {IMAGE} {RUN}", "--export=callgrind:{OUT} -l {IMAGE} {RUN}",
      "--export=pprof:{OUT} --inlines {IMAGE} {RUN}", "--compare={SECOND} {IMAGE} {RUN}",
      "-p --no-libraries {IMAGE} {RUN}", "-q --assume-proportional {IMAGE} {RUN}" } }
end

function makers.scripts(dir)
  shell.check { "mkdir", "-p", dir .. "/scripts" }
  shell.write(dir .. "/scripts/program.c", SOURCE)
  return { files = { RUN = script_run(1), SECOND = script_run(2) },
    readers = { RUN = reader(profiles.contexts), SECOND = reader(profiles.contexts) },
    link = function() end,
    lines = { "-p {RUN}", "-q {RUN}", "--tree {RUN}", "-l -p {RUN}", "--lines {RUN}", "-A -I{SOURCES} {RUN}",
      "-i {RUN}", "-C {RUN}", "-b {RUN} {SECOND}", "-s --sum-file={OUT} {RUN} {SECOND}",
      "-s --sum-file={OUT} {SECOND} {RUN}", "--html={OUT} -I{SOURCES} {RUN}", "--export=folded:{OUT} {RUN}",
      "--export=lcov:{OUT} -I{SOURCES} {RUN}", "--export=json:{OUT} -l {RUN}", "--compare={SECOND} {RUN}",
      "-pleaf -z {RUN}", "--export=cpuprofile:{OUT} {RUN}", "--verify {RUN}", "-r {RUN}", "--threads {RUN}" } }
end

-- Makes a sum of two runs, with its context profile and its spread.
local function sum_of(image, run)
  local dir = image:match "^.*/"
  for i = 1, 3 do
    local plain, paths = run_of(image, i)
    shell.write(dir .. "run" .. i, plain)
    shell.write(dir .. "run" .. i .. ".ctx", paths)
  end
  run("--spread", "--sum-file=" .. dir .. "sum", image, dir .. "run1", dir .. "run2", dir .. "run3")
  return shell.read(dir .. "sum"), shell.read(dir .. "sum.ctx"), shell.read(dir .. "sum.spread")
end

function makers.spreads(dir, run)
  local image = compile(dir, "spreads", "gcc") .. "/program"
  local files = { IMAGE = shell.read(image) }
  files.SUM, files["SUM.ctx"], files["SUM.spread"] = sum_of(image, run)
  files.RUN, files["RUN.ctx"] = run_of(image, 5)
  return { files = files, readers = { SUM = reader(profiles.gmon), ["SUM.ctx"] = reader(profiles.contexts),
      ["SUM.spread"] = reader(profiles.spread) },
    link = function(trees) profiles.stamp(trees.SUM, trees["SUM.ctx"], trees["SUM.spread"]) end, kept = { SUM = true },
    lines = { "--spread {IMAGE} {SUM}", "--spread --sort=calls {IMAGE} {SUM} {RUN}", "--spread -p {IMAGE} {RUN} {SUM}",
      "-s --spread --sum-file={OUT} {IMAGE} {SUM} {RUN}", "-s --spread --sum-file={OUT} {IMAGE} {RUN} {SUM}",
      "-s --spread --keep-going --sum-file={OUT} {IMAGE} {SUM} {SUM}", "-q {IMAGE} {SUM}",
      "--spread --export=json:{OUT} {IMAGE} {SUM}", "--spread --export=csv:{OUT} {IMAGE} {SUM}",
      "--spread --html={OUT} {IMAGE} {SUM}", "-i {IMAGE} {SUM}",
      "-s --sum-file={SUM} --spread {IMAGE} {SUM} {RUN}", "--spread --assume-proportional {IMAGE} {SUM}" } }
end

function makers.archives(dir)
  local image = compile(dir, "archives", "gcc") .. "/program"
  local members, names = {}, { "runs/one", ("long/"):rep(30) .. "two", "runs/three" }
  for i, name in ipairs(names) do
    local plain, paths = run_of(image, i)
    local list = { { name, plain }, { name .. ".ctx", paths } }
    for _, member in ipairs { list[i == 3 and 2 or 1], list[i == 3 and 1 or 2] } do
      if #member[1] > 100 then members[#members + 1] = tar.pax { { "path", member[1] }, { "comment", "x" } } end
      members[#members + 1] = tar.entry { name = member[1], content = member[2] }
    end
  end
  local plain_members = table.concat(members) .. tar.END
  members[#members + 1] = tar.long_name "runs/four"
  members[#members + 1] = tar.entry { name = "f", magic = "gnu", content = (run_of(image, 4)) }
  members[#members + 1] = tar.entry { name = "directory/", type = "5" }
  members[#members + 1] = tar.entry { name = "program", content = shell.read(image):sub(1, 600) }
  return { files = { IMAGE = shell.read(image), TAR = table.concat(members) .. tar.END, PLAIN = plain_members },
    readers = { TAR = reader(archives.read), PLAIN = reader(archives.read) },
    link = function(trees)
      archives.link(trees.TAR)
      archives.link(trees.PLAIN)
    end,
    lines = { "-s --sum-file={OUT} {IMAGE} --profiles-from=tar:{TAR}", "-p {IMAGE} --profiles-from=tar:{TAR}",
      "-q {IMAGE} --profiles-from=tar:{TAR}", "-i {IMAGE} --profiles-from=tar:{TAR}",
      "-s --spread --sum-file={OUT} {IMAGE} --profiles-from=tar:{TAR}",
      "-s --skip-duplicates --sum-file={OUT} {IMAGE} --profiles-from=tar:{TAR}",
      "-s --keep-going --sum-file={OUT} {IMAGE} --profiles-from=tar:{TAR}",
      "--by-build --sum-file={OUT}.%b {IMAGE} --profiles-from=tar:{PLAIN}", "--tree {IMAGE} --profiles-from=tar:{TAR}",
      "-s --sum-file={OUT} {IMAGE} --profiles-from=tar:{PLAIN}",
      "-s --checkpoint={CHECKPOINT} --checkpoint-every=1 --sum-file={OUT} {IMAGE} --profiles-from=tar:{TAR}" } }
end

function makers.split(dir)
  local files, readers, lines = {}, {}, {}
  local own = compile(dir, "split", "gcc", "-gsplit-dwarf")
  local package = compile(dir, "package", "clang", "-gsplit-dwarf") or compile(dir, "package", "gcc", "-gsplit-dwarf")
  -- binutils' dwp crashes on DWARF 5; without LLVM's, there is no package
  local is_packed = shell.run({ "llvm-dwp", "-e", "program", "-o", "program.dwp" }, { cwd = package }).status == 0
  files.SINGLE, files["program.dwo"] = shell.read(own .. "/program"), shell.read(own .. "/program.dwo")
  files.RUN, files["RUN.ctx"] = run_of(own .. "/program", 1)
  if is_packed then
    files.PACKED, files["PACKED.dwp"] = shell.read(package .. "/program"), shell.read(package .. "/program.dwp")
    files.OTHER, files["OTHER.ctx"] = run_of(package .. "/program", 1)
  end
  for _, name in ipairs { "SINGLE", "program.dwo", "PACKED", "PACKED.dwp" } do
    if files[name] then readers[name] = debugging.read end
  end
  for _, line in ipairs { "--inlines -q {IMAGE} {RUN}", "--inlines -p {IMAGE} {RUN}", "--inlines --tree {IMAGE} {RUN}",
    "-l -p {IMAGE} {RUN}", "-l -q {IMAGE} {RUN}", "--lines {IMAGE} {RUN}", "-A -I{SOURCES} {IMAGE} {RUN}",
    "--inlines --export=pprof:{OUT} {IMAGE} {RUN}", "--html={OUT} {IMAGE} {RUN}", "-q {IMAGE} {RUN}",
    "--inlines --assume-proportional -q {IMAGE} {RUN}", "--export=callgrind:{OUT} -l {IMAGE} {RUN}" } do
    lines[#lines + 1] = line:gsub("IMAGE", "SINGLE")
    if is_packed then lines[#lines + 1] = line:gsub("IMAGE", "PACKED"):gsub("{RUN}", "{OTHER}") end
  end
  return { files = files, readers = readers, lines = lines, link = function(trees)
    debugging.link(trees.SINGLE, trees["program.dwo"])
    if is_packed then debugging.link(trees.PACKED, trees["PACKED.dwp"]) end
  end }
end

function makers.baselines(dir, run)
  local own = compile(dir, "baselines", "gcc")
  local image, files = own .. "/program", {}
  sum_of(image, run)
  files.IMAGE, files.RUN, files["RUN.ctx"] = shell.read(image), run_of(image, 3)
  run("--baseline=" .. own .. "/base", "--update-baseline", image, own .. "/run1", own .. "/run2", own .. "/run3")
  run("--export=json:" .. own .. "/json", image, own .. "/run1")
  files.BASE, files.JSON = shell.read(own .. "/base"), shell.read(own .. "/json")
  return { files = files, readers = { BASE = json_trees.lines, JSON = json_trees.read },
    link = function(trees) json_trees.link(trees.BASE) end,
    lines = { "--baseline={BASE} {IMAGE} {RUN}", "--baseline={BASE} --fail-on=calls:1% {IMAGE} {RUN}",
      "--baseline={BASE} --fail-on=self:5%@leaf {IMAGE} {RUN} {RUN}", "--baseline={BASE} --force {IMAGE} {RUN}",
      "--baseline={BASE} --update-baseline {IMAGE} {RUN}",
      "--baseline={BASE} --fail-on=1% --export=sarif:{OUT} {IMAGE} {RUN}",
      "--baseline={BASE} --export=markdown:{OUT} {IMAGE} {RUN}", "--baseline={BASE} --html={OUT} {IMAGE} {RUN}",
      "--baseline={BASE} --fail-on=5% --export=junit:{OUT} {IMAGE} {RUN}",
      "--baseline={BASE} --export=json:{OUT} {IMAGE} {RUN}", "--compare={JSON} {IMAGE} {RUN}",
      "--compare={JSON} --force {IMAGE} {RUN}", "--compare={JSON},{BASE} {IMAGE} {RUN}",
      "--compare={JSON} --html={OUT} {IMAGE} {RUN}", "--compare={JSON} --fail-on=calls:0 {IMAGE} {RUN}" } }
end

-- Sums that end at a bad profile leave their checkpoint. They go on only with the same names, so they are made where
-- the runs are.
function makers.checkpoints(dir, run, where)
  local image, files, archive = compile(dir, "checkpoints", "gcc") .. "/program", {}, {}
  for i = 1, 3 do
    local plain, paths = run_of(image, i)
    files["RUN" .. i], files["RUN" .. i .. ".ctx"] = plain, paths
    archive[2 * i - 1], archive[2 * i] = { "run" .. i, plain }, { "run" .. i .. ".ctx", paths }
  end
  files.IMAGE, files.TAR = shell.read(image), tar.archive(archive)
  archive[7] = { "run4", "gmon\1" }
  for name, bytes in pairs(files) do shell.write(where .. "/" .. name, bytes) end
  shell.write(where .. "/RUN3", "")
  shell.write(where .. "/TAR", tar.archive(archive))
  local readers, lines = {}, {}
  for i, profiles_of in ipairs { "{RUN1} {RUN2} {RUN3}", "--spread {RUN1} {RUN2} {RUN3}",
    "--spread --skip-duplicates --profiles-from=tar:{TAR}" } do
    local name = "CHECKPOINT" .. i
    lines[i] = ("-s --sum-file={OUT} --checkpoint={%s} --checkpoint-every=2 {IMAGE} %s"):format(name, profiles_of)
    run(table.unpack(kinds.words(lines[i], where)))
    files[name], readers[name] = shell.read(where .. "/" .. name), reader(archives.read)
  end
  return { files = files, readers = readers, lines = lines,
    link = function(trees)
      for _, tree in pairs(trees) do archives.link(tree) end
    end }
end

--- The names of the kinds.
kinds.names = { "contexts", "scripts", "spreads", "archives", "split", "baselines", "checkpoints" }

--- Makes the files of a kind.
-- @tparam string name
-- @tparam string dir output directory
-- @tparam function run runs the program with words
-- @tparam string where directory in which runs are made
-- @treturn table as above; and `sources`, a directory
function kinds.make(name, dir, run, where)
  local kind = makers[name](dir, run, where)
  kind.sources, kind.kept = dir .. "/" .. name, kind.kept or {}
  return kind
end

return kinds
