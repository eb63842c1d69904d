/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages between the ranks of an MPI job, none of which may answer. */
#include "mpi/channel.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A wait is this fraction of the time in which no message has arrived. If it would be
 * shorter than the shortest one, the processor is yielded instead. In seconds. */
#define FRACTION 0.0625
#define SHORTEST_WAIT 2e-5
#define LONGEST_WAIT 0.02

/* The tags of chunks. */
enum { CHUNK, LAST_CHUNK };

double gp_channel_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void gp_channel_tell(gp_channel *channel, int to, gp_notice notice) {
  MPI_Request request;
  if (PMPI_Isend(NULL, 0, MPI_BYTE, to, notice, channel->comms.notices, &request) ==
      MPI_SUCCESS)
    PMPI_Request_free(&request);
}

bool gp_channel_hear(gp_channel *channel, int *from, gp_notice *notice) {
  MPI_Message message;
  MPI_Status status;
  int found = 0;
  if (PMPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, channel->comms.notices, &found, &message,
                   &status) != MPI_SUCCESS ||
      !found)
    return false;
  *from = status.MPI_SOURCE;
  *notice = (gp_notice)status.MPI_TAG;
  channel->idle = 0;
  return PMPI_Mrecv(NULL, 0, MPI_BYTE, &message, MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

void gp_channel_wait(gp_channel *channel) {
  double now = gp_channel_time();
  if (channel->idle <= 0) channel->idle = now;
  double pause = FRACTION * (now - channel->idle);
  if (pause < SHORTEST_WAIT) {
    sched_yield();
    return;
  }
  if (pause > LONGEST_WAIT) pause = LONGEST_WAIT;
  const struct timespec time = {0, (long)(pause * 1e9)};
  nanosleep(&time, NULL);
}

/* Waits for a chunk that is exchanged with `peer` since the time `begin`. */
static bool wait_for_chunk(gp_channel *channel, int peer, double begin,
                           gp_error *error) {
  if (!channel->goes_on(channel->owner, peer))
    return gp_fail(error, "rank %d has given up", peer);
  if (gp_channel_time() - begin > channel->timeout)
    return gp_fail(error, "rank %d did not answer for %g s", peer, channel->timeout);
  gp_channel_wait(channel);
  return true;
}

/* --- sending -------------------------------------------------------------------- */

bool gp_outgoing_open(gp_outgoing *stream, gp_channel *channel, int to,
                      gp_error *error) {
  *stream = (gp_outgoing){.channel = channel, .to = to,
                          .requests = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}};
  for (int i = 0; i < 2; i++) stream->chunks[i] = malloc(GP_CHUNK_SIZE);
  if (stream->chunks[0] && stream->chunks[1]) return true;
  free(stream->chunks[0]);
  free(stream->chunks[1]);
  return gp_fail_memory(error);
}

