/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of -gsplit-dwarf. */
#include "debug/split_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debug/package_index.h"

/* Files are opened again if many units name the same ones. So their total size is limited
 * to this multiple of the image's size, plus LEAST_BYTES. */
#define MAX_RATIO 64
#define LEAST_BYTES (UINT64_C(256) << 20)

static gp_key id_key(const void *columns, uint32_t unit) {
  return (gp_key){((const gp_entries *)columns)->unit[unit].id, 0};
}

void gp_split_files_init(gp_split_files *files, const gp_image *image, gp_dwarf *dwarf) {
  memset(files, 0, sizeof *files);
  files->image = image;
  files->dwarf = dwarf;
  files->budget = LEAST_BYTES + MAX_RATIO * (uint64_t)image->status.st_size;
}

static void close_file(gp_split_file *file) {
  if (!file->image) return;
  gp_entries_free(&file->entries);
  gp_hash_free(&file->by_id);
  gp_range_lists_free(&file->lists);
  gp_dwarf_free(&file->dwarf);
  gp_image_close(file->image);
  memset(file, 0, sizeof *file);
}

void gp_split_files_free(gp_split_files *files) {
  for (size_t i = 0; i < GP_PACKAGES; i++) close_file(&files->package[i]);
  close_file(&files->single);
  free(files->damaged);
}

static bool index_units(gp_split_file *file) {
  gp_hash_init(&file->by_id, id_key, &file->entries);
  for (uint32_t i = 0; i < file->entries.count; i++) {
    const gp_unit *unit = &file->entries.unit[i];
    if (unit->id == 0 || gp_hash_find(&file->by_id, (gp_key){unit->id, 0}) != GP_NONE)
      continue;
    if (!gp_hash_add(&file->by_id, i)) return false;
  }
  return true;
}

/* Replaces a file by the one at `path`, if there is one and the budget suffices. False if
 * there is no memory. */
static bool open_file(gp_split_files *files, const char *path, bool package,
                      gp_split_file *file) {
  gp_error error = {""};
  gp_image *image = gp_image_open_supplementary(path, &error);
  if (!image) return strcmp(error.text, "not enough memory") != 0;
  uint64_t size = (uint64_t)image->status.st_size;
  if (size > files->budget) {
    gp_image_close(image);
    return true;
  }
  files->budget -= size;
  close_file(file);
  file->image = image;
  gp_dwarf_open_split(&file->dwarf, file->image, files->image);
  gp_range_lists_init(&file->lists, &file->dwarf, files->image->text_low == 0);
  return gp_entries_open(&file->entries, &file->dwarf) &&
         (!package || gp_package_index_apply(file->image, &file->entries)) &&
         index_units(file);
}

static const char *path_of(const gp_image *image) {
  return bfd_get_filename(image->file);
}

static bool is_open(const gp_split_file *file, const char *path) {
  return file->image && strcmp(path_of(file->image), path) == 0;
}

/* Opens a package, if there is one at `path` and it is not open. Takes ownership of
 * `path`. */
static bool open_package(gp_split_files *files, char *path, gp_split_file *package) {
  if (!path) return false;
  bool known = false;
  for (size_t i = 0; !known && i < files->searched; i++)
    known = is_open(&files->package[i], path);
  bool done = known || open_file(files, path, true, package);
  bool damaged = !known && !package->image && access(path, F_OK) == 0;
  if (damaged && !files->damaged)
    files->damaged = path;
  else
    free(path);
  return done;
}

/* Opens the package at the next place. Some of the places may be the same. */
static bool open_next_package(gp_split_files *files) {
  const gp_image *owner = files->image->owner;
  size_t place = files->searched;
  const char *path = place == 2 && owner ? path_of(owner) : path_of(files->image);
  size_t length = strlen(path), end = strlen(".debug");
  if (place == 1 && length > end && strcmp(path + length - end, ".debug") == 0)
    length -= end;
  char *package;
  if (asprintf(&package, "%.*s.dwp", (int)length, path) < 0) package = NULL;
  bool done = open_package(files, package, &files->package[place]);
  files->searched++;
  return done;
}

