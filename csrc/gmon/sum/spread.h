/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The spread of a sum: how the time and the calls of each function differ between runs.
 *
 * A sum of profiles hides which run was slow. The spread keeps, for each function and for
 * whole runs, the number of runs, the sum, the least and the greatest value, the sum of
 * squares, and the run with the greatest value. All are whole numbers, so adding up
 * spreads is associative: the result does not depend on how runs are grouped. The order
 * of runs decides only which of several runs with the same greatest value is named: the
 * first. The size of a spread depends on the number of functions, not of runs.
 *
 * Times are in units that need no fractions. A bin of a histogram covers units of two
 * bytes of code; the ticks of a bin are divided among functions in proportion to these
 * units. So a function's time is the sum of its units in each bin times the bin's count:
 * ticks times the number of units per bin.
 */
#ifndef GP_GMON_SUM_SPREAD_H
#define GP_GMON_SUM_SPREAD_H

#include "gmon/gmon.h"

/* A number of 128 bits. It never overflows as a sum of squares, because the sum of the
 * values has at most 63 bits. */
typedef struct gp_wide {
  uint64_t high, low;
} gp_wide;

/* What one function, or a whole run, has in all runs. */
typedef struct gp_amounts {
  uint64_t runs;          /* runs in which the value is above 0 */
  uint64_t sum;           /* at most INT64_MAX */
  uint64_t least, most;   /* in these runs; 0 if there are none */
  gp_wide squares;        /* sum of the squares */
  uint32_t who;           /* name of the first run that has `most`; GP_NONE if no run has
                             a value above 0 */
} gp_amounts;

/* The unit of times. Without a histogram, all is 0. */
typedef struct gp_time_scale {
  uint64_t units, bins;   /* units of two bytes per bin, in lowest terms */
  uint32_t rate;          /* ticks per second, or per another dimension */
  char dimension[16];
  char abbreviation;
} gp_time_scale;

/* The values of one run. */
typedef struct gp_run {
  gp_time_scale scale;
  uint64_t ticks, calls;  /* of the whole run; ticks may be in no function */
  size_t count;           /* of functions with time or calls */
  uint32_t *function;     /* their rows, each once, in any order */
  uint64_t *time_of;      /* by row; 0 for other functions */
  uint64_t *calls_of;     /* by row */
} gp_run;

/* The name of a run. */
typedef struct gp_run_name {
  char *text;             /* allocated; NULL: the row is free */
  uint32_t size;
  uint32_t next_free;     /* of a free row: the next one, or GP_NONE */
  uint64_t uses;          /* number of gp_amounts that refer to it */
} gp_run_name;

/* The longest name of a run in bytes. Longer names lose their beginning. */
#define GP_RUN_NAME_MAX 4096

typedef struct gp_spread {
  /* the functions: set by gp_spread_init */
  uint64_t *address;        /* ascending */
  uint32_t count;
  uint32_t checksum;        /* CRC-32 of the addresses */
  unsigned char build_id[GP_DATA_BUILD_ID_BYTES];
  size_t build_id_size;     /* 0 if unknown */

  gp_time_scale scale;      /* of the first run that has a histogram */
  uint64_t runs;            /* number of runs */
  uint64_t skipped;         /* profiles of the sum that are not in its spread */
  gp_amounts ticks, all_calls;   /* of whole runs */
  gp_amounts *time, *calls;      /* by row of the function */

  size_t name_count, name_capacity;
  gp_run_name *names;
  uint32_t first_free;      /* row of the first free name, or GP_NONE */
  uint32_t accepted;        /* name of the run that was accepted last, or GP_NONE */
} gp_spread;

/* Divides the numbers of units and bins, which are above 0, by their common divisors. */
void gp_time_scale_reduce(gp_time_scale *scale);

/* Initializes an empty spread of functions with these addresses, which are ascending.
 * Errors: no memory; then the spread can only be freed. */
bool gp_spread_init(gp_spread *spread, const uint64_t *address, size_t count,
                    gp_error *error);
void gp_spread_free(gp_spread *spread);

/* Whether a run can be added. `name` says which run it is: usually the path of its
 * profile. Errors: another bin size or unit; a sum that exceeds 63 bits; no memory. */
bool gp_spread_accepts(gp_spread *spread, const gp_run *run, const char *name,
                       gp_error *error);

/* Adds the run that was accepted last. Cannot fail. */
void gp_spread_add(gp_spread *spread, const gp_run *run);

/* Adds profiles that cannot be split into runs. */
bool gp_spread_skip(gp_spread *spread, uint64_t profiles, gp_error *error);

/* Whether both are of the same functions of the same build, as far as is known. */
bool gp_spread_is_of(const gp_spread *spread, const gp_spread *other, gp_error *error);

/* Whether `other` can be added: gp_spread_is_of must hold. Errors: also those of
 * gp_spread_accepts. */
bool gp_spread_fits(const gp_spread *spread, const gp_spread *other, gp_error *error);

/* Adds the runs of `other`, after those of `spread`. After an error `spread` is
 * unchanged. */
bool gp_spread_merge(gp_spread *spread, const gp_spread *other, gp_error *error);

/* Returns the row of a name, which has no uses yet. GP_NONE if there is no memory. */
uint32_t gp_spread_name(gp_spread *spread, const char *text, size_t size);

/* Returns the row of the function at an address; GP_NONE if there is none. */
uint32_t gp_spread_row(const gp_spread *spread, uint64_t address);

/* Whether a function has time or calls in any run. */
static inline bool gp_spread_has(const gp_spread *spread, uint32_t row) {
  return spread->time[row].runs > 0 || spread->calls[row].runs > 0;
}

/* The least value in all runs: 0 if some of the `runs` have none. */
static inline uint64_t gp_amounts_min(const gp_amounts *amounts, uint64_t runs) {
  return amounts->runs == runs ? amounts->least : 0;
}

/* The square of a number. */
gp_wide gp_wide_square(uint64_t number);

/* Whether a <= b. */
static inline bool gp_wide_at_most(gp_wide a, gp_wide b) {
  return a.high < b.high || (a.high == b.high && a.low <= b.low);
}

/* The product of two numbers. */
gp_wide gp_wide_product(uint64_t a, uint64_t b);

/* The standard deviation of the values in all `runs`, in the unit of the values: the root
 * of the mean square of their differences from the mean. The variance is computed without
 * rounding until the last step. `runs` is above 0. */
double gp_amounts_deviation(const gp_amounts *amounts, uint64_t runs);

#endif
