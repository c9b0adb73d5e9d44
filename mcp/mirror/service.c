/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Requests to the service, what its answers mean, and what it can do. One that was not answered in
 * time makes the next ones short until something answers: a service that hangs costs each call
 * seconds, not the whole of its time, and one that is back is noticed by the next call.
 */
#include <stdio.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "helpers/base/clock.h"
#include "helpers/base/json.h"
#include "mcp/curriculum/text.h"
#include "mcp/mirror/service.h"

#define TRIES        3 /* of a read, the first counted */
#define PAUSE_MS     100u
#define DETAIL_CAP   600
#define HEADERS_MOST 8
#define SESSION_LINE 64
#define TEMPLATE_CAP 160

void ask_finish(struct ask *ask)
{
    buf_finish(&ask->path);
    http_response_finish(&ask->came);
    memset(ask, 0, sizeof *ask);
}

void service_begin(struct service *service, unsigned times)
{
    service->ends_ms = clock_ms() + (int64_t)service->total_ms * times;
}

/* ---- sending ---- */

struct wire { /* what one request borrows while it is under way */
    struct buf url, body;
    char session[SESSION_LINE];
    const char *headers[HEADERS_MOST];
};

static unsigned time_of(const struct service *service)
{
    int64_t left = service->ends_ms - clock_ms();
    unsigned most = service->total_ms;

    if (service->doubt && most > SERVICE_DOUBT_MS)
        most = SERVICE_DOUBT_MS;
    return left < 1 ? 1 : left < (int64_t)most ? (unsigned)left : most;
}

static bool is_read(const struct ask *ask)
{
    return !ask->method;
}

static void fill_request(const struct service *service, const struct ask *ask, struct wire *wire,
                         struct http_request *request)
{
    size_t count = 0;

    buf_init(&wire->url, 0);
    buf_init(&wire->body, 0);
    buf_adds(&wire->url, service->url);
    buf_add(&wire->url, ask->path.data, ask->path.len);
    if (ask->sid && (service->can & CAN_SESSION_QUERY) &&
        strncmp(ask->path.data, "/nodes/", 7) == 0) {
        buf_adds(&wire->url, "?session_id=");
        http_add_escaped(&wire->url, ask->sid);
    }
    wire->headers[count++] = "Accept: application/json";
    if (service->authorization)
        wire->headers[count++] = service->authorization;
    if (ask->match)
        wire->headers[count++] = ask->match;
    if (ask->sid) {
        snprintf(wire->session, sizeof wire->session, "X-Session-ID: %.36s", ask->sid);
        wire->headers[count++] = wire->session;
    }
    if (ask->body) {
        json_write(&wire->body, ask->body);
        wire->headers[count++] = "Content-Type: application/json";
    }
    wire->headers[count] = NULL;
    *request = (struct http_request){
        .method = ask->method,
        .url = wire->url.data,
        .headers = wire->headers,
        .body = ask->body ? wire->body.data : NULL,
        .body_len = wire->body.len,
        .connect_ms = SERVICE_CONNECT_MS,
        .total_ms = time_of(service),
        .once = !is_read(ask),
        .response_cap = ask->cap ? ask->cap : SERVICE_ANSWER_CAP,
    };
}

static void send_once(struct service *service, struct ask **asks, size_t count)
{
    struct http_request *requests = calloc(count, sizeof *requests);
    struct http_response *responses = calloc(count, sizeof *responses);
    struct error *errors = calloc(count, sizeof *errors);
    struct wire *wires = calloc(count, sizeof *wires);
    bool room = requests && responses && errors && wires;

    for (size_t i = 0; room && i < count; i++)
        fill_request(service, asks[i], &wires[i], &requests[i]);
    if (room)
        http_send_many(service->client, requests, responses, errors, count, SERVICE_AT_ONCE);
    for (size_t i = 0; i < count; i++) {
        if (room) {
            http_response_finish(&asks[i]->came);
            asks[i]->came = responses[i];
            asks[i]->err = errors[i];
            buf_finish(&wires[i].url);
            buf_finish(&wires[i].body);
        } else {
            error_set(&asks[i]->err, ERROR_MEMORY, "out of memory for a request");
        }
    }
    free(requests);
    free(responses);
    free(errors);
    free(wires);
}

