/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What was sent and must not stand: taken back by its reverse. And what was sent and not answered:
 * whether it was done is read from the service.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/json_equivalent.h"
#include "mcp/store/upstream/normal.h"
#include "mcp/store/upstream/remote.h"

int step_send(struct remote *remote, const json_t *step, struct ask *ask, struct error *err)
{
    const char *method = json_get_string(step, "method");

    ask->method = strcmp(method, "GET") == 0 ? NULL : method;
    ask->body = json_object_get(step, "body");
    ask->sid = json_get_string(step, "sid");
    ask->match = json_get_string(step, "match");
    buf_adds(&ask->path, json_get_string(step, "path"));
    return remote_ask(remote, ask, 1, err);
}

static json_t *get(struct remote *remote, const char *path, const char *sid)
{
    struct ask ask = {.sid = sid, .cap = REMOTE_LIST_CAP};
    json_t *answer = NULL;

    buf_adds(&ask.path, path);
    if (remote_ask(remote, &ask, 1, NULL) == 0 && ask.came.status == 200)
        answer = remote_json(remote, &ask, NULL);
    ask_finish(&ask);
    return answer;
}

static json_t *get_of_session(struct remote *remote, const char *sid, const char *what)
{
    struct buf BUF_AUTO path = {0};

    remote_session_path(&path, sid, what);
    return get(remote, path.data, sid);
}

/* ---- reading back ---- */

/* Every member of want is so in one. */
static bool holds(const json_t *one, const json_t *want)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)want, key, value)
    {
        const json_t *is = json_object_get(one, key);

        if (!json_equivalent(is, value) && !(json_string_length(value) == 0 && !is))
            return false;
    }
    return true;
}

static int node_stands(struct remote *remote, const char *sid, const char *id, const json_t *want)
{
    json_auto_t *answer = get_of_session(remote, sid, "/nodes");
    json_auto_t *nodes = normal_nodes(answer);
    json_t *node;
    size_t i;

    if (!nodes)
        return -1;
    json_array_foreach(nodes, i, node)
    {
        if (strcmp(json_get_string(node, "node_id"), id) == 0)
            return !json_is_null(want) &&
                   (json_object_get(want, "node_id") != NULL || holds(node, want));
    }
    return json_is_null(want);
}

static int components_stand(struct remote *remote, const char *sid, const char *id,
                            const json_t *want)
{
    static const char *const keys[] = {"type", "parameters", "confidence"};
    struct buf BUF_AUTO path = {0};
    json_auto_t *answer = NULL, *list = NULL;

    remote_component_path(remote, &path, sid, id);
    answer = get(remote, path.data, sid);
    list = normal_components(answer);
    if (!list)
        return -1;
    if (json_array_size(list) != json_array_size(want))
        return 0;
    for (size_t i = 0; i < json_array_size(want); i++) {
        json_auto_t *sent = normal_component_out(json_array_get(want, i), i + 1);

        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
            if (!json_equivalent(json_object_get(sent, keys[k]),
                                 json_object_get(json_array_get(list, i), keys[k])))
                return 0;
    }
    return 1;
}

static const json_t *find_relationship(const json_t *list, const json_t *like)
{
    static const char *const keys[] = {"from_node_id", "to_node_id", "relationship_type"};
    json_t *one;
    size_t i;

    json_array_foreach((json_t *)list, i, one)
    {
        size_t k = 0;

        while (k < 3 &&
               json_equivalent(json_object_get(one, keys[k]), json_object_get(like, keys[k])))
            k++;
        if (k == 3)
            return one;
    }
    return NULL;
}

static int relationship_stands(struct remote *remote, const char *sid, const json_t *want)
{
    json_auto_t *answer = get_of_session(remote, sid, "/relationships");
    json_auto_t *list = normal_relationships(answer);
    const json_t *one = find_relationship(list, want);

    if (!list)
        return -1;
    return one && json_equivalent(json_object_get(one, "explanation"),
                                  json_object_get(want, "explanation"));
}

