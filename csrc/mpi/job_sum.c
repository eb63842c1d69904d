/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sums of the profiles of a job's ranks. */
#include "mpi/job_sum.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "gmon/gmon_read.h"
#include "gmon/sum/sum_file.h"

/* The longest key or name of a program in bytes. */
#define LONGEST_TEXT 4096

static const gp_layout native = {.big_endian = GP_BIG_ENDIAN,
                                 .pointer_size = sizeof(void *)};

/* --- programs --------------------------------------------------------------------- */

static void free_program(gp_program_sum *p) {
  gp_data_free(&p->data);
  gp_contexts_free(&p->contexts);
  free(p->key);
  free(p->name);
  free(p);
}

void gp_job_sum_free(gp_job_sum *job) {
  for (size_t i = 0; i < job->count; i++) free_program(job->programs[i]);
  free(job->programs);
  free(job->absent);
  memset(job, 0, sizeof *job);
}

/* Appends the empty sum of a program. NULL if there is no memory. */
static gp_program_sum *append(gp_job_sum *job, const char *key, const char *name,
                              bool has_contexts) {
  if (!GP_RESERVE(&job->capacity, job->count + 1, GP_COLUMN(job->programs))) return NULL;
  gp_program_sum *p = calloc(1, sizeof *p);
  if (!p) return NULL;
  gp_data_init(&p->data, native);
  gp_contexts_init(&p->contexts, native);
  p->has_contexts = has_contexts;
  p->key = strdup(key);
  p->name = strdup(name);
  if (p->key && p->name) return job->programs[job->count++] = p;
  free_program(p);
  return NULL;
}

static gp_program_sum *find(const gp_job_sum *job, const char *key) {
  for (size_t i = 0; i < job->count; i++)
    if (strcmp(job->programs[i]->key, key) == 0) return job->programs[i];
  return NULL;
}

/* Sets the key of a program with the profile of one rank: sums of profiles with the same
 * key cannot fail, except for lack of memory and very large counts. */
static bool set_key(gp_program_sum *p, const char *id, const gp_context_counts *counts) {
  char key[LONGEST_TEXT];
  const gp_data *data = &p->data;
  int used = snprintf(key, sizeof key, "%s; %u-byte addresses, %s-endian", id,
                      native.pointer_size, native.big_endian ? "big" : "little");
  for (size_t i = 0; i < data->histogram_count && used < LONGEST_TEXT / 2; i++) {
    const gp_histogram *h = &data->histograms[i];
    used += snprintf(key + used, sizeof key - (size_t)used,
                     "; %zu bins from %" PRIx64 " to %" PRIx64 ", %" PRIu32 " %s (%d)",
                     h->bins, h->low, h->high, h->rate, h->dimension, h->abbreviation);
  }
  if (p->has_contexts)
    snprintf(key + used, sizeof key - (size_t)used, "; contexts, %" PRIu32 "%s",
             counts->rate, counts->wall ? " wall" : "");
  free(p->key);
  p->key = strdup(key);
  return p->key != NULL;
}

static bool read_gmon(gp_program_sum *p, gp_reader *reader, gp_error *error) {
  const gp_read_options options = {.format = GP_FORMAT_MAGIC};
  gp_file_kind kind;
  (void)error;
  return gp_data_read_from(&p->data, reader, &options, &kind);
}

static bool read_own(gp_program_sum *p, const gp_own_profile *own,
                     gp_context_counts *counts, gp_error *error) {
  gp_reader reader;
  if (!gp_reader_share(&reader, own->gmon, error) || !read_gmon(p, &reader, error))
    return false;
  return !p->has_contexts || (gp_reader_share(&reader, own->contexts, error) &&
                              gp_contexts_add_from(&p->contexts, &reader, counts));
}