/* What may be otherwise a moment later. */
static bool is_passing(const struct ask *ask)
{
    if (ask->err.kind != ERROR_NONE)
        return ask->err.kind == ERROR_UNAVAILABLE || ask->err.kind == ERROR_IO;
    return ask->came.status == 502 || ask->came.status == 503 || ask->came.status == 504;
}

static void pause_before(unsigned attempt)
{
    struct timespec pause = {0, (long)(PAUSE_MS * attempt) * 1000000L};

    nanosleep(&pause, NULL);
}

static void send_all(struct service *service, struct ask *asks, size_t count)
{
    struct ask **open = calloc(count + 1, sizeof(struct ask *));
    size_t left = count;

    for (size_t i = 0; i < count; i++) {
        if (open)
            open[i] = &asks[i];
        else
            error_set(&asks[i].err, ERROR_MEMORY, "out of memory for a request");
    }
    for (unsigned attempt = 1; open && left > 0; attempt++) {
        size_t again = 0;

        send_once(service, open, left);
        for (size_t i = 0; i < left; i++)
            if (is_read(open[i]) && is_passing(open[i]))
                open[again++] = open[i];
        left = again;
        if (attempt == TRIES || service->doubt ||
            service->ends_ms - clock_ms() <= (int64_t)PAUSE_MS * attempt)
            break;
        if (left > 0)
            pause_before(attempt);
    }
    free(open);
}

/* ---- what came of it ---- */

/* The service's own words: {"detail": "..."} or FastAPI's list of faults. */
static void read_detail(const struct ask *ask, char *words, size_t size, char *loc, size_t loc_size)
{
    json_auto_t *answer = json_read(ask->came.body.data ? ask->came.body.data : "",
                                    ask->came.body.len, "an answer", NULL);
    const json_t *detail = json_object_get(answer, "detail"), *first, *path, *part;
    struct buf BUF_AUTO said = {0}, where BUF_AUTO = {0};
    size_t i;

    *words = *loc = '\0';
    if (json_is_string(detail)) {
        text_cut_line(words, size, json_string_value(detail));
        return;
    }
    if (json_is_object(detail))
        text_cut_line(words, size, json_get_string(detail, "message"));
    first = json_array_get(detail, 0);
    if (!first)
        return;
    buf_init(&where, 0);
    buf_init(&said, 0);
    path = json_object_get(first, "loc");
    json_array_foreach((json_t *)path, i, part)
    {
        if (i == 0 && json_is_string(part) && strcmp(json_string_value(part), "body") == 0)
            continue;
        buf_addf(&where, where.len > 0 ? "." : "");
        if (json_is_string(part))
            buf_adds(&where, json_string_value(part));
        else
            buf_addf(&where, "%lld", (long long)json_integer_value(part));
    }
    text_cut_line(loc, loc_size, where.data);
    buf_addf(&said, "%s%s%s", loc, *loc ? ": " : "",
             json_get_string(first, "msg") ? json_get_string(first, "msg") : "is not right");
    if (json_array_size(detail) > 1)
        buf_addf(&said, " (and %zu more)", json_array_size(detail) - 1);
    text_cut_line(words, size, said.data);
}

/* ---- what is known of a service, shared by the connections of this process ---- */

