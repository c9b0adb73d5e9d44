/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/curriculum/curriculum_uri.h"

#include <string.h>

#include "helpers/base/encode.h"
#include "helpers/base/json.h"
#include "helpers/base/utf8.h"

#define SHOWN_CAP 80 /* bytes of a text in an error */

/* Appends text so that it stands for itself in a URI (RFC 3986, unreserved characters). */
static void add_part(struct buf *to, const char *text)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

    for (; *text; text++) {
        if (strchr(plain, *text))
            buf_addc(to, *text);
        else
            buf_addf(to, "%%%02X", (unsigned char)*text);
    }
}

void curriculum_uri_write(struct buf *to, const char *sid, const char *node_id)
{
    buf_adds(to, CURRICULUM_URI);
    add_part(to, sid);
    if (!node_id)
        return;
    buf_adds(to, CURRICULUM_URI_NODE);
    add_part(to, node_id);
}

/* Where the id of the node begins; NULL if it is not the URI of a node. */
static const char *node_part(const char *text)
{
    const size_t before = sizeof CURRICULUM_URI - 1;
    const char *end;

    if (!text || strncmp(text, CURRICULUM_URI, before) != 0)
        return NULL;
    end = strchr(text + before, '/');
    if (!end || end == text + before ||
        strncmp(end, CURRICULUM_URI_NODE, sizeof CURRICULUM_URI_NODE - 1) != 0)
        return NULL;
    end += sizeof CURRICULUM_URI_NODE - 1;
    return *end && !strchr(end, '/') ? end : NULL; /* a component has a longer one */
}

bool curriculum_uri_is_node(const char *text)
{
    return node_part(text) != NULL;
}

int curriculum_uri_read(const char *text, char *sid, size_t size, struct buf *node_id,
                        struct error *err)
{
    const char *node = node_part(text), *start = text + sizeof CURRICULUM_URI - 1;
    size_t len = node ? (size_t)(node - start) - (sizeof CURRICULUM_URI_NODE - 1) : 0;
    char decoded[CURRICULUM_URI_MAX + 1];
    json_auto_t *id = NULL; /* NULL: not UTF-8 text */
    bool valid = false;
    size_t used;

    if (node && len < size && strlen(node) < sizeof decoded) {
        memcpy(sid, start, len);
        sid[len] = '\0';
        memcpy(decoded, node, strlen(node) + 1);
        used = percent_decode(decoded, false, &valid);
        id = json_stringn(decoded, used);
    }
    if (!valid || !id)
        return error_set(err, ERROR_INVALID,
                         "'%.*s' is not the URI of a node, which is " CURRICULUM_URI
                         "{session_id}" CURRICULUM_URI_NODE "{node_id}",
                         utf8_shown(text, SHOWN_CAP), text);
    buf_adds(node_id, json_string_value(id));
    return buf_check(node_id, "a node's id", err);
}
