#!/bin/sh
# Sums the profiles that a list names (one a line) by many processes of Open MPI:
#
#     sh examples/cluster/mpi.sh RANKS IMAGE LIST SUM [OPTION OF MPIRUN...]
#
# Each rank sums its share of the list; when all have ended, their sums are added up here.
# Shares are consecutive and their sums are added up in order: SUM is the same to the byte
# for any number of ranks. The list, the profiles and the place of SUM are seen by all
# nodes. If anything fails there is no SUM, nor a part of it.
#
# GPROF is how the program is called ("gprof.lua").
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu
gprof=${GPROF:-gprof.lua}

fail() {
  echo "mpi.sh: $1" >&2
  exit 1
}

# What a rank does: mpirun starts this script again.
if [ -n "${GPROF_SHARES:-}" ]; then
  rank=$OMPI_COMM_WORLD_RANK
  sed -n "$((rank * lines / GPROF_SHARES + 1)),$(((rank + 1) * lines / GPROF_SHARES))p" "$list" |
    $gprof --profiles-from=- --sum-file="$parts/$(printf %06d "$rank")" "$image"
  exit
fi

[ $# -ge 4 ] || fail "usage: mpi.sh RANKS IMAGE LIST SUM [OPTION OF MPIRUN...]"
[ "$1" -gt 0 ] 2>/dev/null || fail "RANKS has to be a number from 1 on, not '$1'"
GPROF_SHARES=$1 image=$2 list=$3 sum=$4
shift 4

lines=$(awk 'END { print NR }' "$list")  # the last one may lack its end
[ "$lines" -gt 0 ] || fail "$list: names no profiles"
[ "$lines" -ge "$GPROF_SHARES" ] || GPROF_SHARES=$lines  # nobody is idle
parts=$(mktemp -d "$sum.XXXXXX")
trap 'rm -rf "$parts"' EXIT
trap 'exit 1' HUP INT TERM

export GPROF_SHARES image list lines parts
mpirun -n "$GPROF_SHARES" -x GPROF_SHARES -x image -x list -x lines -x parts -x GPROF="$gprof" "$@" \
  sh "$0"
$gprof --sum-file="$sum" "$image" "$parts"
