/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Constants of the profile formats, for readers and writers.
 */
#ifndef GP_GMON_GMON_FORMAT_H
#define GP_GMON_GMON_FORMAT_H

#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/* The header of the magic format: "gmon", a version of 4 bytes, and 12 reserved bytes. */
#define MAGIC "gmon"
#define MAGIC_HEADER ((size_t)20)

/* The version of the profiles that the dynamic linker writes for a shared library. A sum
 * of such profiles has version 1, and its reserved bytes hold VERSION_SHARED as a mark
 * (4 bytes at MARK_OFFSET) and the number of calls that were not counted (8 bytes at
 * LOST_OFFSET). */
#define VERSION_SHARED UINT32_C(0x1ffff)
enum { MARK_OFFSET = 8, LOST_OFFSET = 12 };

/* In profiles without the mark VERSION_SHARED, the 8 bytes at CONTEXTS_ID_OFFSET identify
 * the context profile beside the file; 0 if there is none (see doc/contexts.md). */
enum { CONTEXTS_ID_OFFSET = 12 };

/* In these profiles, the 4 bytes at SPREAD_OFFSET identify the spread beside the file; 0
 * if there is none (see spread_file.h). */
enum { SPREAD_OFFSET = MARK_OFFSET };

/* The version in a 4.4BSD header, where old BSD has its first bins. */
#define VERSION_44BSD UINT32_C(0x00051879)

/* Tags of records in the magic format. */
enum { TAG_HISTOGRAM, TAG_ARC, TAG_BLOCKS };

/* The size of a unit's name in a file, and the only unit in BSD files. */
enum { DIMENSION_SIZE = 15 };
#define BSD_DIMENSION "seconds"
#define WALL_DIMENSION "wall sec"   /* of the recorder, with --wall */
#define BSD_ABBREVIATION 's'

/* The system's clock ticks per second, the sampling rate of profil(2). Old BSD files do
 * not record a rate, so this rate is used. */
static inline uint32_t clock_rate(void) {
  long ticks = sysconf(_SC_CLK_TCK);
  return ticks > 0 ? (uint32_t)ticks : 100;
}

#endif
