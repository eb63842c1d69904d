/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files of -gsplit-dwarf, which hold the entries of an image's units.
 *
 * With -gsplit-dwarf, a unit in the image is a skeleton: it has the unit's code, the
 * addresses in .debug_addr, and the name of a file (.dwo) with the entries. A package
 * (.dwp), which has the image's name, holds the contents of many such files, with an
 * index of the parts of its sections. An id in both files tells whether they belong
 * together.
 *
 * Files are searched for where the image says, and in the directory of the image. If the
 * image is a debugging file, the directory of the program is searched, too. The search
 * goes on if a file lacks the unit.
 */
#ifndef GP_DEBUG_SPLIT_FILE_H
#define GP_DEBUG_SPLIT_FILE_H

#include "debug/entries.h"
#include "debug/range_lists.h"

/* An open file: one .dwo file, or a package. */
typedef struct gp_split_file {
  gp_image *image;     /* NULL if no file is open */
  gp_dwarf dwarf;
  gp_entries entries;
  gp_range_lists lists;
  gp_hash by_id;       /* units by id */
  bool used;           /* a unit was found in it */
} gp_split_file;

/* A package is PROGRAM.debug.dwp or PROGRAM.dwp beside the debugging file, or PROGRAM.dwp
 * beside the program. */
enum { GP_PACKAGES = 3 };

/* The files of an image: its packages, and the .dwo file that was opened last. */
typedef struct gp_split_files {
  const gp_image *image;
  gp_dwarf *dwarf;     /* the image's sections */
  size_t searched;     /* places where a package was searched for */
  uint64_t budget;     /* bytes of files that may still be opened */
  gp_split_file package[GP_PACKAGES], single;
  char *damaged;       /* path of the first package that cannot be read; NULL if none */
} gp_split_files;

/* Initializes an empty set, whose address must not change afterwards. */
void gp_split_files_init(gp_split_files *files, const gp_image *image, gp_dwarf *dwarf);
void gp_split_files_free(gp_split_files *files);

/* Finds the unit with the entries of a skeleton unit. Sets `*found` to its file, valid
 * until the next call, or to NULL if there is none; and `*unit` to its number. False if
 * there is no memory. */
bool gp_split_files_find(gp_split_files *files, const gp_unit *skeleton,
                         gp_split_file **found, uint32_t *unit);

/* Returns the path of the first package that was opened and is not the image's: it is
 * damaged, or none of the units was found in it. NULL if there is none. */
const char *gp_split_files_rejected(const gp_split_files *files);

#endif