bool gp_job_sum_add(gp_job_sum *job, const gp_own_profile *own, gp_error *error) {
  gp_program program;
  gp_context_counts counts = {0};
  gp_program_find(&program);
  gp_program_sum *p = append(job, program.id, program.name, own->contexts >= 0);
  if (!p) return gp_fail_memory(error);
  if (read_own(p, own, &counts, error))
    return set_key(p, program.id, &counts) || gp_fail_memory(error);
  free_program(p);
  job->count = 0;
  return false;
}

/* --- absent ranks ------------------------------------------------------------------ */

bool gp_job_sum_note(gp_job_sum *job, int first, int last, gp_absence why) {
  gp_absent *previous =
      job->absent_count > 0 ? &job->absent[job->absent_count - 1] : NULL;
  if (previous && previous->why == why && previous->last + 1 == first) {
    previous->last = last;
    return true;
  }
  if (!GP_RESERVE(&job->absent_capacity, job->absent_count + 1, GP_COLUMN(job->absent)))
    return false;
  /* just reserved: NOLINTNEXTLINE(clang-analyzer-core.NullDereference) */
  job->absent[job->absent_count++] = (gp_absent){first, last, why};
  return true;
}

/* Longer lists of ranks are cut. A list has room for one more range and ", ...". */
enum { LONGEST_LIST = 448, LIST_ROOM = LONGEST_LIST + 128 };

/* Lists the ranks that are absent for a reason: "3, 5-7". Returns their number. */
static int list_ranks(const gp_job_sum *job, gp_absence why, char list[LIST_ROOM]) {
  size_t used = 0;
  int count = 0;
  bool is_cut = false;
  list[0] = '\0';
  for (size_t i = 0; i < job->absent_count; i++) {
    const gp_absent *a = &job->absent[i];
    if (a->why != why) continue;
    bool fits = used < LONGEST_LIST;
    if (fits)
      used += (size_t)snprintf(list + used, LIST_ROOM - used,
                               a->first < a->last ? "%s%d-%d" : "%s%d",
                               count > 0 ? ", " : "", a->first, a->last);
    else if (!is_cut)
      snprintf(list + used, LIST_ROOM - used, ", ...");
    is_cut = !fits;
    count += a->last - a->first + 1;
  }
  return count;
}

void gp_job_sum_describe(const gp_job_sum *job, int size, double timeout, char *text,
                         size_t text_size) {
  char ranks[2][LIST_ROOM], part[2][LIST_ROOM + 128] = {"", ""};
  int counts[2];
  for (int why = 0; why < 2; why++)
    counts[why] = list_ranks(job, (gp_absence)why, ranks[why]);
  int all = counts[GP_SILENT] + counts[GP_OWN];
  *text = '\0';
  if (all == 0) return;
  if (counts[GP_SILENT] > 0)
    snprintf(part[0], sizeof part[0], "; no answer in %g s: %s", timeout, ranks[0]);
  if (counts[GP_OWN] > 0)
    snprintf(part[1], sizeof part[1], "; in files of their own: %s", ranks[1]);
  snprintf(text, text_size, "%d of %d ranks are not in the sum%s%s", all, size, part[0],
           part[1]);
}

/* --- sending ------------------------------------------------------------------------ */

static bool put_number(gp_writer *writer, uint64_t number) {
  unsigned char *room = gp_writer_room(writer, 8);
  if (room) gp_put_u64(room, number, native);
  return room != NULL;
}

static bool put_text(gp_writer *writer, const char *text) {
  size_t size = strlen(text);
  if (!put_number(writer, size)) return false;
  unsigned char *room = gp_writer_room(writer, size);
  if (room)
    memcpy(room, text, size);  /* NOLINT(bugprone-not-null-terminated-result) */
  return room != NULL;
}

