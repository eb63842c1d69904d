#!/bin/sh
# Sums the profiles in a list (one path per line) in parallel with the ranks of an MPI job:
#
#     sh examples/cluster/mpi.sh RANKS IMAGE LIST SUM [OPTION OF MPIRUN...]
#
# Each rank sums a part of the list; then this script adds up the partial sums. Parts are
# consecutive and are added up in order, so SUM is byte-identical for any number of ranks.
# The list, the profiles and the directory of SUM must be visible to all nodes. If anything
# fails, neither SUM nor a part of it is written.
#
# The environment variable GPROF is the command to run (default: gprof.lua). MPIRUN is the
# command that starts the ranks (default: mpirun): that of Open MPI, MPICH or Intel MPI, or srun.
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu

fail() {
  echo "mpi.sh: $1" >&2
  exit 1
}

# The work of a rank: mpirun runs this script again. Everything is passed in arguments, since not
# every mpirun passes environment variables to other nodes.
if [ "${1:-}" = rank ]; then
  gprof=$2 shares=$3 image=$4 list=$5 lines=$6 parts=$7
  # The first variable that is set counts: in an allocation of Slurm, all ranks that another
  # launcher starts inherit the same SLURM_PROCID.
  set -- ${OMPI_COMM_WORLD_RANK:-} ${PMIX_RANK:-} ${PMI_RANK:-} ${MV2_COMM_WORLD_RANK:-} \
    ${FLUX_TASK_RANK:-} ${PALS_RANKID:-} ${SLURM_PROCID:-}
  [ $# -gt 0 ] || fail "no known environment variable has the rank"
  sed -n "$(($1 * lines / shares + 1)),$((($1 + 1) * lines / shares))p" "$list" |
    $gprof --profiles-from=- --sum-file="$parts/$1" "$image"
  exit
fi

[ $# -ge 4 ] || fail "usage: mpi.sh RANKS IMAGE LIST SUM [OPTION OF MPIRUN...]"
[ "$1" -gt 0 ] 2>/dev/null || fail "RANKS must be a positive integer, not '$1'"
gprof=${GPROF:-gprof.lua} shares=$1 image=$2 list=$3 sum=$4
shift 4

lines=$(awk 'END { print NR }' "$list")  # unlike wc -l, counts an unterminated last line
[ "$lines" -gt 0 ] || fail "$list: the list of profiles is empty"
[ "$lines" -ge "$shares" ] || shares=$lines  # at least one profile each
parts=$(mktemp -d "$sum.XXXXXX")
trap 'rm -rf "$parts"' EXIT
trap 'exit 1' HUP INT TERM

${MPIRUN:-mpirun} -n "$shares" "$@" \
  sh "$0" rank "$gprof" "$shares" "$image" "$list" "$lines" "$parts"
for rank in $(seq 0 $((shares - 1))); do
  [ -e "$parts/$rank" ] || fail "rank $rank wrote no sum"
done
seq 0 $((shares - 1)) | while read -r rank; do printf '%s\n' "$parts/$rank"; done |
  $gprof --profiles-from=- --sum-file="$sum" "$image"
