/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Further functions of the C library that execute programs. The archive for static
 * programs lacks this file: there, the C library's versions call our __execve.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include "runtime/execute.h"

typedef char *const *strings;

EXPORTED int execv(const char *path, strings words) {
  return execve(path, words, environ);
}

/* Calls the C library's function, which searches the directories of PATH, and runs
 * scripts without "#!". */
EXPORTED int execvpe(const char *file, strings words, strings environment) {
  typedef int function(const char *, strings, strings);
  function *const original = (function *)dlsym(RTLD_NEXT, "execvpe");
  const strings made = rec_prepare_exec(environment);
  const int result = original(file, words, made);
  rec_end_exec(made, environment);
  return result;
}

EXPORTED int execvp(const char *file, strings words) {
  return execvpe(file, words, environ);
}

/* --- arguments as a list ---------------------------------------------------- */

/* Returns the number of words, with the NULL at the end of the list. */
static size_t count_words(const char *word, va_list *list) {
  size_t count = 1;
  for (; word; count++) word = va_arg(*list, char *);
  return count;
}

static void collect(char **words, const char *word, va_list *list) {
  while ((*words++ = (char *)(uintptr_t)word)) word = va_arg(*list, char *);
}

/* Collects the arguments from `first` to NULL in the array `words`. The next argument in
 * `list` is then the one after NULL. */
#define COLLECT(words, list, first)         \
  va_list list;                             \
  va_start(list, first);                    \
  char *words[count_words(first, &(list))]; /* NOLINT(bugprone-macro-parentheses) */ \
  va_end(list);                             \
  va_start(list, first);                    \
  collect(words, first, &(list))

EXPORTED int execl(const char *path, const char *first, ...) {
  COLLECT(words, list, first);
  va_end(list);
  return execve(path, words, environ);
}

EXPORTED int execlp(const char *file, const char *first, ...) {
  COLLECT(words, list, first);
  va_end(list);
  return execvpe(file, words, environ);
}

EXPORTED int execle(const char *path, const char *first, ...) {
  COLLECT(words, list, first);
  const strings environment = va_arg(list, char **);
  va_end(list);
  return execve(path, words, environment);
}
