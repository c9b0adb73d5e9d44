/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How the files of this folder take memory and give it back.
 */
#include <malloc.h>
#include <stdlib.h>

#include "helpers/graph/model.h"

void *graph_alloc(size_t count, size_t size, struct error *err)
{
    void *memory = calloc(count ? count : 1, size);

    if (!memory)
        error_set(err, ERROR_MEMORY, "out of memory for a graph of %zu parts", count);
    return memory;
}

void graph_free(void *pointer)
{
    free(*(void **)pointer);
}

size_t graph_held(const void *const *parts, size_t count)
{
    size_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        bytes += malloc_usable_size((void *)parts[i]);
    return bytes;
}