static int positions_stand(struct remote *remote, const char *sid, const json_t *want)
{
    json_auto_t *answer = get_of_session(remote, sid, "/positions");
    json_auto_t *positions = normal_positions(answer);

    return positions ? holds(positions, want) : -1;
}

static int texts_stand(struct remote *remote, const char *sid, const char *id, const json_t *want)
{
    struct buf BUF_AUTO path = {0};
    json_auto_t *answer = NULL, *texts = NULL;

    remote_session_path(&path, sid, "/nodes/");
    http_add_escaped(&path, id);
    buf_adds(&path, "/content");
    answer = get(remote, path.data, sid);
    texts = normal_texts(answer);
    return texts ? holds(texts, want) : -1;
}

static int session_stands(struct remote *remote, const char *sid, const json_t *want)
{
    json_auto_t *answer = get(remote, "/sessions", NULL);
    json_t *session;
    size_t i;

    if (!answer)
        return -1;
    json_array_foreach(json_object_get(answer, "sessions"), i, session)
    {
        if (json_string_is(session, "session_id", sid))
            return json_equal(json_object_get(session, "title"), (json_t *)want);
    }
    return 0;
}

int read_back(struct remote *remote, const json_t *step)
{
    const json_t *check = json_object_get(step, "check");
    const char *kind = json_get_string(check, "kind"), *sid = json_get_string(check, "sid");
    const char *id = json_get_string(check, "id");
    const json_t *want = json_object_get(check, "want");
    int stands;

    remote_begin(remote, 1);
    if (strcmp(kind, "node") == 0)
        return node_stands(remote, sid, id, want);
    if (strcmp(kind, "session") == 0)
        return session_stands(remote, sid, want);
    if (strcmp(kind, "components") == 0)
        return components_stand(remote, sid, id, want);
    if (strcmp(kind, "texts") == 0)
        return texts_stand(remote, sid, id, want);
    if (strcmp(kind, "positions") == 0)
        return positions_stand(remote, sid, want);
    stands = relationship_stands(remote, sid, want);
    return strcmp(kind, "no relationship") == 0 && stands >= 0 ? !stands : stands;
}

/* ---- taking back ---- */

static bool send_back(struct remote *remote, const json_t *request)
{
    struct ask ask = {0};
    bool done = step_send(remote, request, &ask, NULL) == 0 && ask.came.status < 300;

    ask_finish(&ask);
    return done;
}

/* A relationship that was made has an id since then. */
static bool unmake_relationship(struct remote *remote, const json_t *step)
{
    const json_t *check = json_object_get(step, "check");
    const char *sid = json_get_string(check, "sid");
    json_auto_t *answer = get_of_session(remote, sid, "/relationships");
    json_auto_t *list = normal_relationships(answer);
    const json_t *one = find_relationship(list, json_object_get(check, "want"));
    const char *id = json_get_string(step, "made");
    struct buf BUF_AUTO path = {0};
    json_auto_t *request = NULL;

    if (!id)
        id = json_get_string(one, "id");
    if (list && !one)
        return true;
    if (!id)
        return false;
    remote_session_path(&path, sid, "/relationships/");
    http_add_escaped(&path, id);
    request = json_pack("{s:s, s:s}", "method", "DELETE", "path", path.data);
    return send_back(remote, request);
}

void take_back(struct remote *remote, const json_t *steps, size_t count, struct buf *words)
{
    for (size_t i = count; i-- > 0;) {
        const json_t *step = json_array_get(steps, i);
        bool done = true;
        json_t *request;
        size_t n;

        remote_begin(remote, 1);
        if (json_object_get(step, "relationship"))
            done = unmake_relationship(remote, step);
        json_array_foreach(json_object_get(step, "back"), n, request)
        {
            done = done && send_back(remote, request);
        }
        if (!done)
            buf_addf(words, "%s%s", words->len > 0 ? ", " : "", json_get_string(step, "what"));
    }
}
