/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which names of the recorder other objects see: all, or only those of the recorder. */
#ifndef GPROF_RUNTIME_VISIBILITY_H
#define GPROF_RUNTIME_VISIBILITY_H

#define EXPORTED __attribute__((visibility("default")))
/* Hidden symbols are accessed directly, not through the global offset table. */
#define HIDDEN __attribute__((visibility("hidden")))

#endif
