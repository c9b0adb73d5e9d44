/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How the files of this folder take memory and give it back.
 */
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
