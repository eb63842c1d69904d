/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/environment.h"

#include <string.h>

#include "runtime/linux.h"
#include "runtime/text.h"

static const char preload[] = "LD_PRELOAD=", options[] = "GPROF_RECORDER=";
static const char library[] = "libgprof-recorder.so";

/* Returns the value in `element`, a string "NAME=VALUE"; NULL if it has another name. */
static char *value_of(char *element, const char *name) {
  const size_t length = strlen(name);
  return strncmp(element, name, length) == 0 ? element + length : NULL;
}

const char *rec_variable(char **environment, const char *name) {
  const char *value = NULL;
  for (; environment && *environment && !value; environment++)
    value = value_of(*environment, name);
  return value;
}

bool rec_is_in_valgrind(char **environment) {
  const char *libraries = rec_variable(environment, "LD_PRELOAD=");
  return libraries && strstr(libraries, "/vgpreload_core");
}

static bool is_recorder(const char *path, size_t length) {
  const size_t own = sizeof library - 1;
  return length >= own && memcmp(path + length - own, library, own) == 0 &&
         (length == own || path[length - own - 1] == '/');
}

/* Removes the recorder from a list of libraries. */
static void remove_library(char *list) {
  char *to = list;
  for (char *from = list; *from != '\0';) {
    const size_t length = strcspn(from, ": ");
    const size_t part = length + (from[length] != '\0');
    if (!is_recorder(from, length)) {
      memmove(to, from, part);
      to += part;
    }
    from += part;
  }
  if (to > list && (to[-1] == ':' || to[-1] == ' ')) to--;
  *to = '\0';
}

void rec_leave_environment(char **environment) {
  char **to = environment;
  for (char **from = environment; from && *from; from++) {
    char *libraries = value_of(*from, preload);
    if (libraries) remove_library(libraries);
    if ((!libraries || *libraries != '\0') && !value_of(*from, options)) *to++ = *from;
  }
  if (to) *to = NULL;
}

/* A copy of an environment. Its new variable follows the elements. */
typedef struct copy {
  size_t size; /* in bytes */
  char *element[];
} copy;

/* Adds the options in `list`, each with a comma, except the option `name`. */
static void add_other_options(text *built, const char *list, const char *name) {
  while (*list != '\0') {
    const size_t length = strcspn(list, ",");
    if (length > 0 && strncmp(list, name, strlen(name)) != 0) {
      add_bytes(built, list, length);
      add_text(built, ",");
    }
    list += length;
    list += *list == ',';
  }
}

char *const *rec_set_option(char *const *environment, const char *name,
                            const char *value) {
  size_t count = 0, at = 0;
  const char *list = NULL;
  for (; environment && environment[count]; count++) {
    if (list) continue;
    list = value_of(environment[count], options);
    at = count;
  }
  if (!list) return environment;
  const size_t elements = (count + 1) * sizeof *environment;
  const size_t variable = strlen(environment[at]) + strlen(name) + strlen(value) + 2;
  copy *made = map_memory(sizeof *made + elements + variable);
  if (!made) return environment;
  made->size = sizeof *made + elements + variable;
  memcpy(made->element, environment, elements);
  made->element[at] = (char *)&made->element[count + 1];
  text built = begin_text(made->element[at], variable);
  add_text(&built, options);
  add_other_options(&built, list, name);
  add_text(&built, name);
  add_text(&built, value);
  return made->element;
}

void rec_release_environment(char *const *made, char *const *environment) {
  if (made == environment) return;
  copy *whole = (copy *)((uintptr_t)made - offsetof(copy, element));
  unmap_memory(whole, whole->size);
}
