/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Library functions that never call the program. */
#include "profile/code/quiet_functions.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Each list is a text of names between spaces. */

/* They call nothing that a program can replace. */
static const char computing[] =
    " memcpy memmove mempcpy memset memcmp memchr memrchr rawmemchr memccpy memmem bzero"
    " bcmp strlen strnlen strcmp strncmp strcasecmp strncasecmp strcpy strncpy stpcpy"
    " stpncpy strcat strncat strchr strrchr strchrnul strstr strcasestr strpbrk strspn"
    " strcspn strtok strtok_r strsep index rindex ffs __memcpy_chk __memmove_chk"
    " __mempcpy_chk __memset_chk __strcpy_chk __strncpy_chk __stpcpy_chk __stpncpy_chk"
    " __strcat_chk __strncat_chk __rawmemchr __stpcpy"
    " __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc __ctype_get_mb_cur_max"
    " isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace"
    " isupper isxdigit tolower toupper strtol strtoul strtoll strtoull strtoimax"
    " strtoumax strtof strtod strtold __strtol_internal __strtoul_internal atoi atol"
    " atoll atof __isoc23_strtol __isoc23_strtoul __isoc23_strtoll __isoc23_strtoull"
    " abs labs llabs div ldiv lldiv rand srand rand_r random srandom drand48 lrand48"
    " abort _exit _Exit __stack_chk_fail __chk_fail setjmp _setjmp __sigsetjmp longjmp"
    " _longjmp siglongjmp __longjmp_chk"
    " getenv secure_getenv __errno_location time gettimeofday clock clock_gettime"
    " clock_getres getpid getppid getuid geteuid getgid getegid umask isatty read write"
    " pread pwrite pread64 pwrite64 readv writev open open64 __open_2 __open64_2 close"
    " lseek lseek64 stat stat64 fstat fstat64 lstat lstat64 access dup dup2 fcntl"
    " fcntl64 ioctl pipe unlink rename mkdir rmdir chdir chmod fchmod chown fchown"
    " ftruncate ftruncate64 fsync mmap mmap64 munmap mprotect madvise poll select usleep"
    " nanosleep sleep sysconf getpagesize getrusage utimes utimensat futimens readlink"
    " acos acosh asin asinh atan atan2 atanh cbrt ceil ceilf copysign cos cosf cosh erf"
    " erfc exp exp2 exp2f expf expm1 fabs fdim floor floorf fma fmax fmin fmod fmodf"
    " frexp hypot ilogb j0 j1 jn ldexp lgamma llrint llround log log10 log10f log1p log2"
    " log2f logb logf lrint lrintf lround lroundf modf nearbyint nextafter pow powf"
    " remainder rint rintf round roundf scalbn sin sincos sinf sinh sqrt sqrtf tan tanf"
    " tanh tgamma trunc truncf y0 y1 yn ";

/* They may also allocate memory. */
static const char allocating[] =
    " malloc calloc realloc reallocarray free memalign aligned_alloc posix_memalign"
    " malloc_usable_size strdup strndup __strdup __strndup strerror strerror_r"
    " __xpg_strerror_r strsignal localtime localtime_r gmtime gmtime_r mktime timegm"
    " strftime ctime asctime difftime setlocale localeconv nl_langinfo getcwd realpath"
    " opendir readdir readdir64 closedir mbrtowc wcrtomb mbtowc wctomb mbstowcs wcstombs"
    " mbrlen mblen btowc wctob setenv unsetenv putenv gettext dgettext dcgettext"
    " ngettext textdomain bindtextdomain ";

