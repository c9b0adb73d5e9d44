/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/transport/sync.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/log.h"

#define ADVICE                                                                                     \
    "send {\"type\": \"context_update\", \"context\": {\"session_id\": \"...\", \"node_id\": "     \
    "\"N001\", \"screen\": \"...\", \"action\": \"...\"}}"

enum target { COMPONENTS, NODES, RELATIONSHIPS };

static const char *const target_names[] = {
    [COMPONENTS] = "components", [NODES] = "nodes", [RELATIONSHIPS] = "relationships"};

struct refresh {
    STAILQ_ENTRY(refresh) link;
    enum target target;
    char node_id[]; /* "": of all */
};

struct sync_client {
    LIST_ENTRY(sync_client) link;
    struct sync *sync;
    void *user;
    struct sync_context context;
    uint64_t told; /* when it told its context, as a number that rises; 0: never */
    STAILQ_HEAD(, refresh) queue;
    size_t waiting;
    unsigned refresh_all; /* a bit for each target still to be told; then the queue is empty */
    unsigned errors;      /* that wait */
    unsigned said;        /* errors and answers that wait */
    struct buf texts;     /* of those: how long in 4 bytes, whether an error in 1, the text */
};

struct sync {
    struct change_listener listener;
    struct change_feed *feed;
    void (*wake)(void *user);
    LIST_HEAD(, sync_client) clients;
    size_t count;
    uint64_t last_told;
};

/* ---- what is told ---- */

static void empty(struct sync_client *client)
{
    struct refresh *refresh;

    while ((refresh = STAILQ_FIRST(&client->queue))) {
        STAILQ_REMOVE_HEAD(&client->queue, link);
        free(refresh);
    }
    client->waiting = 0;
}

static void refresh_all(struct sync_client *client)
{
    empty(client);
    client->refresh_all = 1u << COMPONENTS | 1u << NODES | 1u << RELATIONSHIPS;
    client->sync->wake(client->user);
}

/* It is told of each thing once, however often that has changed before it reads. */
static bool is_waiting(const struct sync_client *client, enum target target, const char *node_id)
{
    const struct refresh *refresh;

    if (client->refresh_all & 1u << target)
        return true;
    STAILQ_FOREACH(refresh, &client->queue, link)
    if (refresh->target == target && !strcmp(refresh->node_id, node_id))
        return true;
    return false;
}

static void tell(struct sync_client *client, enum target target, const char *node_id)
{
    struct refresh *refresh;

    if (is_waiting(client, target, node_id))
        return;
    refresh =
        client->waiting < SYNC_QUEUE_CAP ? malloc(sizeof *refresh + strlen(node_id) + 1) : NULL;
    if (!refresh) {
        refresh_all(client);
        return;
    }
    refresh->target = target;
    memcpy(refresh->node_id, node_id, strlen(node_id) + 1);
    STAILQ_INSERT_TAIL(&client->queue, refresh, link);
    client->waiting++;
    client->sync->wake(client->user);
}

static void tell_change(struct sync_client *client, const struct store_change *change)
{
    const char *node_id = change->node_id ? change->node_id : "";

    switch (change->target) {
    case STORE_COMPONENTS:
        tell(client, COMPONENTS, node_id);
        break;
    case STORE_NODES:
    case STORE_POSITIONS:
        tell(client, NODES, node_id);
        break;
    case STORE_RELATIONSHIPS:
        tell(client, RELATIONSHIPS, node_id);
        break;
    case STORE_SESSION:
        refresh_all(client);
        break;
    }
}

static void on_change(struct change_listener *listener, const struct store_change *change)
{
    struct sync *sync = (struct sync *)listener; /* its first member */
    struct sync_client *client;

    LIST_FOREACH(client, &sync->clients, link)
    if (strcmp(client->context.session_id, change->sid) == 0)
        tell_change(client, change);
}

static void write_refresh(enum target target, const char *node_id, struct buf *to)
{
    buf_addf(to, "{\"type\":\"refresh_ui\",\"target\":\"%s\",\"node_id\":", target_names[target]);
    if (*node_id)
        json_write_string(to, node_id, strlen(node_id));
    else
        buf_adds(to, "null");
    buf_addc(to, '}');
}

struct said_head {
    uint32_t len;
    bool is_error;
};

static bool next_said(struct sync_client *client, struct buf *to)
{
    struct said_head head;
    size_t whole;

    if (client->said == 0)
        return false;
    memcpy(&head, client->texts.data, sizeof head);
    whole = sizeof head + head.len;
    buf_add(to, client->texts.data + sizeof head, head.len);
    memmove(client->texts.data, client->texts.data + whole, client->texts.len - whole);
    client->texts.len -= whole;
    client->said--;
    client->errors -= head.is_error;
    return true;
}

