/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Demangles names, within limits.
 *
 * A mangled name refers back to its parts, so 400 bytes can stand for terabytes. A name
 * that is too large stays mangled. What libiberty writes is counted, for each name and in
 * total. Work that writes nothing is estimated from the parsed name. The total limit
 * grows with the size of the mangled names, so large programs do not reach it.
 */
#ifndef GP_OBJECT_DEMANGLE_H
#define GP_OBJECT_DEMANGLE_H

#include <stdbool.h>
#include <stdint.h>

/* The limits, in bytes. One demangled name may have GP_DEMANGLED_NAME bytes (rustc's own
 * demangler allows 1,000,000). All demangled names together may have GP_DEMANGLED_TOTAL
 * bytes, plus GP_DEMANGLED_RATIO bytes for each byte of the mangled names. */
enum {
  GP_DEMANGLED_NAME = 1 << 20,
  GP_DEMANGLED_TOTAL = 1 << 26,
  GP_DEMANGLED_RATIO = 64
};

/* Counters for a series of names. Initialize them with zeroes. */
typedef struct gp_demangler {
  uint64_t mangled;   /* bytes of mangled names so far */
  uint64_t written;   /* bytes of demangled names, including names that were too large */
  bool refused;       /* a name was too large */
} gp_demangler;

/* Demangles a name in the current style, with or without parameters. Like bfd_demangle(),
 * ignores leading dots and dollar signs, and a version after "@". Sets `*demangled` to
 * the result (free() it); NULL if the name is not mangled, or too large. False if there
 * is no memory. */
bool gp_demangle(gp_demangler *demangler, const char *name, bool parameters,
                 char **demangled);

/* The result of demangling a name without a limit for all names together. */
typedef struct gp_demangling {
  char *text;             /* free() it; NULL if the name is not mangled, or too large */
  uint32_t written;       /* what to add to `written` */
  bool refused;           /* the name is too large */
} gp_demangling;

/* Demangles a name like gp_demangle, without counters. Several threads may call it.
 * False if there is no memory. */
bool gp_demangle_ahead(const char *name, bool parameters, gp_demangling *made);

/* Counts a name that gp_demangle_ahead has demangled. Returns false, and counts nothing,
 * if gp_demangle would have a lower limit now; then call it. */
bool gp_demangle_count(gp_demangler *demangler, const char *name,
                       const gp_demangling *made);

#endif
