/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of profile data for Lua: iterates over histograms, arcs and blocks, and adds
 * new ones. */
#include <string.h>

#include "gmon/bins.h"
#include "gmon/gmon_format.h"
#include "lua/arguments.h"
#include "lua/data.h"
#include "lua/iteration.h"
#include "lua/module.h"
#include "lua/object.h"

#define GP_HISTOGRAM "gprof.histogram"

/* The Lua object of a histogram. User value 1 is the data. */
typedef struct histogram_box {
  size_t number;
} histogram_box;

/* --- adding records ----------------------------------------------------------- */

/* Returns the data; or nil and a message. */
static int result(lua_State *L, bool done, const gp_error *error) {
  if (done) {
    lua_settop(L, 1);
    return 1;
  }
  return gp_push_error(L, error);
}

/* Whether an address fits in a pointer of the profiled machine. */
static bool fits(const gp_data *data, uint64_t address) {
  return data->layout.pointer_size >= 8 || address >> 8 * data->layout.pointer_size == 0;
}

static uint64_t check_address(lua_State *L, const gp_data *data, int index) {
  uint64_t address = (uint64_t)luaL_checkinteger(L, index);
  luaL_argcheck(L, fits(data, address), index,
                "address exceeds the pointer size of the profile");
  return address;
}

static uint64_t check_count(lua_State *L, int index) {
  lua_Integer count = luaL_checkinteger(L, index);
  luaL_argcheck(L, count >= 0, index, "negative count");
  return (uint64_t)count;
}

static int add_arc(lua_State *L) {
  gp_data *data = gp_check_data(L, 1);
  gp_error error = {""};
  uint64_t from = check_address(L, data, 2), callee = check_address(L, data, 3);
  uint64_t calls = check_count(L, 4);
  return result(L, gp_data_add_arc(data, from, callee, calls, GP_NO_OFFSET, &error),
                &error);
}

static int add_block(lua_State *L) {
  gp_data *data = gp_check_data(L, 1);
  gp_error error = {""};
  uint64_t address = check_address(L, data, 2), executions = check_count(L, 3);
  bool first = data->blocks.count == 0;
  bool done = gp_data_add_block(data, address, executions, GP_NO_OFFSET, &error);
  if (done && first) data->stats.block_records++;  /* written as one record */
  return result(L, done, &error);
}

/* Raises an error about a field of argument 2, a table. */
static void bad_field(lua_State *L, const char *name, const char *problem) {
  luaL_argerror(L, 2, lua_pushfstring(L, "field '%s': %s", name, problem));
}

/* Returns an integer field of argument 2. If the field is nil, returns `fallback`; a
 * negative `fallback` makes the field mandatory. */
static lua_Integer integer_field(lua_State *L, const char *name, lua_Integer fallback) {
  int is_integer, type = lua_getfield(L, 2, name);
  lua_Integer value = lua_tointegerx(L, -1, &is_integer);
  if (type == LUA_TNIL && fallback >= 0)
    value = fallback;
  else if (!is_integer)
    bad_field(L, name,
              lua_pushfstring(L, "integer expected, got %s", luaL_typename(L, -1)));
  lua_pop(L, 1);
  return value;
}

/* Copies a string field of argument 2, of at most `size` bytes, without a terminating
 * zero. Uses `fallback` if the field is nil. */
static void text_field(lua_State *L, const char *name, const char *fallback, char *text,
                       size_t size) {
  size_t length;
  if (lua_getfield(L, 2, name) == LUA_TNIL) {
    lua_pop(L, 1);
    lua_pushstring(L, fallback);
  }
  if (lua_type(L, -1) != LUA_TSTRING)
    bad_field(L, name,
              lua_pushfstring(L, "string expected, got %s", luaL_typename(L, -1)));
  const char *given = lua_tolstring(L, -1, &length);
  if (length > size || strlen(given) != length)
    bad_field(L, name, lua_pushfstring(L, "must be at most %d byte%s, without zero bytes",
                                       (int)size, gp_plural(size)));
  memcpy(text, given, length);
  lua_pop(L, 1);
}

