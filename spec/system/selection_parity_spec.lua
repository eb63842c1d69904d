-- With --gnu-compat, reports with symspecs, execution counts and symbol files equal GNU gprof's byte for byte.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local chance = require "support.chance"
local gmon = require "support.gmon"
local oracle = require "support.oracle"
local parity = require "support.parity"
local program = require "support.program"
local shell = require "support.shell"
local symspecs = require "support.symspecs"

if not parity.possible(pending) then return end

local check <const> = parity.check

-- Programs ----------------------------------------------------------------------------------

-- For each program, one command line per line; '' is an empty argument. Words in capitals stand for files: NM and
-- NM_GLOBAL are lists of symbols, OPTIONS a file of options. Without IMAGE, the image and its profile are added at the
-- end.
local command_lines <const> = {
  { "calls", [[
    -pstep
    -pcalls.c
    -pcalls_far.c
    -pcalls.c:step
    -pcalls_far.c:step -z
    -pcalls.c:step -pcalls_far.c:step
    -pcalls.h
    -pspin.h
    -pno_such_function
    -pno_such_file.c
    -pno_such_file.c:step
    -pcalls.c:no_such_function
    -pcalls.c:factorial
    -pcalls.c:far_step
    -p:step
    -pcalls.c:
    -p:
    -p.
    -p/
    -p/step
    -pstep/
    -pstep/main
    -p::step
    -pcalls.c::step
    -p12
    -p:12
    -p:0
    -pcalls.c:12
    -pcalls.c:99999999999999999999
    -pcalls.c:-1
    -Pcalls.c:0
    -P:0
    -P:4294967313
    -Pcalls.c:4294967313
    -Pcalls.c:4294967296
    -P:4294967296
    -Pcalls.c:2147483648
    -P:99999999999999999999
    -P:17x
    -Pcalls.c:00017
    -P17
    -kcalls.c:0/
    -k:0/:23
    -p+1
    -p_mcount
    -p__fentry__
    -pmain -pmain
    -pmain -pstep -ptwice -pvisit -plight
    -Pmain
    -Pstep -z
    -Pmain -p
    -p -Pmain
    -p -P
    -P -pmain
    -pmain -P
    -pmain -Pmain
    -pmain -Pstep
    -Pno_such_function
    -P.
    -P/
    -Pcalls.c
    -Pcalls_far.c:step -Pcalls.c
    -P_start -z
    -P_init -z
    -qmain
    -qstep
    -qfactorial
    -qno_such_function
    -qcalls.c
    -qcalls_far.c
    -qcalls.c:step
    -q:step
    -qheavy -z
    -qmain/heavy
    -qmain/
    -q/step
    -q/
    -qmain/step
    -qmain/step -qmain/heavy
    -qmain/twice -qmain/heavy
    -qmain/heavy -qmain/heavy
    -qheavy/step -qlight/
    -qcalls.c/calls_far.c
    -qcalls_far.c/calls.c
    -qcalls.c:main/calls_far.c:far_each
    -qmain/no_such_function
    -qno_such_function/main
    -qno_such_function/
    -qmain/heavy/light
    -qfactorial/factorial
    -Qmain
    -Qstep
    -Qfactorial/factorial
    -Qmain/
    -Q/step
    -Qmain/heavy
    -Qmain/heavy -Qmain/light
    -Qmain/no_such_function
    -Qno_such_function
    -Qcalls_far.c
    -Qcalls.c/calls.c
    -Q/
    -q -Qmain
    -qmain -Qstep
    -qmain -Qmain
    -qheavy -Qmain -z
    -qmain/heavy -Qmain/
    -qmain -Qmain/heavy
    -qmain/heavy -qmain
    -q -Q
    -Q -qmain
    -qmain -Q
    -kmain/heavy
    -k main/heavy
    -k main/
    -k /step
    -k /
    -k main
    -k no/such
    -k main/heavy -k main/light -k heavy/step
    -k main/heavy -z
    -k main/heavy -qmain
    -k main/heavy -qmain/
    -k calls.c/calls_far.c -p
    -k factorial/factorial
    -nmain
    -n main
    -n step
    -n step -n twice
    -n step -n twice -n factorial -n main
    -n no_such_function
    -n calls_far.c
    -n :12
    -n ''
    -n :
    -n ::
    -N main
    -N step
    -N step -N twice
    -N no_such_function
    -N calls.c
    -N ''
    -n heavy -N step
    -n main -N main
    -e main
    -e step
    -e heavy -e light
    -E main
    -E step
    -E heavy -E light
    -f main
    -f heavy
    -f heavy -f light
    -F heavy
    -F main
    -F heavy -E step
    -F main -e heavy
    -f heavy -e step
    -f step -E step
    -f heavy -N step
    -e heavy -n heavy
    -F no_such_function
    -E no_such_function
    -F step -p
    -E step -p
    -N main -p
    -n heavy -T
    -E step -T -z
    -f heavy -T -p -q
    -F heavy -T
    -pstep -T
    -Pstep -T
    -qheavy -T
    -kmain/heavy -T -z
    -C
    -C -z
    -Cstep
    -Cmain -z
    -Ccalls.c
    -Ccalls_far.c -z
    -Cstep -Cmain
    -Cno_such_function
    -C:12
    -C -T
    -C -L
    -C -p
    -C -q -p
    -C -p -P
    -C -i
    -C -a
    -C -a -z
    -C -D -z
    -C -Z
    -Z
    -Z -p
    -Z -C
    -Zstep
    -Zstep -z
    -Zcalls.c
    -Zno_such_function
    -Cstep -Zstep
    -Cmain -Zstep
    -C -Zstep
    -C -m 5
    -C -m 0
    -C -m 5 -z
    -C -m x
    -C -m -5
    -Cstep -pmain -qheavy
    -C -k main/heavy
    -C -Pstep -Qmain -n heavy
    -C --no-demangle
    -C --inline-file-names
    -a
    -a -pstep
    -a -qstep
    -a -kmain/heavy
    -a -n main
    -a -z -T
    -a -C -z
    -a -Pmain -z
    -az -Qmain -T
    -z -pstep
    -z -qstep
    -z -Cstep
    -z -Pstep -Qstep
    -S NM
    -S NM -p
    -S NM -q
    -S NM -z
    -S NM -C
    -S NM -C -z
    -S NM -a
    -S NM -a -z
    -S NM -D -z
    -S NM -pstep
    -S NM -pcalls.c
    -S NM -p:12
    -S NM -qmain -Qstep
    -S NM -k main/heavy
    -S NM -n heavy
    -S NM_GLOBAL
    -S NM_GLOBAL -z
    -S NM_GLOBAL -C
    -S NM -S NM_GLOBAL
    --external-symbol-table=NM -T
    --ext NM --no-d
    IMAGE gmon.out -pstep
    IMAGE -pstep gmon.out -Pmain
    IMAGE gmon.out --graph=heavy
    IMAGE -n heavy gmon.out --
    IMAGE - -pstep
    IMAGE - -qheavy -Cstep
    IMAGE FIVE -pstep
    IMAGE FIVE -qmain/heavy
    IMAGE FIVE -k main/heavy -n heavy
    IMAGE FIVE -C
    IMAGE FIVE -S NM -z
    IMAGE gmon.out gmon.out -C -Zstep
    IMAGE EMPTY -pstep
    IMAGE EMPTY -C
    IMAGE EMPTY
    IMAGE EMPTY -z -Z
    IMAGE EMPTY -z
    IMAGE EMPTY -z -a
    -p: -z
    -P: -z
    -pdata_start -z
    -Pdata_start -z
    -petext -pdata_start -z
    -p_fini -petext -z
    -p_fini -z
    -ndata_start
    -n _fini -n '' -z
    -k/ -z
    -kdata_start/ -z
    -q/data_start
    IMAGE EMPTY -C -z
    IMAGE EMPTY -Zmain
    IMAGE EMPTY -n main
    IMAGE ARCS -n heavy
    IMAGE ARCS -qheavy
    IMAGE ARCS -Cstep
    IMAGE ARCS -kmain/heavy
    IMAGE ARCS -pmain
    IMAGE BINS -pmain
    IMAGE BINS -Pmain
    IMAGE BINS -C
    IMAGE BINS -C -z
    IMAGE BINS -n main
    IMAGE BINS -qmain
    @OPTIONS
    @OPTIONS -pmain
    --no-t=main
    --no-time=step --time=heavy
    --time heavy
    --no-time step
    --ti=heavy
    --tim=heavy -p
    --exec-c=calls.c:
    --exec-counts
    --exec-counts=step
    --exec-counts step
    --no-e=step
    --no-exec-counts
    --no-exec-counts=main -z
    --flat-profile=step
    --flat=step
    --fl
    --no-fl=step
    --no-flat-profile=main
    --graph=heavy
    --gr=heavy/step
    --no-g=heavy
    --no-graph=main/heavy
    --no-graph
    --min-count=3 -C
    --min 3 -C
    --no-s -pmain
    -pstep -qheavy -Cmain -kmain/light -nheavy -N twice
    -pstep --flat-profile --no-flat-profile
    --no-flat-profile=step -P -p
    -bpmain
    -bzqheavy
    -zpmain
    -p= -z
    -p=main
    -pmain,step
    -p*
    -pMAIN
    -pstep.
    -p.step
    -p:.step
    -p.:step
    -pcalls.c.
    -p../calls.c
    -p./calls.c
    -p./calls.c:step
    -pcalls.c/
  ]] },
  { "twins", [[
    -pwork
    -pcommon.c
    -pleft/common.c
    -pright/common.c
    -pcommon.c:work
    -pleft/common.c:work
    -ptwins.c:work
    -pcommon.c:helper
    -Pcommon.c
    -Ptwins.c:
    -qcommon.c
    -qwork
    -qtwins.c/common.c
    -qcommon.c/common.c
    -qwork/helper
    -qleft_run/work
    -qleft_run/work -qright_run/work
    -qtwins.c:main/common.c:
    -Qwork
    -Qcommon.c:work
    -kwork/helper
    -k left_run/work -k main/work
    -k common.c:/helper
    -k main/common.c
    -n common.c
    -n common.c:work
    -n work -N common.c
    -N twins.c:work
    -F right_run -E work
    -e work
    -C
    -C -z
    -Ccommon.c
    -Ctwins.c:
    -Zcommon.c -z
    -Zwork
    -C:13
    -C -L
    --exec-c=twins.c:
    --no-t=main
    --no-t=work -T
    -S NM
    -S NM -pwork
    -S NM -C
    -a
    -a -z -T
    -a -C -z
    -pcommon.c:8
    -pcommon.c:14
    -p:14
    -p:14 -p:8
    -pcommon.c -z
    -pspin.h:work
    -p::work
  ]] },
  { "twins+nodebug", [[
    -pwork
    -pcommon.c
    -ptwins.c:work
    -p:14
    -C
    -C -z
    -Cwork
    -qleft_run/work
    -k work/helper
    -n work
    -S NM -C -z
  ]] },
  { "cycles", [[
    -pvisitor
    -qvisitor
    -qoutside
    -qcountdown/countdown
    -qmain/
    -Qmain
    -Qvisitor -z
    -Qcountdown
    -Qcycles.c
    -qcycles.c
    -kmain/visitor
    -k main/outside
    -k countdown/countdown
    -k odd/even
    -k even/odd
    -k odd/
    -k /odd
    -k odd/even -k even/odd
    -n odd
    -n even -n odd
    -n countdown
    -n outside
    -n visitor -n outside
    -N odd
    -N visitor
    -N even -T
    -e odd
    -E odd
    -E odd -E even
    -f odd
    -F odd
    -F odd -T
    -F even -p
    -F outside -E odd
    -f odd -e even
    -F odd -e odd
    -E countdown -p -z
    -n countdown -N odd
    -C
    -Codd
    -Zodd
    -S NM
    -S NM -F odd
    -a -F odd
    -k odd/even -z -T
  ]] },
  { "shapes", [[
    -pmain
    -pmeasure
    -p_Z7measurej
    -pmeasure(unsigned)
    -pshapes.cc
    -pshapes_more.cc
    -pshapes.h
    -pshapes.cc:main
    -pshapes.cc:_Z7measurej
    -pgeometry::Shape
    -qmain
    -qshapes.h
    -qshapes.cc/shapes.h
    -q_Z7measurej
    -q_Z7measurej/
    -q/_Z7measurej
    -Qshapes.h -z
    -Qshapes.h/
    -k main/shapes.h
    -k shapes.cc/shapes_more.cc
    -n shapes.h
    -n _Z7measurej
    -N shapes.h
    -F _Z7measurej
    -E _Z7measurej
    -C
    -C -z
    -C --no-demangle
    -C --demangle
    -Cshapes.h
    -Zshapes.h
    -C -T
    -S NM
    -S NM -C -z
    -S NM --no-demangle
    -S NM -p_Z7measurej
    -pmain -T
    -qshapes.h -T
    -pshapes.h --no-demangle
    -pshapes.h -a
    -a -C
  ]] },
  { "clones", [[
    -pwork
    -padd_pair
    -padd_pair.isra.0
    -p:add_pair.isra.0
    -pwork.isra.0
    -pcheck.part.0
    -pclones.c
    -pclones_more.c
    -pclones.c:audit
    -qaudit
    -qclones.c
    -qclones.c/clones_more.c
    -Qaudit -z
    -kfirst_round/
    -k /complain
    -k first_round/complain
    -n first_round
    -N complain
    -n clones_more.c
    -F second_round
    -C
    -C -z
    -Cclones.c
    -S NM
    -S NM -C
    -S NM -pwork
    -S NM -p:work.isra.0
    -S NM -z -T
    -a
    -a -C -z
  ]] },
  { "labels", [[
    -pmain
    -plabels.s
    -plabels_main.c
    -qlabels.s
    -qmain/
    -Qlabels.s -z
    -k main/labels.s
    -n labels.s
    -N labels.s
    -C
    -C -z
    -C -D -z
    -D -plabels.s
    -a -C -z
    -S NM
    -S NM -z
    -S NM -D -z
    -S NM -C -z
    -S NM -a
  ]] },
  { "aliases", [[
    -pbase
    -p_one
    -pone
    -p_alone
    -palone
    -qbase
    -qmain/base
    -kmain/_one
    -n base
    -N _one -N base
    -C
    -C -z
    -Caliases.c
    -S NM
    -S NM -z
    -S NM -C
    -S NM_GLOBAL -z
  ]] },
  { "waves", [[
    -pMAIN__
    -pwaves.f90
    -qwaves.f90/sea.f90
    -Qsea.f90
    -n sea.f90
    -C
    -C -z
    -Csea.f90
    -k waves.f90/
    -S NM -z
    -a -C -z
  ]] },
  { "lines", [[
    -pmain
    -plines.c
    -plines.h
    -qlines.c
    -Qlines.h
    -C
    -C -z
    -Clines.c
    -Zlines.c
    -p:10
    -C -L -T
    -S NM
  ]] },
  { "crowd", [[
    -pcrowd.c
    -pmain
    -qmain
    -qmain/
    -Qmain
    -k main/
    -n main
    -N main
    -F main
    -E main -z
    -C
    -C -z
    -Cmain
    -Zmain
    -S NM
    -S NM -C -z
    -a
    -a -q -z
    -a -z -T
  ]] },
  { "halves", [[
    -pleaf
    -qleaf
    -Qdirect
    -k direct/leaf
    -k /leaf
    -n leaf
    -N plain_work
    -F plain_work
    -f plain_inner
    -E plain_inner -z
    -C
    -C -z
    -S NM
    -S NM_GLOBAL -C -z
  ]] },
  { "hum", [[
    -pmain
    -Pmain
    -qmain
    -C
    -C -z
    -n main
    -S NM
  ]] },
  { "brief", [[
    -pleaf
    -Pleaf
    -Qbranch
    -qbranch
    -n leaf
    -F branch
    -C
    -Cleaf
    -Zleaf -z
    -k branch/leaf
    -S NM
  ]] },
}

