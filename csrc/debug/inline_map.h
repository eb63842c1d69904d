/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A map from addresses to functions of the source, inlined ones included.
 *
 * A scope is a subprogram, or a copy of a function at a place where it was inlined. Each
 * segment is a range of code with its innermost scope. Segments are in address order and
 * disjoint: addresses are looked up by binary search. inline_map_build.h builds the map
 * of an image.
 */
#ifndef GP_DEBUG_INLINE_MAP_H
#define GP_DEBUG_INLINE_MAP_H

#include "base/range.h"
#include "debug/source_names.h"

/* Debugging information that could not be read: functions in it are unknown. */
typedef struct gp_inline_gaps {
  size_t damaged;        /* units with damaged entries */
  size_t missing;        /* units whose split file is missing, or from another build */
  char *first_missing;   /* the name of the first of these files; NULL if unknown */
  char *rejected;        /* path of the first package that is damaged, or from another
                            build; NULL if none */
} gp_inline_gaps;

/* Releases the names, and forgets all gaps. */
void gp_inline_gaps_free(gp_inline_gaps *gaps);

typedef struct gp_inline_map {
  /* per scope */
  size_t count, capacity;
  uint32_t *parent;       /* the scope into which it was inlined, which has a smaller
                             number; GP_NONE for a subprogram */
  uint32_t *function;     /* number of its name in `names`; GP_NONE if unknown */
  uint64_t *entry;        /* first address of its first range; UINT64_MAX if unknown */
  uint32_t *call_file;    /* of an inlined copy: where the function was called. A number
                             in `files`; GP_NONE if unknown */
  uint32_t *call_line;    /* 0 if unknown */
  uint32_t *call_discriminator;  /* as in a line table */
  uint32_t *decl_file;    /* where the function is declared, like `call_file` */
  uint32_t *decl_line;    /* 0 if unknown */
  /* per segment */
  size_t segment_count, segment_capacity;
  uint64_t *low, *high;
  uint32_t *scope;        /* the innermost scope */
  gp_source_names names, files;
  gp_inline_gaps gaps;
} gp_inline_map;

/* Initializes an empty map, whose address must not change afterwards. */
void gp_inline_map_init(gp_inline_map *map);
void gp_inline_map_free(gp_inline_map *map);

/* Appends a scope without a call and a declaration. False if there is no memory. */
bool gp_inline_map_add_scope(gp_inline_map *map, uint32_t parent, uint32_t function,
                             uint64_t entry);

/* Appends a segment, which must begin at or above the end of the last one. Extends the
 * last one if it has the same scope. False if there is no memory. */
bool gp_inline_map_add_segment(gp_inline_map *map, gp_range range, uint32_t scope);

/* Appends the scopes and segments of another map, whose addresses are moved by `slide`
 * and are then above those of the map. `suffix` is added to the names of functions. False
 * if there is no memory. */
bool gp_inline_map_append(gp_inline_map *map, const gp_inline_map *other, uint64_t slide,
                          const char *suffix);

/* Returns the innermost scope at an address, or GP_NONE. */
uint32_t gp_inline_map_find(const gp_inline_map *map, uint64_t address);

/* Returns one past the last address around `address` with the same scope, or without one;
 * UINT64_MAX if no more scopes follow. */
uint64_t gp_inline_map_end(const gp_inline_map *map, uint64_t address);

#endif
