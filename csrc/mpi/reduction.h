/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Adds up the profiles of the ranks of a job.
 *
 * The ranks form a binomial tree: the subtree of a rank are consecutive ranks, from the
 * rank itself on. A rank asks its children for the sums of their subtrees, in the order
 * of their ranks, adds them to its own profile, and sends the sum to its parent when it
 * is asked for it. Rank 0 writes the files. Only then, from parent to child, all are told
 * that their profiles are in a sum. So whatever fails, the profile of a rank that lives
 * is in a sum or in a file of its own.
 *
 * A rank that does not answer is left out. Its parent takes its children over, and tells
 * it that it was left out, should it answer later. It then leaves its children alone,
 * except for those that have sent it their sums. A rank whose ancestors do not answer
 * writes the sum of its own subtree. They are told, so that they do not wait for it when
 * they become its parent.
 */
#ifndef GP_MPI_REDUCTION_H
#define GP_MPI_REDUCTION_H

#include "mpi/channel.h"
#include "mpi/settings.h"

/* Adds up the profiles of the ranks of the communicators. Afterwards, recording is
 * paused. */
void gp_reduce(gp_channel_comms comms, const gp_settings *settings);

#endif
