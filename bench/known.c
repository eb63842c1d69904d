/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs whose time is spent in one loop, so that instructions and time are in proportion.
 * The first argument selects a program, the second how often it runs. THREADS is defined if
 * the program may start threads. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define OWN __attribute__((noipa))

/* The loop: each step depends on the one before. */
OWN static void spin(long steps) {
  uint64_t x = 1;
  for (long i = 0; i < 1000 * steps; i++) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    __asm__ volatile("" : "+r"(x));
  }
}

/* Few expensive calls, and many cheap ones. */
OWN static void often(long n) {
  for (int i = 0; i < 999; i++) spin(n);
}
OWN static void seldom(long n) { spin(9001 * n); }
OWN static void arguments(long n) { often(n); seldom(n); }

/* The difference is two levels below the callers. */
OWN static void inner(long n) { spin(n); }
OWN static void outer(long n) { inner(n); spin(10); }
OWN static void left(long n) {
  for (int i = 0; i < 400; i++) outer(n);
}
OWN static void right(long n) { outer(2600 * n); }
OWN static void levels(long n) { left(n); right(n); }

/* A library calls back. */
static long cost;
OWN static int compare(const void *a, const void *b) {
  spin(cost);
  return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}
OWN static void sort(long n, size_t count) {
  int numbers[256] = {0};
  for (size_t i = 0; i < count; i++) numbers[i] = (int)(i * 7919 % 257);
  cost = n;
  qsort(numbers, count, sizeof *numbers, compare);
}
OWN static void sort_few(long n) { sort(500 * n, 4); }
OWN static void sort_many(long n) { sort(n, 256); }
OWN static void callbacks(long n) { sort_few(n); sort_many(n); }

/* Threads share a function. */
#ifdef THREADS
OWN static void *work(void *n) {
  spin((long)(intptr_t)n);
  return NULL;
}
OWN static void *quick(void *n) {
  for (int i = 0; i < 100; i++) work(n);
  return NULL;
}
OWN static void *slow(void *n) { return work((void *)(900 * (intptr_t)n)); }
OWN static void threads(long n) {
  pthread_t one, other;
  pthread_create(&one, NULL, quick, (void *)(intptr_t)(100 * n));
  pthread_create(&other, NULL, slow, (void *)(intptr_t)(50 * n));
  pthread_join(one, NULL);
  pthread_join(other, NULL);
}
#endif

/* Recursion to different depths, with more work below. */
OWN static void leaf(long n) { spin(n); }
OWN static void descend(int depth, long n) {
  if (depth > 0) {
    descend(depth - 1, n);
    descend(depth - 1, n);
  } else {
    leaf(n);
  }
}
OWN static void shallow(long n) {
  for (int i = 0; i < 100; i++) descend(2, n);
}
OWN static void deep(long n) { descend(10, 2 * n); }
OWN static void recursion(long n) { shallow(n); deep(n); }

int main(int count, char **words) {
  static const struct {
    const char *name;
    void (*run)(long n);
  } programs[] = {{"arguments", arguments}, {"levels", levels}, {"callbacks", callbacks},
#ifdef THREADS
                  {"threads", threads},
#endif
                  {"recursion", recursion}};
  for (size_t i = 0; count == 3 && i < sizeof programs / sizeof *programs; i++)
    if (strcmp(words[1], programs[i].name) == 0)
      for (long k = strtol(words[2], NULL, 10); k > 0; k--) programs[i].run(1);
  return 0;
}