static struct {
    pthread_mutex_t lock;
    json_t *services; /* {url: {"can", "probed"}}; NULL: none yet */
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void remember(const struct service *service)
{
    pthread_mutex_lock(&shared.lock);
    if (!shared.services)
        shared.services = json_object();
    json_object_set_new(
        shared.services, service->url,
        json_pack("{s:I, s:b}", "can", (json_int_t)service->can, "probed", service->probed));
    pthread_mutex_unlock(&shared.lock);
}

static void recall(struct service *service)
{
    const json_t *known;

    pthread_mutex_lock(&shared.lock);
    known = json_object_get(shared.services, service->url);
    if (known) {
        service->can = (unsigned)json_integer_value(json_object_get(known, "can"));
        service->probed = json_is_true(json_object_get(known, "probed"));
        service->known = true;
    }
    pthread_mutex_unlock(&shared.lock);
}

/* After a restart the service may be another version. */
static void forget(struct service *service)
{
    service->known = service->probed = false;
    pthread_mutex_lock(&shared.lock);
    json_object_del(shared.services, service->url);
    pthread_mutex_unlock(&shared.lock);
}

int service_garbage(struct service *service, const char *path, const char *why, struct error *err)
{
    forget(service);
    return error_set(err, ERROR_UNAVAILABLE,
                     "the service %s answered %s with %s; look at its log, the same call goes "
                     "through once it is well",
                     service->url, path, why);
}

/* err from a request that was not answered, or with 5xx. */
static int not_answered(struct service *service, const struct ask *ask, struct error *err)
{
    char words[DETAIL_CAP], loc[ERROR_LOC_CAP];
    struct error why = ask->err;

    forget(service);
    switch (why.kind) {
    case ERROR_NONE:
        read_detail(ask, words, sizeof words, loc, sizeof loc);
        return error_set(err, ERROR_UNAVAILABLE,
                         "the service %s answered %ld%s%s; the same call goes through once it is "
                         "well",
                         service->url, ask->came.status, *words ? ": " : "", words);
    case ERROR_TIMEOUT:
        return error_set(err, ERROR_TIMEOUT,
                         "the service %s did not answer in time; see whether it is overloaded, or "
                         "allow more by --store-timeout",
                         service->url);
    case ERROR_TOO_LARGE:
        return service_garbage(service, ask->path.data, "more than is taken in", err);
    case ERROR_MEMORY:
    case ERROR_CANCELLED:
        if (err)
            *err = why;
        return -1;
    case ERROR_UNAVAILABLE:
        return error_set(err, ERROR_UNAVAILABLE,
                         "the service %s cannot be reached, nobody answers there; start it, or "
                         "check --store",
                         service->url);
    default:
        return error_set(err, ERROR_UNAVAILABLE,
                         "the service %s broke off its answer, or speaks no HTTP; the same call "
                         "goes through once it is well",
                         service->url);
    }
}

static bool was_answered(const struct ask *ask)
{
    return ask->err.kind == ERROR_NONE && ask->came.status < 500;
}

int service_ask(struct service *service, struct ask *asks, size_t count, struct error *err)
{
    const struct ask *bad = NULL;
    bool late = false, answered = false;

    send_all(service, asks, count);
    for (size_t i = 0; i < count; i++) {
        late = late || asks[i].err.kind == ERROR_TIMEOUT;
        answered = answered || asks[i].err.kind == ERROR_NONE;
        if (!bad && !was_answered(&asks[i]))
            bad = &asks[i];
    }
    if (late || answered)
        service->doubt = late;
    return bad ? not_answered(service, bad, err) : 0;
}

json_t *service_json(struct service *service, const struct ask *ask, struct error *err)
{
    json_t *answer = ask->came.body.len > 0 ? json_read(ask->came.body.data, ask->came.body.len,
                                                        "the service's answer", NULL)
                                            : NULL;

    if (!answer)
        service_garbage(service, ask->path.data, "what is not JSON", err);
    return answer;
}

int service_refused(struct service *service, const struct ask *ask, const char *what,
                    struct error *err)
{
    static const struct {
        long status;
        enum error_kind kind;
    } kinds[] = {{400, ERROR_INVALID},   {401, ERROR_UNAUTHORIZED}, {403, ERROR_UNAVAILABLE},
                 {404, ERROR_NOT_FOUND}, {405, ERROR_UNAVAILABLE},  {409, ERROR_CONFLICT},
                 {412, ERROR_STALE},     {413, ERROR_TOO_LARGE},    {422, ERROR_INVALID},
                 {429, ERROR_BUSY}};
    char words[DETAIL_CAP], loc[ERROR_LOC_CAP];
    enum error_kind kind = ERROR_UNAVAILABLE;

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].status == ask->came.status)
            kind = kinds[i].kind;
    read_detail(ask, words, sizeof words, loc, sizeof loc);
    if (ask->came.status == 401 && (strstr(words, "oken") || strstr(words, "redential") ||
                                    strstr(words, "uthenticat") || strstr(words, "uthoriz")))
        return error_set(err, ERROR_UNAVAILABLE,
                         "the service %s wants credentials: give the server SESSION_API_TOKEN in "
                         "its environment, the service's own token",
                         service->url);
    error_set(err, kind, "%s: %s", what,
              *words ? words : "the service says no and gives no reason");
    if (err && kind == ERROR_INVALID)
        snprintf(err->loc, sizeof err->loc, "%s", loc);
    return -1;
}

