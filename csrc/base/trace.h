/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Debug output of the core, by topic.
 *
 * A caller passes a gp_trace, whose function receives the lines. If the caller passes
 * NULL, there is no output. A disabled topic costs one test.
 *
 * Each topic is a bit. The values are those of GNU gprof's option -d.
 */
#ifndef GP_BASE_TRACE_H
#define GP_BASE_TRACE_H

#include <stdbool.h>

enum {
  GP_TRACE_NUMBERING = 2,      /* depth-first numbering of functions */
  GP_TRACE_CYCLES = 4,         /* cycles and their members */
  GP_TRACE_TALLY = 16,         /* calls added to arcs and callees */
  GP_TRACE_ARC_ORDER = 32,     /* order of callers and callees in an entry */
  GP_TRACE_RECORDS = 64,       /* histograms and arcs, as they are read */
  GP_TRACE_SYMBOLS = 128,      /* symbols that are kept or left out */
  GP_TRACE_STATIC_CALLS = 256, /* calls found in the machine code */
  GP_TRACE_LOOKUP = 512,       /* which function an address belongs to */
  GP_TRACE_PROPAGATION = 1024, /* propagation of time along calls */
  GP_TRACE_BLOCKS = 2048,      /* basic-block counts, as they are read */
  GP_TRACE_SYMSPECS = 4096,    /* functions that a symspec matches */
  GP_TRACE_ALL = 2 | 4 | 16 | 32 | 64 | 128 | 256 | 512 | 1024 | 2048 | 4096
};

typedef struct gp_trace {
  unsigned topics;                                /* enabled topics */
  void (*line)(void *context, const char *text);  /* receives a line, without newline */
  void *context;                                  /* first argument of `line` */
} gp_trace;

/* A topic, and the name that its lines begin with. */
typedef struct gp_trace_topic {
  unsigned topic;
  const char *name;
} gp_trace_topic;

/* All topics, in the order of their bits, ended by an entry with the name NULL. */
extern const gp_trace_topic gp_trace_topics[];

/* Whether a topic is enabled. */
static inline bool gp_traces(const gp_trace *trace, unsigned topic) {
  return trace && (trace->topics & topic);
}

/* Writes the line "TOPIC: TEXT", even if the topic is disabled. Control characters become
 * question marks; a line is cut off after 1023 bytes. */
void gp_trace_write(const gp_trace *trace, unsigned topic, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Writes a line if the topic is enabled; otherwise the arguments are not evaluated. */
#define GP_TRACE(trace, topic, ...)                                             \
  do {                                                                          \
    if (gp_traces(trace, topic)) gp_trace_write(trace, topic, __VA_ARGS__);     \
  } while (0)

#endif
