/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses printf-like formats. */
#include "base/format.h"

#include <string.h>

static int read_number(const char **p) {
  int number = 0;
  while (**p >= '0' && **p <= '9' && number <= GP_COLUMNS_WIDTH)
    number = number * 10 + *(*p)++ - '0';
  return number;
}

/* Reads the flags "-" and "+", each at most once, in any order. */
static const char *read_flags(const char *p, gp_column_style *style) {
  for (;; p++) {
    bool *flag = *p == '-' ? &style->left : *p == '+' ? &style->plus : NULL;
    if (!flag || *flag) return p;
    *flag = true;
  }
}

/* Reads [flags][width][.precision]conversion with any flags, for string.format. */
static const char *read_other(const char *p, gp_piece *piece) {
  const char *end = p + strspn(p, "-+ #0");
  int width = read_number(&end), precision = 0;
  if (*end == '.') {
    end++;
    precision = read_number(&end);
  }
  if (!*end || !strchr("aAcdeEfgGiopqsuxX", *end)) return NULL;
  if (width > GP_COLUMNS_WIDTH || precision > GP_COLUMNS_WIDTH) return NULL;
  size_t length = (size_t)(++end - p);
  if (length >= GP_LONGEST_CONVERSION) return NULL;
  piece->conversion = GP_OTHER;
  piece->other = p;
  piece->other_length = (uint8_t)length;
  return end;
}

/* Reads [flags][width][.precision]conversion. */
static const char *read_conversion(const char *begin, gp_piece *piece) {
  const char *p = read_flags(begin, &piece->style);
  bool zeros = *p == '0';
  int width = read_number(&p), precision = -1;
  if (*p == '.') {
    p++;
    precision = read_number(&p);
  }
  bool known = *p == 'f' || (*p == 's' && !piece->style.plus) ||
               ((*p == 'd' || *p == 'i') && precision < 0);
  bool fits = width <= GP_COLUMNS_WIDTH && precision <= GP_COLUMNS_WIDTH;
  if (!known || zeros || !fits) return read_other(begin, piece);
  piece->style.width = (uint8_t)width;
  piece->style.precision = (int8_t)precision;
  piece->conversion = (char)(*p == 'i' ? 'd' : *p);
  return p + 1;
}

/* Reads a conversion, after N$ if a position selects its value. */
static const char *read_directive(const char *p, gp_piece *piece) {
  const char *begin = p;
  int number = read_number(&p);
  if (number == 0 || number > GP_COLUMNS_WIDTH || *p != '$')
    return read_conversion(begin, piece);
  piece->place = (uint8_t)number;
  return read_conversion(p + 1, piece);
}

/* Reads name:conversion} or name}. */
static const char *read_named(const char *p, gp_piece *piece) {
  size_t length = strcspn(p, ":}");
  if (length == 0 || length > UINT8_MAX) return NULL;
  piece->name = p;
  piece->name_length = (uint8_t)length;
  piece->conversion = 's';
  p += length;
  if (*p == ':') p = read_conversion(p + 1, piece);
  return p && *p == '}' ? p + 1 : NULL;
}

const char *gp_format_piece(const char *p, gp_piece *piece) {
  const char *percent = strchr(p, '%');
  *piece = (gp_piece){.text = p, .style = {.precision = -1}};
  if (!percent) {
    piece->length = (uint32_t)strlen(p);
    return p + piece->length;
  }
  piece->length = (uint32_t)(percent - p);
  if (percent[1] == '{') return read_named(percent + 2, piece);
  if (percent[1] != '%') return read_directive(percent + 1, piece);
  piece->length++;  /* the text includes the first % of "%%" */
  return percent + 2;
}
