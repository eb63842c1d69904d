#!/bin/sh
# The sanitized interpreter, in which each allocation has everything collected that nothing
# keeps alive (see spec/support/collector.lua): `spec/collected.sh SCRIPT [ARGUMENT...]`.
#
# SPDX-License-Identifier: GPL-3.0-or-later
root=${0%/*}/..  # without a program: specs may take PATH away
export GPROF_COLLECTOR=whole LUA_INIT_5_4="@$root/spec/support/collector.lua"
exec "$root/build/sanitized/lua" "$@"
