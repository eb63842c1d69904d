/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libgprof-openmpi and libgprof-mpich add up the profiles of the ranks of an MPI job: see
 * doc/mpi.md. This file has the functions that take the place of MPI's.
 *
 * MPI_Init makes a communicator: making it at the end would wait for all ranks, one of
 * which may have died. Fortran's functions need not call those of C, so they are replaced
 * as well, under each name that compilers give them. The replaced functions are those of
 * the next library, so other libraries that replace them may be loaded, too.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/channel.h"
#include "mpi/own_profile.h"
#include "mpi/reduction.h"
#include "mpi/settings.h"

#define EXPORTED __attribute__((visibility("default")))

static gp_channel_comms comms = {MPI_COMM_NULL, MPI_COMM_NULL};
static bool has_comms;
static bool has_begun, has_ended;

/* --- the environment ---------------------------------------------------------------- */

static bool is_own_library(const char *path, size_t length) {
  static const char *const names[] = {"libgprof-openmpi.so", "libgprof-mpich.so"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    size_t size = strlen(names[i]);
    if (length >= size && memcmp(path + length - size, names[i], size) == 0) return true;
  }
  return false;
}

/* Takes this library out of LD_PRELOAD, for the programs that the program starts. */
static void leave_environment(void) {
  const char *from = getenv("LD_PRELOAD");
  char *list = from ? malloc(strlen(from) + 1) : NULL, *to = list;
  if (!list) return;
  while (*from != '\0') {
    size_t length = strcspn(from, ": ");
    size_t part = length + (from[length] != '\0');
    if (!is_own_library(from, length)) {
      memcpy(to, from, part);
      to += part;
    }
    from += part;
  }
  *to = '\0';
  if (*list != '\0')
    setenv("LD_PRELOAD", list, true);
  else
    unsetenv("LD_PRELOAD");
  free(list);
}

/* --- begin and end ------------------------------------------------------------------ */

/* Called after MPI_Init. */
static void begin(void) {
  int rank = 0, initialized = 0;
  if (has_begun || PMPI_Initialized(&initialized) != MPI_SUCCESS || !initialized) return;
  has_begun = true;
  leave_environment();
  if (PMPI_Comm_dup(MPI_COMM_WORLD, &comms.notices) != MPI_SUCCESS ||
      PMPI_Comm_dup(MPI_COMM_WORLD, &comms.streams) != MPI_SUCCESS)
    return;
  has_comms = true;
  PMPI_Comm_set_errhandler(comms.notices, MPI_ERRORS_RETURN);
  PMPI_Comm_set_errhandler(comms.streams, MPI_ERRORS_RETURN);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  gp_own_start(rank);
}

/* Called before MPI_Finalize. Returns whether recording must be resumed afterwards: not
 * if one of these functions was called by another one. */
static bool end(void) {
  gp_settings settings;
  int rank = 0, initialized = 0;
  if (has_ended || PMPI_Initialized(&initialized) != MPI_SUCCESS || !initialized)
    return false;
  has_ended = true;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  gp_settings_read(&settings, rank == 0);
  if (has_comms)
    gp_reduce(comms, &settings);
  else if (rank == 0)
    fprintf(stderr, "libgprof-mpi: all ranks write files of their own: MPI was "
            "initialized in a way that this library does not know\n");
  return has_comms;
}

/* --- C ------------------------------------------------------------------------------ */

/* Returns the function that a function of this library replaces. `standard` is the one
 * that MPI provides for such libraries, for programs that contain all of MPI. */
static void *replaced(const char *name, void *standard) {
  void *function = dlsym(RTLD_NEXT, name);
  return function ? function : standard;
}

/* Declares `function`, the replaced function NAME. */
#define REPLACED(type, name, standard) \
  type;                                \
  *(void **)&function = replaced(name, standard)

EXPORTED int MPI_Init(int *count, char ***arguments) {
  REPLACED(int (*function)(int *, char ***), "MPI_Init", (void *)PMPI_Init);
  int error = function(count, arguments);
  begin();
  return error;
}

EXPORTED int MPI_Init_thread(int *count, char ***arguments, int required,
                             int *provided) {
  REPLACED(int (*function)(int *, char ***, int, int *), "MPI_Init_thread",
           (void *)PMPI_Init_thread);
  int error = function(count, arguments, required, provided);
  begin();
  return error;
}

EXPORTED int MPI_Finalize(void) {
  REPLACED(int (*function)(void), "MPI_Finalize", (void *)PMPI_Finalize);
  bool is_outermost = end();
  int error = function();
  if (is_outermost) gp_own_resume();
  return error;
}

/* --- Fortran ------------------------------------------------------------------------ */

/* Defines the function `name` of Fortran, which MPI also provides as `standard`. It is
 * weak, since programs in C lack it. In the module mpi_f08, the error is optional. */
#define DEFINE_INIT(name, standard)                               \
  __attribute__((weak)) void standard(int *error);                \
  EXPORTED void name(int *error);                                 \
  void name(int *error) {                                         \
    REPLACED(void (*function)(int *), #name, (void *)(standard)); \
    if (function) function(error);                                \
    begin();                                                      \
  }

#define DEFINE_INIT_THREAD(name, standard)                                       \
  __attribute__((weak)) void standard(int *required, int *provided, int *error); \
  EXPORTED void name(int *required, int *provided, int *error);                  \
  void name(int *required, int *provided, int *error) {                          \
    REPLACED(void (*function)(int *, int *, int *), #name, (void *)(standard));  \
    if (function) function(required, provided, error);                           \
    begin();                                                                     \
  }

#define DEFINE_FINALIZE(name, standard)                           \
  __attribute__((weak)) void standard(int *error);                \
  EXPORTED void name(int *error);                                 \
  void name(int *error) {                                         \
    REPLACED(void (*function)(int *), #name, (void *)(standard)); \
    bool is_outermost = end();                                    \
    if (function) function(error);                                \
    if (is_outermost) gp_own_resume();                            \
  }

DEFINE_INIT(mpi_init, pmpi_init)
DEFINE_INIT(mpi_init_, pmpi_init_)
DEFINE_INIT(mpi_init__, pmpi_init__)
DEFINE_INIT(MPI_INIT, PMPI_INIT)
DEFINE_INIT(mpi_init_f08_, pmpi_init_f08_)
DEFINE_INIT_THREAD(mpi_init_thread, pmpi_init_thread)
DEFINE_INIT_THREAD(mpi_init_thread_, pmpi_init_thread_)
DEFINE_INIT_THREAD(mpi_init_thread__, pmpi_init_thread__)
DEFINE_INIT_THREAD(MPI_INIT_THREAD, PMPI_INIT_THREAD)
DEFINE_INIT_THREAD(mpi_init_thread_f08_, pmpi_init_thread_f08_)
DEFINE_FINALIZE(mpi_finalize, pmpi_finalize)
DEFINE_FINALIZE(mpi_finalize_, pmpi_finalize_)
DEFINE_FINALIZE(mpi_finalize__, pmpi_finalize__)
DEFINE_FINALIZE(MPI_FINALIZE, PMPI_FINALIZE)
DEFINE_FINALIZE(mpi_finalize_f08_, pmpi_finalize_f08_)
