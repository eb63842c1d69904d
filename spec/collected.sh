#!/bin/sh
# Runs `spec/collected.sh SCRIPT [ARGUMENT...]` in the sanitized interpreter, with a full garbage
# collection at each allocation (see spec/support/collector.lua).
#
# SPDX-License-Identifier: GPL-3.0-or-later
root=${0%/*}/..  # not dirname: specs may clear PATH
export GPROF_COLLECTOR=whole LUA_INIT_5_4="@$root/spec/support/collector.lua"
exec "$root/build/sanitized/lua" "$@"
