/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/prompt/prompt.h"

#include <string.h>

#include "helpers/base/json.h"

const struct prompt *prompt_find(const char *name)
{
    for (size_t i = 0; prompts[i]; i++) {
        if (strcmp(prompts[i]->get->name, name) == 0)
            return prompts[i];
    }
    return NULL;
}

#define NAME_LETTERS "abcdefghijklmnopqrstuvwxyz_"

/* The argument that "$name" names; NULL if it is missing. *end: after the name. */
static const char *find_argument(const char *at, const json_t *arguments, const char **end)
{
    size_t len = strspn(at + 1, NAME_LETTERS);

    *end = at + 1 + len;
    return json_string_value(json_object_getn(arguments, at + 1, len));
}

/* Whether all arguments that are named up to the next "]]" are there. */
static bool is_complete(const char *at, const json_t *arguments)
{
    const char *close = strstr(at, "]]"), *end;

    for (at = strchr(at, '$'); at && at < close; at = strchr(end, '$')) {
        if (!find_argument(at, arguments, &end))
            return false;
    }
    return true;
}

void prompt_fill(const char *template, const json_t *arguments, struct buf *to)
{
    const char *value, *end;

    for (const char *at = template; *at; at = end) {
        end = at + 1;
        if (*at == '$') {
            value = find_argument(at, arguments, &end);
            buf_adds(to, value ? value : "");
        } else if (strncmp(at, "[[", 2) == 0) {
            end = is_complete(at, arguments) ? at + 2 : strstr(at, "]]") + 2;
        } else if (strncmp(at, "]]", 2) == 0) {
            end = at + 2;
        } else {
            buf_addc(to, *at);
        }
    }
}