/* Makes an array of counts for the histogram from the table on the top of the stack. */
static void check_bins(lua_State *L, gp_histogram *header) {
  size_t size = header->bins * sizeof(uint64_t);
  uint64_t *counts = lua_newuserdatauv(L, size, 0);
  memset(counts, 0, size);
  lua_insert(L, -2);
  for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
    int is_count;
    lua_Integer number = lua_isinteger(L, -2) ? lua_tointeger(L, -2) : 0;
    lua_Integer count = lua_tointegerx(L, -1, &is_count);
    if (number < 1 || (size_t)number > header->bins)
      bad_field(L, "bins", lua_pushfstring(L, "keys must be bin numbers from 1 to %I",
                                           (LUAI_UACINT)header->bins));
    if (!is_count || count < 0)
      bad_field(L, "bins",
                lua_pushfstring(L, "bin %I: non-negative integer expected", number));
    counts[number - 1] = (uint64_t)count;
  }
  lua_pop(L, 1);
  header->width = sizeof *counts;
  header->counts = counts;
}

/* data:add_histogram { low, high, bins, bin_count, rate, unit, abbreviation } */
static int add_histogram(lua_State *L) {
  static const char *const names[] = {"low",  "high",         "bins", "bin_count", "rate",
                                      "unit", "abbreviation", NULL};
  gp_data *data = gp_check_data(L, 1);
  gp_error error = {""};
  char abbreviation[1] = "";
  luaL_checktype(L, 2, LUA_TTABLE);
  gp_check_keys(L, 2, "field", names);
  gp_histogram header = {.low = (uint64_t)integer_field(L, "low", -1),
                         .high = (uint64_t)integer_field(L, "high", -1)};
  if (!fits(data, header.low))
    bad_field(L, "low", "exceeds the pointer size of the profile");
  if (!fits(data, header.high))
    bad_field(L, "high", "exceeds the pointer size of the profile");
  lua_Integer rate = integer_field(L, "rate", 100);
  if (rate < 1 || rate > UINT32_MAX) bad_field(L, "rate", "must be from 1 to 4294967295");
  header.rate = (uint32_t)rate;
  text_field(L, "unit", BSD_DIMENSION, header.dimension, DIMENSION_SIZE);
  text_field(L, "abbreviation", "s", abbreviation, 1);
  header.abbreviation = abbreviation[0];
  if (lua_getfield(L, 2, "bins") != LUA_TTABLE) bad_field(L, "bins", "table expected");
  lua_Integer bins = integer_field(L, "bin_count", (lua_Integer)lua_rawlen(L, -1));
  if (bins < 1 || bins > UINT32_MAX)
    bad_field(L, "bin_count", "must be from 1 to 4294967295");
  header.bins = (size_t)bins;
  check_bins(L, &header);
  data = gp_check_data(L, 1);  /* reading fields can run Lua code that closes the data */
  return result(L, gp_data_add_histogram(data, &header, &error), &error);
}

/* data:merge(other) */
static int merge(lua_State *L) {
  gp_data *data = gp_check_data(L, 1);
  const gp_data *other = gp_check_data(L, 2);
  gp_error error = {""};
  luaL_argcheck(L, other->layout.pointer_size <= data->layout.pointer_size, 2,
                "the other data has larger pointers");
  return result(L, gp_data_merge(data, other, &error), &error);
}

/* --- iteration over records ------------------------------------------------------ */

/* Upvalues of all iterators here: the data, the number of records returned so far. */
static const gp_data *data_of_iteration(lua_State *L) {
  return gp_open_data(L, lua_touserdata(L, lua_upvalueindex(1)));
}

/* Returns the number of the next record, from 0. */
static size_t next_number(lua_State *L) {
  lua_Integer number = lua_tointeger(L, lua_upvalueindex(2));
  lua_pushinteger(L, number + 1);
  lua_replace(L, lua_upvalueindex(2));
  return (size_t)number;
}

static int iterate(lua_State *L, lua_CFunction next) {
  gp_check_data(L, 1);
  return gp_return_counting(L, next);
}