/* They may also use streams, and print with formats. */
static const char streaming[] =
    " fopen fopen64 fdopen freopen freopen64 fclose fflush fread fwrite fgetc fputc getc"
    " putc getchar putchar ungetc fgets fputs puts getline getdelim __getdelim fseek"
    " ftell fseeko fseeko64 ftello ftello64 rewind feof ferror clearerr fileno setvbuf"
    " setbuf setlinebuf _IO_getc _IO_putc __overflow __uflow getc_unlocked putc_unlocked"
    " fgetc_unlocked fputc_unlocked fread_unlocked fwrite_unlocked fputs_unlocked"
    " fgets_unlocked feof_unlocked ferror_unlocked fflush_unlocked tmpfile tmpfile64"
    " printf fprintf sprintf snprintf dprintf asprintf vprintf vfprintf vsprintf"
    " vsnprintf vdprintf vasprintf __printf_chk __fprintf_chk __sprintf_chk"
    " __snprintf_chk __dprintf_chk __asprintf_chk __vprintf_chk __vfprintf_chk"
    " __vsprintf_chk __vsnprintf_chk __vasprintf_chk perror scanf fscanf sscanf vscanf"
    " vfscanf vsscanf __isoc99_scanf __isoc99_fscanf __isoc99_sscanf __isoc99_vsscanf"
    " __isoc23_scanf __isoc23_fscanf __isoc23_sscanf __isoc23_vsscanf __fread_chk"
    " __fgets_chk __assert_fail ";

/* A program that defines one of these replaces glibc's. */
static const char allocators[] =
    " malloc calloc realloc reallocarray free memalign aligned_alloc posix_memalign"
    " valloc pvalloc cfree ";

/* A program that uses one of these can have functions called by those above. */
static const char allocation_hooks[] =
    " __malloc_hook __free_hook __realloc_hook __memalign_hook __malloc_initialize_hook"
    " __after_morecore_hook __morecore ";
static const char stream_hooks[] =
    " fopencookie funopen register_printf_function register_printf_specifier"
    " register_printf_modifier register_printf_type _IO_cookie_init ";
static const char error_hooks[] = " matherr _LIB_VERSION ";

enum { COMPUTING = 1, ALLOCATING = 2, STREAMING = 4 };

/* Whether a list has the name. libbfd may append a version to it. */
static bool has(const char *list, const char *name) {
  size_t length = strcspn(name, "@");
  for (const char *at = strchr(list, ' '); at && at[1]; at = strchr(at + 1, ' '))
    if (strncmp(at + 1, name, length) == 0 && at[1 + length] == ' ') return true;
  return false;
}

/* Returns the kinds of functions that a symbol lets call the program. */
static unsigned opened_by(const asymbol *symbol) {
  const char *name = bfd_asymbol_name(symbol);
  bool is_defined = !bfd_is_und_section(bfd_asymbol_section(symbol));
  if (has(error_hooks, name)) return COMPUTING | ALLOCATING | STREAMING;
  if (has(allocation_hooks, name) || (is_defined && has(allocators, name)))
    return ALLOCATING | STREAMING;
  return has(stream_hooks, name) ? STREAMING : 0;
}

static bool is_quiet(bfd *file, asymbol *symbol, unsigned opened) {
  const char *name = bfd_asymbol_name(symbol);
  if (!bfd_is_und_section(bfd_asymbol_section(symbol))) return false;
  bool hidden;
  const char *version = bfd_get_symbol_version_string(file, symbol, true, &hidden);
  if (!version || strncmp(version, "GLIBC_", 6) != 0) return false;
  return (!(opened & COMPUTING) && has(computing, name)) ||
         (!(opened & ALLOCATING) && has(allocating, name)) ||
         (!(opened & STREAMING) && has(streaming, name));
}

/* libbfd leaves out the first symbol of .dynsym, which has no name. */
static bool classify(gp_quiet_functions *found, bfd *file, asymbol **symbols,
                     size_t count) {
  unsigned opened = 0;
  found->count = count + 1;
  found->quiet = gp_column(found->count, sizeof *found->quiet);
  if (!found->quiet) return false;
  for (size_t i = 0; i < count; i++) opened |= opened_by(symbols[i]);
  for (size_t i = 0; i < count; i++)
    found->quiet[i + 1] = is_quiet(file, symbols[i], opened);
  return true;
}

bool gp_quiet_functions_find(gp_quiet_functions *found, bfd *file) {
  memset(found, 0, sizeof *found);
  long room = bfd_get_dynamic_symtab_upper_bound(file);
  if (room <= 0) return true;
  asymbol **symbols = malloc((size_t)room);
  if (!symbols) return false;
  long count = bfd_canonicalize_dynamic_symtab(file, symbols);
  bool done = count < 0 || classify(found, file, symbols, (size_t)count);
  free(symbols);
  return done;
}

void gp_quiet_functions_free(gp_quiet_functions *found) {
  free(found->quiet);
  memset(found, 0, sizeof *found);
}
