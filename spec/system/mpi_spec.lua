-- The libraries that add up the profiles of an MPI job's ranks, with real engines. The sum is byte for byte the sum of
-- the ranks' own profiles, and whatever fails, no profile is lost or in two files. Takes five minutes; make check-all
-- runs it.
-- SPDX-License-Identifier: GPL-3.0-or-later

local chance = require "support.chance"
local cluster = require "support.cluster"
local mpi = require "support.mpi"
local program = require "support.program"
local recorder = require "support.recorder"
local shell = require "support.shell"

if not chance.thorough then return end

local function listing(result)
  return (shell.listing(result.dir):gsub("(gmon%.out%.%d+)%.%d+", "%1.N"))
end

-- Virtual time, for timeouts of seconds: no rank is late because the machine is busy. See virtual_time.h.
local function virtual(env)
  env.STEP = "250"
  return env
end

local function names(...)
  return table.concat({ ... }, "\n") .. "\n"
end

local profilers <const> = { { name = "the C library's profiles" } }
if not recorder.lack() then profilers[2] = { name = "the recorder's profiles", recorder = true } end

for _, engine in ipairs(mpi.engines) do
  describe("with " .. engine.name, function()
    if mpi.lack(engine) then
      pending("needs " .. mpi.lack(engine))
      return
    end

    local built
    setup(function() built = mpi.compile(engine, "ranks.c") end)

    for _, profiler in ipairs(profilers) do
      describe("the library for " .. profiler.name, function()
        local function run(count, options, other)
          options = options or {}
          options.recorder = profiler.recorder
          return mpi.run(engine, count, other or built, options)
        end

        local function check(result)
          assert.same({ 0, "" }, { result.status, mpi.messages(result) }, result.stderr)
        end

        it("writes the sum of all ranks, and nothing else", function()
          for _, count in ipairs { 1, 2, 7 } do
            local result = run(count)
            check(result)
            mpi.check_sum(result, built, mpi.parts(0, count - 1))
            assert.equal(count * (count + 1) // 2, (mpi.calls(result, built, "work", "^gmon%.sum$")))
          end
          local result = run(5, { mpi = "" })
          check(result)
          assert.equal(profiler.recorder and "gmon.sum\ngmon.sum.ctx\n" or "gmon.sum\n", listing(result))
        end)

        it("is used as the documentation says", function()
          local text, used = shell.read(program.root .. "/doc/mpi.md"), 0
          text = text .. shell.read(program.root .. "/doc/scale.md"):gsub("/usr/local/lib/lua/5.4/gprof", "$lib")
            :gsub("\n(mpirun [^\n]*LD_PRELOAD[^\n]+\n)(gprof.lua[^\n]+)", "\n$ %1$ %2")
          for command in text:gmatch "\n%$ (mpirun[^\n]+\n%$ gprof.lua[^\n]+)" do
            if (command:find "recorder" ~= nil) == (profiler.recorder == true) then
              local dir = shell.tmpdir "documented"
              shell.check { "cp", built.image, dir .. "/app" }
              command = command:gsub("\n%$ ", "\n"):gsub("openmpi", engine.id)
                :gsub("gprof%.lua", cluster.gprof .. " -b -p")
                :gsub("mpirun", ("mpirun.%s %s"):format(engine.id, shell.join(engine.options)))
              local result = shell.run({ "sh", "-ec", command },
                { cwd = dir, env = { lib = program.root .. "/build" } })
              assert.same({ 0, "" }, { result.status, mpi.messages(result) }, result.stderr)
              assert.equal("10", result.stdout:match " (%d+) +[%d.]+ +[%d.]+ +work\n", result.stdout)
              used = used + 1
            end
          end
          assert.equal(profiler.recorder and 1 or 3, used)
        end)

        it("adds up programs in Fortran, under each interface of MPI", function()
          for _, interface in ipairs { "use mpi", "use mpi_f08", "include 'mpif.h'" } do
            local fortran = mpi.compile(engine, "ranks.f90", { edit = function(text)
              local edited = text:gsub("use mpi\n  implicit none", "implicit none\n  include 'mpif.h'")
              return interface:find "use" and text:gsub("use mpi", interface) or edited
            end })
            local result = run(3, nil, fortran)
            check(result)
            mpi.check_sum(result, fortran, mpi.parts(0, 2))
            assert.equal(6, (mpi.calls(result, fortran, "work_", "^gmon%.sum$")), interface)
          end
        end)

        it("writes a sum for each program of a job, in the order of the ranks", function()
          local other = mpi.compile(engine, "ranks.c", { name = "worker", flags = { "-pg", "-DWORKER" } })
          local same = mpi.compile(engine, "ranks.c", { flags = { "-pg", "-DWORKER", "-Wl,--build-id=none" } })
          local result = run(1, nil, { { image = built.image, count = 2 }, { image = other.image, count = 3 },
            { image = same.image, count = 2 }, { image = built.image, count = 1 } })
          check(result)
          mpi.check_sum(result, built, { "gmon.sum.0", "gmon.sum.1", "gmon.sum.7" }, "gmon.sum.ranks")
          mpi.check_sum(result, other, mpi.parts(2, 4), "gmon.sum.worker")
          mpi.check_sum(result, same, mpi.parts(5, 6), "gmon.sum.ranks-2")
        end)

        it("keeps what was recorded after MPI_Finalize in a file of the rank", function()
          local result = run(4, { mpi = "", env = { AFTER = ",1,3," } })
          check(result)
          local sums = profiler.recorder and { "gmon.sum", "gmon.sum.ctx" } or { "gmon.sum" }
          local own = profiler.recorder and { "gmon.out.1.N", "gmon.out.1.N.ctx", "gmon.out.3.N", "gmon.out.3.N.ctx" }
            or { "gmon.out.1.N", "gmon.out.3.N" }
          table.move(sums, 1, #sums, #own + 1, own)
          assert.equal(names(table.unpack(own)), listing(result))
          assert.equal(10, (mpi.calls(result, built, "work", "^gmon%.sum$")))
          assert.equal(0, (mpi.calls(result, built, "work", "^gmon%.out")))
          assert.equal(6, (mpi.calls(result, built, "after", "^gmon%.out")))
        end)

        it("leaves out a rank that comes late, which writes a file of its own", function()
          local result = run(6, { mpi = "parts,timeout=1", env = virtual { LATE = ",2,", AFTER = ",2," } })
          assert.same({ 0, "libgprof-mpi: rank 0: 1 of 6 ranks are not in the sum; no answer in 1 s: 2\n" },
            { result.status, mpi.messages(result) })
          mpi.check_sum(result, built, mpi.parts(0, 5, { [2] = true }))
          local calls, files = mpi.calls(result, built, "work", "^gmon%.out%.2%.")
          assert.same({ 3, 1 }, { calls, files })
          assert.equal(3, (mpi.calls(result, built, "after", "^gmon%.out%.2%.")))
          assert.equal(21, (mpi.calls(result, built, "work", "^gmon%.sum$")) + calls)
        end)

        it("adds up the children of a rank that comes when it was just left out", function()
          local result = run(8, { mpi = "parts,timeout=3", env = virtual { RETURNS = ",4," } })
          assert.same({ 0, "libgprof-mpi: rank 0: 1 of 8 ranks are not in the sum; no answer in 3 s: 4\n" },
            { result.status, mpi.messages(result) })
          mpi.check_sum(result, built, mpi.parts(0, 7, { [4] = true }))
          assert.same({ 5, 1 }, { mpi.calls(result, built, "work", "^gmon%.out%.4%.") })
        end)

        it("writes sums of subtrees if rank 0 comes late", function()
          local result = run(6, { mpi = "parts,timeout=1", env = virtual { LATE = ",0,", DELAY = "5" } })
          assert.equal(0, result.status)
          assert.equal([[
libgprof-mpi: rank 0: 5 of 6 ranks are not in the sum; in files of their own: 1-5
libgprof-mpi: rank 1: no answer from rank 0: the sum of ranks 1 to 1 is in a file of its own, with the suffix .from-1
libgprof-mpi: rank 2: no answer from rank 0: the sum of ranks 2 to 3 is in a file of its own, with the suffix .from-2
libgprof-mpi: rank 4: no answer from rank 0: the sum of ranks 4 to 5 is in a file of its own, with the suffix .from-4
]], mpi.messages(result))
          local first = mpi.calls(result, built, "work", "^gmon%.sum$")
          local calls, files = mpi.calls(result, built, "work", "^gmon%.sum%.from%-%d$")
          assert.same({ 21, 3 }, { first + calls, files })
          for rank = 1, 5 do
            assert.same({ rank + 1, 1 }, { mpi.calls(result, built, "work", "^gmon%.sum%." .. rank .. "$") })
          end
        end)

        -- The others may wait in MPI's own MPI_Finalize for a rank that has exited, as they would without the library.
        it("knows the ranks below a dead one that have written sums before rank 0 came", function()
          local result = run(8, { mpi = "timeout=1", survive = true,
            env = virtual { LATE = ",0,", DELAY = "6", EXITS = ",4,", STUCK = "1" } })
          local expected = "rank 0: 7 of 8 ranks are not in the sum; no answer in 1 s: 4; in files of their own: " ..
            "1-3, 5-7\n"
          assert.truthy(mpi.messages(result):find(expected, 1, true), result.stderr)
          assert.same({ 36, 6 }, { mpi.calls(result, built, "work", "^gmon%.") })
        end)

        it("leaves out ranks that were killed, or that exited without MPI_Finalize", function()
          -- mpirun of MPICH kills the job if a rank was killed.
          local env, missing, list = { EXITS = ",6,", STUCK = "1" }, { [6] = true }, "6"
          if engine.id == "openmpi" then
            env.KILLED, missing, list = ",2,5,", { [2] = true, [5] = true, [6] = true }, "2, 5-6"
          end
          local result = run(8, { mpi = "parts,timeout=1", survive = true, env = virtual(env) })
          assert.equal(("libgprof-mpi: rank 0: %d of 8 ranks are not in the sum; no answer in 1 s: %s\n"):format(
            engine.id == "openmpi" and 3 or 1, list), mpi.messages(result), result.stderr)
          mpi.check_sum(result, built, mpi.parts(0, 7, missing))
          assert.equal(7, (mpi.calls(result, built, "work", "^gmon%.out%.6%.")))
        end)

        if engine.id == "openmpi" then  -- others kill the job
          it("has each rank that lives in one file, whenever another rank dies", function()
            chance.cases(1, 60)(function()
              local dead, delay = math.random(0, 7), math.random(0, 3) ^ 2 * math.random(1000)
              local result = run(8, { mpi = "timeout=0.5", survive = true,
                env = { POWERS = "1", DIES = (",%d,"):format(dead), DELAY = ("%d"):format(delay) } })
              local calls = mpi.calls(result, built, "work", "^gmon%.")
              local living = 255 - (1 << dead)
              assert.not_equal(124, result.status, "not ended:\n" .. result.stderr)
              local told = result.stderr:find "perhaps also in the sum"
              assert(calls == living or calls == 255 or (told and calls & living ~= 0),
                ("rank %d after %d us: %x\n%s%s"):format(dead, delay, calls, listing(result), result.stderr))
            end, 10)  -- each takes up to four seconds
          end)
        end

        it("writes files of the ranks if a signal ends them while they wait for a rank", function()
          -- The C library writes nothing then. MPICH's mpirun kills the others when the first rank has ended.
          if not profiler.recorder or engine.id == "mpich" then return end
          local env = virtual { POWERS = "1", LATE = ",2,", DIES = ",0,1,2,3,", SIGNAL = "15", DELAY = "900000" }
          local result = run(4, { survive = true, env = env })
          local calls, files = mpi.calls(result, built, "work", "^gmon%.out%.%d%.")
          assert.same({ 15, 4 }, { calls, files }, result.stderr)
        end)

        it("lets all ranks write files of their own if the sum cannot be written", function()
          local result = run(5, { mpi = "output=/dev/full" })
          assert.equal(0, result.status)
          assert.equal("libgprof-mpi: rank 0: /dev/full: cannot be written: No space left on device: the profiles " ..
            "of ranks 0 to 4 are in files of their own\n", mpi.messages(result))
          local calls, files = mpi.calls(result, built, "work", "^gmon%.out%.%d%.")
          assert.same({ 15, 5 }, { calls, files })
        end)

        it("does not replace a file that is not a profile, such as the program", function()
          local dir = shell.tmpdir "kept"
          shell.write(dir .. "/ranks", "the program")
          local result = run(3, { mpi = "output=%e", dir = dir })
          assert.equal("libgprof-mpi: rank 0: ranks: is not a profile, so it is not replaced: the profiles of ranks " ..
            "0 to 2 are in files of their own\n", mpi.messages(result))
          assert.equal("the program", shell.read(dir .. "/ranks"))
        end)

        it("uses the names that the user has chosen", function()
          local dir = shell.tmpdir "names"
          check(run(3, { mpi = "output=job %e %r%%.gmon", dir = dir }))
          check(run(3, { mpi = "", dir = dir, env = { GMON_OUT_PREFIX = dir .. "/prefix", AFTER = ",1," } }))
          local found = listing { dir = dir }:gsub("[^\n]*%.ctx\n", ""):gsub("prefix%.%d+", "prefix.N")
          assert.equal(names("job ranks 0%.gmon", "prefix.N", "prefix.sum"), found)
        end)

        it("reports invalid options once", function()
          local result = run(3, { mpi = "parts,timeout=0,timeout=.,timeout=1.2.3,output=a%x,other" })
          assert.equal([[
libgprof-mpi: GPROF_MPI: invalid option 'other'
libgprof-mpi: GPROF_MPI: invalid option 'output=a%x'
libgprof-mpi: GPROF_MPI: invalid option 'timeout=.'
libgprof-mpi: GPROF_MPI: invalid option 'timeout=0'
libgprof-mpi: GPROF_MPI: invalid option 'timeout=1.2.3'
]], mpi.messages(result))
        end)

        it("reports that no rank has a profile", function()
          local plain = mpi.compile(engine, "ranks.c", { flags = {} })
          local result = run(3, nil, plain)
          assert.equal("libgprof-mpi: rank 0: no rank has a profile: was the program compiled with -pg?\n",
            mpi.messages(result))
          assert.equal("", listing(result))
        end)
      end)
    end

    it("counts calls in all threads with the recorder", function()
      if recorder.lack() then return pending("needs " .. recorder.lack()) end
      local result = mpi.run(engine, 3, built, { recorder = true, env = { THREADS = ",0,2," } })
      assert.same({ 0, "" }, { result.status, mpi.messages(result) })
      mpi.check_sum(result, built, mpi.parts(0, 2))
      assert.equal(16006, (mpi.calls(result, built, "work", "^gmon%.sum$")))
    end)

    it("adds what comes after MPI_Finalize to a file of a rank that has changed its directory", function()
      local result = mpi.run(engine, 3, built, { mpi = "output=/dev/full", env = { AFTER = ",2,", MOVES = ",2," } })
      assert.equal(0, result.status)
      assert.same({ 3, 1 }, { mpi.calls(result, built, "work", "^gmon%.out%.2%.") })
      assert.equal(3, (mpi.calls(result, built, "after", "^gmon%.out%.2%.")), result.stderr)
    end)

    it("reads the timeout in a locale with a decimal comma", function()
      local dir = shell.tmpdir "locale"
      if shell.run({ "localedef", "-i", "de_DE", "-f", "UTF-8", dir .. "/de_DE.UTF-8" }).status ~= 0 then
        return pending "needs the sources of locales"
      end
      local result = mpi.run(engine, 2, built, { mpi = "parts,timeout=.5",
        env = virtual { LATE = ",1,", LC_ALL = "de_DE.UTF-8", LOCPATH = dir } })
      assert.same({ 0, "libgprof-mpi: rank 0: 1 of 2 ranks are not in the sum; no answer in 0,5 s: 1\n" },
        { result.status, mpi.messages(result) })
      mpi.check_sum(result, built, mpi.parts(0, 0))
    end)

    it("lets a rank without room for temporary files write a file of its own", function()
      local result = mpi.run(engine, 4, built, { env = { FULL = ",2," } })
      assert.equal("libgprof-mpi: rank 0: 1 of 4 ranks are not in the sum; in files of their own: 2\n" ..
        "libgprof-mpi: rank 2: no room for a temporary file: No space left on device: its profile is in an own file\n",
        mpi.messages(result), result.stderr)
      mpi.check_sum(result, built, mpi.parts(0, 3, { [2] = true }))
      assert.equal(3, (mpi.calls(result, built, "work", "^gmon%.out%.2%.")))
    end)

    it("can be linked to a program", function()
      local path = engine.library:gsub("/[^/]*$", "")
      local linked = mpi.compile(engine, "ranks.c",
        { flags = { "-pg", "-L" .. path, "-lgprof-" .. engine.id, "-Wl,-rpath," .. path } })
      local result = mpi.run(engine, 3, linked, { linked = true })
      assert.same({ 0, "" }, { result.status, mpi.messages(result) })
      mpi.check_sum(result, linked, mpi.parts(0, 2))
      local archive = ("%s/libgprof-%s.a"):format(path, engine.id)
      local archived = mpi.compile(engine, "ranks.c", { flags = { "-pg", archive, "-lm" } })
      result = mpi.run(engine, 3, archived, { linked = true, env = { AFTER = ",1," } })
      assert.same({ 0, "" }, { result.status, mpi.messages(result) })
      mpi.check_sum(result, archived, mpi.parts(0, 2))
      assert.equal(2, (mpi.calls(result, archived, "after", "^gmon%.out%.1%.")))
    end)
  end)
end
