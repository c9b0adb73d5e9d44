/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/transport/websocket/sync.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"

#define ADVICE                                                                                     \
    "send {\"type\": \"context_update\", \"context\": {\"session_id\": \"...\", \"node_id\": "     \
    "\"N001\", \"screen\": \"...\", \"action\": \"...\"}}"

/* ---- what waits for one client ----
 *
 * Errors and answers in order, then refreshes: one for each entity, however often it has changed
 * before the client reads. */

enum sync_target { SYNC_COMPONENTS, SYNC_NODES, SYNC_RELATIONSHIPS };

struct sync_outbox {
    STAILQ_HEAD(, sync_said) said;
    size_t bytes;    /* of it */
    unsigned errors; /* in it */
    STAILQ_HEAD(, sync_refresh) refreshes;
    unsigned refresh_count;
    unsigned refresh_all; /* one bit for each pending target; then the list is empty */
};

static const char *const target_names[] = {
    [SYNC_COMPONENTS] = "components",
    [SYNC_NODES] = "nodes",
    [SYNC_RELATIONSHIPS] = "relationships",
};
#define TARGETS (sizeof target_names / sizeof target_names[0])

struct sync_said {
    STAILQ_ENTRY(sync_said) link;
    size_t len;
    bool is_error;
    char text[];
};

struct sync_refresh {
    STAILQ_ENTRY(sync_refresh) link;
    enum sync_target target;
    char node_id[]; /* "": of all */
};

static void outbox_init(struct sync_outbox *outbox)
{
    memset(outbox, 0, sizeof *outbox);
    STAILQ_INIT(&outbox->said);
    STAILQ_INIT(&outbox->refreshes);
}

/* ---- errors and answers ---- */

/* A message, copied. -1: it would be more than SYNC_SAID_CAP or SYNC_ERRORS_CAP, or no memory;
 * nothing is added. */
static int outbox_say(struct sync_outbox *outbox, const char *text, size_t len, bool is_error)
{
    struct sync_said *said;

    if (len > SYNC_SAID_CAP - outbox->bytes || (is_error && outbox->errors == SYNC_ERRORS_CAP))
        return -1;
    said = malloc(sizeof *said + len);
    if (!said)
        return -1;
    said->len = len;
    said->is_error = is_error;
    memcpy(said->text, text, len);
    STAILQ_INSERT_TAIL(&outbox->said, said, link);
    outbox->bytes += len;
    outbox->errors += is_error;
    return 0;
}

static void drop_said(struct sync_outbox *outbox)
{
    struct sync_said *said = STAILQ_FIRST(&outbox->said);

    STAILQ_REMOVE_HEAD(&outbox->said, link);
    outbox->bytes -= said->len;
    outbox->errors -= said->is_error;
    free(said);
}

/* ---- refreshes ---- */

static void drop_refresh(struct sync_outbox *outbox)
{
    struct sync_refresh *refresh = STAILQ_FIRST(&outbox->refreshes);

    STAILQ_REMOVE_HEAD(&outbox->refreshes, link);
    outbox->refresh_count--;
    free(refresh);
}

static void outbox_forget_refreshes(struct sync_outbox *outbox)
{
    while (!STAILQ_EMPTY(&outbox->refreshes))
        drop_refresh(outbox);
    outbox->refresh_all = 0;
}

static void outbox_refresh_all(struct sync_outbox *outbox)
{
    outbox_forget_refreshes(outbox);
    outbox->refresh_all = (1u << TARGETS) - 1;
}

static bool is_waiting(const struct sync_outbox *outbox, enum sync_target target,
                       const char *node_id)
{
    const struct sync_refresh *refresh;

    if (outbox->refresh_all & 1u << target)
        return true;
    STAILQ_FOREACH(refresh, &outbox->refreshes, link)
    if (refresh->target == target && strcmp(refresh->node_id, node_id) == 0)
        return true;
    return false;
}

