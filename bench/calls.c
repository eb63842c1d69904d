/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls small functions, to measure what counting a call costs. Usage: `calls leaf
 * COUNT`, or `calls fib NUMBER`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __attribute__((noinline)) long leaf(long x) {
  __asm__ volatile("" : "+r"(x));
  return x + 1;
}

static __attribute__((noinline)) long fib(long n) {
  if (n < 2) return n;
  long sum = fib(n - 1) + fib(n - 2);
  __asm__ volatile("" : "+r"(sum));
  return sum;
}

int main(int count, char **words) {
  if (count != 3) return 2;
  const long number = strtol(words[2], NULL, 10);
  long result = 0;
  if (strcmp(words[1], "fib") == 0)
    result = fib(number);
  else
    for (long i = 0; i < number; i++) result += leaf(i);
  printf("%ld\n", result);
  return 0;
}
