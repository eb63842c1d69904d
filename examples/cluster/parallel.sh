#!/bin/sh
# Sums the profiles that a list names (one a line) by many processes of GNU parallel:
#
#     sh examples/cluster/parallel.sh PARTS IMAGE LIST SUM [OPTION OF PARALLEL...]
#
# Each process sums a share of the list; then their sums are added up. Shares are
# consecutive and their sums are added up in order: SUM is the same to the byte for any
# number of parts. With options such as "--sshlogin nodes" processes run elsewhere: the list,
# the profiles and the place of SUM are seen from there. If anything fails there is no SUM,
# nor a part of it.
#
# GPROF is how the program is called ("gprof.lua").
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -eu

fail() {
  echo "parallel.sh: $1" >&2
  exit 1
}

[ $# -ge 4 ] || fail "usage: parallel.sh PARTS IMAGE LIST SUM [OPTION OF PARALLEL...]"
[ "$1" -gt 0 ] 2>/dev/null || fail "PARTS has to be a number from 1 on, not '$1'"
gprof=${GPROF:-gprof.lua} shares=$1 image=$2 list=$3 sum=$4
shift 4

lines=$(awk 'END { print NR }' "$list")  # the last one may lack its end
[ "$lines" -gt 0 ] || fail "$list: names no profiles"
[ "$lines" -ge "$shares" ] || shares=$lines  # nobody is idle
parts=$(mktemp -d "$sum.XXXXXX")
trap 'rm -rf "$parts"' EXIT
trap 'exit 1' HUP INT TERM

# What a process does; {} is the number of its share.
work='sed -n "$(({} * lines / shares + 1)),$((({} + 1) * lines / shares))p" "$list" |
  $gprof --profiles-from=- --sum-file="$parts/$(printf %06d {})" "$image"'

export gprof shares image list lines parts
seq 0 $((shares - 1)) |
  parallel --will-cite --halt now,fail=1 --env gprof,shares,image,list,lines,parts "$@" "$work"
$gprof --sum-file="$sum" "$image" "$parts"
