#!/bin/sh
# Sums the profiles in a list (one path per line) in parallel with Open MPI:
#
#     sh examples/cluster/mpi.sh RANKS IMAGE LIST SUM [OPTION OF MPIRUN...]
#
# Each rank sums a part of the list; then this script adds up the partial sums. Parts are
# consecutive and are added up in order, so SUM is byte-identical for any number of ranks.
# The list, the profiles and the directory of SUM must be visible to all nodes. If anything
# fails, neither SUM nor a part of it is written.
#
# The environment variable GPROF is the command to run (default: gprof.lua).
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
gprof=${GPROF:-gprof.lua}

fail() {
  echo "mpi.sh: $1" >&2
  exit 1
}

# The work of a rank. mpirun runs this script again, with GPROF_SHARES set.
if [ -n "${GPROF_SHARES:-}" ]; then
  rank=$OMPI_COMM_WORLD_RANK
  sed -n "$((rank * lines / GPROF_SHARES + 1)),$(((rank + 1) * lines / GPROF_SHARES))p" "$list" |
    $gprof --profiles-from=- --sum-file="$parts/$(printf %06d "$rank")" "$image"
  exit
fi

[ $# -ge 4 ] || fail "usage: mpi.sh RANKS IMAGE LIST SUM [OPTION OF MPIRUN...]"
[ "$1" -gt 0 ] 2>/dev/null || fail "RANKS must be a positive integer, not '$1'"
GPROF_SHARES=$1 image=$2 list=$3 sum=$4
shift 4

lines=$(awk 'END { print NR }' "$list")  # unlike wc -l, counts an unterminated last line
[ "$lines" -gt 0 ] || fail "$list: the list of profiles is empty"
[ "$lines" -ge "$GPROF_SHARES" ] || GPROF_SHARES=$lines  # at least one profile each
parts=$(mktemp -d "$sum.XXXXXX")
trap 'rm -rf "$parts"' EXIT
trap 'exit 1' HUP INT TERM

export GPROF_SHARES image list lines parts
mpirun -n "$GPROF_SHARES" -x GPROF_SHARES -x image -x list -x lines -x parts -x GPROF="$gprof" "$@" \
  sh "$0"
$gprof --sum-file="$sum" "$image" "$parts"