-- Writes the records of one kind in a program's profile to a file. There may be none.
local function only(built, kind, path)
  return gmon.write(path, gmon.magic { records = gmon.select(gmon.parse(shell.read(built.gmon)), kind) })
end

-- Writes the list of symbols that nm prints. The last symbol has no samples.
local function symbol_file(built, path, ...)
  return shell.write(path, shell.check({ "nm", "-n", ..., built.image }).stdout)
end

-- Makes the files that the words in capitals stand for. Returns a table from word to path.
local function files_of(built)
  local dir = shell.tmpdir()
  local files = {
    IMAGE = built.name, OPTIONS = shell.write(dir .. "/options", "-z '--no-time=step'\n\"-qmain\" -p\\\nmain"),
    NM = symbol_file(built, dir .. "/nm", "--defined-only"),
    NM_GLOBAL = symbol_file(built, dir .. "/nm_global", "--defined-only", "-g"),
    ARCS = only(built, "arc", dir .. "/arcs"), BINS = only(built, "histogram", dir .. "/bins"),
    EMPTY = only(built, "none", dir .. "/empty"),
  }
  return files
end

-- Returns the arguments of a command line.
local function split(line, built, files)
  local arguments, operands = { "-b" }, line:find("IMAGE", 1, true)
  for word in line:gmatch "%S+" do
    if word == "FIVE" then
      for _ = 1, 5 do table.insert(arguments, "gmon.out") end
    else
      word = word == "''" and "" or word:gsub("%f[%u_][%u_]+%f[^%u_]", files)
      table.insert(arguments, word)
    end
  end
  if not operands then
    table.move({ built.name, "gmon.out" }, 1, 2, #arguments + 1, arguments)
  end
  return arguments
end

for _, entry in ipairs(command_lines) do
  local key, lines = table.unpack(entry)
  local name, variant = key:match "^(%w+)%+?(.*)$"
  describe(("with --gnu-compat, selections from %s equal GNU gprof's"):format(key), function()
    local supported, lack = build.supported(name, variant)
    if not supported then
      pending(lack)
      return
    end
    local built, files
    setup(function()
      built = build.program(name, variant)
      files = files_of(built)
    end)
    local listed = {}
    for line in lines:gmatch "[^\n]+" do listed[#listed + 1] = line:match "^%s*(.*%S)" end
    for _, line in ipairs(chance.some(listed, 4)) do
      it("by " .. line, function()
        check(split(line, built, files), { cwd = built.dir, stdin = built.gmon, env = { GPROF_PATH = "/" } })
      end)
    end
  end)
end

-- The table in doc/differences.md. Each line has options and, after "=", other options with the same output.
local without_effect <const> = [[
  -pnobody = -p
  -Pnobody = -p
  -qnobody = -q
  -Qnobody = -q
  -qnobody/main = -q
  -k nobody/main -q = -q
  -q -Qmain/nobody = -q
  -Cnobody = -C
  -Znobody = -C
  -Anobody = -A
  -Jnobody = -A
  -q -n nobody = -q
  -q -F nobody = -q
  -q -N nobody = -q
  -q -E nobody = -q
  -q -f nobody = -q
  -q -e nobody = -q
  -pnobody.c = -p
  -pcalls.c:99999 = -p
  -pnobody -pmain = -pmain
  -Pnobody -Pmain = -Pmain
]]

describe("A symspec that matches nothing", function()
  for options, others in without_effect:gmatch "%s*([^\n]-) = ([^\n]+)" do
    it(("has no effect in GNU gprof and with --gnu-compat, and is an error here, in %s"):format(options), function()
      local built = build.program "calls"
      local arguments, as = split(options, built, {}), { cwd = built.dir }
      local result, expected = oracle.run(arguments, as), oracle.run(split(others, built, {}), as)
      assert.same({ 0, expected.stdout }, { result.status, result.stdout })
      check(arguments, as)
      result = program.run(arguments, as)
      assert.same({ 1, "" }, { result.status, result.stdout })
      assert.matches("matches nothing", result.stderr, 1, true)
    end)
  end
end)

-- Random cases ------------------------------------------------------------------------------

local random <const>, pick <const> = math.random, chance.pick
local repeatedly <const>, _, first <const> = chance.cases(20240301, 200)

-- Options that take a symspec: the option, whether the symspec is part of the same word, and whether it is likely
-- FROM/TO.
local takers <const> = {
  { "-p", true }, { "-P", true }, { "-q", true }, { "-Q", true }, { "-C", true }, { "-Z", true },
  { "-q", true, true }, { "-Q", true, true }, { "-q", true, true }, { "-k", false, true }, { "-k", false, true },
  { "-n" }, { "-N" }, { "-e" }, { "-E" }, { "-f" }, { "-F" }, { "-n" }, { "-N" },
  { "--no-time=", true }, { "--flat=", true }, { "--graph=", true, true },
}
local flags <const> = { "-z", "-z", "-a", "-T", "-p", "-q", "-C", "-D", "--no-demangle", "-L", "-i", "-P", "-Q", "-Z" }

-- Returns options for a report: some with symspecs, some without.
local function some_options(words)
  local arguments = { "-b" }
  for _ = 1, random(5) do
    local option, attached, arcs = table.unpack(pick(takers))
    local spec = symspecs.pick(words, arcs)
    table.insert(arguments, attached and option .. spec or option)
    if not attached then table.insert(arguments, spec) end
  end
  for _ = 1, random(0, 3) do
    table.insert(arguments, pick(flags))
  end
  return arguments
end

local function check_some(subject, words, dir, note)
  local profile = gmon.write(dir .. "/gmon.out", (chance.profile(subject)))
  local arguments = some_options(words)
  if random(8) == 1 then
    table.move({ "-S", symspecs.symbol_file(subject.image, dir .. "/symbols") }, 1, 2, #arguments + 1, arguments)
  end
  check(table.move({ subject.image, profile, profile }, 1, random(2, 3), #arguments + 1, arguments), nil, note)
end

describe("with --gnu-compat, random selections equal GNU gprof's", function()
  for _, key in ipairs { "calls", "twins", "cycles", "clones", "shapes", "labels" } do
    local supported, lack = build.supported(key)
    if supported then
      it("from " .. key, function()
        math.randomseed(first)
        local dir, image = shell.tmpdir(), build.program(key).image
        local subject, words = chance.subject(image), symspecs.vocabulary(image)
        repeatedly(function(note) check_some(subject, words, dir, note) end)
      end)
    else
      pending(key .. ": " .. lack)
    end
  end

  it("from random images", function()
    local dir = shell.tmpdir()
    repeatedly(function(note)
      local subject = chance.image()
      check_some(subject, symspecs.vocabulary(subject.image), dir, note)
    end)
  end)
end)
