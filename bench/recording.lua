--- Measures what recording costs a server and a recursive function, with the recorder and other tools, and prints a
-- Markdown table.
--
--     lua5.4 bench/recording.lua DIRECTORY [RUNS]
--
-- Run it in the root of the checkout, after `make`. It needs `apt-get source`, perf and uftrace. The server is redis,
-- with a bounded number of requests on the loopback address; fib is that of bench/calls.c. A figure is the median
-- ratio of the processor time with a tool, and of the tool, to that of the program without it, in pairs of runs.
--
-- @script recording
-- SPDX-License-Identifier: GPL-3.0-or-later

local root = (arg[0]:match("^(.*/)") or "./") .. "../"
package.path = root .. "?.lua;" .. root .. "spec/?.lua;" .. package.path

local markdown = require "bench.markdown"
local meters = require "bench.meter"
local shell = require "bench.shell"
local turns = require "bench.turns"
local workload = require "bench.workload"

local quote = shell.quote
local here = assert(shell.capture("realpath " .. quote(root)))

local PORT <const> = 16379
local SERVER <const> = ("--port %d --bind 127.0.0.1 --save '' --appendonly no"):format(PORT)

-- Sends requests as soon as the server answers, and stops it.
local CLIENT <const> = ([[
cd %%s
until ./redis-cli -p %d ping >/dev/null 2>&1; do sleep 0.01; done
./redis-benchmark -p %d -n %%d -c 10 -t set,get,lpush,lrange_100 -q >/dev/null
./redis-cli -p %d shutdown nosave
]]):format(PORT, PORT, PORT)

-- Each way of recording: the program's variant, what stands before it, and whether it gets less work, because it
-- writes each call into a file.
local ways <const> = {
  { name = "glibc, `-pg`", variant = "counted" },
  { name = "recorder, `-pg`", variant = "counted", before = "lua5.4 " .. quote(here .. "/gprof.lua") .. " --record" },
  { name = "recorder, without `-pg`", variant = "plain",
    before = "lua5.4 " .. quote(here .. "/gprof.lua") .. " --record" },
  { name = "perf record -g", variant = "plain", before = "perf record -q -F 1000 -g" },
  { name = "uftrace record, `-pg`", variant = "counted", before = "uftrace record --no-event", traces = true },
}

-- Makes the variants of redis, or takes those that are there.
local function make_server(dir)
  for variant, flag in pairs { plain = "", counted = " -pg" } do
    local source = ("%s/redis-%s"):format(dir, variant)
    if not os.execute("test -x " .. quote(source .. "/redis-server")) then
      workload.source(dir, "redis")
      shell.run(("mv %s %s"):format(quote(dir .. "/redis"), quote(source)))
      shell.run(("make -s -j2 -C %s/src MALLOC=libc OPTIMIZATION='-O2%s' LDFLAGS='%s' >%s/make.log 2>&1"):format(
        quote(source), flag, flag, quote(dir)))
      shell.run(("cd %s && cp src/redis-server src/redis-cli src/redis-benchmark ."):format(quote(source)))
    end
  end
end

local function make_fib(dir)
  for variant, flag in pairs { plain = "", counted = "-pg " } do
    shell.run(("gcc -std=c11 -D_GNU_SOURCE -O2 -pthread %s-o %s %s/bench/calls.c"):format(flag,
      quote(("%s/fib-%s"):format(dir, variant)), quote(here)))
  end
end

-- Returns the processor time of a run with a way of recording; nil if it fails.
local workloads <const> = {
  { name = "redis", run = function(meter, dir, way, less)
    local server = ("%s/redis-%s"):format(dir, way.variant)
    shell.run(("sh -c %s &"):format(quote(CLIENT:format(quote(dir .. "/redis-plain"), less and 2000 or 100000))))
    return meter:run(("%s %s/redis-server %s"):format(way.before or "", quote(server), SERVER), dir)
  end },
  { name = "fib", run = function(meter, dir, way, less)
    return meter:run(("%s %s/fib-%s fib %d"):format(way.before or "", quote(dir), way.variant, less and 32 or 43), dir)
  end },
}

-- Returns the median ratio of a way's time to that without recording, as text.
local function ratio(meter, dir, work, way, runs)
  local plain <const>, ratios = { variant = "plain" }, {}
  for i = 1, runs do
    local one, other = plain, way
    if i % 2 == 0 then one, other = way, plain end
    local first, second = work.run(meter, dir, one, way.traces), work.run(meter, dir, other, way.traces)
    if first.trouble or second.trouble then return first.trouble or second.trouble end
    ratios[i] = one == plain and second.cpu / first.cpu or first.cpu / second.cpu
  end
  return ("%.2f"):format(turns.median(ratios))
end

local dir, runs = arg[1], tonumber(arg[2]) or 5
if not dir then error("usage: lua5.4 bench/recording.lua DIRECTORY [RUNS]", 0) end
shell.run("mkdir -p " .. quote(dir))
dir = shell.capture("realpath " .. quote(dir))
make_server(dir)
make_fib(dir)
local meter = meters.open(dir, { timeout = 300 })
local lines = { { "recorded with", "redis", "fib" } }
for _, way in ipairs(ways) do
  local row = { way.name }
  for i, work in ipairs(workloads) do row[i + 1] = ratio(meter, dir, work, way, runs) end
  lines[#lines + 1] = row
end
io.write(markdown.table(lines))
