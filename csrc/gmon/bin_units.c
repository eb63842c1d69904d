/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which code the bins of a histogram count. */
#include "gmon/bin_units.h"

/* profil()'s factor for one bin a unit. */
#define ONE_TO_ONE 65536

/* The C library makes a bin for this many bytes, and then up to three bins more. */
enum { USUAL_SIZE = 4, MOST_ADDED = 3 };

/* Returns the C library's factor for a histogram, 0 if the histogram is not like one of
 * the C library. */
static uint32_t factor_of(const gp_histogram *histogram) {
  uint64_t text = histogram->high - histogram->low, bins = text / USUAL_SIZE;
  if (text % USUAL_SIZE != 0 || histogram->low % GP_PROFIL_UNIT != 0) return 0;
  if (histogram->bins < bins || histogram->bins - bins > MOST_ADDED) return 0;
  uint64_t bytes = histogram->bins * sizeof(uint16_t);
  if (bytes >= text) return ONE_TO_ONE;
  return (uint32_t)((float)bytes / (float)text * ONE_TO_ONE);  /* rounded as there */
}

gp_bin_units gp_bin_units_of(const gp_histogram *histogram, double scale, bool exact) {
  return (gp_bin_units){.start = histogram->low / GP_PROFIL_UNIT,
                        .past = histogram->high / GP_PROFIL_UNIT, .scale = scale,
                        .factor = exact ? factor_of(histogram) : 0};
}

uint64_t gp_bin_first_unit(const gp_bin_units *units, uint64_t bin) {
  if (units->factor == 0) return units->start + (uint64_t)(units->scale * (double)bin);
  uint64_t unit =
      units->start + (bin * ONE_TO_ONE + units->factor - 1) / units->factor;
  return unit < units->past ? unit : units->past;
}

uint64_t gp_bin_of_unit(const gp_bin_units *units, uint64_t unit) {
  uint64_t offset = unit - units->start;
  if (units->factor != 0) return offset * units->factor / ONE_TO_ONE;
  if (units->scale <= 0) return 0;
  uint64_t bin = (uint64_t)((double)offset / units->scale);
  while (bin > 0 && gp_bin_first_unit(units, bin) > unit) bin--;
  while (gp_bin_first_unit(units, bin + 1) <= unit) bin++;
  return bin;
}