/* ---- what the service can do, by its own description (/openapi.json). Who has none is taken for
 * the poor service at the end of the contract. ---- */

static const struct capability_row {
    enum capability can;
    const char *method, *path; /* names of parameters left out */
    bool poor;                 /* the poor service can it too */
    const char *words;
} capabilities[] = {
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

#define CAPABILITY_COUNT (sizeof capabilities / sizeof capabilities[0])

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
        for (size_t i = 0; i < CAPABILITY_COUNT; i++)
            if (strcmp(plain, capabilities[i].path) == 0 &&
                json_object_get(item, capabilities[i].method))
                can |= capabilities[i].can;
        if (strcmp(plain, "/nodes/{}/components") == 0)
            can |= session_parameter(json_object_get(item, "get"));
    }
    return can;
}

/* A service without a description may list its sessions all the same. */
static int ask_sessions(struct service *service, struct error *err)
{
    struct ask ask = {.cap = SERVICE_LIST_CAP};
    json_auto_t *answer = NULL;
    int rc;

    buf_adds(&ask.path, "/sessions");
    rc = service_ask(service, &ask, 1, err);
    if (rc == 0 && ask.came.status == 200)
        answer = json_read(ask.came.body.data ? ask.came.body.data : "", ask.came.body.len,
                           "the list of sessions", NULL);
    if (json_is_array(json_object_get(answer, "sessions")))
        service->can |= CAN_SESSIONS;
    ask_finish(&ask);
    return rc;
}

static int ask_document(struct service *service, struct error *err)
{
    struct ask ask = {.cap = SERVICE_LIST_CAP};
    json_t *document = NULL;
    int rc;

    buf_adds(&ask.path, "/openapi.json");
    rc = service_ask(service, &ask, 1, err);
    if (rc == 0 && ask.came.status == 200) {
        document = service_json(service, &ask, err);
        rc = document ? 0 : -1;
        if (document && !json_is_object(json_object_get(document, "paths")))
            rc = service_garbage(service, "/openapi.json", "what describes no service", err);
    }
    if (rc == 0) {
        service->can = document ? read_document(document) : 0;
        for (size_t i = 0; !document && i < CAPABILITY_COUNT; i++)
            service->can |= capabilities[i].poor ? capabilities[i].can : 0u;
        service->known = true;
        service->probed = false;
    }
    if (rc == 0 && !document)
        rc = ask_sessions(service, err);
    if (rc == 0)
        remember(service);
    json_decref(document);
    ask_finish(&ask);
    return rc;
}

/* ---- how component paths name the session ---- */

#define NOBODY "00000000-0000-4000-8000-000000000000" /* no session has it */

static bool has_components(const struct ask *ask)
{
    json_auto_t *answer =
        ask->came.status == 200 && ask->came.body.len > 0
            ? json_read(ask->came.body.data, ask->came.body.len, "an answer", NULL)
            : NULL;

    return json_is_array(json_object_get(answer, "components"));
}

/* A spelling names the session if the node's own session gets its components, and a session that
 * does not exist gets an error. A service that answers 200 to both ignores it. */