static uint32_t find_unit(const gp_split_file *file, uint64_t id) {
  return file->image ? gp_hash_find(&file->by_id, (gp_key){id, 0}) : GP_NONE;
}

/* Finds a unit in the packages. A package is opened if those before lack the unit. */
static bool find_packed(gp_split_files *files, uint64_t id, gp_split_file **found,
                        uint32_t *unit) {
  for (size_t i = 0; i < GP_PACKAGES; i++) {
    if (i == files->searched && !open_next_package(files)) return false;
    gp_split_file *package = &files->package[i];
    *unit = find_unit(package, id);
    if (*unit == GP_NONE) continue;
    *found = package;
    package->used = true;
    break;
  }
  return true;
}

const char *gp_split_files_rejected(const gp_split_files *files) {
  for (size_t i = 0; i < files->searched; i++) {
    const gp_split_file *package = &files->package[i];
    if (package->image && !package->used) return path_of(package->image);
  }
  return files->damaged;
}

/* Joins the first `length` bytes of a directory, and a name. NULL if there is no
 * memory. */
static char *join(const char *directory, size_t length, const char *name) {
  char *path;
  const char *between = length > 0 && directory[length - 1] != '/' ? "/" : "";
  return asprintf(&path, "%.*s%s%s", (int)length, directory, between, name) < 0 ? NULL
                                                                                : path;
}

/* Opens the .dwo file at `path`, if it is not open, and finds the unit. Takes ownership
 * of `path`. */
static bool try_path(gp_split_files *files, char *path, uint64_t id, uint32_t *unit) {
  gp_split_file *file = &files->single;
  bool done = path && (is_open(file, path) || open_file(files, path, false, file));
  *unit = done ? find_unit(file, id) : GP_NONE;
  free(path);
  return done;
}

/* Searches the directory of an image. */
static bool find_companion(gp_split_files *files, const gp_image *image, const char *name,
                           uint64_t id, uint32_t *unit) {
  const char *path = path_of(image);
  const char *slash = strrchr(path, '/'), *last = strrchr(name, '/');
  size_t length = slash ? (size_t)(slash - path) + 1 : 0;
  return try_path(files, join(path, length, last ? last + 1 : name), id, unit);
}

/* Searches the directory in which the unit was compiled, that of the image, and that of
 * the program if the image is its debugging file. */
static bool find_single(gp_split_files *files, const char *directory, const char *name,
                        uint64_t id, uint32_t *unit) {
  const gp_image *owner = files->image->owner;
  bool absolute = name[0] == '/' || !directory;
  size_t from = absolute ? 0 : strlen(directory);
  if (!try_path(files, join(absolute ? "" : directory, from, name), id, unit))
    return false;
  if (*unit != GP_NONE) return true;
  if (!find_companion(files, files->image, name, id, unit)) return false;
  return *unit != GP_NONE || !owner || find_companion(files, owner, name, id, unit);
}

bool gp_split_files_find(gp_split_files *files, const gp_unit *skeleton,
                         gp_split_file **found, uint32_t *unit) {
  gp_dwarf *dwarf = files->dwarf;
  const gp_unit_layout *layout = &skeleton->layout;
  *found = NULL;
  *unit = GP_NONE;
  gp_split_file *file = &files->single;
  if (!find_packed(files, skeleton->id, &file, unit)) return false;
  if (*unit == GP_NONE) {
    char *name = gp_dwarf_string(dwarf, &dwarf->info, layout, skeleton->split_file);
    char *directory = gp_dwarf_string(dwarf, &dwarf->info, layout, skeleton->directory);
    bool done = !name || find_single(files, directory, name, skeleton->id, unit);
    free(name);
    free(directory);
    if (!done) return false;
  }
  if (*unit == GP_NONE) return true;
  *found = file;
  gp_unit *own = &file->entries.unit[*unit];
  own->layout.addr_base = skeleton->layout.addr_base;
  own->layout.ranges_base = skeleton->split_ranges_base;
  own->low = skeleton->low;
  return true;
}
