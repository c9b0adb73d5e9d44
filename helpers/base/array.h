/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Growable arrays. An array is a pointer and a count; it needs no capacity, because its memory
 * doubles when the count is a power of two. So a count may also fall, but only ARRAY_ROOM may
 * enlarge the memory.
 */
#ifndef LECTERN_BASE_ARRAY_H
#define LECTERN_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

static inline void *array_grow(void *array, size_t count, size_t size)
{
    if ((count & (count - 1)) != 0)
        return array;
    return reallocarray(array, count > 0 ? count * 2 : 1, size);
}

/* Makes room for one more element behind the first `count` of the array, which is an lvalue. false
 * without memory; the array is then as before. */
#define ARRAY_ROOM(array, count)                                                                   \
    __extension__({                                                                                \
        void *const grown_array = array_grow((array), (count), sizeof *(array));                   \
                                                                                                   \
        if (grown_array)                                                                           \
            (array) = grown_array;                                                                 \
        grown_array != NULL;                                                                       \
    })

#endif