static bool put_list(const gp_job_sum *job, gp_writer *writer) {
  if (!put_number(writer, job->count)) return false;
  for (size_t i = 0; i < job->count; i++) {
    const gp_program_sum *p = job->programs[i];
    if (!put_text(writer, p->key) || !put_text(writer, p->name) ||
        !put_number(writer, p->has_contexts))
      return false;
  }
  if (!put_number(writer, job->absent_count)) return false;
  for (size_t i = 0; i < job->absent_count; i++) {
    const gp_absent *a = &job->absent[i];
    if (!put_number(writer, (uint64_t)a->first) ||
        !put_number(writer, (uint64_t)a->last) || !put_number(writer, a->why))
      return false;
  }
  return true;
}

/* Writes the streams one after the other. */
typedef struct sending {
  const gp_stream_out *out;
  gp_error *error;
  gp_writer writer;
} sending;

static bool begin_stream(sending *s) {
  return gp_writer_send(&s->writer, s->out->put, s->out->into, s->error);
}

static bool end_stream(sending *s, bool done) {
  return gp_writer_close(&s->writer, done) && s->out->end(s->out->into, s->error);
}

static bool send_program(sending *s, const gp_program_sum *p) {
  uint64_t id;
  if (!begin_stream(s) ||
      !end_stream(s, gp_data_put(&p->data, &s->writer, GP_FORMAT_MAGIC, NULL)))
    return false;
  if (!p->has_contexts) return true;
  return begin_stream(s) &&
         end_stream(s, gp_contexts_put(&p->contexts, &s->writer, &id));
}

bool gp_job_sum_send(const gp_job_sum *job, const gp_stream_out *out, gp_error *error) {
  sending s = {.out = out, .error = error};
  if (!begin_stream(&s) || !end_stream(&s, put_list(job, &s.writer))) return false;
  for (size_t i = 0; i < job->count; i++)
    if (!send_program(&s, job->programs[i])) return false;
  return true;
}

/* --- receiving ---------------------------------------------------------------------- */

static bool get_number(gp_reader *reader, uint64_t limit, uint64_t *number) {
  const unsigned char *bytes = gp_reader_take(reader, 8);
  if (!bytes) return reader->failed ? false : gp_fail(reader->error, "is truncated");
  *number = gp_u64(bytes, native);
  return *number <= limit || gp_fail(reader->error, "has a wrong number");
}

static bool get_text(gp_reader *reader, char text[LONGEST_TEXT]) {
  uint64_t size = 0;
  if (!get_number(reader, LONGEST_TEXT - 1, &size)) return false;
  const unsigned char *bytes = gp_reader_take(reader, (size_t)size);
  if (!bytes) return reader->failed ? false : gp_fail(reader->error, "is truncated");
  memcpy(text, bytes, (size_t)size);
  text[size] = '\0';
  return true;
}

/* The sums of the sender, in its order. */
typedef struct arrivals {
  int first, end;       /* ranks of the sender and its descendants, and one past them */
  size_t count, capacity;
  gp_program_sum **programs;
} arrivals;

/* Finds the sum of a program, or appends it. */
static bool get_program(gp_job_sum *job, gp_reader *reader, arrivals *a) {
  char key[LONGEST_TEXT], name[LONGEST_TEXT];
  uint64_t has_contexts = 0;
  if (!get_text(reader, key) || !get_text(reader, name) ||
      !get_number(reader, 1, &has_contexts))
    return false;
  if (strchr(name, '/')) return gp_fail(reader->error, "has a wrong name");
  gp_program_sum *p = find(job, key);
  if (!p) p = append(job, key, name, has_contexts != 0);
  if (!p || !GP_RESERVE(&a->capacity, a->count + 1, GP_COLUMN(a->programs)))
    return gp_fail_memory(reader->error);
  a->programs[a->count++] = p;
  return true;
}

