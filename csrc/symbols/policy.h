/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The decisions in which this program and GNU gprof differ.
 *
 * A policy is chosen when a symbol table is built. The table passes it to all later
 * stages, except that annotated source may use the other policy. Code tests a decision by
 * its name, not which policy it is.
 *
 * There are two policies: our own, and GNU gprof's, which reproduces its results byte for
 * byte, errors included. Each comment first says what our policy does (for a bool: true),
 * then what GNU gprof does.
 */
#ifndef GP_SYMBOLS_POLICY_H
#define GP_SYMBOLS_POLICY_H

#include <stdbool.h>
#include <stddef.h>

typedef struct gp_policy {
  /* --- files ----------------------------------------------------------------- */

  /* Symbols and lines of a stripped image come from its debugging file. GNU: only the
   * image itself is read; libbfd alone may follow .gnu_debuglink to find lines. */
  bool debug_files;

  /* Lines come from the line tables. GNU: from libbfd, which is wrong about some files of
   * DWARF 5 (debug/line_map_build.h). */
  bool exact_lines;

  /* --- what is a function (symbols/candidates.h) ----------------------------- */

  /* Every symbol in code that is typed as a function is one, whatever its name or
   * binding; clones such as "f.isra.0" are functions of their own. GNU: local names with
   * most suffixes are dropped, so the time of such clones goes to the function before
   * them. */
  bool typed_functions;

  /* The test of a local name stops at its end. GNU: after a clone's suffix it reads on
   * into the next name of the string table. */
  bool bounded_names;

  /* Where functions have descriptors (64-bit PowerPC), code gets the name of its
   * descriptor, without the dot. GNU: the dot stays, and a function has only one name. */
  bool descriptor_names;

  /* --- symbol files (symbols/symfile.h) -------------------------------------- */

  /* nm's type letters of functions, including weak functions and ifuncs. GNU: only "T"
   * and "t", so the time of the others goes to their neighbours. */
  const char *symfile_types;

  /* The image's machine decides what a name or an address in the file means: mapping
   * symbols are dropped, ARM's Thumb bit is cleared. GNU: both are taken literally. */
  bool symfile_by_machine;

  /* Malformed lines are errors, and so are addresses that are all zero. GNU: skips such
   * lines, and accepts such addresses. */
  bool symfile_strict;

  /* no_static omits the file's local functions. GNU: it does not apply to the file. */
  bool symfile_static;

  /* --- maps of object files (symbols/objmap.h) ------------------------------- */

  /* A map also applies to the symbols of a symbol file. GNU: only to the image's. */
  bool map_symfiles;

  /* A line of a map is "OBJECT:" and a line as nm prints it. GNU: the object ends at the
   * first colon and the name begins after the last space; what is between is ignored. */
  bool map_strict;

  /* The first of several lines for a symbol counts, as for a linker. GNU: the first one
   * that a binary search probes. */
  bool map_first_line;

  /* All symbols of an object are kept; neighbours from one object are merged. GNU: keeps
   * only the symbol of the first of adjacent lines for one object. The code of the others
   * goes to the symbol before it, even if that is from a different object. */
  bool map_whole_objects;

  /* --- one symbol per address (symbols/symtab.h) ----------------------------- */

  /* At one address a function is preferred to a label. GNU: a global label is preferred
   * to a static function, whose calls are lost. */
  bool functions_before_labels;

  /* The cold part of a function ("f.cold") belongs to that function. GNU: it is not a
   * function, and its time goes to the function before it. */
  bool cold_parts_owned;

  /* --- building a profile ---------------------------------------------------- */

  /* Calls from unknown callers count as calls of their callee. GNU: they are lost. */
  bool callerless_calls;

  /* The counter function of runtime/blocks.c is profiling overhead, like mcount. GNU: it
   * is an ordinary function. */
  bool block_counter_excluded;

  /* The most basic blocks that a symbol can have; any others are lost. GNU: 10. */
  size_t max_blocks;

  /* Static calls are found by decoding the instructions; calls that the user excluded
   * stay excluded. GNU: on x86, any byte that looks like a call is one
   * (profile/gnu_static_calls.h), and excluded calls come back. */
  bool decoded_calls;

  /* Time in code that no symbol covers is computed. GNU: it is not. */
  bool unattributed_measured;

  /* --- lines (profile/line_symtab.h) ----------------------------------------- */

  /* If the names of inlined functions are in a file that libbfd does not read, code gets
   * its symbol's name. GNU: such code has no line. */
  bool symbols_name_lines;

  /* At one address a symbol not typed as a function is preferred to a line. GNU: the line
   * is preferred, unless the symbol's name begins with fewer underscores. */
  bool labels_before_lines;

  /* Within the code of a line, inlined functions are looked up only at recorded
   * addresses. GNU: at every byte. */
  bool recorded_lines_only;

  /* All symbols are kept, with their samples. GNU: the last one is lost if it is beyond
   * .text, and the one that is then the last has no samples. */
  bool last_line_kept;

  /* --- annotated source (profile/annotation.h) ------------------------------- */

  /* A line sums over all of its code, and basic blocks show how often it was executed.
   * GNU: only the first code of a line counts, and only calls. */
  bool whole_lines;
} gp_policy;

extern const gp_policy gp_policy_default, gp_policy_gnu;

#endif