int service_probe(struct service *service, const char *sid, const char *node_id, struct error *err)
{
    static const struct {
        const char *query, *header; /* NULL: without; "": the node's own session */
    } spellings[] = {{NULL, NULL}, {"", NULL}, {NOBODY, NULL}, {NULL, ""}, {NULL, NOBODY}};
    enum { SCOPED, QUERY, QUERY_NOBODY, HEADER, HEADER_NOBODY, SPELLINGS };
    struct ask asks[SPELLINGS] = {0};
    unsigned naming = 0;
    int rc = 0;

    if (service->probed)
        return 0;
    service->can &= ~(unsigned)CAN_SESSION_QUERY; /* the paths below say it themselves */
    for (size_t i = 0; i < SPELLINGS; i++) {
        const char *query = spellings[i].query, *header = spellings[i].header;

        if (i == SCOPED)
            service_session_path(&asks[i].path, sid, "");
        buf_adds(&asks[i].path, "/nodes/");
        http_add_escaped(&asks[i].path, node_id);
        buf_adds(&asks[i].path, "/components");
        if (query) {
            buf_adds(&asks[i].path, "?session_id=");
            http_add_escaped(&asks[i].path, *query ? query : sid);
        }
        asks[i].sid = !header ? NULL : *header ? header : sid;
    }
    send_all(service, asks, SPELLINGS);
    for (size_t i = 0; i < SPELLINGS && rc == 0; i++)
        if (asks[i].err.kind != ERROR_NONE)
            rc = not_answered(service, &asks[i], err);
    if (has_components(&asks[SCOPED]))
        naming = CAN_SCOPED;
    else if (has_components(&asks[QUERY]) && asks[QUERY_NOBODY].came.status >= 400)
        naming = CAN_SESSION_ID | CAN_SESSION_QUERY;
    else if (has_components(&asks[HEADER]) && asks[HEADER_NOBODY].came.status >= 400)
        naming = CAN_SESSION_ID;
    for (size_t i = 0; i < SPELLINGS; i++)
        ask_finish(&asks[i]);
    if (rc != 0)
        return rc;
    service->can = (service->can & ~(unsigned)CAN_NAME_SESSION) | naming;
    /* What else such a path can do is not known without a description: whole sequences always. */
    if (naming == CAN_SCOPED && !(service->can & CAN_DOCUMENT))
        service->can &= ~(unsigned)(CAN_INSERT | CAN_PUT_ONE | CAN_DELETE_ONE | CAN_REORDER);
    service->probed = true;
    remember(service);
    return 0;
}

int service_know(struct service *service, struct store *store, struct error *err)
{
    int suspended;

    if (!service->known || !service->probed)
        recall(service);
    suspended = service->known || !store ? 0 : store_suspend(store, err);
    if (suspended < 0)
        return -1;
    return store_resume(store, suspended, service->known ? 0 : ask_document(service, err), err);
}

void service_describe(const struct service *service, struct buf *words)
{
    const char *comma = "";

    buf_adds(words, service->can & CAN_DOCUMENT
                        ? "it has "
                        : "no /openapi.json, taken as the poor service: it has ");
    for (size_t i = 0; i < CAPABILITY_COUNT; i++) {
        if (!capabilities[i].words || !(service->can & capabilities[i].can))
            continue;
        buf_addf(words, "%s%s", comma, capabilities[i].words);
        comma = ", ";
    }
    if (!*comma)
        buf_adds(words, "the original paths alone");
    if (service_bare(service))
        buf_adds(words, service->one_session
                            ? "; its component paths name no session, and --store-one-session says "
                              "that no two sessions have the same node id"
                            : "; its component paths may name no session: then a node id that "
                              "several sessions may have is refused");
}

bool service_bare(const struct service *service)
{
    return !(service->can & (CAN_SCOPED | CAN_SESSION_ID));
}

void service_session_path(struct buf *path, const char *sid, const char *what)
{
    buf_adds(path, "/session/");
    http_add_escaped(path, sid);
    buf_adds(path, what);
}

void service_component_path(const struct service *service, struct buf *path, const char *sid,
                            const char *node_id)
{
    if (service->can & CAN_SCOPED)
        service_session_path(path, sid, "");
    buf_adds(path, "/nodes/");
    http_add_escaped(path, node_id);
    buf_adds(path, "/components");
}
