/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/session/curriculum_title.h"

#include <stdbool.h>
#include <stddef.h>

#include "helpers/base/json.h"
#include "mcp/store/store.h"
#include "mcp/session/text.h"

static const struct {
    bool in_meta;
    const char *key;
} places[] = {{true, "title"}, {true, "name"}, {false, "title"}};

#define PLACE_COUNT (sizeof places / sizeof places[0])

static json_t *holder(const json_t *root, size_t place)
{
    return places[place].in_meta ? json_object_get(root, "meta") : (json_t *)root;
}

/* PLACE_COUNT where it stands nowhere. */
static size_t find(const json_t *root)
{
    char line[TITLE_MAX + 1];
    size_t i = 0;

    for (; i < PLACE_COUNT; i++) {
        const char *text = json_get_string(holder(root, i), places[i].key);

        if (text && *text_cut_line(line, sizeof line, text))
            break;
    }
    return i;
}

const char *curriculum_title(const json_t *root)
{
    size_t place = find(root);

    return place < PLACE_COUNT ? json_get_string(holder(root, place), places[place].key) : NULL;
}

int curriculum_set_title(json_t *root, const char *title, struct error *err)
{
    json_t *meta = json_object_get(root, "meta"), *text = json_string(title);
    size_t place = find(root);
    int rc;

    if (!text)
        return error_set_at(err, "title", "title must be UTF-8 text");
    if (place < PLACE_COUNT)
        rc = json_object_set_new(holder(root, place), places[place].key, text);
    else if (!meta)
        rc = json_object_set_new(root, "meta", json_pack("{s:o}", "title", text));
    else
        rc = json_object_set_new(json_is_object(meta) ? meta : root, "title", text);
    return rc == 0 ? 0 : error_set(err, ERROR_MEMORY, "out of memory for the title");
}
