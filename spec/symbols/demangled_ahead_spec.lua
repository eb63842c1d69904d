-- Names that threads demangle ahead: reports are the same, byte for byte, for any number of threads, also where names
-- are too large, and where threads cannot be started.
-- SPDX-License-Identifier: GPL-3.0-or-later

local bombs = require "support.bombs"
local chance = require "support.chance"
local launch = require "support.launch"
local program = require "support.program"
local row = require "support.row"
local shell = require "support.shell"

local COUNT <const> = 200

-- Names that are large (together larger than the limit), too large, small, and not mangled.
local function make_name(i)
  if i % 7 == 0 then return "plain_" .. i end
  if i % 5 == 0 then return ("_ZN5outer5innerILi%dEEEvv"):format(i) end
  return (bombs.substitutions(i % 9 == 0 and 40 or 14):gsub("^_Z1f", ("_Z4f%03d"):format(i)))
end

local function symbol_file()
  local lines = {}
  for i = 1, COUNT do lines[i] = ("%x T %s\n"):format(row.address(i - 1), make_name(i)) end
  return shell.write(shell.tmpdir "names" .. "/symbols", table.concat(lines))
end

describe("names that are demangled ahead", function()
  local image, list, records = row.image(COUNT), symbol_file(), { row.histogram(0, COUNT - 1) }
  for i = 1, COUNT - 1 do records[i + 1] = row.arc(i - 1, i, i) end
  local profile = row.profile(records)

  local function run(before, ...)
    local result = launch.line(before .. ' exec "$@"', { "-S", list, image, profile, ... })
    return { result.status, result.stdout, result.stderr }
  end

  -- The results of one thread, by arguments.
  local by_one = {}
  local function run_one(...)
    local key = table.concat({ ... }, " ")
    by_one[key] = by_one[key] or run("", "--jobs=1", ...)
    return by_one[key]
  end

  local reports <const> = { { "-b", "-p" }, { "-b", "--gnu-compat" }, { "-b", "-q", "--short-names" }, { "--html=-" },
    { "--export=json" } }
  for _, words in ipairs(chance.some(reports, 5)) do
    it("are those of one thread: " .. table.concat(words, " "), function()
      local expected = run_one(table.unpack(words))
      assert.equal(0, expected[1])
      assert(#expected[2] > 10000)
      for _, threads in ipairs { 8, chance.thorough and 2 or nil } do
        local got = run("", "--jobs=" .. threads, table.unpack(words))
        assert(got[1] == expected[1] and got[2] == expected[2] and got[3] == expected[3], threads)
      end
    end)
  end

  it("reach the limit for all names", function()
    local mangled, count = {}, 0
    for name in run_one("-b", "-p")[2]:gmatch "_Z4f(%d%d%d)" do mangled[name] = true end
    for _ in pairs(mangled) do count = count + 1 end
    assert(count > COUNT / 9 and count < COUNT / 2, count)
  end)

  -- Each thread needs a stack of a gigabyte. AddressSanitizer itself needs more address space than the limit.
  if os.getenv "GPROF_LUA" then return end
  it("are the same if threads cannot be started", function()
    if not os.execute "ulimit -s 1000000 2>/dev/null" then return pending "needs a larger limit of the stack" end
    assert.same(run_one("-b", "-p"), run("ulimit -s 1000000 && ulimit -v 900000 &&", "-b", "-p", "--jobs=8"))
  end)
end)

-- Demangles the lines of standard input in four threads that wait for each other, and compares with one thread.
local DRIVER <const> = [[
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/parallel.h"
#include "object/demangle.h"

enum { PARTS = 4, NAMES = 64 };
static char names[NAMES][4096];
static gp_demangling made[NAMES];
static pthread_barrier_t barrier;
static size_t count;

static void demangle(void *work, size_t part) {
  (void)work;
  pthread_barrier_wait(&barrier);
  for (size_t i = part; i < count; i += PARTS)
    if (!gp_demangle_ahead(names[i], true, &made[i])) abort();
}

int main(void) {
  gp_demangler one = {0}, ahead = {0};
  while (count < NAMES && fgets(names[count], sizeof names[count], stdin))
    names[count][strcspn(names[count], "\n")] = 0, count++;
  pthread_barrier_init(&barrier, NULL, PARTS);
  gp_parallel(PARTS, demangle, NULL);
  for (size_t i = 0; i < count; i++) {
    char *text;
    if (!gp_demangle(&one, names[i], true, &text)) return 2;
    if (!gp_demangle_count(&ahead, names[i], &made[i])) return 3;
    if (!text != !made[i].text || (text && strcmp(text, made[i].text) != 0)) return 4;
    if (one.written != ahead.written || one.refused != ahead.refused) return 5;
    free(text);
    free(made[i].text);
  }
  printf("%zu names, %d refused\n", count, one.refused);
  return gp_processors() < 1;
}
]]

describe("threads", function()
  it("run at the same time, without races between the names that they demangle", function()
    local dir, lines = shell.tmpdir "threads", {}
    for i = 1, 40 do lines[i] = make_name(i) end
    shell.write(dir .. "/driver.c", DRIVER)
    local function build(flags)
      return shell.run({ "sh", "-c", ("gcc -std=c11 -D_GNU_SOURCE -O1 %s -I%s/csrc driver.c %s/csrc/base/parallel.c " ..
        "%s/csrc/object/demangle.c -liberty -pthread -o driver"):format(flags, program.root, program.root,
        program.root) }, { cwd = dir })
    end
    local built = build "-fsanitize=thread"
    if built.status ~= 0 then built = build "" end
    assert.same({ "", 0 }, { built.stderr, built.status })
    -- Some kernels place memory where ThreadSanitizer needs its own.
    local result = shell.run({ "setarch", "-R", dir .. "/driver" }, { stdin = shell.write(dir .. "/names",
      table.concat(lines, "\n") .. "\n") })
    assert.same({ "40 names, 1 refused\n", "", 0 }, { result.stdout, result.stderr, result.status })
  end)
end)
