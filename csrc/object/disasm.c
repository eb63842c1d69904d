/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds calls and jumps in machine code, with libopcodes. */
#include "object/disasm.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Mnemonics of call instructions, by architecture. NULL if libopcodes classifies the
 * architecture's instructions. */
typedef struct architecture {
  enum bfd_architecture number;
  const char *const *calls;
} architecture;

static const architecture architectures[] = {
    {bfd_arch_aarch64, (const char *const[]){"bl", NULL}},
    {bfd_arch_i386, NULL},
    {bfd_arch_mips, NULL},
    {bfd_arch_powerpc, (const char *const[]){"bl", "bla", NULL}},
    {bfd_arch_riscv, NULL},
    {bfd_arch_s390, (const char *const[]){"brasl", "bras", NULL}},
    {bfd_arch_sparc, NULL},
};

/* Looks up the architecture. A newer libopcodes may classify the instructions of an
 * unlisted architecture; it is trusted once it reports a call. */
static void find_architecture(gp_disasm *decoder, enum bfd_architecture number) {
  for (size_t i = 0; i < sizeof architectures / sizeof *architectures; i++)
    if (architectures[i].number == number) {
      decoder->calls = architectures[i].calls;
      decoder->identifies_calls = true;
    }
}

/* --- callbacks of libopcodes ----------------------------------------------- */

/* Appends to the text of the instruction. Returns the number of characters, as libopcodes
 * expects. */
__attribute__((format(printf, 2, 0))) static int write_text(gp_disasm *decoder,
                                                            const char *format,
                                                            va_list arguments) {
  size_t room = sizeof decoder->line - decoder->length;
  int length = vsnprintf(decoder->line + decoder->length, room, format, arguments);
  if (length > 0) decoder->length += (size_t)length < room ? (size_t)length : room - 1;
  return length;
}

/* Receives the text of an instruction in pieces. Only two matter: the mnemonic, which may
 * have prefixes, and the constant part of an operand's address. */
static int take_text(void *stream, enum disassembler_style style, const char *format,
                     ...) {
  gp_disasm *decoder = stream;
  va_list arguments;
  if (decoder->writes) {
    va_start(arguments, format);
    int written = write_text(decoder, format, arguments);
    va_end(arguments);
    return written;
  }
  if (style != dis_style_mnemonic && style != dis_style_address_offset) return 0;
  if (decoder->only_calls && !decoder->calls) return 0;  /* libopcodes finds the calls */
  char word[24];
  va_start(arguments, format);
  int length = vsnprintf(word, sizeof word, format, arguments);
  va_end(arguments);
  if (style == dis_style_address_offset) {
    decoder->displacement = strtoull(word, NULL, 0);
    return length;
  }
  for (const char *const *call = decoder->calls; call && *call; call++)
    if (strcmp(*call, word) == 0) decoder->has_call_mnemonic = true;
  if (strstr(word, "ret")) decoder->has_return_mnemonic = true;
  decoder->is_nop = strcmp(word, "nop") == 0;
  return length;
}

static int take_unstyled(void *stream, const char *format, ...) {
  gp_disasm *decoder = stream;
  if (!decoder->writes) return 0;
  va_list arguments;
  va_start(arguments, format);
  int written = write_text(decoder, format, arguments);
  va_end(arguments);
  return written;
}

static void take_address(bfd_vma address, struct disassemble_info *info) {
  gp_disasm *decoder = info->stream;
  decoder->has_target = true;
  decoder->target = address;
  if (decoder->writes)
    take_unstyled(decoder, "<0x%llx>", (unsigned long long)address);
}

static int read_text(bfd_vma address, bfd_byte *bytes, unsigned length,
                     struct disassemble_info *info) {
  const gp_disasm *decoder = info->stream;
  if (address < decoder->low || address >= decoder->end ||
      length > decoder->end - address)
    return EIO;
  memcpy(bytes, decoder->text + (address - decoder->low), length);
  return 0;
}

static void ignore_failure(int status, bfd_vma address, struct disassemble_info *info) {
  (void)status;
  (void)address;
  (void)info;
}

/* --- decoding -------------------------------------------------------------- */

static void init_info(struct disassemble_info *info, const gp_image *image) {
  info->flavour = bfd_get_flavour(image->file);
  info->arch = bfd_get_arch(image->file);
  info->mach = bfd_get_mach(image->file);
  info->octets_per_byte = bfd_octets_per_byte(image->file, image->text);
  info->section = image->text;
  info->endian = info->display_endian = info->endian_code =
      bfd_big_endian(image->file) ? BFD_ENDIAN_BIG : BFD_ENDIAN_LITTLE;
  info->read_memory_func = read_text;
  info->memory_error_func = ignore_failure;
  info->print_address_func = take_address;
}

static disassembler_ftype find_disassembler(const gp_image *image,
                                            const gp_opcodes *opcodes) {
  bfd *file = image->file;
  return opcodes->disassembler(bfd_get_arch(file), bfd_big_endian(file),
                               bfd_get_mach(file), file);
}

