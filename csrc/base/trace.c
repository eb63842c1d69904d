/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Debug output of the core, by topic. */
#include "base/trace.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

const gp_trace_topic gp_trace_topics[] = {
    {GP_TRACE_NUMBERING, "numbering"},
    {GP_TRACE_CYCLES, "cycles"},
    {GP_TRACE_TALLY, "tally"},
    {GP_TRACE_ARC_ORDER, "order"},
    {GP_TRACE_RECORDS, "records"},
    {GP_TRACE_SYMBOLS, "symbols"},
    {GP_TRACE_STATIC_CALLS, "static calls"},
    {GP_TRACE_LOOKUP, "lookup"},
    {GP_TRACE_PROPAGATION, "propagation"},
    {GP_TRACE_BLOCKS, "blocks"},
    {GP_TRACE_SYMSPECS, "symspecs"},
    {0, NULL}};

void gp_trace_write(const gp_trace *trace, unsigned topic, const char *format, ...) {
  char text[1024];
  va_list arguments;
  const gp_trace_topic *known = gp_trace_topics;
  while (known->name && known->topic != topic) known++;
  int length = snprintf(text, sizeof text, "%s: ", known->name ? known->name : "trace");
  va_start(arguments, format);
  vsnprintf(text + length, sizeof text - (size_t)length, format, arguments);
  va_end(arguments);
  gp_mask_control(text, strlen(text));
  trace->line(trace->context, text);
}
