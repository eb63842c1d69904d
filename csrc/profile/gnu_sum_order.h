/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The order of records in the sums that GNU gprof writes.
 *
 * GNU gprof writes sums from the symbol table by line, in address order. It lists the
 * callees of a symbol in reverse order of their first records, and the blocks of a symbol
 * in the order of their records. Reports on a sum show functions with equal figures in an
 * order that depends on the order of the sum's records.
 */
#ifndef GP_PROFILE_GNU_SUM_ORDER_H
#define GP_PROFILE_GNU_SUM_ORDER_H

#include "gmon/gmon_write.h"
#include "symbols/symtab.h"

/* Finds the order. Arcs and blocks outside all symbols come last, in the order of the
 * data. `symtab` is a table by line. The caller frees the columns of `order`, also after
 * an error. Errors: no memory. */
bool gp_gnu_sum_order_find(gp_record_order *order, const gp_data *data,
                           const gp_symtab *symtab, gp_error *error);

#endif
