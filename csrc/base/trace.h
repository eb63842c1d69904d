/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Traces: what the core tells of its work while it does it.
 *
 * Whoever wants to know hands in a gp_trace, which travels in the structures that the
 * work is about: data have one, and a symbol table, by which the call graph reaches it.
 * No trace is NULL. What is not wanted costs a test of a pointer, or of a bit.
 *
 * The topics are bits. Their values are those of GNU gprof's option -d, so that the
 * numbers of its manual mean the same here.
 */
#ifndef GP_BASE_TRACE_H
#define GP_BASE_TRACE_H

#include <stdbool.h>

enum {
  GP_TRACE_NUMBERING = 2,      /* functions as a depth-first search meets, numbers them */
  GP_TRACE_CYCLES = 4,         /* heads of cycles, and who joins them */
  GP_TRACE_TALLY = 16,         /* calls as they are added to arcs and callees */
  GP_TRACE_ARC_ORDER = 32,     /* callers and callees as an entry is to show them */
  GP_TRACE_RECORDS = 64,       /* histograms and arcs as they are read */
  GP_TRACE_SYMBOLS = 128,      /* symbols that are chosen, left out, weeded */
  GP_TRACE_STATIC_CALLS = 256, /* calls that are found in the code */
  GP_TRACE_LOOKUP = 512,       /* which function an address belongs to */
  GP_TRACE_PROPAGATION = 1024, /* time as it moves along the calls */
  GP_TRACE_BLOCKS = 2048,      /* counts of basic blocks as they are read */
  GP_TRACE_SYMSPECS = 4096,    /* the functions that a symspec stands for */
  GP_TRACE_ANNOTATION = 8192,  /* source text as it is annotated */
  GP_TRACE_ALL = 2 | 4 | 16 | 32 | 64 | 128 | 256 | 512 | 1024 | 2048 | 4096 | 8192
};

typedef struct gp_trace {
  unsigned topics;                                /* those that are wanted */
  void (*line)(void *context, const char *text);  /* takes a line, without newline */
  void *context;                                  /* for `line` */
} gp_trace;

/* A topic and what it is called in front of its lines. */
typedef struct gp_trace_topic {
  unsigned topic;
  const char *name;
} gp_trace_topic;

/* All topics, in the order of their bits; the last one has no name. */
extern const gp_trace_topic gp_trace_topics[];

/* Whether lines of a topic are wanted: for loops that would ask in vain. */
static inline bool gp_traces(const gp_trace *trace, unsigned topic) {
  return trace && (trace->topics & topic);
}

/* Writes a line, "TOPIC: TEXT", wanted or not. Control characters become question
 * marks; a line beyond a thousand bytes is cut off. */
void gp_trace_write(const gp_trace *trace, unsigned topic, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes a line if the topic is wanted; the values are not worked out otherwise. */
#define GP_TRACE(trace, topic, ...)                                             \
  do {                                                                          \
    if (gp_traces(trace, topic)) gp_trace_write(trace, topic, __VA_ARGS__);     \
  } while (0)

#endif
