/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the service can do, by its own description (/openapi.json). Who has none is taken for the
 * poor service at the end of the contract.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "helpers/base/json.h"
#include "mcp/store/copy.h"
#include "mcp/store/upstream/remote.h"

#define TEMPLATE_CAP 160

static const struct row {
    enum capability can;
    const char *method, *path; /* names of parameters left out */
    bool poor;                 /* the poor service can it too */
    const char *words;
} rows[] = {
    {CAN_VALIDATE, "get", "/session/validate/{}", true, NULL},
    {CAN_SESSIONS, "get", "/sessions", false, "lists its sessions"},
    {CAN_PUT_SESSION, "put", "/session/{}", false, "renaming a session"},
    {CAN_DELETE_SESSION, "delete", "/session/{}", false, "deleting a session"},
    {CAN_SCOPED, "get", "/session/{}/nodes/{}/components", false,
     "component paths that name the session"},
    {CAN_BULK, "get", "/session/{}/components", false, "all components in one read"},
    {CAN_INSERT, "post", "/session/{}/nodes/{}/components/insert", false, "insert"},
    {CAN_INSERT, "post", "/nodes/{}/components/insert", false, NULL},
    {CAN_PUT_ONE, "put", "/session/{}/nodes/{}/components/{}", false, NULL},
    {CAN_PUT_ONE, "put", "/nodes/{}/components/{}", true, NULL},
    {CAN_DELETE_ONE, "delete", "/session/{}/nodes/{}/components/{}", false, NULL},
    {CAN_DELETE_ONE, "delete", "/nodes/{}/components/{}", true, NULL},
    {CAN_REORDER, "post", "/session/{}/nodes/{}/components/reorder", false, NULL},
    {CAN_REORDER, "post", "/nodes/{}/components/reorder", true, NULL},
    {CAN_PUT_NODE, "put", "/session/{}/nodes/{}", false, "changing a node"},
    {CAN_CONTENT, "get", "/session/{}/nodes/{}/content", true, NULL},
    {CAN_READ_NODE_MAP, "get", "/session/{}/" NODE_MAP_NAME, true, NULL},
    {CAN_WRITE_NODE_MAP, "put", "/session/{}/" NODE_MAP_NAME, true, NODE_MAP_NAME},
    {CAN_PUT_RELATIONSHIP, "put", "/session/{}/relationships/{}", true, NULL},
    {CAN_DELETE_RELATIONSHIP, "delete", "/session/{}/relationships/{}", true, NULL},
};

#define ROW_COUNT (sizeof rows / sizeof rows[0])

/* "/session/{sid}/nodes" as "/session/{}/nodes". */
static void template(const char *path, char to[TEMPLATE_CAP])
{
    size_t len = 0;
    bool inside = false;

    for (; *path && len < TEMPLATE_CAP - 1; path++) {
        if (*path == '}')
            inside = false;
        if (!inside)
            to[len++] = *path;
        if (*path == '{')
            inside = true;
    }
    while (len > 1 && to[len - 1] == '/')
        len--;
    to[len] = '\0';
}

/* How a bare component path takes the session's id. */
static unsigned session_parameter(const json_t *operation)
{
    json_t *parameter;
    unsigned can = 0;
    size_t i;

    json_array_foreach(json_object_get(operation, "parameters"), i, parameter)
    {
        const char *name = json_get_string(parameter, "name"),
                   *in = json_get_string(parameter, "in");

        if (name && in && strcmp(in, "header") == 0 && strcasecmp(name, "X-Session-ID") == 0)
            can |= CAN_SESSION_ID;
        if (name && in && strcmp(in, "query") == 0 && strcmp(name, "session_id") == 0)
            can |= CAN_SESSION_ID | CAN_SESSION_QUERY;
    }
    return can;
}

static unsigned read_document(const json_t *document)
{
    unsigned can = CAN_DOCUMENT;
    const char *path;
    json_t *item;

    json_object_foreach(json_object_get(document, "paths"), path, item)
    {
        char plain[TEMPLATE_CAP];

        template(path, plain);
        for (size_t i = 0; i < ROW_COUNT; i++)
            if (strcmp(plain, rows[i].path) == 0 && json_object_get(item, rows[i].method))
                can |= rows[i].can;
        if (strcmp(plain, "/nodes/{}/components") == 0)
            can |= session_parameter(json_object_get(item, "get"));
    }
    return can;
}

static int ask_document(struct remote *remote, struct error *err)
{
    struct ask ask = {.cap = REMOTE_LIST_CAP};
    json_t *document = NULL;
    int rc;

    buf_adds(&ask.path, "/openapi.json");
    rc = remote_ask(remote, &ask, 1, err);
    if (rc == 0 && ask.came.status == 200) {
        document = remote_json(remote, &ask, err);
        rc = document ? 0 : -1;
        if (document && !json_is_object(json_object_get(document, "paths")))
            rc = remote_garbage(remote, "/openapi.json", "what describes no service", err);
    }
    if (rc == 0) {
        remote->can = document ? read_document(document) : 0;
        for (size_t i = 0; !document && i < ROW_COUNT; i++)
            remote->can |= rows[i].poor ? rows[i].can : 0u;
        remote->known = true;
    }
    json_decref(document);
    ask_finish(&ask);
    return rc;
}

int remote_know(struct remote *remote, struct store *store, struct error *err)
{
    int suspended = remote->known || !store ? 0 : copy_suspend(store, err);

    if (suspended < 0)
        return -1;
    return copy_resume(store, suspended, remote->known ? 0 : ask_document(remote, err), err);
}

void remote_describe(const struct remote *remote, struct buf *words)
{
    const char *comma = "";

    buf_adds(words, remote->can & CAN_DOCUMENT
                        ? "it has "
                        : "no /openapi.json, taken as the poor service: it has ");
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (!rows[i].words || !(remote->can & rows[i].can))
            continue;
        buf_addf(words, "%s%s", comma, rows[i].words);
        comma = ", ";
    }
    if (!*comma)
        buf_adds(words, "the original paths alone");
    if (remote_bare(remote))
        buf_adds(words, "; its component paths name no session: a node id in several sessions is "
                        "refused");
}

bool remote_bare(const struct remote *remote)
{
    return !(remote->can & (CAN_SCOPED | CAN_SESSION_ID));
}

void remote_session_path(struct buf *path, const char *sid, const char *what)
{
    buf_adds(path, "/session/");
    http_add_escaped(path, sid);
    buf_adds(path, what);
}

void remote_component_path(const struct remote *remote, struct buf *path, const char *sid,
                           const char *node_id)
{
    if (remote->can & CAN_SCOPED)
        remote_session_path(path, sid, "");
    buf_adds(path, "/nodes/");
    http_add_escaped(path, node_id);
    buf_adds(path, "/components");
}
