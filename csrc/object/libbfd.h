/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Includes bfd.h, which requires config.h or these two macros. */
#ifndef GP_OBJECT_LIBBFD_H
#define GP_OBJECT_LIBBFD_H

#ifndef PACKAGE
#define PACKAGE "gprof"
#define PACKAGE_VERSION "scm"
#endif
#include <bfd.h>

#endif
