/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The notifications that no call causes: that a list or a resource has changed. A modern client
 * says in subscriptions/listen which it wants; the request is the stream. A legacy client has one
 * stream (HTTP's GET, or stdio), learns of all lists there, and subscribes to resources.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/json.h"
#include "mcp/prompt/prompt.h"
#include "mcp/protocol/peer_internal.h"
#include "mcp/resource/resource.h"

#define CHANGES_GATHER_MS 100 /* one import or change set is many changes */

#define SUBSCRIPTION_KEY "io.modelcontextprotocol/subscriptionId"

static const struct {
    unsigned list;
    const char *filter; /* its member in a listen request */
    const char *notification;
} lists[] = {
    {LIST_TOOLS, "toolsListChanged", "notifications/tools/list_changed"},
    {LIST_PROMPTS, "promptsListChanged", "notifications/prompts/list_changed"},
    {LIST_RESOURCES, "resourcesListChanged", "notifications/resources/list_changed"},
};
#define LISTS (sizeof lists / sizeof lists[0])

unsigned stream_lists(const struct host *host, const struct client *client)
{
    unsigned changing = 0;

    if (host->lists_change)
        changing |= LIST_TOOLS | (prompts[0] ? LIST_PROMPTS : 0);
    if (resources[0] && (resource_list_changes || host->lists_change))
        changing |= LIST_RESOURCES;
    return client_edits(client) ? changing : changing & LIST_TOOLS;
}

static const json_t *uris_of(const struct stream *stream)
{
    return stream->id ? stream->uris : stream->peer->uris;
}

struct stream *stream_find(struct peer *peer, const json_t *id)
{
    struct stream *stream;

    LIST_FOREACH(stream, &peer->streams, link)
    {
        if (stream->id ? id && json_equal(stream->id, id) : !id)
            return stream;
    }
    return NULL;
}

/* ---- notifying ---- */

/* Up to the params of a notification, with what each one on this stream says in _meta. */
static void begin(const struct stream *stream, const char *method, struct buf *to)
{
    buf_init(to, MESSAGE_OUT_CAP);
    message_begin_notification(to, method);
    buf_addc(to, '{');
    if (!stream->id)
        return;
    buf_adds(to, "\"_meta\":{\"" SUBSCRIPTION_KEY "\":");
    json_write(to, stream->id);
    buf_addc(to, '}');
}

static void send_text(const struct stream *stream, struct buf *text)
{
    buf_adds(text, "}}");
    if (!text->failed)
        stream->reply->send(stream->reply, text->data, text->len, PEER_NOTIFICATION);
    buf_finish(text);
}

static void notify(const struct stream *stream, unsigned changed, const json_t *uris)
{
    struct buf text;
    const char *uri;
    json_t *value;

    if (!stream->id && !stream->peer->client.version) /* no initialize yet */
        return;
    for (size_t i = 0; i < LISTS; i++) {
        if (!(lists[i].list & changed & stream->lists))
            continue;
        begin(stream, lists[i].notification, &text);
        send_text(stream, &text);
    }
    json_object_foreach((json_t *)uris, uri, value)
    {
        if (!json_object_get(uris_of(stream), uri))
            continue;
        begin(stream, "notifications/resources/updated", &text);
        buf_adds(&text, stream->id ? ",\"uri\":" : "\"uri\":");
        json_write_string(&text, uri, strlen(uri));
        send_text(stream, &text);
    }
}

/* ---- changes ---- */

static void on_changes_timer(uv_timer_t *timer)
{
    struct host *host = timer->data;
    json_auto_t *uris = steal_pointer(&host->changed_uris);
    unsigned changed = host->changed_lists;
    const struct stream *stream;

    host->changed_lists = 0;
    host->changed_uris = json_object();
    LIST_FOREACH(stream, &host->streams, host_link) notify(stream, changed, uris);
}

static void gather(struct host *host)
{
    uv_handle_t *timer = (uv_handle_t *)&host->change_timer;

    if (!uv_is_active(timer) && !uv_is_closing(timer))
        uv_timer_start(&host->change_timer, on_changes_timer, CHANGES_GATHER_MS, 0);
}

void stream_list_changed(struct host *host, unsigned changed)
{
    host->changed_lists |= changed;
    gather(host);
}

static void note_changed(struct host *host, const char *uri)
{
    json_object_set_new(host->changed_uris, uri, json_true());
    gather(host);
}

/* Only what a stream wants is kept, so that the object is not larger than theirs. */
void stream_resource_changed(struct host *host, const char *changed)
{
    const bool many = changed[strlen(changed) - 1] == '/';
    const struct stream *stream;
    const char *uri;
    json_t *wanted;

    LIST_FOREACH(stream, &host->streams, host_link)
    {
        if (!many && json_object_get(uris_of(stream), changed))
            note_changed(host, changed);
        if (!many)
            continue;
        json_object_foreach((json_t *)uris_of(stream), uri, wanted)
        {
            if (strncmp(uri, changed, strlen(changed)) == 0)
                note_changed(host, uri);
        }
    }
}

static void on_change(struct change_listener *listener, const struct store_change *change)
{
    struct host *host = container_of(listener, struct host, listener);
    struct buf BUF_AUTO uri = {0};

    if (resource_list_changes && resource_list_changes(change))
        stream_list_changed(host, LIST_RESOURCES);
    for (size_t i = 0; resources[i]; i++) {
        buf_clear(&uri);
        if (resources[i]->changes && resources[i]->changes(change, &uri) && uri.len > 0 &&
            !uri.failed)
            stream_resource_changed(host, uri.data);
    }
}

static void follow(struct host *host)
{
    bool wanted = !LIST_EMPTY(&host->streams) && host->server->store.feed;

    host->listener.on_change = on_change;
    if (wanted && !host->listens)
        change_feed_listen(host->server->store.feed, &host->listener);
    else if (!wanted && host->listens)
        change_feed_leave(&host->listener);
    host->listens = wanted;
}

/* ---- life ---- */

static struct stream *open_stream(struct peer *peer, struct peer_reply *reply, const json_t *id)
{
    struct stream *stream = calloc(1, sizeof *stream);

    if (stream && id)
        stream->id = json_deep_copy(id);
    if (!stream || (id && !stream->id)) {
        free(stream);
        return NULL;
    }
    stream->peer = peer;
    stream->reply = reply;
    LIST_INSERT_HEAD(&peer->streams, stream, link);
    LIST_INSERT_HEAD(&peer->host->streams, stream, host_link);
    peer->listen_count += id != NULL;
    follow(peer->host);
    return stream;
}

static void free_stream(struct stream *stream)
{
    LIST_REMOVE(stream, link);
    LIST_REMOVE(stream, host_link);
    stream->peer->listen_count -= stream->id != NULL;
    follow(stream->peer->host);
    json_decref(stream->id);
    json_decref(stream->uris);
    free(stream);
}

void stream_end(struct stream *stream, bool notified)
{
    struct peer_reply *reply = stream->reply;
    struct buf BUF_AUTO message = {0};

    if (notified && stream->id) { /* SubscriptionsListenResult */
        buf_init(&message, MESSAGE_OUT_CAP);
        message_begin_result(&message, stream->id);
        buf_adds(&message, "{\"resultType\":\"complete\",\"_meta\":{\"" SUBSCRIPTION_KEY "\":");
        json_write(&message, stream->id);
        buf_adds(&message, "}}}");
        reply_respond(reply, stream->id, &message, 200);
    }
    free_stream(stream);
    reply->end(reply, true);
}

void host_end_streams(struct host *host, bool (*over)(struct peer_reply *reply))
{
    struct stream *stream, *next;

    for (stream = LIST_FIRST(&host->streams); stream; stream = next) {
        next = LIST_NEXT(stream, host_link);
        if (!over || over(stream->reply))
            stream_end(stream, true);
    }
}

void stream_forget(struct peer *peer, const struct peer_reply *reply)
{
    struct stream *stream, *next;

    for (stream = LIST_FIRST(&peer->streams); stream; stream = next) {
        next = LIST_NEXT(stream, link);
        if (stream->reply == reply)
            free_stream(stream);
    }
}

/* ---- legacy ---- */

int peer_open_stream(struct peer *peer, struct peer_reply *reply, struct error *err)
{
    struct stream *before = stream_find(peer, NULL), *stream;

    if (before)
        stream_end(before, true);
    stream = open_stream(peer, reply, NULL);
    if (!stream)
        return error_set(err, ERROR_MEMORY, "out of memory for a stream");
    stream->lists = stream_lists(peer->host, &peer->client);
    return 0;
}

static const char *take_uri(struct request *request)
{
    const char *uri = json_get_string(request->message->params, "uri");

    if (uri && strlen(uri) <= RESOURCE_URI_MAX)
        return uri;
    request_refuse(request, MESSAGE_INVALID_PARAMS,
                   "%s needs params.uri, the resource's URI of at most %u bytes",
                   request->method->name, RESOURCE_URI_MAX);
    return NULL;
}

enum method_outcome stream_subscribe(struct request *request)
{
    const char *uri = take_uri(request);
    struct peer *peer = request->peer;
    json_t *names = NULL;

    if (!uri)
        return METHOD_REFUSED;
    if (!resource_find(uri, &names) || !resource_is_open(uri, request->client->bound_session)) {
        json_decref(names);
        return era_refuse_uri(request, uri);
    }
    json_decref(names);
    if (!peer->uris)
        peer->uris = json_object();
    if (json_object_size(peer->uris) >= PEER_URIS_CAP && !json_object_get(peer->uris, uri))
        return request_refuse(request, MESSAGE_REFUSED,
                              "a client can subscribe to %d resources: unsubscribe from one first",
                              PEER_URIS_CAP);
    json_object_set_new(peer->uris, uri, json_true());
    return METHOD_DONE;
}

enum method_outcome stream_unsubscribe(struct request *request)
{
    const char *uri = take_uri(request);

    if (!uri)
        return METHOD_REFUSED;
    json_object_del(request->peer->uris, uri);
    return METHOD_DONE;
}

/* ---- modern ---- */

/* The URIs that the client may know of, as the keys of a new object; NULL if the list is wrong. */
static json_t *take_uris(const struct client *client, const json_t *given)
{
    bool wrong = given && (!json_is_array(given) || json_array_size(given) > PEER_URIS_CAP);
    json_t *uris = json_object(), *uri;
    size_t i;

    json_array_foreach(given, i, uri)
    {
        wrong |= !json_is_string(uri) || json_string_length(uri) > RESOURCE_URI_MAX;
        if (!wrong && resource_is_open(json_string_value(uri), client->bound_session))
            json_object_set_new(uris, json_string_value(uri), json_true());
    }
    if (!wrong)
        return uris;
    json_decref(uris);
    return NULL;
}

/* The first message of a stream: which of the notifications asked for will be sent. */
static void acknowledge(const struct stream *stream)
{
    bool some = false;
    struct buf text;
    const char *uri;
    json_t *value;

    begin(stream, "notifications/subscriptions/acknowledged", &text);
    buf_adds(&text, ",\"notifications\":{");
    for (size_t i = 0; i < LISTS; i++) {
        if (lists[i].list & stream->lists) {
            buf_addf(&text, "%s\"%s\":true", some ? "," : "", lists[i].filter);
            some = true;
        }
    }
    if (json_object_size(stream->uris) > 0) {
        buf_addf(&text, "%s\"resourceSubscriptions\":[", some ? "," : "");
        some = false;
        json_object_foreach(stream->uris, uri, value)
        {
            if (some)
                buf_addc(&text, ',');
            some = true;
            json_write_string(&text, uri, strlen(uri));
        }
        buf_addc(&text, ']');
    }
    buf_addc(&text, '}');
    send_text(stream, &text);
}

static enum method_outcome check_listen(struct request *request)
{
    if (!json_is_object(json_object_get(request->message->params, "notifications")))
        return request_refuse(request, MESSAGE_INVALID_PARAMS,
                              "subscriptions/listen needs params.notifications, such as "
                              "{\"resourcesListChanged\": true, \"resourceSubscriptions\": "
                              "[\"lectern://...\"]}");
    if (!request->reply->streams)
        return request_refuse(request, MESSAGE_REFUSED,
                              "the answer is a stream of events: send Accept: application/json, "
                              "text/event-stream");
    if (request->peer->listen_count >= PEER_LISTENS_CAP)
        return request_refuse(request, MESSAGE_REFUSED,
                              "%d streams of this client are open: cancel one first",
                              PEER_LISTENS_CAP);
    return METHOD_DONE;
}

enum method_outcome stream_listen(struct request *request)
{
    const json_t *filter = json_object_get(request->message->params, "notifications");
    const unsigned changing = stream_lists(request->peer->host, request->client);
    struct stream *stream;
    json_t *uris;

    if (check_listen(request) == METHOD_REFUSED)
        return METHOD_REFUSED;
    uris = take_uris(request->client, json_object_get(filter, "resourceSubscriptions"));
    if (!uris)
        return request_refuse(request, MESSAGE_INVALID_PARAMS,
                              "notifications.resourceSubscriptions must be at most %d URIs of at "
                              "most %u bytes each",
                              PEER_URIS_CAP, RESOURCE_URI_MAX);
    stream = open_stream(request->peer, request->reply, request->message->id);
    if (!stream) {
        json_decref(uris);
        return request_refuse(request, MESSAGE_INTERNAL_ERROR, "out of memory for a stream");
    }
    stream->uris = uris;
    for (size_t i = 0; i < LISTS; i++) {
        if (json_is_true(json_object_get(filter, lists[i].filter)))
            stream->lists |= lists[i].list & changing;
    }
    acknowledge(stream);
    return METHOD_CALLED;
}
