/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scripts/call_sites.h"

#include <string.h>

static size_t hash_of(const void *prototype) {
  const uintptr_t address = (uintptr_t)prototype;
  return (address >> 4 ^ address >> 18) % SCR_HASHES;
}

void scr_sites_add(scr_sites *sites, scr_site added, const void *prototype) {
  const size_t hash = hash_of(prototype);
  if (prototype) sites->hashes[hash / 8] |= (unsigned char)(1 << hash % 8);
  added.age = sites->age;
  *scr_site_at(sites, added.instruction, added.context, added.function) = added;
}

void scr_sites_forget(scr_sites *sites, const void *prototype) {
  const size_t hash = hash_of(prototype);
  if (!(sites->hashes[hash / 8] >> hash % 8 & 1)) return;
  memset(sites->hashes, 0, sizeof sites->hashes);
  if (++sites->age > 0) return;
  memset(sites->list, 0, sizeof sites->list);
  sites->age = 1;
}
