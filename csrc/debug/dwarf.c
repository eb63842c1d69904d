/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The debugging sections of an image, and the encoding of values in them. */
#include "debug/dwarf.h"

#include <string.h>

/* Whether the file has debugging information in an older format that libbfd reads: stabs,
 * DWARF 1 or ECOFF. */
static bool has_older_formats(bfd *file) {
  static const char *const names[] = {".stab", ".stab.excl", ".line", ".mdebug", NULL};
  for (int i = 0; names[i]; i++)
    if (bfd_get_section_by_name(file, names[i])) return true;
  return false;
}

bool gp_has_debug_info(const gp_image *image) {
  gp_section info;
  gp_section_open(&info, image, ".debug_info");
  return info.size > 0 || has_older_formats(image->file);
}

/* Strings can overlap, and a line table can combine each directory with each name. So the
 * total length of strings is limited to these multiples of the sizes of .debug_line and
 * .debug_info, plus LEAST_STRINGS. */
enum { PER_LINE_BYTE = 128, PER_INFO_BYTE = 64, LEAST_STRINGS = 1 << 20 };

static void set_machine(gp_dwarf *dwarf, const gp_image *image) {
  dwarf->layout = image->layout;
  dwarf->signed_addresses = bfd_get_sign_extend_vma(image->file) > 0;
  dwarf->isa_bit = image->traits & GP_ISA_BIT ? 1 : 0;
}

static void open_sections(gp_dwarf *dwarf, const gp_image *image) {
  memset(dwarf, 0, sizeof *dwarf);
  set_machine(dwarf, image);
  gp_section_open(&dwarf->info, image, ".debug_info");
  gp_section_open(&dwarf->abbrev, image, ".debug_abbrev");
  gp_section_open(&dwarf->line, image, ".debug_line");
  gp_section_open(&dwarf->str, image, ".debug_str");
  gp_section_open(&dwarf->line_str, image, ".debug_line_str");
  gp_section_open(&dwarf->str_offsets, image, ".debug_str_offsets");
  gp_section_open(&dwarf->addr, image, ".debug_addr");
  gp_section_open(&dwarf->ranges, image, ".debug_ranges");
  gp_section_open(&dwarf->rnglists, image, ".debug_rnglists");
  dwarf->string_budget = LEAST_STRINGS + PER_LINE_BYTE * dwarf->line.size +
                         PER_INFO_BYTE * dwarf->info.size;
}

bool gp_dwarf_open(gp_dwarf *dwarf, const gp_image *image) {
  memset(dwarf, 0, sizeof *dwarf);
  if (bfd_get_flavour(image->file) != bfd_target_elf_flavour ||
      !(bfd_get_file_flags(image->file) & (EXEC_P | DYNAMIC)) ||
      has_older_formats(image->file))
    return false;
  open_sections(dwarf, image);
  if (image->supplementary)
    gp_section_open(&dwarf->sup_str, image->supplementary, ".debug_str");
  return dwarf->info.size > 0;
}

void gp_dwarf_open_supplementary(gp_dwarf *dwarf, const gp_image *supplementary) {
  if (bfd_get_flavour(supplementary->file) == bfd_target_elf_flavour)
    open_sections(dwarf, supplementary);
  else
    memset(dwarf, 0, sizeof *dwarf);
}

void gp_dwarf_free(gp_dwarf *dwarf) {
  gp_section_free(&dwarf->info);
  gp_section_free(&dwarf->abbrev);
  gp_section_free(&dwarf->line);
  gp_section_free(&dwarf->str);
  gp_section_free(&dwarf->line_str);
  gp_section_free(&dwarf->str_offsets);
  gp_section_free(&dwarf->addr);
  gp_section_free(&dwarf->ranges);
  gp_section_free(&dwarf->rnglists);
  gp_section_free(&dwarf->sup_str);
}

