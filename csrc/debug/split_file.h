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
 * image is a debugging file, the directory of the program is searched, too.
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
} gp_split_file;

/* The files of an image: its package, and the .dwo file that was opened last. */
typedef struct gp_split_files {
  const gp_image *image;
  gp_dwarf *dwarf;     /* the image's sections */
  bool searched;       /* the package was searched for */
  uint64_t budget;     /* bytes of files that may still be opened */
  gp_split_file package, single;
} gp_split_files;

/* Initializes an empty set, whose address must not change afterwards. */
void gp_split_files_init(gp_split_files *files, const gp_image *image, gp_dwarf *dwarf);
void gp_split_files_free(gp_split_files *files);

/* Finds the unit with the entries of a skeleton unit. Sets `*found` to its file, valid
 * until the next call, or to NULL if there is none; and `*unit` to its number. False if
 * there is no memory. */
bool gp_split_files_find(gp_split_files *files, const gp_unit *skeleton,
                         gp_split_file **found, uint32_t *unit);

#endif
