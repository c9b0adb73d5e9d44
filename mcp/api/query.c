/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The query behind the '?', read by the fields of its route, and URL encoding. Pure.
 */
#include <stdio.h>
#include <string.h>

#include "mcp/api/rest_internal.h"

static int hex_value(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c | 0x20) : NULL;

    return at && *at ? (int)(at - digits) : -1;
}

/* Decodes %XX in place, and + as a space in a query; false for what is no encoding, or hides a NUL.
 */
bool rest_decode(char *text, bool query)
{
    char *to = text;

    for (; *text; text++) {
        if (query && *text == '+') {
            *to++ = ' ';
        } else if (*text == '%') {
            int high = hex_value(text[1]);
            int low = high < 0 ? -1 : hex_value(text[2]);

            if (low < 0 || high * 16 + low == 0)
                return false;
            *to++ = (char)(high * 16 + low);
            text += 2;
        } else {
            *to++ = *text;
        }
    }
    *to = '\0';
    return true;
}

static bool take_part(const char *part, size_t len, char *to, size_t size)
{
    if (len >= size)
        return false;
    memcpy(to, part, len);
    to[len] = '\0';
    return rest_decode(to, true);
}

/* The next name and value of the query at *at, both decoded, and *at behind them. 1, 0 at the end,
 * -1 for what is no encoding, or does not fit: ERROR_INVALID. */
static int next(const char **at, char name[REST_NAME_MAX], char value[REST_QUERY_MAX],
                struct error *err)
{
    const char *part = *at + strspn(*at, "&");
    size_t len = strcspn(part, "&"), name_len = strcspn(part, "=&");
    const char *equals = name_len < len ? part + name_len + 1 : part + len;

    *at = part + len;
    if (len == 0)
        return 0;
    if (!take_part(part, name_len, name, REST_NAME_MAX))
        return error_set_at(err, "query.", "a name behind the '?' is too long, or badly encoded");
    if (!take_part(equals, (size_t)(part + len - equals), value, REST_QUERY_MAX)) {
        char loc[ERROR_LOC_CAP];

        snprintf(loc, sizeof loc, "query.%s", name);
        return error_set_at(err, loc, "%s is longer than %d bytes, or badly encoded", name,
                            REST_QUERY_MAX - 1);
    }
    return 1;
}

/* Members that the query has several times are arrays. */
static int keep(const struct fields *fields, json_t *members, const char *name, const char *value)
{
    const struct field *row = fields_find(fields, name);
    json_t *list;

    if (!row && fields->flags & FIELDS_OPEN)
        return 0;
    if (row && row->type == FIELD_ARRAY) {
        list = json_object_get(members, name);
        if (!list && json_object_set_new(members, name, json_array()) == 0)
            list = json_object_get(members, name);
        return json_array_append_new(list, json_string(value));
    }
    if (json_object_get(members, name)) /* the first counts */
        return 0;
    return json_object_set_new(members, name, json_string(value));
}

int rest_take_query(struct rest_call *call, struct error *err)
{
    const struct fields *fields = call->route->query;
    char name[REST_NAME_MAX], value[REST_QUERY_MAX];
    const char *at = call->request->query;
    json_auto_t *members = NULL;
    struct validation_errors problems;
    int more = 0;

    if (!fields)
        return 0;
    members = json_object();
    while (members && (more = next(&at, name, value, err)) > 0) {
        if (keep(fields, members, name, value) != 0)
            return error_set_at(err, "query.", "'%s' is not UTF-8", name);
    }
    if (more < 0)
        return -1;
    validation_begin(&problems, "query");
    if (members)
        call->asked = fields_take(fields, members, NULL, &problems);
    if (!call->asked)
        return error_set(err, ERROR_MEMORY, "out of memory for the query");
    return validation_end(&problems, NULL, err);
}

int64_t rest_asked_whole(const struct rest_call *call, const char *name, int64_t otherwise)
{
    const json_t *value = json_object_get(call->asked, name);

    return value ? json_integer_value(value) : otherwise;
}