bool gp_dwarf_no_memory(const gp_dwarf *dwarf) {
  return dwarf->info.no_memory || dwarf->abbrev.no_memory || dwarf->line.no_memory ||
         dwarf->str_offsets.no_memory || dwarf->str.no_memory ||
         dwarf->line_str.no_memory || dwarf->sup_str.no_memory || dwarf->addr.no_memory ||
         dwarf->ranges.no_memory || dwarf->rnglists.no_memory;
}

void gp_dwarf_open_split(gp_dwarf *dwarf, const gp_image *split, const gp_image *image) {
  memset(dwarf, 0, sizeof *dwarf);
  if (bfd_get_flavour(split->file) != bfd_target_elf_flavour) return;
  set_machine(dwarf, image);
  gp_section_open(&dwarf->info, split, ".debug_info.dwo");
  gp_section_open(&dwarf->abbrev, split, ".debug_abbrev.dwo");
  gp_section_open(&dwarf->str, split, ".debug_str.dwo");
  gp_section_open(&dwarf->str_offsets, split, ".debug_str_offsets.dwo");
  gp_section_open(&dwarf->rnglists, split, ".debug_rnglists.dwo");
  gp_section_open(&dwarf->addr, image, ".debug_addr");
  gp_section_open(&dwarf->ranges, image, ".debug_ranges");
  dwarf->string_budget = LEAST_STRINGS + PER_INFO_BYTE * dwarf->info.size;
}

/* --- forms ------------------------------------------------------------------- */

enum {
  FORM_addr = 0x01, FORM_block2 = 0x03, FORM_block4, FORM_data2, FORM_data4, FORM_data8,
  FORM_string, FORM_block, FORM_block1, FORM_data1, FORM_flag, FORM_sdata, FORM_strp,
  FORM_udata, FORM_ref_addr, FORM_ref1, FORM_ref2, FORM_ref4, FORM_ref8, FORM_ref_udata,
  FORM_indirect, FORM_sec_offset, FORM_exprloc, FORM_flag_present, FORM_strx, FORM_addrx,
  FORM_ref_sup4, FORM_strp_sup, FORM_data16, FORM_line_strp, FORM_ref_sig8,
  FORM_implicit_const, FORM_loclistx, FORM_rnglistx, FORM_ref_sup8, FORM_strx1,
  FORM_strx2, FORM_strx3, FORM_strx4, FORM_addrx1, FORM_addrx2, FORM_addrx3, FORM_addrx4,
  FORM_GNU_addr_index = 0x1f01, FORM_GNU_str_index, FORM_GNU_ref_alt = 0x1f20,
  FORM_GNU_strp_alt
};

/* How a form is encoded. */
typedef enum encoding {
  UNKNOWN,
  FIXED,      /* `bytes` bytes */
  ADDRESS,    /* the size of an address */
  OFFSET,     /* the size of an offset: 4 bytes, or 8 in 64-bit DWARF */
  REFERENCE,  /* an offset, but an address in DWARF 2 */
  UNSIGNED,   /* LEB128 */
  SIGNED,     /* LEB128 */
  STRING,     /* ends with a NUL */
  BLOCK,      /* a length of `bytes` bytes (0: LEB128), then the contents */
  IMPLICIT    /* no bytes: the value is in the abbreviation */
} encoding;

typedef struct form_rule {
  uint8_t encoding, bytes, kind;
} form_rule;

