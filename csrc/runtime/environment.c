/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "runtime/environment.h"

#include <stdbool.h>
#include <string.h>

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

size_t rec_environment_size(char *const *environment) {
  size_t size = 1;
  for (; environment && *environment; environment++) size++;
  return size;
}

void rec_set_option(char *const *environment, const char *name, const char *value,
                    char **into, char variable[REC_OPTIONS_SIZE]) {
  for (; environment && *environment; environment++, into++) {
    *into = *environment;
    char *present = value_of(*into, options);
    if (!present || strlen(*into) + strlen(name) + strlen(value) + 2 > REC_OPTIONS_SIZE)
      continue;
    text extended = begin_text(variable, REC_OPTIONS_SIZE);
    add_text(&extended, *into);
    char *old = strstr(variable, name);
    if (old) extended.at = old;
    if (!old && *present != '\0') add_text(&extended, ",");
    add_text(&extended, name);
    add_text(&extended, value);
    *into = variable;
  }
  *into = NULL;
}
