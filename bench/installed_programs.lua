--- The programs of bench/installed.lua: Debian's, as they are installed, and some that are compiled.
--
-- Each has a `name` and a `command`, a line for the shell, in which `$SAMPLE` stands before the sampled program.
-- `needs` is the program that must be installed. `files` are written first, and `make` is a line for the shell that
-- makes others. `image` is a line for the shell that prints the path of the program, if it is not `needs`.
--
-- @module bench.installed_programs
-- SPDX-License-Identifier: GPL-3.0-or-later

-- A C file that takes the compiler some seconds.
local function large_c()
  local list = {}
  for i = 1, 500 do
    list[i] = ([[
int f%d(int *a, int n) {
  int s = %d;
  for (int i = 0; i < n; i++) switch (a[i] %% %d) {
    case 1: s += a[i] * %d; break;
    case 2: for (int j = i; j < n; j += %d) s ^= a[j] << %d; break;
    default: if (s > n) s /= 3; else a[i] = s;
  }
  return s;
}
]]):format(i, i, i % 17 + 3, i, i % 5 + 1, i % 7)
  end
  return table.concat(list)
end

return {
  { name = "sqlite3", needs = "sqlite3", command = "$SAMPLE sqlite3 :memory: < in.sql", files = { ["in.sql"] = [[
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<4000000)
    SELECT count(*), sum(length(hex(i*i)||substr('abcdef',i%6,3))) FROM n
      WHERE i%7 <> 3 AND printf('%d',i) LIKE '%1%';
    CREATE TABLE t(a,b,c);
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<1000000)
    INSERT INTO t SELECT i, (i*7919)%100003, printf('x%08d',(i*31)%65537) FROM n;
    CREATE INDEX x ON t(b,c);
    SELECT count(*) FROM t a JOIN t b ON a.b=b.a WHERE a.c<b.c;
    SELECT c, count(*) FROM t GROUP BY c ORDER BY 2 DESC, 1 LIMIT 3;
  ]] } },
  { name = "nginx: 80,000 requests", needs = "nginx", command = "$SAMPLE nginx -p . -c nginx.conf & " ..
    "sleep 1; ab -q -n 80000 -c 8 http://127.0.0.1:8391/text; kill -QUIT $(cat nginx.pid); wait",
    files = { ["nginx.conf"] = [[
    daemon off; worker_processes 1; pid nginx.pid; error_log stderr; user root;
    events {}
    http {
      access_log access.log; gzip on; gzip_types text/plain; gzip_min_length 1; default_type text/plain;
      server { listen 127.0.0.1:8391; root .; location / { rewrite ^/(.*)$ /$1 break; } }
    }
  ]], text = ("some words of a text\n"):rep(100) } },
  { name = "cc1 (gcc 12)", needs = "gcc", image = "gcc -print-prog-name=cc1",
    command = "$SAMPLE $(gcc -print-prog-name=cc1) -quiet -O2 in.c -o out.s", files = { ["in.c"] = large_c() } },
  { name = "sox", needs = "sox", command = "$SAMPLE sox -n -r 44100 -c 2 -n synth 600 pinknoise reverb rate 96000" },
  { name = "python3, numpy", needs = "/usr/bin/python3.11", command = "$SAMPLE /usr/bin/python3.11 in.py",
    files = { ["in.py"] = [[
import json, re, numpy
a = numpy.random.default_rng(1).random(300000)
words = [("%x" % (i * 7919)) for i in range(60000)]
for _ in range(20):
    for _ in range(4): numpy.sort(a); numpy.exp(a).sum()
    json.loads(json.dumps({w: [i, w] for i, w in enumerate(words)}))
    len(re.findall(r"(\w+?)f(\d+)", " ".join(words)))
    sorted(words, key=lambda w: w[::-1])
]] } },
  { name = "python3, ITIMER_PROF", needs = "/usr/bin/python3.11", command = "$SAMPLE /usr/bin/python3.11 in.py",
    files = { ["in.py"] = [[
import signal
ticks = 0
def tick(number, frame):
    global ticks
    ticks += 1
signal.signal(signal.SIGPROF, tick)
signal.setitimer(signal.ITIMER_PROF, 0.005, 0.005)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
fib(35)
print(sum(len(str(i ** 9)) for i in range(3000000)), ticks > 100)
signal.setitimer(signal.ITIMER_PROF, 0)
]] } },
  { name = "perl", needs = "perl", command = "$SAMPLE perl in.pl", files = { ["in.pl"] = [[
my (%h, $n);
for my $i (1 .. 5000000) { my $w = sprintf "%x", $i * 7919 % 100003; $h{$w}++; $n++ if $w =~ /(\w)\1|a.*f$/; }
my @s = sort { $h{$b} <=> $h{$a} || $a cmp $b } keys %h;
my $t = join " ", @s; $t =~ s/(\w+) (\w+)/$2-$1/g for 1 .. 10;
print "$n $s[0]\n";
]] } },
  { name = "C++: threads, exceptions", needs = "g++", image = "echo ./program", command = "$SAMPLE ./program",
    make = "g++ -O2 -pthread in.cc -o program", files = { ["in.cc"] = [[
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
static int deep(int n) { if (n == 0) throw std::runtime_error("x"); return deep(n - 1) + 1; }
static void run(int seed) {
  std::map<std::string, int> all;
  for (int i = 0; i < 500000; i++) {
    try { deep(i % 10); } catch (const std::exception &e) { all[e.what() + std::to_string(i * seed % 5003)]++; }
    for (int j = 0; j < 10; j++) all[std::to_string((i + j) * seed % 5003)]++;
  }
}
int main() {
  std::vector<std::thread> threads;
  for (int i = 1; i < 5; i++) threads.emplace_back(run, i);
  for (auto &t : threads) t.join();
}
]] } },
  { name = "Fortran", needs = "gfortran", image = "echo ./program", make = "gfortran -O2 in.f90 -o program",
    command = "$SAMPLE ./program", files = { ["in.f90"] = [[
program p
  real(8) :: a(300, 300), b(300, 300), x
  character(40) :: text
  integer :: i
  call random_number(a)
  call random_number(b)
  x = 0
  do i = 1, 150
    a = matmul(a, b) / 150 + sin(b)
  end do
  do i = 1, 2500000
    write (text, '(i8, f12.4, es12.3)') i, a(mod(i, 300) + 1, 7), x
    read (text, '(i8, f12.4)') j, x
  end do
  print *, x, sum(a)
end program
]] } },
  { name = "dash, 12 forks", needs = "dash", command = "$SAMPLE dash in.sh", files = { ["in.sh"] = [[
for k in 1 2 3 4 5 6 7 8 9 10 11 12; do
  x=$(i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); case $i in *7*) t=${i%7*};; esac; done; echo $t)
done
echo $x
]] } },
  { name = "gst-launch, plugins", needs = "gst-launch-1.0", command = "$SAMPLE gst-launch-1.0 -q audiotestsrc " ..
    "wave=pink-noise num-buffers=300000 ! audioconvert ! audioresample quality=8 ! audio/x-raw,rate=48000 ! fakesink" },
}