static const form_rule forms[] = {
    [FORM_addr] = {ADDRESS, 0, GP_VALUE_ADDRESS},
    [FORM_block2] = {BLOCK, 2, GP_VALUE_NONE},
    [FORM_block4] = {BLOCK, 4, GP_VALUE_NONE},
    [FORM_data2] = {FIXED, 2, GP_VALUE_NUMBER},
    [FORM_data4] = {FIXED, 4, GP_VALUE_NUMBER},
    [FORM_data8] = {FIXED, 8, GP_VALUE_NUMBER},
    [FORM_string] = {STRING, 0, GP_VALUE_INLINE},
    [FORM_block] = {BLOCK, 0, GP_VALUE_NONE},
    [FORM_block1] = {BLOCK, 1, GP_VALUE_NONE},
    [FORM_data1] = {FIXED, 1, GP_VALUE_NUMBER},
    [FORM_flag] = {FIXED, 1, GP_VALUE_NUMBER},
    [FORM_sdata] = {SIGNED, 0, GP_VALUE_NUMBER},
    [FORM_strp] = {OFFSET, 0, GP_VALUE_STR},
    [FORM_udata] = {UNSIGNED, 0, GP_VALUE_NUMBER},
    [FORM_ref_addr] = {REFERENCE, 0, GP_VALUE_ENTRY},
    [FORM_ref1] = {FIXED, 1, GP_VALUE_NEAR_ENTRY},
    [FORM_ref2] = {FIXED, 2, GP_VALUE_NEAR_ENTRY},
    [FORM_ref4] = {FIXED, 4, GP_VALUE_NEAR_ENTRY},
    [FORM_ref8] = {FIXED, 8, GP_VALUE_NEAR_ENTRY},
    [FORM_ref_udata] = {UNSIGNED, 0, GP_VALUE_NEAR_ENTRY},
    [FORM_sec_offset] = {OFFSET, 0, GP_VALUE_NUMBER},
    [FORM_exprloc] = {BLOCK, 0, GP_VALUE_NONE},
    [FORM_flag_present] = {FIXED, 0, GP_VALUE_NUMBER},
    [FORM_strx] = {UNSIGNED, 0, GP_VALUE_INDEXED},
    [FORM_addrx] = {UNSIGNED, 0, GP_VALUE_ADDRESS_INDEX},
    [FORM_ref_sup4] = {FIXED, 4, GP_VALUE_SUP_ENTRY},
    [FORM_strp_sup] = {OFFSET, 0, GP_VALUE_SUP_STR},
    [FORM_data16] = {FIXED, 16, GP_VALUE_NONE},
    [FORM_line_strp] = {OFFSET, 0, GP_VALUE_LINE_STR},
    [FORM_ref_sig8] = {FIXED, 8, GP_VALUE_NONE},
    [FORM_implicit_const] = {IMPLICIT, 0, GP_VALUE_NUMBER},
    [FORM_loclistx] = {UNSIGNED, 0, GP_VALUE_NONE},
    [FORM_rnglistx] = {UNSIGNED, 0, GP_VALUE_RANGES_INDEX},
    [FORM_ref_sup8] = {FIXED, 8, GP_VALUE_SUP_ENTRY},
    [FORM_strx1] = {FIXED, 1, GP_VALUE_INDEXED},
    [FORM_strx2] = {FIXED, 2, GP_VALUE_INDEXED},
    [FORM_strx3] = {FIXED, 3, GP_VALUE_INDEXED},
    [FORM_strx4] = {FIXED, 4, GP_VALUE_INDEXED},
    [FORM_addrx1] = {FIXED, 1, GP_VALUE_ADDRESS_INDEX},
    [FORM_addrx2] = {FIXED, 2, GP_VALUE_ADDRESS_INDEX},
    [FORM_addrx3] = {FIXED, 3, GP_VALUE_ADDRESS_INDEX},
    [FORM_addrx4] = {FIXED, 4, GP_VALUE_ADDRESS_INDEX},
};

static form_rule find_form(uint64_t number) {
  static const form_rule unknown = {UNKNOWN, 0, GP_VALUE_NONE};
  switch (number) {
    case FORM_GNU_addr_index: return forms[FORM_addrx];
    case FORM_GNU_str_index: return forms[FORM_strx];
    case FORM_GNU_ref_alt: return (form_rule){OFFSET, 0, GP_VALUE_SUP_ENTRY};
    case FORM_GNU_strp_alt: return forms[FORM_strp_sup];
    default: return number < sizeof forms / sizeof *forms ? forms[number] : unknown;
  }
}

