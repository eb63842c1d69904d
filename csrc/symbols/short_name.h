/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shortening of C++ names.
 *
 * The function's own name is shown longest. The parameters go first, with the return type
 * and ABI tags ("[abi:cxx11]"); then the template arguments; then the namespaces and
 * classes, from the left:
 *
 *     void ns::Map<int>::each<F>(F, int) const
 *     ns::Map<int>::each<F>
 *     ns::Map<>::each<>
 *     ...::each<>
 *
 * A clone's suffix, "[clone .isra.0]", remains. Names that are not C++ have no such
 * parts, and names with unbalanced brackets are not taken apart.
 */
#ifndef GP_SYMBOLS_SHORT_NAME_H
#define GP_SYMBOLS_SHORT_NAME_H

#include <stddef.h>
#include <stdint.h>

/* The parts of a name that a short name shows, because it would otherwise be equal to
 * another one; see distinct_names.h. */
typedef struct gp_shown_parts {
  uint32_t from, to;      /* offsets of template arguments or parameters, which are shown
                             as a whole; equal if there are none */
  uint32_t components;    /* number of last components; 0: the function's own name may
                             also be cut */
} gp_shown_parts;

/* What a name is shown without. */
typedef enum gp_name_form {
  GP_COMPLETE,
  GP_WITHOUT_PARAMETERS,   /* without parameters, return type and ABI tags */
  GP_WITHOUT_ARGUMENTS     /* also without template arguments: "Map<>::find" */
} gp_name_form;

/* Writes a form of a name to `out`, which has room for `length` bytes. `shown` may be
 * NULL. Returns the length of the result, at most `length`. */
size_t gp_shorten_name(const char *name, size_t length, gp_name_form form,
                       const gp_shown_parts *shown, char *out);

/* Where the parts of a name begin. */
typedef struct gp_name_parts {
  size_t function;    /* after the return type and a blank; 0 without a return type */
  size_t parameters;  /* the length of the name, if it has no parameters */
} gp_name_parts;

/* `scratch` has room for `length` bytes. */
gp_name_parts gp_take_name_apart(const char *name, size_t length, char *scratch);

/* Returns the offset of the component after the one at `from`, past the "::"; `length` if
 * there is no further component. */
size_t gp_next_component(const char *name, size_t length, size_t from);

/* Returns the number of bytes that gp_fit_name needs. */
size_t gp_fitted_room(size_t length, const char *mark);

/* Writes a form of a name to `out`, shortened no further than necessary to be `columns`
 * wide. `mark` replaces the namespaces; it also replaces the middle of the function's own
 * name if that alone is too wide. The result is wider than `columns` if what must be
 * shown is; `shown` may be NULL. Returns the length of the result. */
size_t gp_fit_name(const char *name, size_t length, gp_name_form form, size_t columns,
                   const char *mark, const gp_shown_parts *shown, char *out);

#endif