/* node_id "": all of them. false: it is waiting already. Beyond SYNC_QUEUE_CAP, or without memory,
 * the client must read everything again. */
static bool outbox_refresh(struct sync_outbox *outbox, enum sync_target target, const char *node_id)
{
    struct sync_refresh *refresh = NULL;

    if (is_waiting(outbox, target, node_id))
        return false;
    if (outbox->refresh_count < SYNC_QUEUE_CAP)
        refresh = malloc(sizeof *refresh + strlen(node_id) + 1);
    if (!refresh) {
        outbox_refresh_all(outbox);
        return true;
    }
    refresh->target = target;
    memcpy(refresh->node_id, node_id, strlen(node_id) + 1);
    STAILQ_INSERT_TAIL(&outbox->refreshes, refresh, link);
    outbox->refresh_count++;
    return true;
}

static void write_refresh(enum sync_target target, const char *node_id, struct buf *to)
{
    buf_addf(to, "{\"type\":\"refresh_ui\",\"target\":\"%s\",\"node_id\":", target_names[target]);
    if (*node_id)
        json_write_string(to, node_id, strlen(node_id));
    else
        buf_adds(to, "null");
    buf_addc(to, '}');
}

/* ---- both ---- */

/* Appends the next message to *to; false if none waits. */
static bool outbox_next(struct sync_outbox *outbox, struct buf *to)
{
    const struct sync_said *said = STAILQ_FIRST(&outbox->said);
    const struct sync_refresh *refresh = STAILQ_FIRST(&outbox->refreshes);

    if (said) {
        buf_add(to, said->text, said->len);
        drop_said(outbox);
        return true;
    }
    for (unsigned target = 0; target < TARGETS; target++) {
        if (outbox->refresh_all & 1u << target) {
            outbox->refresh_all &= ~(1u << target);
            write_refresh(target, "", to);
            return true;
        }
    }
    if (!refresh)
        return false;
    write_refresh(refresh->target, refresh->node_id, to);
    drop_refresh(outbox);
    return true;
}

static void outbox_finish(struct sync_outbox *outbox)
{
    while (!STAILQ_EMPTY(&outbox->said))
        drop_said(outbox);
    outbox_forget_refreshes(outbox);
}

/* ---- clients ---- */

struct sync_client {
    LIST_ENTRY(sync_client) link;
    struct sync *sync;
    void *user;
    struct sync_context context;
    bool bound;        /* to the session of its context */
    uint64_t notified; /* increasing number of its last context; 0: none */
    struct sync_outbox outbox;
};

struct sync {
    struct change_listener listener;
    struct change_feed *feed;
    void (*wake)(void *user);
    LIST_HEAD(, sync_client) clients;
    size_t count;
    uint64_t last_notified;
};

/* ---- reports of changes ---- */

static void send_change(struct sync_client *client, const struct store_change *change)
{
    static const enum sync_target targets[] = {
        [STORE_NODES] = SYNC_NODES,
        [STORE_NODE_MAP] = SYNC_NODES,
        [STORE_COMPONENTS] = SYNC_COMPONENTS,
        [STORE_RELATIONSHIPS] = SYNC_RELATIONSHIPS,
    };

    if (change->target == STORE_SESSION)
        outbox_refresh_all(&client->outbox);
    else if (!outbox_refresh(&client->outbox, targets[change->target],
                             change->node_id ? change->node_id : ""))
        return; /* already pending */
    client->sync->wake(client->user);
}

static void on_change(struct change_listener *listener, const struct store_change *change)
{
    struct sync *sync = (struct sync *)listener; /* its first member */
    struct sync_client *client;

    LIST_FOREACH(client, &sync->clients, link)
    if (strcmp(client->context.session_id, change->sid) == 0)
        send_change(client, change);
}

