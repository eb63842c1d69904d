/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The numbers of the profile formats that both reading and writing need.
 */
#ifndef GP_GMON_GMON_FORMAT_H
#define GP_GMON_GMON_FORMAT_H

#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/* The current format begins with "gmon", a version and bytes to spare. */
#define MAGIC "gmon"
#define MAGIC_HEADER ((size_t)20)

/* The version of what the dynamic linker writes of a shared library; and, in a sum of
 * such profiles, which is of version 1, the mark of it: at MARK_OFFSET, in four of the
 * bytes to spare, before eight of those that tell how many calls were not counted. */
#define VERSION_SHARED UINT32_C(0x1ffff)
enum { MARK_OFFSET = 8, LOST_OFFSET = 12 };

/* In a 4.4BSD header, where old BSD has its first bins. */
#define VERSION_44BSD UINT32_C(0x00051879)

/* What kind of record follows. */
enum { TAG_HISTOGRAM, TAG_ARC, TAG_BLOCKS };

/* The name of a unit in a file, and all that BSD files can count. */
enum { DIMENSION_SIZE = 15 };
#define BSD_DIMENSION "seconds"
#define BSD_ABBREVIATION 's'

/* The system's clock tick, at which profil(2) samples: old BSD files do not say. */
static inline uint32_t clock_rate(void) {
  long ticks = sysconf(_SC_CLK_TCK);
  return ticks > 0 ? (uint32_t)ticks : 100;
}

#endif