static int next_arc(lua_State *L) {
  const gp_arcs *arcs = &data_of_iteration(L)->arcs;
  size_t arc = next_number(L);
  if (arc >= arcs->count) return 0;
  lua_pushinteger(L, (lua_Integer)arcs->from[arc]);
  lua_pushinteger(L, (lua_Integer)arcs->self[arc]);
  lua_pushinteger(L, (lua_Integer)arcs->calls[arc]);
  return 3;
}

static int next_block(lua_State *L) {
  const gp_blocks *blocks = &data_of_iteration(L)->blocks;
  size_t block = next_number(L);
  if (block >= blocks->count) return 0;
  lua_pushinteger(L, (lua_Integer)blocks->address[block]);
  lua_pushinteger(L, (lua_Integer)blocks->executions[block]);
  return 2;
}

/* The address of a function, and of a place that created coroutines with it. */
static int next_creation(lua_State *L) {
  const gp_call_paths *paths = &data_of_iteration(L)->paths;
  for (size_t row; (row = next_number(L)) < paths->samples.count;) {
    const uint64_t context = paths->samples.first[row];
    if (paths->samples.amount[row] > 0 || context == GP_ROOT_CONTEXT) continue;
    const uint64_t site = paths->contexts.second[context - 1];
    lua_pushinteger(L, (lua_Integer)paths->sites.second[site]);
    lua_pushinteger(L, (lua_Integer)paths->samples.second[row]);
    return 2;
  }
  return 0;
}

/* The number of the parent, and the address of the call; the first context is 1. */
static int next_context(lua_State *L) {
  const gp_call_paths *paths = &data_of_iteration(L)->paths;
  size_t row = next_number(L);
  if (row >= paths->contexts.count) return 0;
  lua_pushinteger(L, (lua_Integer)paths->contexts.first[row]);
  lua_pushinteger(L, (lua_Integer)paths->sites.first[paths->contexts.second[row]]);
  return 2;
}

/* The number of a context, and the ticks of samples at one address in it. */
static int next_context_sample(lua_State *L) {
  const gp_pairs *samples = &data_of_iteration(L)->paths.samples;
  size_t row = next_number(L);
  if (row >= samples->count) return 0;
  lua_pushinteger(L, (lua_Integer)samples->first[row]);
  lua_pushinteger(L, (lua_Integer)samples->amount[row]);
  return 2;
}

static int next_histogram(lua_State *L) {
  const gp_data *data = data_of_iteration(L);
  size_t number = next_number(L);
  if (number >= data->histogram_count) return 0;
  histogram_box *box = lua_newuserdatauv(L, sizeof *box, 1);
  box->number = number;
  luaL_setmetatable(L, GP_HISTOGRAM);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_setiuservalue(L, -2, 1);
  return 1;
}

static int iterate_arcs(lua_State *L) { return iterate(L, next_arc); }

static int iterate_blocks(lua_State *L) { return iterate(L, next_block); }

static int iterate_creations(lua_State *L) { return iterate(L, next_creation); }

static int iterate_contexts(lua_State *L) { return iterate(L, next_context); }

static int iterate_context_samples(lua_State *L) {
  return iterate(L, next_context_sample);
}

static int iterate_histograms(lua_State *L) { return iterate(L, next_histogram); }

/* --- histograms -------------------------------------------------------------------- */

/* Returns the histogram whose object is at stack index `index`. */
static const gp_histogram *open_histogram(lua_State *L, int index) {
  const histogram_box *box = lua_touserdata(L, index);
  lua_getiuservalue(L, index, 1);
  const gp_data *data = gp_open_data(L, lua_touserdata(L, -1));
  lua_pop(L, 1);
  return &data->histograms[box->number];
}

static const gp_histogram *check_histogram(lua_State *L, int index) {
  luaL_checkudata(L, index, GP_HISTOGRAM);
  return open_histogram(L, index);
}

