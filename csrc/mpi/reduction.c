/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds up the profiles of the ranks of a job. */
#include "mpi/reduction.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "mpi/job_sum.h"
#include "mpi/own_profile.h"

/* A child: a rank, and the end of its subtree. */
typedef struct child {
  int rank, end;
  bool is_here;         /* it has sent something */
  bool is_ready;        /* it can send its sum */
  bool is_asked;        /* it was asked for its sum */
  bool is_gone;         /* its subtree writes own files */
  bool is_silent;       /* it did not answer, and was left out */
  double heard;         /* when it last sent something, or when it became a child */
} child;

/* The most children of a rank: one for each bit of its number. */
enum { MOST_CHILDREN = 31 };

typedef enum outcome {
  UNDECIDED,
  IN_SUM,               /* the sum is in a file */
  FAILED,               /* the parent says: the ranks of the subtree write own files */
  GIVEN_UP,             /* this rank says so */
  LEFT_OUT,             /* this rank writes an own file; its children are adopted */
  UNKNOWN               /* the sum was sent, but then nothing was heard */
} outcome;

typedef struct reduction {
  gp_channel channel;
  const gp_settings *settings;
  gp_job_sum job;
  int rank, size;
  char family[16];      /* suffix of names; "" unless another job has started this one */
  int parent;           /* -1: none */
  double heard;         /* when the parent last sent something; at first, the start */
  bool is_ready;        /* the subtree was added up */
  bool is_asked;        /* the parent has asked for the sum */
  bool is_sent;
  outcome outcome;
  size_t count, capacity;
  child *children;      /* in the order of their ranks */
  size_t gone_count, gone_capacity;
  int *gone;            /* ranks that were gone before they became children */
  double told;          /* when the others were last told that this rank is alive */
} reduction;

