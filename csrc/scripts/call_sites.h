/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Maps the places of calls in bytecode to their records: so calls that were counted
 * before are counted without the line of the call, which Lua takes long to find.
 *
 * Bytecode may be at the address of other code, which was collected. So all places are
 * forgotten once one of their prototypes is freed, or another one with the same hash.
 */
#ifndef GPROF_SCRIPTS_CALL_SITES_H
#define GPROF_SCRIPTS_CALL_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct scr_site {
  const void *instruction;  /* see scr_call; NULL: a tail call */
  uint32_t context;         /* of the caller; with C functions, the caller's number */
  uint32_t function;        /* that is called */
  uint32_t row;             /* the record of the call; with C functions, the line */
  uint32_t age;             /* that of the sites when it was added */
} scr_site;

enum { SCR_SITES = 1 << 12, SCR_HASHES = 1 << 16 };

typedef struct scr_sites {
  uint32_t age;             /* older sites are forgotten; not 0 */
  scr_site list[SCR_SITES];
  unsigned char hashes[SCR_HASHES / 8];  /* a bit for each hash of a prototype */
} scr_sites;

/* Returns where a site belongs, which may be that of another one. */
static inline scr_site *scr_site_at(scr_sites *sites, const void *instruction,
                                    uint32_t context, uint32_t function) {
  const uint32_t mixed = (uint32_t)((uintptr_t)instruction >> 2) ^ function * 0x9e3779b1 ^
                         context * 0x85ebca6b;
  return &sites->list[(mixed ^ mixed >> 16) % SCR_SITES];
}

static inline bool scr_is_site(const scr_sites *sites, const scr_site *site,
                               const void *instruction, uint32_t context,
                               uint32_t function) {
  return site->instruction == instruction && site->context == context &&
         site->function == function && site->age == sites->age;
}

/* Adds a site. `prototype`: the caller's; NULL for C functions. */
void scr_sites_add(scr_sites *sites, scr_site added, const void *prototype);

/* To be called when a prototype is freed. */
void scr_sites_forget(scr_sites *sites, const void *prototype);

#endif