/* Absent ranks are in order, so `*next` is the lowest one that may follow. */
static bool get_absent(gp_job_sum *job, gp_reader *reader, int end, int *next) {
  uint64_t first = 0, last = 0, why = 0, limit = (uint64_t)end - 1;
  if (!get_number(reader, limit, &first) || !get_number(reader, limit, &last) ||
      !get_number(reader, GP_OWN, &why))
    return false;
  if (first < (uint64_t)*next || last < first)
    return gp_fail(reader->error, "has a wrong number");
  *next = (int)last + 1;
  return gp_job_sum_note(job, (int)first, (int)last, (gp_absence)why) ||
         gp_fail_memory(reader->error);
}

static bool get_list(gp_job_sum *job, gp_reader *reader, arrivals *a) {
  uint64_t count = 0, ranks = (uint64_t)(a->end - a->first);
  int next = a->first;
  if (!get_number(reader, ranks, &count)) return false;
  for (uint64_t i = 0; i < count; i++)
    if (!get_program(job, reader, a)) return false;
  if (!get_number(reader, ranks, &count)) return false;
  for (uint64_t i = 0; i < count; i++)
    if (!get_absent(job, reader, a->end, &next)) return false;
  return true;
}

static bool receive_program(gp_program_sum *p, const gp_stream_in *in, gp_error *error) {
  gp_context_counts counts;
  gp_reader reader;
  if (!in->next(in->from, error) ||
      !gp_reader_receive(&reader, in->get, in->from, error) ||
      !read_gmon(p, &reader, error))
    return false;
  if (!p->has_contexts) return true;
  return in->next(in->from, error) &&
         gp_reader_receive(&reader, in->get, in->from, error) &&
         gp_contexts_add_from(&p->contexts, &reader, &counts);
}

bool gp_job_sum_receive(gp_job_sum *job, const gp_stream_in *in, int first, int end,
                        gp_error *error) {
  arrivals a = {.first = first, .end = end};
  gp_reader reader;
  if (!gp_reader_receive(&reader, in->get, in->from, error)) return false;
  bool done = get_list(job, &reader, &a);
  gp_reader_close(&reader);
  for (size_t i = 0; done && i < a.count; i++)
    done = receive_program(a.programs[i], in, error);
  free(a.programs);
  return done;
}

/* --- files -------------------------------------------------------------------------- */

/* The names of a sum's files. */
typedef struct names {
  char path[PATH_MAX + 64], companion[PATH_MAX + 80];
} names;

static bool name_files(const gp_job_sum *job, size_t i, const gp_settings *settings,
                       int rank, const char *suffix, names *n) {
  const gp_file_values values = {job->programs[i]->name, rank};
  char name[PATH_MAX], number[16] = "";
  int earlier = 0;  /* programs before program `i` that have the same name */
  for (size_t other = 0; other < i; other++)
    earlier += strcmp(job->programs[other]->name, job->programs[i]->name) == 0;
  if (!gp_settings_name(settings, &values, job->count > 1, name)) return false;
  if (earlier > 0) snprintf(number, sizeof number, "-%d", earlier + 1);
  snprintf(n->path, sizeof n->path, "%s%s%s", name, number, suffix);
  snprintf(n->companion, sizeof n->companion, "%s" GP_CONTEXT_SUFFIX, n->path);
  return true;
}

/* Who chose a name: the user, unless anything was added to the option. */
static gp_writer_path kind_of(const gp_settings *settings, const char *path) {
  return strcmp(path, settings->output) == 0 ? GP_PATH_CHOSEN : GP_PATH_DERIVED;
}

/* The new files of a program's sum. */
typedef struct new_files {
  names names;
  gp_new_sum sum;
  gp_error error, problem;
} new_files;

/* Writes a sum, which does not yet replace the old one. Returns the number of changes; 0
 * on failure. */
static size_t put_program(gp_program_sum *p, new_files *new, const gp_settings *settings,
                          gp_file_change *changes) {
  const gp_sum_file file = {.path = new->names.path,
                            .kind = kind_of(settings, new->names.path),
                            .keeps_others = true,
                            .companion = new->names.companion,
                            .contexts = p->has_contexts ? &p->contexts : NULL,
                            .format = GP_FORMAT_MAGIC,
                            .error = &new->error, .problem = &new->problem};
  return gp_sum_file_put(&p->data, &file, &new->sum, changes);
}