static int say(struct sync_client *client, const char *text, size_t len, bool is_error)
{
    if (outbox_say(&client->outbox, text, len, is_error) < 0)
        return -1;
    client->sync->wake(client->user);
    return 0;
}

int sync_client_say(struct sync_client *client, const char *text, size_t len)
{
    return say(client, text, len, false);
}

/* Clients of the original CMS look for "error". */
static int send_error(struct sync_client *client, const char *text)
{
    static const char *const names[] = {",\"error\":", ",\"message\":"};
    struct buf BUF_AUTO message = {0};

    buf_adds(&message, "{\"type\":\"error\"");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        buf_adds(&message, names[i]);
        json_write_string(&message, text, strlen(text));
    }
    buf_addc(&message, '}');
    return message.failed ? -1 : say(client, message.data, message.len, true);
}

bool sync_client_next(struct sync_client *client, struct buf *to)
{
    return outbox_next(&client->outbox, to);
}

/* ---- what clients say ---- */

static int take_text(const json_t *context, const char *name, char *to, size_t size,
                     struct error *err)
{
    const json_t *value = json_object_get(context, name);

    if (!value || json_is_null(value)) {
        *to = '\0';
        return 0;
    }
    if (!json_is_string(value) || json_string_length(value) >= size ||
        strlen(json_string_value(value)) != json_string_length(value))
        return error_set(err, ERROR_INVALID,
                         "context.%s must be text of at most %zu bytes; " ADVICE, name, size - 1);
    memcpy(to, json_string_value(value), json_string_length(value) + 1);
    return 0;
}

/* A context without a session keeps the client in the one it has. */
static int read_context(const json_t *message, const char *session_id, struct sync_context *context,
                        struct error *err)
{
    const json_t *given = json_object_get(message, "context");

    if (!json_string_is(message, "type", "context_update"))
        return error_set(err, ERROR_INVALID,
                         "type must be context_update or chat_message: " ADVICE);
    if (!json_is_object(given))
        return error_set(err, ERROR_INVALID, "context must be an object: " ADVICE);
    memset(context, 0, sizeof *context);
    if (take_text(given, "session_id", context->session_id, sizeof context->session_id, err) < 0 ||
        take_text(given, "node_id", context->node_id, sizeof context->node_id, err) < 0 ||
        take_text(given, "screen", context->screen, sizeof context->screen, err) < 0 ||
        take_text(given, "action", context->action, sizeof context->action, err) < 0)
        return -1;
    if (!*context->session_id)
        memcpy(context->session_id, session_id, sizeof context->session_id);
    return *context->session_id
               ? 0
               : error_set(err, ERROR_INVALID, "context.session_id is missing: " ADVICE);
}

/* Another session has other things: what waits is of the old one. */
static void move(struct sync_client *client, const struct sync_context *context)
{
    if (strcmp(client->context.session_id, context->session_id) != 0)
        outbox_forget_refreshes(&client->outbox);
    client->context = *context;
    client->notified = ++client->sync->last_notified;
}

size_t sync_message_cap(const char *text, size_t len)
{
    static const char type[] = "\"chat_message\"";
    size_t beginning = len < SYNC_MESSAGE_CAP ? len : SYNC_MESSAGE_CAP;

    return memmem(text, beginning, type, sizeof type - 1) ? SYNC_CHAT_CAP : SYNC_MESSAGE_CAP;
}

static void too_long(size_t cap, struct error *err)
{
    error_set(err, ERROR_TOO_LARGE, "a message must have at most %zu bytes; " ADVICE, cap);
}

/* Of both kinds of messages. */
static int check_bound(const struct sync_client *client, const json_t *message, struct error *err)
{
    const char *given = json_get_string(json_object_get(message, "context"), "session_id");

    if (!client->bound || !given || !*given || strcmp(given, client->context.session_id) == 0)
        return 0;
    return error_set(err, ERROR_FORBIDDEN, "this token may use the session %s only",
                     client->context.session_id);
}

