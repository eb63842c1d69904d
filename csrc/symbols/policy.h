/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The decisions in which this program and GNU gprof differ.
 *
 * A policy is chosen when a table of symbols is built, and the table hands it to all
 * later stages. (Annotated source may be asked for under the other one.) Code asks for
 * the decision by name and need not know who decides so.
 *
 * There are two policies: our own, and GNU gprof's, under which results are byte for byte
 * the same as GNU gprof's, its faults included. The comment of a field says first what a
 * true value means, which is our own choice, and then what GNU gprof does.
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

  /* Lines are what the line table says. GNU: what libbfd makes of it, which errs about
   * some files of DWARF 5 (debug/line_map.h). */
  bool exact_lines;

  /* --- what is a function (symbols/candidates.h) ----------------------------- */

  /* A symbol typed as a function is one, whatever its name, binding or section of code:
   * clones such as "f.isra.0" count by themselves. GNU: local names may have no suffix
   * but a few, so that the time of other clones goes to the function before them. */
  bool typed_functions;

  /* A name ends where it ends. GNU: after a clone's suffix, the test of a local name
   * reads on into the next name of the string table. */
  bool bounded_names;

  /* Where functions have descriptors (64-bit PowerPC), code has the name of its
   * descriptor. GNU: it keeps the dot in front, and only one of several names. */
  bool descriptor_names;

  /* --- symbol files (symbols/symfile.h) -------------------------------------- */

  /* nm's letters for functions: weak functions and ifuncs are functions, too.
   * GNU: only "T" and "t", so that the time of the others goes to their neighbours. */
  const char *symfile_types;

  /* The image's machine decides what a name or an address in the file means: marks are no
   * functions, ARM's Thumb bit is no part of an address. GNU: taken literally. */
  bool symfile_by_machine;

  /* A line that is no symbol's is an error, and so are addresses that are all zero.
   * GNU: such lines are skipped, such addresses are believed. */
  bool symfile_strict;

  /* no_static leaves out the file's local functions. GNU: it does not apply. */
  bool symfile_static;

  /* --- maps of object files (symbols/objmap.h) ------------------------------- */

  /* A map applies to the symbols of a symbol file, too. GNU: only to the image's. */
  bool map_symfiles;

  /* A line of a map is "OBJECT:" and a line of nm. GNU: the first colon and the last
   * space count, and anything may be between. */
  bool map_strict;

  /* Of several lines for one symbol the first counts, as for a linker. GNU: that which a
   * binary search happens to meet. */
  bool map_first_line;

  /* All symbols of an object are kept, and neighbours of one object are merged. GNU: of
   * adjacent lines for one object only the first one's symbol is kept; the code of the
   * others goes to whatever is before it, of whichever object. */
  bool map_whole_objects;

  /* --- one symbol per address (symbols/symtab.h) ----------------------------- */

  /* At one address a function comes before a label. GNU: a global label comes before a
   * static function, whose calls are lost. */
  bool functions_before_labels;

  /* The cold part that was split from a function ("f.cold") is part of that function.
   * GNU: it is no function, so that its time goes to whatever is before it. */
  bool cold_parts_owned;

  /* --- a profile's stages ---------------------------------------------------- */

  /* Calls by unknown callers count as calls of their callee. GNU: they are lost. */
  bool callerless_calls;

  /* The counter of basic blocks in runtime/blocks.c belongs to the machinery of
   * profiling. GNU: it does not know that counter. */
  bool block_counter_excluded;

  /* How many basic blocks a symbol can have; the others are lost. GNU: 10. */
  size_t most_blocks;

  /* Static calls are found by decoding the instructions, and calls that the user left out
   * stay out. GNU: on x86, any byte that looks like a call (profile/gnu_static_calls.h),
   * and calls that were left out come back. */
  bool decoded_calls;

  /* Time in code that no symbol covers is measured. GNU: not known. */
  bool unattributed_measured;

  /* --- lines (profile/line_symtab.h) ----------------------------------------- */

  /* Code has its symbol's name where the names of inlined functions are in a file that
   * libbfd does not read. GNU: it is of no line. */
  bool symbols_name_lines;

  /* A symbol that is not typed as a function keeps its address. GNU: the line that begins
   * there takes its place, unless the symbol's name has fewer underscores. */
  bool labels_before_lines;

  /* The code of one line is searched for inlined functions only where something was
   * recorded. GNU: at every byte. */
  bool recorded_lines_only;

  /* All symbols are kept. GNU: the last one is lost if it lies beyond .text. */
  bool last_line_kept;

  /* --- annotated source (profile/annotation.h) ------------------------------- */

  /* A line has all that is known of its code, and its blocks say how often it was
   * executed. GNU: the first code of a line hides the rest, and only calls count. */
  bool whole_lines;
} gp_policy;

extern const gp_policy gp_policy_default, gp_policy_gnu;

#endif