/* Waits until a chunk was sent. After a failure, its memory must stay. */
static bool await_chunk(gp_outgoing *stream, int chunk, gp_error *error) {
  double begin = gp_channel_time();
  for (;;) {
    int done = 0;
    if (PMPI_Test(&stream->requests[chunk], &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
      return gp_fail(error, "the sum cannot be sent to rank %d", stream->to);
    if (done) break;
    if (!wait_for_chunk(stream->channel, stream->to, begin, error)) return false;
  }
  stream->channel->idle = 0;
  return true;
}

/* Sends the present chunk; then the other one may be filled. */
static bool send(gp_outgoing *stream, int tag, gp_error *error) {
  int now = stream->now;
  stream->is_broken = true;
  if (PMPI_Isend(stream->chunks[now], stream->used, MPI_BYTE, stream->to, tag,
                 stream->channel->comms.streams,
                 &stream->requests[now]) != MPI_SUCCESS)
    return gp_fail(error, "the sum cannot be sent to rank %d", stream->to);
  stream->now = 1 - now;
  stream->used = 0;
  stream->is_broken = !await_chunk(stream, stream->now, error);
  return !stream->is_broken;
}

bool gp_outgoing_put(void *into, const unsigned char *bytes, size_t size,
                     gp_error *error) {
  gp_outgoing *stream = into;
  while (size > 0) {
    if (stream->used == GP_CHUNK_SIZE && !send(stream, CHUNK, error)) return false;
    size_t part = (size_t)(GP_CHUNK_SIZE - stream->used);
    if (part > size) part = size;
    memcpy(stream->chunks[stream->now] + stream->used, bytes, part);
    stream->used += (int)part;
    bytes += part;
    size -= part;
  }
  return true;
}

bool gp_outgoing_end(gp_outgoing *stream, gp_error *error) {
  return send(stream, LAST_CHUNK, error);
}

bool gp_outgoing_close(gp_outgoing *stream, gp_error *error) {
  for (int i = 0; i < 2; i++) {
    bool is_free = stream->requests[i] == MPI_REQUEST_NULL ||
                   (!stream->is_broken && await_chunk(stream, i, error));
    stream->is_broken = stream->is_broken || !is_free;
    if (is_free) free(stream->chunks[i]);  /* otherwise MPI may still read it */
  }
  return !stream->is_broken;
}

/* --- receiving ------------------------------------------------------------------ */

bool gp_incoming_open(gp_incoming *stream, gp_channel *channel, int from,
                      gp_error *error) {
  *stream = (gp_incoming){.channel = channel, .from = from};
  stream->chunk = malloc(GP_CHUNK_SIZE);
  return stream->chunk || gp_fail_memory(error);
}

/* Waits until a chunk has arrived. */
static bool find_chunk(gp_incoming *stream, MPI_Message *message, MPI_Status *status,
                       gp_error *error) {
  double begin = gp_channel_time();
  for (;;) {
    int found = 0;
    if (PMPI_Improbe(stream->from, MPI_ANY_TAG, stream->channel->comms.streams, &found,
                     message, status) != MPI_SUCCESS)
      return gp_fail(error, "the sum of rank %d cannot be received", stream->from);
    if (found) return true;
    if (!wait_for_chunk(stream->channel, stream->from, begin, error)) return false;
  }
}

/* Waits until a chunk was received. After a failure, its memory must stay. */
static bool await_rest(gp_incoming *stream, MPI_Request *request, gp_error *error) {
  double begin = gp_channel_time();
  for (;;) {
    int done = 0;
    if (PMPI_Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
      return gp_fail(error, "the sum of rank %d cannot be received", stream->from);
    if (done) return true;
    if (!wait_for_chunk(stream->channel, stream->from, begin, error)) return false;
  }
}

static bool receive(gp_incoming *stream, gp_error *error) {
  MPI_Message message;
  MPI_Status status;
  MPI_Request request;
  int size = 0;
  if (!find_chunk(stream, &message, &status, error)) return false;
  stream->channel->idle = 0;
  PMPI_Get_count(&status, MPI_BYTE, &size);
  if (size < 0 || size > GP_CHUNK_SIZE ||
      PMPI_Imrecv(stream->chunk, size, MPI_BYTE, &message, &request) != MPI_SUCCESS)
    return gp_fail(error, "the sum of rank %d cannot be received", stream->from);
  stream->has_begun = true;
  if (!await_rest(stream, &request, error)) {
    stream->chunk = NULL;  /* MPI may still write to it */
    return false;
  }
  stream->begin = 0;
  stream->end = size;
  stream->is_last = status.MPI_TAG == LAST_CHUNK;
  return true;
}

ssize_t gp_incoming_get(void *from, unsigned char *bytes, size_t size, gp_error *error) {
  gp_incoming *stream = from;
  while (stream->begin == stream->end) {
    if (stream->is_last) return 0;
    if (!receive(stream, error)) return -1;
  }
  size_t part = (size_t)(stream->end - stream->begin);
  if (part > size) part = size;
  memcpy(bytes, stream->chunk + stream->begin, part);
  stream->begin += (int)part;
  return (ssize_t)part;
}

bool gp_incoming_next(gp_incoming *stream, gp_error *error) {
  unsigned char byte;
  ssize_t got = gp_incoming_get(stream, &byte, 1, error);
  if (got > 0) return gp_fail(error, "rank %d sent too much", stream->from);
  stream->is_last = false;
  return got == 0;
}

void gp_incoming_close(gp_incoming *stream) { free(stream->chunk); }