/* histogram:count(number) -> samples in a bin; the first bin is 1 */
static int bin_count(lua_State *L) {
  const gp_histogram *histogram = check_histogram(L, 1);
  lua_Integer number = luaL_checkinteger(L, 2);
  luaL_argcheck(L, number >= 1 && (lua_Unsigned)number <= histogram->bins, 2,
                "no bin with this number");
  lua_pushinteger(L, (lua_Integer)gp_bin(histogram, (size_t)number - 1));
  return 1;
}

/* Upvalues: the histogram, the next bin. */
static int next_bin(lua_State *L) {
  const gp_histogram *histogram = open_histogram(L, lua_upvalueindex(1));
  size_t bin = (size_t)lua_tointeger(L, lua_upvalueindex(2));
  while (bin < histogram->bins && gp_bin(histogram, bin) == 0) bin++;
  lua_pushinteger(L, (lua_Integer)bin + 1);
  lua_replace(L, lua_upvalueindex(2));
  if (bin >= histogram->bins) return 0;
  lua_pushinteger(L, (lua_Integer)bin + 1);
  lua_pushinteger(L, (lua_Integer)gp_bin(histogram, bin));
  double size = (double)(histogram->high - histogram->low) / (double)histogram->bins;
  const uint64_t address = histogram->low + (uint64_t)(size * (double)bin);
  lua_pushinteger(L, (lua_Integer)address);
  return 3;
}

/* histogram:bins() -> iterator over number, samples, address of the bins with samples */
static int bins(lua_State *L) {
  check_histogram(L, 1);
  return gp_return_counting(L, next_bin);
}

static int describe(lua_State *L) {
  luaL_checkudata(L, 1, GP_HISTOGRAM);
  lua_getiuservalue(L, 1, 1);
  if (!((const gp_data_box *)lua_touserdata(L, -1))->open) {
    lua_pushliteral(L, "histogram (closed)");
    return 1;
  }
  const gp_histogram *histogram = open_histogram(L, 1);
  lua_pushfstring(L, "histogram: %d bin%s of %s", (int)histogram->bins,
                  gp_plural(histogram->bins), histogram->dimension);
  return 1;
}

static const gp_histogram *opened(const gp_part *p) {
  return open_histogram(p->L, p->whole);
}

GP_GETTER(low, gp_integer_value(opened(p)->low))
GP_GETTER(high, gp_integer_value(opened(p)->high))
GP_GETTER(bin_count, gp_integer_value(opened(p)->bins))

GP_GETTER(bin_size, gp_number_value((double)(opened(p)->high - opened(p)->low) /
                                    (double)opened(p)->bins))
GP_GETTER(rate, gp_integer_value(opened(p)->rate))
GP_GETTER(unit, gp_text_value(opened(p)->dimension))
GP_GETTER(abbreviation, gp_letter_value(opened(p)->abbreviation))
GP_GETTER(data, gp_user_value(p, 1))

void gp_define_records(lua_State *L) {
  static const luaL_Reg meta[] = {{"__tostring", describe}, {NULL, NULL}};
  static const luaL_Reg methods[] = {{"count", bin_count}, {"bins", bins}, {NULL, NULL}};
  static const gp_field fields[] = {
      {"low", get_low},              /* first address covered */
      {"high", get_high},            /* one past the last address */
      {"bin_count", get_bin_count},
      {"bin_size", get_bin_size},    /* bytes of code */
      {"rate", get_rate},            /* samples per unit */
      {"unit", get_unit},            /* "seconds" */
      {"abbreviation", get_abbreviation},  /* "s"; may be empty */
      {"data", get_data},
      {NULL, NULL}};
  static const luaL_Reg data_methods[] = {
      {"add_histogram", add_histogram}, {"add_arc", add_arc}, {"add_block", add_block},
      {"merge", merge}, {"histograms", iterate_histograms}, {"arcs", iterate_arcs},
      {"blocks", iterate_blocks}, {"creations", iterate_creations},
      {"contexts", iterate_contexts}, {"context_samples", iterate_context_samples},
      {NULL, NULL}};
  gp_define_methods(L, GP_DATA, data_methods);
  gp_define_object(L, GP_HISTOGRAM, gp_get_field, meta, methods, fields);
  lua_pop(L, 1);
}
