/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * ETags, and the conditions that name them. Every state of a session or a node has a number that
 * never comes again, so the number is the strong validator: "v12" of a session, "c34" of a node and
 * its components, "a56" of all sessions. A write may name either of what it is about.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "mcp/api/rest_internal.h"

static const char letters[] = {
    [REST_STATE_ALL] = 'a', [REST_STATE_SESSION] = 'v', [REST_STATE_NODE] = 'c'};

static int write_etag(struct rest_call *call, enum rest_state state, char etag[REST_ETAG_SIZE],
                      struct error *err)
{
    int64_t cursor;

    if (store_cursor(call->store, state == REST_STATE_ALL ? NULL : call->session,
                     state == REST_STATE_NODE ? call->node : NULL, &cursor, err) != 0)
        return -1;
    snprintf(etag, REST_ETAG_SIZE, "\"%c%" PRId64 "\"", letters[state], cursor);
    return 0;
}

int rest_etag(struct rest_call *call, char etag[REST_ETAG_SIZE], struct error *err)
{
    *etag = '\0';
    if (call->route->state == REST_STATE_NONE)
        return 0;
    return write_etag(call, call->route->state, etag, err);
}

/* The state a tag is of, if the call has it; by the letter behind the quote. */
static enum rest_state state_of(const struct rest_call *call, const char *tag)
{
    if (tag[1] == letters[REST_STATE_SESSION] && call->session)
        return REST_STATE_SESSION;
    if (tag[1] == letters[REST_STATE_NODE] && call->session && call->node)
        return REST_STATE_NODE;
    if (tag[1] == letters[REST_STATE_ALL] && !call->session)
        return REST_STATE_ALL;
    return REST_STATE_NONE;
}

int rest_matches(struct rest_call *call, const char *list, bool weak, struct error *err)
{
    const char *at = list + strspn(list, " \t,");

    if (strcmp(at, "*") == 0)
        return 1;
    while (*at) {
        bool is_weak = strncmp(at, "W/", 2) == 0;
        const char *tag = is_weak ? at + 2 : at, *end = *tag == '"' ? strchr(tag + 1, '"') : NULL;
        enum rest_state state;
        char now[REST_ETAG_SIZE];

        if (!end)
            return 0; /* no entity tag, so none that matches */
        state = state_of(call, tag);
        if (state != REST_STATE_NONE && (weak || !is_weak)) {
            if (write_etag(call, state, now, err) < 0)
                return -1;
            if (strlen(now) == (size_t)(end + 1 - tag) && memcmp(now, tag, strlen(now)) == 0)
                return 1;
        }
        at = end + 1 + strspn(end + 1, " \t,");
    }
    return 0;
}