bool sync_client_next(struct sync_client *client, struct buf *to)
{
    struct refresh *refresh = STAILQ_FIRST(&client->queue);

    if (next_said(client, to))
        return true;
    for (enum target target = COMPONENTS; target <= RELATIONSHIPS; target++) {
        if (client->refresh_all & 1u << target) {
            client->refresh_all &= ~(1u << target);
            write_refresh(target, "", to);
            return true;
        }
    }
    if (!refresh)
        return false;
    write_refresh(refresh->target, refresh->node_id, to);
    STAILQ_REMOVE_HEAD(&client->queue, link);
    client->waiting--;
    free(refresh);
    return true;
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
    const char *type = json_get_string(message, "type");
    const json_t *given = json_object_get(message, "context");

    if (!type || strcmp(type, "context_update") != 0)
        return error_set(err, ERROR_INVALID,
                         "the only messages here are context_update and chat_message: " ADVICE);
    if (!json_is_object(given))
        return error_set(err, ERROR_INVALID, "context is missing, or no object: " ADVICE);
    memset(context, 0, sizeof *context);
    if (take_text(given, "session_id", context->session_id, sizeof context->session_id, err) != 0 ||
        take_text(given, "node_id", context->node_id, sizeof context->node_id, err) != 0 ||
        take_text(given, "screen", context->screen, sizeof context->screen, err) != 0 ||
        take_text(given, "action", context->action, sizeof context->action, err) != 0)
        return -1;
    if (!*context->session_id)
        memcpy(context->session_id, session_id, sizeof context->session_id);
    return *context->session_id
               ? 0
               : error_set(err, ERROR_INVALID, "context.session_id is missing: " ADVICE);
}

static int say(struct sync_client *client, const char *text, size_t len, bool is_error)
{
    const struct said_head head = {(uint32_t)len, is_error};

    if (len > SYNC_SAID_CAP)
        return -1;
    buf_add(&client->texts, &head, sizeof head);
    buf_add(&client->texts, text, len);
    if (client->texts.failed)
        return -1;
    client->said++;
    client->errors += is_error;
    client->sync->wake(client->user);
    return 0;
}

int sync_client_say(struct sync_client *client, const char *text, size_t len)
{
    return say(client, text, len, false);
}

/* Clients of the original CMS look for "error". */
static int tell_error(struct sync_client *client, const char *text)
{
    static const char *const names[] = {",\"error\":", ",\"message\":"};
    struct buf message BUF_AUTO = {0};

    if (client->errors >= SYNC_ERRORS_CAP)
        return -1;
    buf_adds(&message, "{\"type\":\"error\"");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        buf_adds(&message, names[i]);
        json_write_string(&message, text, strlen(text));
    }
    buf_addc(&message, '}');
    return message.failed ? -1 : say(client, message.data, message.len, true);
}

/* Another session has other things: what waits is of the old one. */
static void move(struct sync_client *client, const struct sync_context *context)
{
    if (strcmp(client->context.session_id, context->session_id) != 0) {
        empty(client);
        client->refresh_all = 0;
    }
    client->context = *context;
    client->told = ++client->sync->last_told;
}

static bool is_chat(const json_t *message)
{
    const char *type = json_get_string(message, "type");

    return type && !strcmp(type, "chat_message");
}

size_t sync_message_cap(const char *text, size_t len)
{
    static const char type[] = "\"chat_message\"";
    size_t beginning = len < SYNC_MESSAGE_CAP ? len : SYNC_MESSAGE_CAP;

    return memmem(text, beginning, type, sizeof type - 1) ? SYNC_CHAT_CAP : SYNC_MESSAGE_CAP;
}

static void too_long(size_t cap, struct error *err)
{
    error_set(err, ERROR_TOO_LARGE, "a message has at most %zu bytes; " ADVICE, cap);
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
    if (message && is_chat(message)) {
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
    return tell_error(client, err.text);
}

void sync_client_join(struct sync_client *client, const char session_id[SESSION_ID_SIZE])
{
    memcpy(client->context.session_id, session_id, strlen(session_id) + 1);
}

const struct sync_context *sync_client_context(const struct sync_client *client)
{
    return &client->context;
}

const struct sync_context *sync_last_context(const struct sync *sync, const char *session_id)
{
    const struct sync_client *client, *last = NULL;

    LIST_FOREACH(client, &sync->clients, link)
    if (client->told > 0 && !strcmp(client->context.session_id, session_id) &&
        (!last || client->told > last->told))
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
    STAILQ_INIT(&client->queue);
    buf_init(&client->texts, SYNC_SAID_CAP + SYNC_CHAT_CAP);
    LIST_INSERT_HEAD(&sync->clients, client, link);
    sync->count++;
    return client;
}

void sync_client_destroy(struct sync_client *client)
{
    if (!client)
        return;
    empty(client);
    buf_finish(&client->texts);
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
        error_set(err, ERROR_MEMORY, "out of memory for those who look on");
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
