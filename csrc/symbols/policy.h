/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The decisions in which this program and GNU gprof differ.
 *
 * A policy is chosen when a symbol table is built. The table passes it to all later
 * stages, except that annotated source may use the other policy. Code tests the field for
 * a decision, never which policy is in use.
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

  /* The symbols and source lines of a stripped image are read from its debugging file.
   * GNU: only the image itself is read, unless libbfd follows .gnu_debuglink to find
   * lines. */
  bool debug_files;

  /* Source lines are read from the line tables. GNU: libbfd looks them up, and gives
   * wrong lines for some files with DWARF 5 (debug/line_map_build.h). */
  bool exact_lines;

  /* --- what is a function (symbols/candidates.h) ----------------------------- */

  /* Every code symbol typed as a function becomes a function, whatever its name or
   * binding; clones such as "f.isra.0" are separate functions. GNU: local symbols whose
   * names have a suffix are dropped, with few exceptions, so the time of these clones
   * goes to the function before them. */
  bool typed_functions;

  /* Symbols in debugging sections are not functions. GNU: weak symbols in debugging
   * sections become functions. gcc -flto -g defines such symbols in .debug_info; their
   * values are offsets, which can equal addresses of code. */
  bool debugging_skipped;

  /* The check of a local name stops at its end. GNU: after a clone's suffix, the check
   * continues into the next name of the string table. */
  bool bounded_names;

  /* Where functions have descriptors (64-bit PowerPC), code gets the name of its
   * descriptor, without the dot. GNU: the dot stays, and a function has only one name. */
  bool descriptor_names;

  /* --- symbol files (symbols/symfile.h) -------------------------------------- */

  /* The type letters that nm prints for functions, including weak functions and ifuncs.
   * GNU: only "T" and "t", so the time of other functions goes to their neighbours. */
  const char *symfile_types;

  /* What a name or an address in the file means depends on the image's machine: mapping
   * symbols are dropped, and ARM's Thumb bit is cleared. GNU: names and addresses are
   * taken literally. */
  bool symfile_by_machine;

  /* Malformed lines are errors, and so are addresses that are all zero. GNU: malformed
   * lines are skipped, and zero addresses are accepted. */
  bool symfile_strict;

  /* no_static omits the file's local functions. GNU: no_static does not apply to the
   * file. */
  bool symfile_static;

  /* --- maps of object files (symbols/objmap.h) ------------------------------- */

  /* A map also applies to the symbols of a symbol file. GNU: it applies only to the
   * image's symbols. */
  bool map_symfiles;

  /* A line of a map is "OBJECT:" followed by a line in nm's format. GNU: the object ends
   * at the first colon and the name begins after the last space; text between them is
   * ignored. */
  bool map_strict;

  /* Like a linker, uses the first of several lines with the same symbol. GNU: uses the
   * first one that a binary search probes. */
  bool map_first_line;

  /* All symbols of an object are kept; neighbours from one object are merged. GNU: of
   * adjacent lines for one object, only the first line's symbol is kept. The code of the
   * other symbols goes to the preceding symbol, even if that is from a different
   * object. */
  bool map_whole_objects;

  /* --- one symbol per address (symbols/symtab.h) ----------------------------- */

  /* At one address a function is preferred to a label. GNU: a global label is preferred
   * to a static function, whose calls are lost. */
  bool functions_before_labels;

  /* The cold part of a function ("f.cold") belongs to that function. GNU: it is not a
   * function, and its time goes to the function before it. */
  bool cold_parts_owned;

  /* Code in all sections counts. GNU: only .text has lines, and its end is the end of the
   * last symbol, wherever that symbol is. */
  bool all_sections;

  /* The last symbol has samples. GNU: it has none if any two symbols share an address,
   * because its end is then the address of a symbol that was removed. */
  bool last_symbol_sampled;

  /* --- building a profile ---------------------------------------------------- */

  /* If the user selects functions, the total is the sum of their ticks and of those in no
   * function. GNU: it is the sum of all ticks, minus those of the other functions. The
   * parts of a bin are rounded and do not add up to its ticks, so the difference may be
   * far too small, and percentages exceed 100. The unit of times per call also suits the
   * selected functions only. GNU: it suits all functions. */
  bool selected_total;

  /* Calls from unknown callers are included in the callee's number of calls. GNU: these
   * calls are lost. */
  bool callerless_calls;

  /* The time of arcs is taken from call paths, if the data has them. GNU: a callee's time
   * is divided in proportion to calls. */
  bool measured_times;

  /* The counter function of runtime/blocks.c is profiling overhead, like mcount. GNU: it
   * is an ordinary function. */
  bool block_counter_excluded;

  /* The maximum number of basic blocks of a symbol; further blocks are lost. GNU: 10. */
  size_t max_blocks;

  /* Static calls are found by decoding the instructions; calls that the user excluded
   * stay excluded. GNU: on x86, any byte that looks like a call is taken for one
   * (profile/code/gnu_static_calls.h), and excluded calls are added again. */
  bool decoded_calls;

  /* The time spent in code that no symbol covers is computed. GNU: it is not. */
  bool unattributed_measured;

  /* --- lines (profile/line_symtab.h) ----------------------------------------- */

  /* The function that a line is from is found in the entries of .debug_info
   * (debug/inline_map.h); without one, it is that of the symbol. GNU: libbfd looks it up.
   * It ignores some ranges of DWARF 5, and then names the wrong function. Code whose
   * function libbfd does not find has no line. */
  bool exact_inlining;

  /* At one address a symbol not typed as a function is preferred to a line. GNU: the line
   * is preferred, unless the symbol's name begins with fewer underscores. */
  bool labels_before_lines;

  /* Within the code of a line, inlined functions are looked up only at recorded
   * addresses. GNU: at every byte. */
  bool recorded_lines_only;

  /* All symbols are kept, with their samples. GNU: the last symbol is lost if it is
   * beyond .text, and the symbol before it has no samples. */
  bool last_line_kept;

  /* --- annotated source (profile/annotation.h) ------------------------------- */

  /* The figures of a line are sums over all of its code, and the counts of its basic
   * blocks show how often it was executed. GNU: only the first code of a line is counted,
   * and only its calls. */
  bool whole_lines;
} gp_policy;

extern const gp_policy gp_policy_default, gp_policy_gnu;

#endif