static void complain(const reduction *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints a line, in one piece. */
static void complain(const reduction *r, const char *format, ...) {
  char text[4096];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(stderr, "libgprof-mpi: rank %d: %s\n", r->rank, text);
}

/* --- the tree --------------------------------------------------------------------- */

/* Without its lowest bit. */
static int parent_of(int rank) { return rank & (rank - 1); }

static int end_of_subtree(int rank, int size) {
  int lowest = rank & -rank;
  return rank == 0 || lowest > size - rank ? size : rank + lowest;
}

/* Stores the children of a rank whose subtree ends before `end`. Returns their number. */
static size_t list_children(int rank, int end, child list[MOST_CHILDREN]) {
  size_t count = 0;
  double now = gp_channel_time();
  for (int step = 1; step < end - rank; step *= 2) {
    int next = step < end - rank - step ? rank + 2 * step : end;
    list[count++] = (child){.rank = rank + step, .end = next, .heard = now};
    if (next == end) break;
  }
  return count;
}

/* Inserts the children of a rank. */
static bool insert_children(reduction *r, size_t at, int rank, int end) {
  child list[MOST_CHILDREN];
  size_t count = list_children(rank, end, list);
  if (count == 0) return true;
  if (!GP_RESERVE(&r->capacity, r->count + count, GP_COLUMN(r->children))) return false;
  child *to = r->children + at;
  memmove(to + count, to, (r->count - at) * sizeof *to);
  memcpy(to, list, count * sizeof *to);
  for (size_t i = 0; i < count; i++) {
    to[i].is_gone = false;
    for (size_t g = 0; g < r->gone_count; g++) to[i].is_gone |= r->gone[g] == to[i].rank;
  }
  r->count += count;
  return true;
}

static child *find_child(reduction *r, int rank) {
  for (size_t i = 0; i < r->count; i++)
    if (r->children[i].rank == rank) return &r->children[i];
  return NULL;
}

/* Returns what a child is told about the outcome; GP_ALIVE if that is nothing. */
static gp_notice news_for(const reduction *r, const child *c) {
  if (c->is_gone || c->is_silent) return GP_ALIVE;
  switch (r->outcome) {
    case IN_SUM: return GP_DONE;
    case GIVEN_UP: return GP_LOST;
    case LEFT_OUT: return c->is_asked ? GP_LOST : GP_ALIVE;
    default: return GP_FAILED;
  }
}

/* Tells the ancestors of a rank that the ranks of this subtree write own files. Those
 * that do not know this rank yet remember it. */
static void tell_ancestors(reduction *r, int rank) {
  while (rank > 0) {
    rank = parent_of(rank);
    gp_channel_tell(&r->channel, rank, GP_GONE);
  }
}

/* --- notices ---------------------------------------------------------------------- */

static void hear_parent(reduction *r, gp_notice notice) {
  r->heard = gp_channel_time();
  if (notice == GP_SEND) r->is_asked = true;
  if (notice == GP_FAILED || notice == GP_LOST) r->outcome = FAILED;
  if (notice == GP_LOST) tell_ancestors(r, r->parent);
  if (notice == GP_LEFT_OUT) r->outcome = LEFT_OUT;
  if (notice == GP_DONE && r->is_sent) r->outcome = IN_SUM;
}

/* An ancestor has given the parent up. If the sum was sent to the parent, it is lost. */
static void change_parent(reduction *r, int parent) {
  if (r->is_sent) {
    gp_channel_tell(&r->channel, parent, GP_GONE);
    return;
  }
  r->parent = parent;
  r->heard = gp_channel_time();
  r->is_asked = false;
  gp_channel_tell(&r->channel, parent, r->is_ready ? GP_READY : GP_ALIVE);
}

/* Remembers a rank that is gone. Without memory, the rank will be waited for. */
static void remember(reduction *r, int rank) {
  if (GP_RESERVE(&r->gone_capacity, r->gone_count + 1, GP_COLUMN(r->gone)))
    r->gone[r->gone_count++] = rank;
}

/* Handles all notices that have arrived. */
static void hear_all(reduction *r) {
  int from;
  gp_notice notice;
  while (gp_channel_hear(&r->channel, &from, &notice)) {
    child *c = find_child(r, from);
    if (c) {
      c->is_here = true;
      c->heard = gp_channel_time();
      if (notice == GP_READY) c->is_ready = true;
      if (notice == GP_GONE) c->is_gone = true;
    } else if (notice == GP_GONE)
      remember(r, from);
    else if (notice == GP_ADOPT)
      change_parent(r, from);
    else if (from == r->parent)
      hear_parent(r, notice);
  }
}

/* Tells the others now and then that this rank is alive. */
static void keep_alive(reduction *r) {
  double now = gp_channel_time();
  if (now - r->told < r->channel.timeout / 4) return;
  r->told = now;
  if (r->parent >= 0) gp_channel_tell(&r->channel, r->parent, GP_ALIVE);
  for (size_t i = 0; i < r->count; i++)
    if (r->children[i].is_here && !r->children[i].is_gone && !r->children[i].is_silent)
      gp_channel_tell(&r->channel, r->children[i].rank, GP_ALIVE);
}

/* Handles notices, and returns whether to wait on: not if there is an outcome. */
static bool goes_on(reduction *r) {
  hear_all(r);
  keep_alive(r);
  return r->outcome == UNDECIDED;
}

/* Whether the stream with `peer`, a child or the parent, goes on. */
static bool stream_goes_on(void *owner, int peer) {
  reduction *r = owner;
  bool is_undecided = goes_on(r);
  const child *c = find_child(r, peer);
  return is_undecided && !(c && c->is_gone);
}

/* --- the subtree ------------------------------------------------------------------ */

/* Lets the ranks of the subtree write own files. */
static void give_up(reduction *r, const char *reason) {
  complain(r, "%s: the profiles of ranks %d to %d are in files of their own", reason,
           r->rank, end_of_subtree(r->rank, r->size) - 1);
  r->outcome = GIVEN_UP;
  if (r->parent >= 0) gp_channel_tell(&r->channel, r->parent, GP_GONE);
}

static bool note(reduction *r, int first, int last, gp_absence why) {
  if (gp_job_sum_note(&r->job, first, last, why)) return true;
  give_up(r, "not enough memory");
  return false;
}

/* Waits until a child is ready, or will not be. */
static void await_child(reduction *r, size_t i) {
  while (goes_on(r)) {
    const child *c = &r->children[i];
    if (c->is_ready || c->is_gone) return;
    if (gp_channel_time() - c->heard > r->channel.timeout) {
      r->children[i].is_silent = true;
      return;
    }
    gp_channel_wait(&r->channel);
  }
}

/* Leaves a child out that does not answer, and takes its children over. */
static void leave_out(reduction *r, size_t i) {
  child lost = r->children[i];
  gp_channel_tell(&r->channel, lost.rank, GP_LEFT_OUT);
  if (!note(r, lost.rank, lost.rank, GP_SILENT)) return;
  size_t count = r->count;
  if (!insert_children(r, i + 1, lost.rank, lost.end)) {
    give_up(r, "not enough memory");
    return;
  }
  for (size_t k = 0; k < r->count - count; k++)
    gp_channel_tell(&r->channel, r->children[i + 1 + k].rank, GP_ADOPT);
}

static bool next_stream(void *from, gp_error *error) {
  return gp_incoming_next(from, error);
}

/* Receives the sum of a child. If the child has given up before, its ranks are noted. */
static void receive(reduction *r, const child *c) {
  gp_error error = {""};
  gp_incoming stream = {.channel = NULL};
  child *asked = find_child(r, c->rank);
  if (asked) asked->is_asked = true;
  gp_channel_tell(&r->channel, c->rank, GP_SEND);
  bool done = gp_incoming_open(&stream, &r->channel, c->rank, &error);
  if (done) {
    const gp_stream_in in = {gp_incoming_get, next_stream, &stream};
    done = gp_job_sum_receive(&r->job, &in, c->rank, c->end, &error);
    gp_incoming_close(&stream);
  }
  if (done || r->outcome != UNDECIDED) return;
  asked = find_child(r, c->rank);  /* the list may have moved */
  if (!stream.has_begun && asked && asked->is_gone)
    note(r, c->rank, c->end - 1, GP_OWN);
  else
    give_up(r, error.text);
}

/* Adds up the sums of the subtree. */
static void add_children(reduction *r) {
  for (size_t i = 0; i < r->count && r->outcome == UNDECIDED; i++) {
    await_child(r, i);
    const child c = r->children[i];
    if (r->outcome != UNDECIDED) return;
    if (c.is_gone)
      note(r, c.rank, c.end - 1, GP_OWN);
    else if (c.is_silent)
      leave_out(r, i);
    else
      receive(r, &c);
  }
}

/* --- the parent ------------------------------------------------------------------- */

static bool parent_is_silent(const reduction *r) {
  return gp_channel_time() - r->heard > 2 * r->channel.timeout;
}

/* Waits until the parent asks for the sum. False if it does not. */
static bool await_question(reduction *r) {
  r->is_ready = true;
  gp_channel_tell(&r->channel, r->parent, GP_READY);
  while (goes_on(r)) {
    if (r->is_asked) return true;
    if (parent_is_silent(r)) return false;
    gp_channel_wait(&r->channel);
  }
  return false;
}

static bool end_stream(void *into, gp_error *error) {
  return gp_outgoing_end(into, error);
}

static void send(reduction *r) {
  gp_error error = {""};
  gp_outgoing stream;
  r->is_sent = true;
  bool done = gp_outgoing_open(&stream, &r->channel, r->parent, &error);
  if (done) {
    const gp_stream_out out = {gp_outgoing_put, end_stream, &stream};
    done = gp_job_sum_send(&r->job, &out, &error);
    done = gp_outgoing_close(&stream, &error) && done;
  }
  gp_job_sum_free(&r->job);
  if (!done && r->outcome == UNDECIDED) give_up(r, error.text);
}

static void await_outcome(reduction *r) {
  while (goes_on(r)) {
    if (parent_is_silent(r)) {
      r->outcome = UNKNOWN;
      complain(r, "no answer from rank %d: the profile is in an own file, and perhaps "
               "also in the sum", r->parent);
      return;
    }
    gp_channel_wait(&r->channel);
  }
}

/* --- the files -------------------------------------------------------------------- */

/* The line for a rank that writes the files. */
static void report(const reduction *r) {
  char line[3072];
  int end = end_of_subtree(r->rank, r->size);
  gp_job_sum_describe(&r->job, end - r->rank, r->channel.timeout, line, sizeof line);
  if (line[0] != '\0')
    complain(r, "%s", line);
  else if (r->job.count == 0)
    complain(r, "no rank has a profile: was the program compiled with -pg?");
}

static void write_sums(reduction *r, const char *suffix) {
  gp_error error = {""};
  if (gp_job_sum_write(&r->job, r->settings, r->rank, suffix, &error)) {
    r->outcome = IN_SUM;
    report(r);
  } else {
    give_up(r, error.text);
  }
}

/* Writes the sum of the subtree, since no ancestor answers. Its name is not that of a
 * part: the same ranks have parts. */
static void write_subtree(reduction *r) {
  char suffix[40];
  int last = end_of_subtree(r->rank, r->size) - 1;
  tell_ancestors(r, r->rank);
  snprintf(suffix, sizeof suffix, "%s.from-%d", r->family, r->rank);
  complain(r, "no answer from rank %d: the sum of ranks %d to %d is in a file of its "
           "own, with the suffix %s", r->parent, r->rank, last, suffix);
  r->parent = -1;
  write_sums(r, suffix);
}

/* --- the rank --------------------------------------------------------------------- */

/* Writes the profile of this rank as a part of the sum. */
static void write_part(const reduction *r, const gp_own_profile *own) {
  char suffix[32];
  gp_error error = {""};
  snprintf(suffix, sizeof suffix, "%s.%d", r->family, r->rank);
  if (!gp_job_sum_copy(&r->job, own, r->settings, r->rank, suffix, &error))
    complain(r, "%s", error.text);
}

/* Adds the profile of this rank. Returns whether it is part of the sum. */
static bool add_own(reduction *r) {
  gp_own_profile own;
  gp_error error = {""};
  gp_taken taken = gp_own_take(&own, &error);
  bool done = taken == GP_NO_PROFILE ||
              (taken == GP_TAKEN && gp_job_sum_add(&r->job, &own, &error));
  if (done && r->settings->parts) write_part(r, &own);
  gp_own_close(&own);
  if (done) return true;
  complain(r, "%s: its profile is in an own file", error.text);
  note(r, r->rank, r->rank, GP_OWN);
  return false;
}

static void reduce(reduction *r) {
  add_children(r);
  if (r->outcome != UNDECIDED) return;
  if (r->parent < 0) {
    write_sums(r, r->family);
  } else if (await_question(r)) {
    send(r);
    await_outcome(r);
  } else if (r->outcome == UNDECIDED) {
    write_subtree(r);
  }
}

/* Processes that another job has started with MPI_Comm_spawn are a job of their own. */
static void find_family(reduction *r) {
  MPI_Comm parent = MPI_COMM_NULL;
  if (PMPI_Comm_get_parent(&parent) == MPI_SUCCESS && parent != MPI_COMM_NULL)
    snprintf(r->family, sizeof r->family, ".%ld", (long)getpid());
}

void gp_reduce(gp_channel_comms comms, const gp_settings *settings) {
  reduction r = {.settings = settings, .heard = gp_channel_time()};
  r.channel = (gp_channel){.comms = comms, .timeout = settings->timeout,
                           .goes_on = stream_goes_on, .owner = &r};
  PMPI_Comm_rank(comms.notices, &r.rank);
  PMPI_Comm_size(comms.notices, &r.size);
  r.told = r.heard;
  find_family(&r);
  r.parent = r.rank == 0 ? -1 : parent_of(r.rank);
  if (r.parent >= 0) gp_channel_tell(&r.channel, r.parent, GP_ALIVE);
  bool is_part = add_own(&r);
  if (!insert_children(&r, 0, r.rank, end_of_subtree(r.rank, r.size)))
    give_up(&r, "not enough memory");
  if (r.outcome == UNDECIDED) reduce(&r);
  for (size_t i = 0; i < r.count; i++) {
    gp_notice notice = news_for(&r, &r.children[i]);
    if (notice != GP_ALIVE) gp_channel_tell(&r.channel, r.children[i].rank, notice);
  }
  gp_error error = {""};
  if (!gp_own_settle(is_part && r.outcome == IN_SUM, &error))
    complain(&r, "%s", error.text);
  hear_all(&r);  /* MPI may complain about unreceived messages */
  gp_job_sum_free(&r.job);
  free(r.children);
  free(r.gone);
}
