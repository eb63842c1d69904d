--- What a profile lacks because of how it was collected: by the C library, in a program
-- with threads, child processes or shared libraries.
--
-- @internal gprof.library.collection
-- SPDX-License-Identifier: GPL-3.0-or-later

local core = require "gprof.core"

local collection = {}

-- Functions that start threads, also in code that compilers generate for OpenMP. C++ and
-- other languages call pthread_create.
local thread_functions <const> = {
  "pthread_create", "thrd_create", "GOMP_parallel", "GOMP_parallel_start",
  "__kmpc_fork_call",
}

local fork_functions <const> = { "fork", "__fork", "daemon" }

local ENOUGH <const> = 64  -- number of arcs to examine

-- Whether the C library's collector may have recorded the data: it rounds callers down to
-- multiples of two pointers.
local function is_from_c_library(data)
  local low, count, unit = data.low, 0, 2 * data.pointer_size
  if not data.has_histogram or data.shared then return false end
  for from in data:arcs() do
    count = count + 1
    if (from - low) % unit ~= 0 then return false end
    if count == ENOUGH then return true end
  end
  return count > 0
end

--- Returns whether calls may be lost, because the C library's collector counts calls of
-- one thread at a time, and the program can start threads.
-- @tparam profile profile
-- @treturn boolean
function collection.may_lose_calls(profile)
  return is_from_c_library(profile.data) and
    core.mentions_any(profile.image, table.unpack(thread_functions))
end

--- Returns whether an image was compiled with -pg: it imports mcount or, if it contains
-- the collector, defines it.
-- @tparam image image
-- @treturn boolean
function collection.is_profiled(image)
  if core.imports_mcount(image) or image:find "__fentry__" then return true end
  for _, name in ipairs(core.machinery) do
    if image:find(name) then return true end
  end
  return false
end

--- Returns whether the recorder counts calls of an image's functions: it was compiled
-- with -pg or -finstrument-functions.
-- @tparam image image
-- @treturn boolean
function collection.is_instrumented(image)
  return collection.is_profiled(image) or
    core.mentions_any(image, "__cyg_profile_func_enter")
end

--- Returns whether a program can fork. The C library does not sample forked processes.
-- @tparam image image
-- @treturn boolean
function collection.can_fork(image)
  return core.mentions_any(image, table.unpack(fork_functions))
end

-- Shared libraries that belong to the C library or the compiler.
local common <const> = { "^libc%.so", "^ld[-64]", "^libpthread%.so", "^libdl%.so",
  "^librt%.so", "^libgcc_s%.so" }

local function is_common(name)
  for _, pattern in ipairs(common) do
    if name:find(pattern) then return true end
  end
  return false
end

--- Returns the names of the shared libraries that an image needs, except libraries that
-- belong to the C library or the compiler.
-- @tparam image image
-- @treturn {string,...} such as { "libz.so.1" }
function collection.libraries(image)
  local names = {}
  for _, name in ipairs(core.needed_libraries(image)) do
    if not is_common(name) then names[#names + 1] = name end
  end
  return names
end

return collection