/* Reports the first error. */
static bool fail_files(const new_files *new, size_t count, gp_error *error) {
  for (const new_files *n = new; n < new + count; n++) {
    if (n->problem.text[0] != '\0')
      return gp_fail(error, "%s: %s", n->names.companion, n->problem.text);
    if (n->error.text[0] != '\0')
      return gp_fail(error, "%s: %s", n->names.path, n->error.text);
  }
  return false;
}

/* Copies a file from its beginning. */
static bool copy(int file, gp_writer *writer) {
  gp_reader reader;
  if (lseek(file, 0, SEEK_SET) != 0 || !gp_reader_share(&reader, file, writer->error))
    return gp_fail(writer->error, "cannot be copied");
  size_t part = 0;
  bool done = true;
  while (done && (part = gp_reader_available(&reader, GP_WRITER_WINDOW)) > 0) {
    const unsigned char *bytes = gp_reader_take(&reader, part);
    unsigned char *room = gp_writer_room(writer, part);
    done = bytes && room;
    if (done) memcpy(room, bytes, part);
  }
  done = done && !reader.failed;
  gp_reader_close(&reader);
  return done;
}

/* Copies a file that has a name in the set. */
static bool copy_to(int file, gp_writer *writer, gp_file_change *changes, size_t *count) {
  changes[(*count)++] = (gp_file_change){.writer = writer};
  return copy(file, writer);
}

bool gp_job_sum_copy(const gp_job_sum *job, const gp_own_profile *own,
                     const gp_settings *settings, int rank, const char *suffix,
                     gp_error *error) {
  new_files new = {.error = {""}, .problem = {""}};
  gp_file_change changes[GP_SUM_CHANGES];
  size_t count = 0;
  if (job->count == 0) return true;
  if (!name_files(job, 0, settings, rank, suffix, &new.names))
    return gp_fail(error, "the name of the sum is too long");
  gp_writer_path kind = kind_of(settings, new.names.path);
  bool done = gp_writer_open_profile(&new.sum.sum, new.names.path, kind, &new.error) &&
              copy_to(own->gmon, &new.sum.sum, changes, &count);
  if (done && own->contexts >= 0 && new.sum.sum.target)
    done = gp_writer_open_companion(&new.sum.companion, new.names.companion,
                                    GP_CONTEXT_MAGIC, &new.problem) &&
           copy_to(own->contexts, &new.sum.companion, changes, &count);
  return gp_writers_close(changes, count, done) || fail_files(&new, 1, error);
}

/* Writes all sums, with their context profiles. */
static bool write_all(gp_job_sum *job, const gp_settings *settings, int rank,
                      const char *suffix, new_files *new, gp_file_change *changes,
                      gp_error *error) {
  size_t count = 0, added = 1;
  for (size_t i = 0; i < job->count && added > 0; i++) {
    if (!name_files(job, i, settings, rank, suffix, &new[i].names)) {
      gp_writers_close(changes, count, false);
      return gp_fail(error, "the name of the sum is too long");
    }
    added = put_program(job->programs[i], &new[i], settings, changes + count);
    count += added;
  }
  return gp_writers_close(changes, count, added > 0) ||
         fail_files(new, job->count, error);
}

bool gp_job_sum_write(gp_job_sum *job, const gp_settings *settings, int rank,
                      const char *suffix, gp_error *error) {
  if (job->count == 0) return true;
  new_files *new = calloc(job->count, sizeof *new);
  gp_file_change *changes = calloc(job->count, GP_SUM_CHANGES * sizeof *changes);
  bool done = new && changes
                  ? write_all(job, settings, rank, suffix, new, changes, error)
                  : gp_fail_memory(error);
  free(new);
  free(changes);
  return done;
}
