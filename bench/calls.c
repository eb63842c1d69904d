/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls small functions, to measure what counting a call costs. Usage: `calls WORKLOAD
 * COUNT`; the workloads are listed above main(). `calls dump 0` makes 111,110 call paths,
 * requests the profile by SIGUSR1, reads the clock until gmon.out exists, and prints the
 * longest time between two readings in ms: of all, and of those between which the thread
 * was not preempted.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define FAR static __attribute__((noinline))
#define TEN(X, n) \
  X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define HUNDRED(X, n) \
  TEN(X, n##0) TEN(X, n##1) TEN(X, n##2) TEN(X, n##3) TEN(X, n##4) \
  TEN(X, n##5) TEN(X, n##6) TEN(X, n##7) TEN(X, n##8) TEN(X, n##9)
#define THOUSAND(X) \
  HUNDRED(X, 0) HUNDRED(X, 1) HUNDRED(X, 2) HUNDRED(X, 3) HUNDRED(X, 4) \
  HUNDRED(X, 5) HUNDRED(X, 6) HUNDRED(X, 7) HUNDRED(X, 8) HUNDRED(X, 9)

typedef long function(long x);

FAR long leaf(long x) {
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}

FAR long fib(long n) {
  if (n < 2) return n;
  long sum = fib(n - 1) + fib(n - 2);
  __asm__ volatile("" : "+r"(sum));
  return sum;
}

#define CALLEE(n) FAR long callee_##n(long x) { return x + 1##n; }
#define CALLER(n) FAR long caller_##n(long x) { return leaf(x) + 1##n; }
#define CALLEE_NAME(n) callee_##n,
#define CALLER_NAME(n) caller_##n,
THOUSAND(CALLEE)
THOUSAND(CALLER)
static function *const callees[] = {THOUSAND(CALLEE_NAME)};
static function *const callers[] = {THOUSAND(CALLER_NAME)};

static long repeat_leaf(long number) {
  long sum = 0;
  for (long i = 0; i < number; i++) sum += leaf(i);
  return sum;
}

static long call_in_turn(function *const *all, long number) {
  long sum = 0;
  for (long i = 0; i < number; i++) sum += all[i % 1000](i);
  return sum;
}

#define CALL_CALLEE(n) sum += callee_##n(sum);
#define CALL_CALLER(n) sum += caller_##n(sum);

FAR long direct_callees(long number) {
  long sum = 0;
  for (long i = 0; i < number; i += 1000) { THOUSAND(CALL_CALLEE) }
  return sum;
}

FAR long direct_callers(long number) {
  long sum = 0;
  for (long i = 0; i < number; i += 1000) { THOUSAND(CALL_CALLER) }
  return sum;
}

static long use_callees(long number) { return call_in_turn(callees, number); }

static long use_callers(long number) { return call_in_turn(callers, number); }

static void *work(void *number) {
  repeat_leaf(*(long *)number);
  return number;
}

static long use_threads(long number) {
  pthread_t all[8];
  for (int i = 0; i < 8; i++) pthread_create(&all[i], NULL, work, &number);
  for (int i = 0; i < 8; i++) pthread_join(all[i], NULL);
  return number;
}

#define CALL_FIFTH(n) sum += leaf(n##1);
#define CALL_FOURTH(n) sum += fourth(n##1);
#define CALL_THIRD(n) sum += third(n##1);
#define CALL_SECOND(n) sum += second(n##1);
#define CALL_FIRST(n) sum += first(n##1);
#define PATHS(name, CALL) FAR long name(long sum) { TEN(CALL, ) return sum; }
PATHS(fourth, CALL_FIFTH)
PATHS(third, CALL_FOURTH)
PATHS(second, CALL_THIRD)
PATHS(first, CALL_SECOND)
PATHS(all_paths, CALL_FIRST)

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

static long preemptions(void) {
  struct rusage use;
  getrusage(RUSAGE_THREAD, &use);
  return use.ru_nivcsw;
}

static long dump(long unused) {
  const long sum = all_paths(unused);
  double longest = 0, running = 0, time = now();
  long switches = preemptions();
  raise(SIGUSR1);
  do {
    const double next = now(), gap = next - time;
    const long later = preemptions();
    if (gap > longest) longest = gap;
    if (gap > running && later == switches) running = gap;
    time = next;
    switches = later;
  } while (access("gmon.out", F_OK) != 0);
  printf("%.3f %.3f\n", longest, running);
  return sum;
}

static const struct {
  const char *name;
  function *run;
} workloads[] = {
    {"leaf", repeat_leaf},
    {"fib", fib},
    {"callees", use_callees},
    {"callers", use_callers},
    {"direct-callees", direct_callees},
    {"direct-callers", direct_callers},
    {"threads", use_threads},
    {"dump", dump},
};

int main(int count, char **words) {
  if (count != 3) return 2;
  for (size_t i = 0; i < sizeof workloads / sizeof *workloads; i++)
    if (strcmp(words[1], workloads[i].name) == 0)
      return workloads[i].run(strtol(words[2], NULL, 10)) == -1;
  return 2;
}
