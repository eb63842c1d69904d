/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Messages between the ranks of an MPI job. Any rank may fail to answer.
 *
 * Notices are messages without content: they are sent without waiting. Streams carry
 * bytes, in chunks. The receiver reads a stream while it is sent, so neither rank holds
 * it in memory. A wait for a chunk ends at the timeout, or when a notice makes it
 * pointless. Errors of MPI are ignored: the message is then missing, as if the rank had
 * died.
 */
#ifndef GP_MPI_CHANNEL_H
#define GP_MPI_CHANNEL_H

#include <mpi.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/* The kinds of messages; their values are MPI's tags. */
typedef enum gp_notice {
  GP_ALIVE,   /* the sender is waiting or working */
  GP_READY,   /* to the parent: the sum of the sender's subtree is complete */
  GP_GONE,    /* to the parent: the ranks of the sender's subtree write own files */
  GP_SEND,    /* to a child that is ready: send the sum */
  GP_ADOPT,   /* the sender is the new parent */
  GP_DONE,    /* to a child: the sum is in a file */
  GP_FAILED,  /* to a child: the ranks of its subtree write own files */
  GP_LOST,    /* the same; but other ranks may believe that they are its parent */
  GP_LEFT_OUT /* to a child that is late: write an own file; its children are adopted */
} gp_notice;

/* The communicators of a channel, which nothing else uses. A stream of a rank that gave
 * up may leave unreceived chunks, which must not block notices. */
typedef struct gp_channel_comms {
  MPI_Comm notices, streams;
} gp_channel_comms;

typedef struct gp_channel {
  gp_channel_comms comms;
  double timeout;       /* seconds */
  double idle;          /* since when no message has arrived; 0: since now */
  bool (*goes_on)(void *owner, int peer);  /* called in each wait for a chunk: handles
                           notices; returns whether the stream with this rank goes on */
  void *owner;
} gp_channel;

/* Returns the time in seconds, for differences. */
double gp_channel_time(void);

void gp_channel_tell(gp_channel *channel, int to, gp_notice notice);

/* Takes a notice that has arrived. False if there is none. */
bool gp_channel_hear(gp_channel *channel, int *from, gp_notice *notice);

/* Waits a moment: a fraction of the time in which no message has arrived, so that waiting
 * costs little time of the processor, and no message is taken much later. */
void gp_channel_wait(gp_channel *channel);

/* --- streams ------------------------------------------------------------------- */

/* The size of a chunk in bytes. */
#define GP_CHUNK_SIZE (1 << 18)

/* A stream that is sent: a chunk is filled while the one before is on its way. */
typedef struct gp_outgoing {
  gp_channel *channel;
  int to;
  unsigned char *chunks[2];
  MPI_Request requests[2];
  int now;              /* the chunk to be filled */
  int used;             /* its bytes */
  bool is_broken;
} gp_outgoing;

bool gp_outgoing_open(gp_outgoing *stream, gp_channel *channel, int to, gp_error *error);

/* A gp_writer_sink. */
bool gp_outgoing_put(void *stream, const unsigned char *bytes, size_t size,
                     gp_error *error);

/* Ends a stream. More bytes begin the next one. */
bool gp_outgoing_end(gp_outgoing *stream, gp_error *error);

/* Waits until all has been sent, and frees the memory. */
bool gp_outgoing_close(gp_outgoing *stream, gp_error *error);

/* A stream that is received. */
typedef struct gp_incoming {
  gp_channel *channel;
  int from;
  unsigned char *chunk;
  int begin, end;       /* unread bytes in the chunk */
  bool is_last;         /* it is the last chunk of the stream */
  bool has_begun;       /* a chunk was received */
} gp_incoming;

bool gp_incoming_open(gp_incoming *stream, gp_channel *channel, int from,
                      gp_error *error);

/* A gp_reader_source. */
ssize_t gp_incoming_get(void *stream, unsigned char *bytes, size_t size,
                        gp_error *error);

/* Begins the next stream from the same rank. False if the last one has unread bytes. */
bool gp_incoming_next(gp_incoming *stream, gp_error *error);

void gp_incoming_close(gp_incoming *stream);

#endif