bool gp_dwarf_value(gp_cursor *cursor, uint64_t number, const gp_unit_layout *unit,
                    int64_t implicit, gp_value *value) {
  /* an indirect form may name another indirect one */
  while (number == FORM_indirect && !cursor->bad) number = gp_take_uleb(cursor);
  form_rule form = find_form(number);
  if (form.encoding == REFERENCE) form.encoding = unit->version == 2 ? ADDRESS : OFFSET;
  *value = (gp_value){form.kind, (uint64_t)implicit};
  switch (form.encoding) {
    case FIXED: value->number = gp_take_uint(cursor, form.bytes); break;
    case ADDRESS: value->number = gp_take_uint(cursor, unit->address_size); break;
    case OFFSET: value->number = gp_take_offset(cursor); break;
    case UNSIGNED: value->number = gp_take_uleb(cursor); break;
    case SIGNED: value->number = (uint64_t)gp_take_sleb(cursor); break;
    case BLOCK:
      gp_take(cursor, form.bytes ? gp_take_uint(cursor, form.bytes)
                                 : gp_take_uleb(cursor));
      break;
    case STRING:
      value->number = (uint64_t)(cursor->at - cursor->start);
      gp_skip_string(cursor);
      break;
    default: break;
  }
  return form.encoding != UNKNOWN;
}

uint64_t gp_dwarf_size(uint64_t number, const gp_unit_layout *unit) {
  form_rule form = {0};
  if (number != FORM_indirect) form = find_form(number);
  switch (form.encoding) {
    case FIXED: return form.bytes;
    case ADDRESS: return unit->address_size;
    case OFFSET: return unit->wide ? 8 : 4;
    case REFERENCE:
      if (unit->version == 2) return unit->address_size;
      return unit->wide ? 8 : 4;
    default: return 0;
  }
}

/* --- addresses --------------------------------------------------------------- */

bool gp_dwarf_address(gp_dwarf *dwarf, const gp_unit_layout *unit, gp_value value,
                      uint64_t *address) {
  unsigned char bytes[8];
  size_t size = unit->address_size;
  *address = value.number;
  if (value.kind == GP_VALUE_ADDRESS_INDEX) {
    if (size > sizeof bytes || value.number > dwarf->addr.size) return false;
    uint64_t place = unit->addr_base + value.number * size;
    if (!gp_section_all(&dwarf->addr) ||
        !gp_section_read(&dwarf->addr, place, bytes, size))
      return false;
    gp_cursor cursor = gp_cursor_on(bytes, size, dwarf->layout);
    *address = gp_take_uint(&cursor, size);
  } else if (value.kind != GP_VALUE_ADDRESS) {
    return false;
  }
  *address = gp_dwarf_extend(dwarf, size, *address);
  return true;
}

/* --- strings ----------------------------------------------------------------- */

/* Returns the string whose offset has the given index in .debug_str_offsets. */
static char *indexed_string(gp_dwarf *dwarf, const gp_unit_layout *unit, uint64_t index) {
  unsigned char bytes[8];
  size_t size = unit->wide ? 8 : 4;
  if (index > dwarf->str_offsets.size / size) return NULL;
  uint64_t place = unit->str_offsets_base + index * size;
  if (!gp_section_read(&dwarf->str_offsets, place, bytes, size)) return NULL;
  gp_layout layout = dwarf->layout;
  uint64_t offset = unit->wide ? gp_u64(bytes, layout) : gp_u32(bytes, layout);
  return gp_section_text(&dwarf->str, offset, &dwarf->string_budget);
}

char *gp_dwarf_string(gp_dwarf *dwarf, gp_section *home, const gp_unit_layout *unit,
                      gp_value value) {
  uint64_t *left = &dwarf->string_budget;
  switch (value.kind) {
    case GP_VALUE_INLINE: return gp_section_text(home, value.number, left);
    case GP_VALUE_STR: return gp_section_text(&dwarf->str, value.number, left);
    case GP_VALUE_LINE_STR: return gp_section_text(&dwarf->line_str, value.number, left);
    case GP_VALUE_INDEXED: return indexed_string(dwarf, unit, value.number);
    case GP_VALUE_SUP_STR: return gp_section_text(&dwarf->sup_str, value.number, left);
    default: return NULL;
  }
}
