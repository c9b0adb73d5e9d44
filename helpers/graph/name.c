/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/graph/name.h"

#include <string.h>

#include "helpers/graph/text.h"

void graph_name_begin(struct graph_name *search, const char *name)
{
    memset(search, 0, sizeof *search);
    search->name = name;
}

void graph_name_feed(struct graph_name *search, const char *id, const char *title)
{
    bool blank = graph_text_blank(search->name);

    if (!blank && graph_text_same(search->name, id) && search->same_ids++ == 0)
        search->by_id = search->fed;
    if (!blank && title && graph_text_same(search->name, title) && search->same_titles++ == 0)
        search->by_title = search->fed;
    search->fed++;
}

bool graph_name_found(const struct graph_name *search, size_t *place)
{
    *place = search->same_ids == 1 ? search->by_id : search->by_title;
    return search->same_ids == 1 || search->same_titles == 1;
}
