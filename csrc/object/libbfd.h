/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libbfd's header, which insists on a config.h, or on these two names. */
#ifndef GP_OBJECT_LIBBFD_H
#define GP_OBJECT_LIBBFD_H

#ifndef PACKAGE
#define PACKAGE "gprof"
#define PACKAGE_VERSION "scm"
#endif
#include <bfd.h>

#endif