uint8_t *gp_disasm_text(const gp_image *image, asection *section, gp_error *error) {
  bfd_byte *bytes = NULL;
  const char *name = bfd_section_name(section);
  if (!(section->flags & SEC_HAS_CONTENTS))
    gp_fail(error, "machine code: the section %s has no contents", name);
  else if (!bfd_get_full_section_contents(image->file, section, &bytes))
    gp_fail(error, "machine code: section %s: %s", name, bfd_errmsg(bfd_get_error()));
  else if (!bytes && !(bytes = malloc(1)))  /* libbfd allocates nothing if it is empty */
    gp_fail_memory(error);
  return bytes;
}

bool gp_disasm_knows(const gp_image *image, const gp_opcodes *opcodes) {
  return find_disassembler(image, opcodes) != NULL;
}

bool gp_disasm_open(gp_disasm *decoder, const gp_image *image, const uint8_t *text,
                    const gp_opcodes *opcodes, bool only_calls, gp_error *error) {
  memset(decoder, 0, sizeof *decoder);
  decoder->only_calls = only_calls;
  decoder->opcodes = opcodes;
  decoder->text = text;
  decoder->low = image->text_low;
  decoder->local_entries = (image->traits & GP_LOCAL_ENTRIES) != 0;
  decoder->decode = find_disassembler(image, opcodes);
  if (!decoder->decode)
    return gp_fail(error, "machine code: libopcodes cannot decode this architecture (%s)",
                   bfd_printable_name(image->file));
  find_architecture(decoder, bfd_get_arch(image->file));
  opcodes->init_disassemble_info(&decoder->info, decoder, take_unstyled, take_text);
  init_info(&decoder->info, image);
  opcodes->disassemble_init_for_target(&decoder->info);
  return true;
}

void gp_disasm_close(gp_disasm *decoder) {
  if (decoder->decode) decoder->opcodes->disassemble_free_target(&decoder->info);
  decoder->decode = NULL;
}

/* Classifies the decoded instruction. If libopcodes classifies instructions, the target
 * is taken from `info`, because a printed address may be an operand. For an indirect call
 * or jump, `info` has no target; an address printed for an indirect call is the address
 * of the slot that holds the target. */
static gp_instruction classify(gp_disasm *decoder, uint64_t *target) {
  const struct disassemble_info *info = &decoder->info;
  bool direct = info->insn_info_valid;
  *target = decoder->target;
  if (decoder->calls)
    return decoder->has_call_mnemonic && decoder->has_target ? GP_DIRECT_CALL
                                                             : GP_OTHER_INSTRUCTION;
  switch (info->insn_type) {
    case dis_branch:
    case dis_condbranch:
      *target = direct ? info->target : 0;
      return info->insn_type == dis_branch ? GP_JUMP : GP_CONDITIONAL_JUMP;
    case dis_jsr:
    case dis_condjsr:
      if (!direct) return decoder->has_target ? GP_SLOT_CALL : GP_INDIRECT_CALL;
      *target = info->target;
      decoder->identifies_calls = true;
      return GP_DIRECT_CALL;
    default:
      if (decoder->is_nop) return GP_NOP;
      return decoder->has_return_mnemonic ? GP_RETURN : GP_OTHER_INSTRUCTION;
  }
}

/* Decoding fails only for an instruction that is cut off by `end`; then one byte is
 * skipped. libopcodes prints invalid bytes as data. */
gp_instruction gp_disasm_next(gp_disasm *decoder, uint64_t *address, uint64_t end,
                              uint64_t *target) {
  struct disassemble_info *info = &decoder->info;
  decoder->end = info->stop_vma = end;
  decoder->has_call_mnemonic = decoder->has_return_mnemonic = decoder->is_nop = false;
  decoder->has_target = false;
  decoder->displacement = 0;
  info->insn_info_valid = 0;
  info->insn_type = dis_noninsn;
  info->target = 0;
  int length = decoder->decode(*address, info);
  *address += length > 0 ? (uint64_t)length : 1;
  return length > 0 ? classify(decoder, target) : GP_OTHER_INSTRUCTION;
}

const char *gp_disasm_write(gp_disasm *decoder, uint64_t *address, uint64_t end) {
  uint64_t target;
  decoder->writes = true;
  decoder->length = 0;
  decoder->line[0] = '\0';
  gp_disasm_next(decoder, address, end, &target);
  decoder->writes = false;
  return decoder->length > 0 ? decoder->line : "(bad)";
}

uint64_t gp_disasm_reference(const gp_disasm *decoder) {
  return decoder->has_target ? decoder->target : decoder->displacement;
}

bool gp_disasm_identifies_calls(const gp_disasm *decoder, gp_error *error) {
  if (decoder->identifies_calls) return true;
  return gp_fail(error, "static calls: libopcodes does not identify calls on this "
                        "architecture (%s)",
                 bfd_printable_arch_mach(decoder->info.arch, decoder->info.mach));
}
