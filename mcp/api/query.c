/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What stands behind the '?', and URL encoding. Pure.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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

bool rest_query(const char *query, const char *name, char *value, size_t size)
{
    size_t len = strlen(name);

    for (const char *at = query; at && *at; at = strchr(at, '&') ? strchr(at, '&') + 1 : NULL) {
        size_t value_len;

        if (strncmp(at, name, len) != 0 || at[len] != '=')
            continue;
        value_len = strcspn(at + len + 1, "&");
        if (value_len >= size)
            return false;
        memcpy(value, at + len + 1, value_len);
        value[value_len] = '\0';
        return rest_decode(value, true);
    }
    return false;
}

static bool take_part(const char *part, size_t len, char *to, size_t size)
{
    if (len >= size)
        return false;
    memcpy(to, part, len);
    to[len] = '\0';
    return rest_decode(to, true);
}

int rest_query_next(const char **at, char name[REST_NAME_MAX], char value[REST_QUERY_MAX],
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

int rest_query_number(const char *query, const char *name, int64_t least, int64_t most,
                      int64_t *number, struct error *err)
{
    char value[REST_QUERY_MAX], loc[ERROR_LOC_CAP], top[48] = "";
    long long parsed;
    char *end;

    if (!rest_query(query, name, value, sizeof value))
        return 0;
    errno = 0;
    parsed = strtoll(value, &end, 10);
    if (*value >= '0' && *value <= '9' && !*end && errno == 0 && parsed >= least &&
        parsed <= most) {
        *number = parsed;
        return 0;
    }
    snprintf(loc, sizeof loc, "query.%s", name);
    if (most < INT64_MAX)
        snprintf(top, sizeof top, " to %" PRId64, most);
    return error_set_at(err, loc, "%s must be a whole number from %" PRId64 "%s", name, least,
                        *top ? top : " on");
}
