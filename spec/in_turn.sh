#!/bin/sh
# Runs targets of the Makefile in turn, all of them even if one fails. The last lines are the sum of
# the specs, and how each target ended and how long it took.
#
#   spec/in_turn.sh TARGET...
#
# SPDX-License-Identifier: GPL-3.0-or-later
set -u
status=0 outcomes=
rm -rf build/results && mkdir -p build/results || exit 1
for target; do
  start=$(date +%s)
  outcome=passed
  make --no-print-directory --keep-going "$target" || outcome=FAILED status=1
  outcomes="$outcomes$outcome $target $((($(date +%s) - start + 59) / 60))
"
done
spec/summary.sh || status=1
printf "%s" "$outcomes" | awk '{ printf "%s %-16s %4d min\n", $1, $2, $3 }'
exit $status
