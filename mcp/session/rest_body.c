/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Members of a body, and numbers of a path, that say how to write and are no part of what is kept.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mcp/session/rest_call.h"

int rest_take_number(struct rest_call *call, const char *name, int64_t least, int64_t *number,
                     struct error *err)
{
    const json_t *value = json_object_get(call->body, name);

    if (!value)
        return 0;
    if (!json_is_null(value)) {
        if (!json_is_integer(value) || json_integer_value(value) < least)
            return error_set_at(err, name, "%s must be a whole number from %" PRId64 " on", name,
                                least);
        *number = json_integer_value(value);
    }
    json_object_del(call->body, name);
    return 0;
}

int rest_take_path_id(struct rest_call *call, const char *name, const char *id, struct error *err)
{
    const json_t *value = json_object_get(call->body, name);

    if (!value)
        return 0;
    if (!json_is_string(value) || strcmp(json_string_value(value), id) != 0)
        return error_set_at(err, name, "%s must be the one of the path, or left out", name);
    json_object_del(call->body, name);
    return 0;
}

int rest_path_number(const struct rest_call *call, const char *name, int64_t *number,
                     struct error *err)
{
    char loc[ERROR_LOC_CAP];
    char *end;

    errno = 0;
    *number = strtoll(call->item, &end, 10);
    if (!*end && errno == 0 && *number >= 1 && call->item[0] >= '0' && call->item[0] <= '9')
        return 0;
    snprintf(loc, sizeof loc, "path.%s", name);
    return error_set_at(err, loc, "%s in the path must be a whole number from 1 on", name);
}
