-- Profiles for the scripts in examples/cluster, which add them up on several machines.
-- SPDX-License-Identifier: GPL-3.0-or-later

local build = require "support.build"
local gmon = require "support.gmon"
local program = require "support.program"
local shell = require "support.shell"

local cluster = {}

cluster.examples = program.root .. "/examples/cluster/"

cluster.image = build.craft { address = 0x1000, text = 0x400, symbols = { { "first", 0 }, { "second", 0x100 } } }

--- The program's command for the variable GPROF, which the shell splits into words.
cluster.gprof = table.concat(program.interpreter, " ") .. " " .. program.root .. "/gprof.lua"

--- Makes a directory with an empty directory `out`; seven profiles whose names contain spaces; `list`, their names,
-- with an unterminated last line; and `expected`, their sum.
-- @treturn string the directory
-- @treturn {string,...} the names of the profiles
function cluster.scene()
  local dir = shell.tmpdir "cluster"
  local names = {}
  for i = 1, 7 do
    names[i] = ("%s/gmon %d"):format(dir, i)
    gmon.write(names[i], gmon.magic { records = {
      { kind = "histogram", low = 0x1000, high = 0x1400, bins = { n = 512, [7 * i] = i, [3] = 65534 } },
      { kind = "arc", from = 0x1004 + 4 * (8 - i), self = 0x1100, count = i },
      { kind = "arc", from = 0x1000, self = 0x1000, count = 0xffffffff },
    } })
  end
  shell.write(dir .. "/list", table.concat(names, "\n"))
  shell.check { "mkdir", dir .. "/out" }
  local result = program.run { "--sum-file=" .. dir .. "/expected", cluster.image, table.unpack(names) }
  assert(result.status == 0, result.stderr)
  return dir, names
end

--- Compiles a program with -pg whose rank r calls the function `work` r + 1 times. A rank whose number is the value of
-- the environment variable KILLED kills itself then.
-- @treturn string path
function cluster.ranks()
  return build.compiled("ranks", { "gcc", "-pg", "-o", "app", "app.c" }, { ["app.c"] = [[
    #include <signal.h>
    #include <stdlib.h>
    static volatile int sum;
    void work(void) { sum++; }
    int main(void) {
      const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *killed = getenv("KILLED");
      if (!rank) rank = getenv("PMI_RANK");
      if (!rank) rank = getenv("SLURM_PROCID");
      for (int i = 0; i <= atoi(rank); i++) work();
      if (killed && atoi(killed) == atoi(rank)) raise(SIGKILL);
      return 0;
    }
  ]] }) .. "/app"
end

--- Returns a pattern's capture in doc/scale.md.
-- @tparam string pattern
-- @treturn string
function cluster.documented(pattern)
  return assert(shell.read(program.root .. "/doc/scale.md"):match(pattern))
end

--- Returns a command for the variable GPROF: commands of the shell, followed by the program.
-- @tparam string commands `$*` are the program's arguments
-- @treturn string
function cluster.wrapper(commands)
  return "sh " .. shell.write(shell.tmpdir() .. "/wrapper", ('%s\nexec %s "$@"\n'):format(commands, cluster.gprof))
end

--- Commands for `wrapper` that kill the task or rank that would write the first part.
cluster.kill_first = "case $* in *--sum-file=*/0\\ *) kill -KILL $PPID $$;; esac"

return cluster
