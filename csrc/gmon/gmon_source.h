/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A profile file that is being read: what the readers of its formats share.
 *
 * gmon_read.c reads what programs leave, gmon_shared.c what the dynamic linker leaves of
 * a shared library, and mon_read.c what programs left in System V. An error tells the
 * offset of the record that is wrong.
 */
#ifndef GP_GMON_GMON_SOURCE_H
#define GP_GMON_GMON_SOURCE_H

#include "base/reader.h"
#include "gmon/gmon.h"

typedef struct gp_source_file {
  gp_data *data;          /* what it is added to */
  gp_reader *reader;
  gp_error *error;
  gp_layout layout;
  uint32_t version;       /* in the magic format */
} gp_source_file;

/* Fails: the file ends within a record, of which `kind` is the name. The reader may have
 * said why. */
bool gp_source_truncated(gp_source_file *s, const char *kind);

/* Adds calls that the record at hand tells of. */
bool gp_source_add_arc(gp_source_file *s, uint64_t from, uint64_t self, uint64_t calls);

/* Reads the header of a histogram, of 2 pointers and 24 bytes, and its bins behind it.
 * `range`, if any, is set to what that covers. */
bool gp_source_read_histogram(gp_source_file *s, gp_histogram *range);

/* Reads what the dynamic linker wrote, behind the header of the magic format. */
bool gp_source_read_shared(gp_source_file *s);

/* Reads a mon.out from its beginning; memory goes by what was read, not by what the
 * header claims. */
bool gp_source_read_mon(gp_source_file *s);

#endif