int sync_client_receive(struct sync_client *client, const char *text, size_t len,
                        void (*on_chat)(void *user, const json_t *message), void *user)
{
    struct sync_context context;
    struct error err = {0};
    json_auto_t *message = NULL;

    if (len > sync_message_cap(text, len))
        too_long(sync_message_cap(text, len), &err);
    else
        message = json_read(text, len, "the message", &err);
    if (message && check_bound(client, message, &err) < 0)
        return send_error(client, err.text);
    if (json_string_is(message, "type", "chat_message")) {
        on_chat(user, message);
        return 0;
    }
    if (message && len > SYNC_MESSAGE_CAP)
        too_long(SYNC_MESSAGE_CAP, &err);
    else if (message && read_context(message, client->context.session_id, &context, &err) == 0) {
        move(client, &context);
        return 0;
    }
    if (err.kind == ERROR_MALFORMED) {
        char why[ERROR_TEXT_CAP];

        memcpy(why, err.text, sizeof why);
        error_set(&err, ERROR_MALFORMED, "%s; " ADVICE, why);
    }
    return send_error(client, err.text);
}

void sync_client_join(struct sync_client *client, const char session_id[SESSION_ID_SIZE])
{
    struct sync_context context = {0};

    if (client->bound || strcmp(client->context.session_id, session_id) == 0)
        return;
    memcpy(context.session_id, session_id, strlen(session_id) + 1);
    outbox_forget_refreshes(&client->outbox); /* of the session before */
    client->context = context;
    client->notified = 0;
}

void sync_client_bind(struct sync_client *client, const char session_id[SESSION_ID_SIZE])
{
    sync_client_join(client, session_id);
    client->bound = true;
}

const struct sync_context *sync_client_context(const struct sync_client *client)
{
    return &client->context;
}

const struct sync_context *sync_last_context(const struct sync *sync, const char *session_id)
{
    const struct sync_client *client, *last = NULL;

    LIST_FOREACH(client, &sync->clients, link)
    if (client->notified > 0 && strcmp(client->context.session_id, session_id) == 0 &&
        (!last || client->notified > last->notified))
        last = client;
    return last ? &last->context : NULL;
}

/* ---- life ---- */

struct sync_client *sync_client_create(struct sync *sync, void *user)
{
    struct sync_client *client = sync->count < SYNC_CLIENTS_CAP ? calloc(1, sizeof *client) : NULL;

    if (!client)
        return NULL;
    client->sync = sync;
    client->user = user;
    outbox_init(&client->outbox);
    LIST_INSERT_HEAD(&sync->clients, client, link);
    sync->count++;
    return client;
}

void sync_client_destroy(struct sync_client *client)
{
    if (!client)
        return;
    outbox_finish(&client->outbox);
    LIST_REMOVE(client, link);
    client->sync->count--;
    free(client);
}

size_t sync_clients(const struct sync *sync)
{
    return sync->count;
}

void sync_each(struct sync *sync, void (*each)(void *user))
{
    struct sync_client *client;

    LIST_FOREACH(client, &sync->clients, link) each(client->user);
}

struct sync *sync_create(struct change_feed *feed, void (*wake)(void *user), struct error *err)
{
    struct sync *sync = calloc(1, sizeof *sync);

    if (!sync) {
        error_set(err, ERROR_MEMORY, "out of memory for the clients of /mcp-sync");
        return NULL;
    }
    sync->feed = feed;
    sync->wake = wake;
    sync->listener.on_change = on_change;
    LIST_INIT(&sync->clients);
    if (feed)
        change_feed_listen(feed, &sync->listener);
    return sync;
}

void sync_destroy(struct sync *sync)
{
    if (!sync)
        return;
    if (sync->count > 0)
        log_error("sync", "%zu clients were still there at the end", sync->count);
    if (sync->feed)
        change_feed_leave(&sync->listener);
    free(sync);
}
