/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Attributes for local variables that release their value at the end of the scope:
 *
 *     cleanup_free char *copy = strdup(text);
 *     cleanup_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
 *     ...
 *     return steal_pointer(&copy);
 *
 * Each variable must be initialized where it is declared. `struct buf BUF_AUTO` (buf.h) and
 * `json_auto_t` (jansson) do the same for their types. None of them changes errno.
 */
#ifndef LECTERN_BASE_CLEANUP_H
#define LECTERN_BASE_CLEANUP_H

#include <dirent.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define cleanup_free __attribute__((cleanup(cleanup_free_pointer))) /* NULL: nothing */
#define cleanup_fd   __attribute__((cleanup(cleanup_close_fd)))     /* negative: nothing */
#define cleanup_file __attribute__((cleanup(cleanup_close_file)))   /* FILE *; NULL: nothing */
#define cleanup_dir  __attribute__((cleanup(cleanup_close_dir)))    /* DIR *; NULL: nothing */

/* Returns the value of a pointer or a descriptor and transfers its ownership: the variable becomes
 * NULL or -1. */
#define steal_pointer(pointer)                                                                     \
    ({                                                                                             \
        __typeof__(*(pointer)) stolen_ = *(pointer);                                               \
        *(pointer) = NULL;                                                                         \
        stolen_;                                                                                   \
    })
static inline int steal_fd(int *fd)
{
    int stolen = *fd;

    *fd = -1;
    return stolen;
}

/* The struct whose member `pointer` points to. */
#define container_of(pointer, type, member)                                                        \
    ({                                                                                             \
        __typeof__(((type *)0)->member) *member_ = (pointer);                                      \
        (type *)((char *)member_ - offsetof(type, member));                                        \
    })

static inline void cleanup_free_pointer(void *pointer)
{
    int saved = errno;

    free(*(void **)pointer);
    errno = saved;
}

static inline void cleanup_close_fd(const int *fd)
{
    int saved = errno;

    if (*fd >= 0)
        close(*fd);
    errno = saved;
}

static inline void cleanup_close_file(FILE **file)
{
    int saved = errno;

    if (*file)
        fclose(*file);
    errno = saved;
}

static inline void cleanup_close_dir(DIR **dir)
{
    int saved = errno;

    if (*dir)
        closedir(*dir);
    errno = saved;
}

#endif
