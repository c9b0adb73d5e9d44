/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/base/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <curl/curl.h>
#include <uv.h>

#define KEEPALIVE_S                                                                                \
    30L /* seconds of silence on a TCP connection before the other side is probed                  \
         */
#define WAIT_SLICE_MS 100 /* how soon a cancel is seen while waiting for a tunnel's head */

#define POLL_MS 1000 /* a cancel wakes the wait */

#define IDLE_CONNECTIONS 8L /* that a loop keeps for its next requests */

struct http_client {
    CURLM *multi;
    CURL *slots[HTTP_AT_ONCE_MAX]; /* all but the first when many are first asked for */
};

struct http_tunnel {
    CURL *curl;
    curl_socket_t fd;
    char early[HTTP_TUNNEL_HEAD_CAP]; /* bytes of the stream that came together with the head */
    size_t early_len, early_used;
};

/* One request under way. */
struct transfer {
    CURL *curl;
    const struct http_request *request;
    struct http_response *response;
    bool stopped; /* by on_bytes */
    char why[CURL_ERROR_SIZE];
};

static pthread_once_t curl_once = PTHREAD_ONCE_INIT;

static void init_curl(void)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

static CURL *create_handle(struct error *err)
{
    CURL *curl;

    pthread_once(&curl_once, init_curl);
    curl = curl_easy_init();
    if (!curl)
        error_set(err, ERROR_MEMORY, "out of memory for an HTTP client");
    return curl;
}

void http_response_finish(struct http_response *response)
{
    if (response)
        buf_finish(&response->body);
}

struct http_client *http_client_create(struct error *err)
{
    struct http_client *client = calloc(1, sizeof *client);

    if (client) {
        client->slots[0] = create_handle(NULL);
        client->multi = curl_multi_init();
    }
    if (client && client->slots[0] && client->multi)
        return client;
    http_client_destroy(client);
    error_set(err, ERROR_MEMORY, "out of memory for an HTTP client");
    return NULL;
}

void http_client_destroy(struct http_client *client)
{
    if (!client)
        return;
    for (size_t i = 0; i < HTTP_AT_ONCE_MAX; i++)
        curl_easy_cleanup(client->slots[i]);
    curl_multi_cleanup(client->multi);
    free(client);
}

static size_t on_body(char *bytes, size_t size, size_t count, void *user)
{
    struct transfer *transfer = user;
    size_t len = size * count;
    long status = 0;
    int rc;

    if (transfer->request->on_bytes)
        curl_easy_getinfo(transfer->curl, CURLINFO_RESPONSE_CODE, &status);
    if (status >= 200 && status < 300) {
        rc = transfer->request->on_bytes(transfer->request->user, bytes, len);
        if (rc == HTTP_PAUSE)
            return CURL_WRITEFUNC_PAUSE;
        transfer->stopped = rc != 0;
        return transfer->stopped ? 0 : len;
    }
    buf_add(&transfer->response->body, bytes, len);
    return transfer->response->body.failed ? 0 : len;
}

static unsigned or_default(unsigned value, unsigned otherwise)
{
    return value ? value : otherwise;
}

/* What a request and a tunnel have in common: where to, and for how long. */
static void set_target(CURL *curl, const struct http_request *request)
{
    curl_easy_setopt(curl, CURLOPT_URL, request->url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    if (request->unix_socket)
        curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, request->unix_socket);
    if (request->once)
        curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, 1L);
    if (request->proxy)
        curl_easy_setopt(curl, CURLOPT_PROXY, request->proxy);
    if (request->follow) {
        curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 1L);
        curl_easy_setopt(curl, CURLOPT_MAXREDIRS, (long)HTTP_REDIRECTIONS_MAX);
        curl_easy_setopt(curl, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
    }
    if (request->direct)
        curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    /* A machine that is gone without a word is noticed on a connection that only waits, too. */
    curl_easy_setopt(curl, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(curl, CURLOPT_TCP_KEEPIDLE, KEEPALIVE_S);
    curl_easy_setopt(curl, CURLOPT_TCP_KEEPINTVL, KEEPALIVE_S);
    if (request->tls) {
        if (request->tls->ca)
            curl_easy_setopt(curl, CURLOPT_CAINFO, request->tls->ca);
        if (request->tls->cert)
            curl_easy_setopt(curl, CURLOPT_SSLCERT, request->tls->cert);
        if (request->tls->key)
            curl_easy_setopt(curl, CURLOPT_SSLKEY, request->tls->key);
    }
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS,
                     (long)or_default(request->connect_ms, HTTP_CONNECT_MS_DEFAULT));
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS,
                     (long)or_default(request->total_ms, HTTP_TOTAL_MS_DEFAULT));
}

static void set_transfer(CURL *curl, struct transfer *transfer)
{
    const struct http_request *request = transfer->request;

    set_target(curl, request);
    if (request->body || (request->method && strcmp(request->method, "POST") == 0)) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_len);
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body ? request->body : "");
    }
    if (request->method && strcmp(request->method, "HEAD") == 0)
        curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
    else if (request->method)
        curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
    if (request->silent_ms) {
        curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
        curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)(request->silent_ms + 999) / 1000);
    }
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, transfer->why);
    if (request->cancel) /* nor does a cancel wait for a name that is being looked up */
        curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L);
}

static const char *target_name(const struct http_request *request)
{
    return request->unix_socket ? request->unix_socket : request->url;
}

struct code_meaning {
    CURLcode code;
    enum error_kind kind;
    enum http_fault fault;
};

static struct code_meaning meaning_of(CURLcode code)
{
    static const struct code_meaning meanings[] = {
        {CURLE_COULDNT_CONNECT, ERROR_UNAVAILABLE, HTTP_FAULT_CONNECT},
        {CURLE_COULDNT_RESOLVE_HOST, ERROR_UNAVAILABLE, HTTP_FAULT_ADDRESS},
        {CURLE_COULDNT_RESOLVE_PROXY, ERROR_UNAVAILABLE, HTTP_FAULT_ADDRESS},
        {CURLE_OPERATION_TIMEDOUT, ERROR_TIMEOUT, HTTP_FAULT_LATER},
        {CURLE_ABORTED_BY_CALLBACK, ERROR_CANCELLED, HTTP_FAULT_LATER},
        {CURLE_OUT_OF_MEMORY, ERROR_MEMORY, HTTP_FAULT_LATER},
        {CURLE_URL_MALFORMAT, ERROR_INVALID, HTTP_FAULT_LATER},
        {CURLE_UNSUPPORTED_PROTOCOL, ERROR_INVALID, HTTP_FAULT_LATER},
        {CURLE_SSL_CONNECT_ERROR, ERROR_IO, HTTP_FAULT_TLS},
        {CURLE_PEER_FAILED_VERIFICATION, ERROR_IO, HTTP_FAULT_TLS},
        {CURLE_SSL_CACERT_BADFILE, ERROR_IO, HTTP_FAULT_TLS},
        {CURLE_SSL_CERTPROBLEM, ERROR_IO, HTTP_FAULT_TLS},
        {CURLE_SSL_ISSUER_ERROR, ERROR_IO, HTTP_FAULT_TLS},
        {CURLE_SSL_INVALIDCERTSTATUS, ERROR_IO, HTTP_FAULT_TLS},
    };

    for (size_t i = 0; i < sizeof meanings / sizeof *meanings; i++) {
        if (meanings[i].code == code)
            return meanings[i];
    }
    return (struct code_meaning){code, ERROR_IO, HTTP_FAULT_LATER};
}

static int transfer_error(CURLcode code, const struct transfer *transfer, struct error *err)
{
    enum error_kind kind = meaning_of(code).kind;

    if (transfer->stopped)
        return error_set(err, ERROR_CANCELLED, "%s: cancelled", target_name(transfer->request));
    if (transfer->response && transfer->response->body.failed)
        return buf_check(&transfer->response->body, "the answer", err);
    /* curl calls an answer that is not HTTP an unsupported protocol too. */
    if (code == CURLE_UNSUPPORTED_PROTOCOL && strncmp(transfer->request->url, "http", 4) == 0)
        kind = ERROR_IO;
    if (code == CURLE_COULDNT_CONNECT)
        return error_set(err, kind, "%s: nobody answers there", target_name(transfer->request));
    return error_set(err, kind, "%s: %s", target_name(transfer->request),
                     transfer->why[0] ? transfer->why : curl_easy_strerror(code));
}

static int add_header(struct curl_slist **list, const char *line, struct error *err)
{
    struct curl_slist *longer = curl_slist_append(*list, line);

    if (!longer)
        return error_set(err, ERROR_MEMORY, "out of memory for a header");
    *list = longer;
    return 0;
}

/* Makes the handle ready to perform. *headers is the caller's to free in any case, afterwards. */
static int prepare(CURL *curl, struct transfer *transfer, struct curl_slist **headers,
                   struct error *err)
{
    const struct http_request *request = transfer->request;
    struct http_response *response = transfer->response;
    int rc;

    response->status = 0;
    response->etag[0] = '\0';
    buf_init(&response->body,
             request->response_cap ? request->response_cap : HTTP_RESPONSE_CAP_DEFAULT);
    response->fault = HTTP_FAULT_NONE;
    transfer->curl = curl;
    curl_easy_reset(curl); /* options go, connections stay */
    /* Without this curl asks leave before each larger body, and some servers never answer. */
    rc = add_header(headers, "Expect:", err);
    if (rc == 0 && !request->body)
        rc = add_header(headers, "Content-Type:", err);
    for (const char *const *h = request->headers; rc == 0 && h && *h; h++)
        rc = add_header(headers, *h, err);
    if (rc < 0)
        return -1;
    set_transfer(curl, transfer);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, *headers);
    return 0;
}

static enum http_fault find_fault(CURL *curl, CURLcode code)
{
    curl_off_t connected_us = 0;

    curl_easy_getinfo(curl, CURLINFO_PRETRANSFER_TIME_T, &connected_us);
    return code == CURLE_OPERATION_TIMEDOUT && connected_us == 0 ? HTTP_FAULT_CONNECT
                                                                 : meaning_of(code).fault;
}

static int conclude(CURL *curl, CURLcode code, struct transfer *transfer, struct error *err)
{
    struct curl_header *etag;
    int rc = 0;

    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &transfer->response->status);
    if (code == CURLE_OK) {
        if (curl_easy_header(curl, "ETag", 0, CURLH_HEADER, -1, &etag) == CURLHE_OK &&
            strlen(etag->value) < HTTP_ETAG_SIZE)
            snprintf(transfer->response->etag, HTTP_ETAG_SIZE, "%s", etag->value);
    } else {
        transfer->response->fault = find_fault(curl, code);
        rc = transfer_error(code, transfer, err);
    }
    /* The list and the texts go now; the answer's headers stay readable in the handle. */
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, NULL);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, NULL);
    return rc;
}

/* ---- one or many, blocking ---- */

struct http_slot {
    struct transfer transfer;
    struct curl_slist *headers;
    struct error *err;
    bool busy;
};

/* A request in its slot and, while it is busy, under way. 0, or -1 with err. */
static int enter(struct http_client *client, struct http_slot *slot, CURL *curl,
                 const struct http_request *request, struct http_response *response,
                 struct error *err)
{
    slot->transfer = (struct transfer){.request = request, .response = response};
    slot->err = err;
    slot->busy = prepare(curl, &slot->transfer, &slot->headers, err) == 0;
    if (slot->busy && curl_multi_add_handle(client->multi, curl) != CURLM_OK) {
        error_set(err, ERROR_MEMORY, "out of memory for a request");
        slot->busy = false;
    }
    if (slot->busy)
        return 0;
    curl_slist_free_all(slot->headers);
    slot->headers = NULL;
    return -1;
}

/* 0 where an answer came, as http_send. */
static int leave(struct http_client *client, struct http_slot *slot, CURLcode code)
{
    CURL *curl = slot->transfer.curl;
    int rc;

    curl_multi_remove_handle(client->multi, curl);
    rc = conclude(curl, code, &slot->transfer, slot->err);
    curl_slist_free_all(slot->headers);
    memset(slot, 0, sizeof *slot);
    return rc;
}

/* Ends what was cancelled; -1 where something was. */
static int end_cancelled(struct http_client *client, struct http_slot *slots, size_t *busy)
{
    int rc = 0;

    for (size_t at = 0; at < HTTP_AT_ONCE_MAX; at++) {
        if (!slots[at].busy || !cancel_fired(slots[at].transfer.request->cancel))
            continue;
        rc = leave(client, &slots[at], CURLE_ABORTED_BY_CALLBACK);
        --*busy;
    }
    return rc;
}

/* Ends what has an answer or failed; -1 where something failed. */
static int collect(struct http_client *client, struct http_slot *slots, size_t *busy)
{
    CURLMsg *message;
    int left, rc = 0;

    while ((message = curl_multi_info_read(client->multi, &left))) {
        size_t at = 0;

        while (client->slots[at] != message->easy_handle)
            at++;
        rc |= leave(client, &slots[at], message->data.result);
        --*busy;
    }
    return rc;
}

/* Until something comes, or a cancel fires: curl alone looks up once a second only. */
static void wait_for_any(struct http_client *client, const struct http_slot *slots)
{
    struct curl_waitfd cancels[HTTP_AT_ONCE_MAX];
    unsigned count = 0;

    for (size_t at = 0; at < HTTP_AT_ONCE_MAX; at++) {
        const struct cancel *cancel = slots[at].busy ? slots[at].transfer.request->cancel : NULL;

        if (cancel)
            cancels[count++] =
                (struct curl_waitfd){.fd = cancel_fd(cancel), .events = CURL_WAIT_POLLIN};
    }
    curl_multi_poll(client->multi, cancels, count, POLL_MS, NULL);
}

/* -1 where one failed. */
static int send_all(struct http_client *client, const struct http_request *requests,
                    struct http_response *responses, struct error *errors, size_t count,
                    size_t at_once)
{
    struct http_slot slots[HTTP_AT_ONCE_MAX] = {0};
    size_t next = 0, busy = 0;
    int running, rc = 0;

    while (next < count || busy > 0) {
        for (size_t at = 0; at < at_once && next < count; at++) {
            if (slots[at].busy)
                continue;
            if (enter(client, &slots[at], client->slots[at], &requests[next], &responses[next],
                      errors ? &errors[next] : NULL) == 0)
                busy++;
            else
                rc = -1;
            next++;
        }
        rc |= end_cancelled(client, slots, &busy);
        curl_multi_perform(client->multi, &running);
        rc |= collect(client, slots, &busy);
        if (busy > 0 && (busy == at_once || next == count))
            wait_for_any(client, slots);
    }
    return rc;
}

int http_send(struct http_client *client, const struct http_request *request,
              struct http_response *response, struct error *err)
{
    return send_all(client, request, response, err, 1, 1);
}

void http_send_many(struct http_client *client, const struct http_request *requests,
                    struct http_response *responses, struct error *errors, size_t count,
                    size_t at_once)
{
    memset(responses, 0, count * sizeof *responses);
    memset(errors, 0, count * sizeof *errors);
    at_once = at_once < HTTP_AT_ONCE_MAX ? at_once : HTTP_AT_ONCE_MAX;
    for (size_t i = 0; i < at_once; i++) {
        if (!client->slots[i])
            client->slots[i] = create_handle(NULL);
        if (!client->slots[i])
            at_once = i; /* the first is always there */
    }
    send_all(client, requests, responses, errors, count, at_once);
}

/* ---- on a loop ----
 *
 * libcurl's documented pattern: curl reports by on_socket which descriptors to watch,
 * and by on_timeout when to call it; each event of them goes into
 * curl_multi_socket_action.
 */

struct http_loop {
    uv_timer_t timer; /* first */
    CURLM *multi;
};

struct http_socket {
    uv_poll_t poll; /* first */
    struct http_loop *http;
    curl_socket_t fd;
};

struct http_transfer {
    struct transfer transfer;
    struct http_request request;
    struct curl_slist *headers;
    struct http_loop *http;
    void (*on_done)(void *user, const struct error *err);
};

static void free_handle(uv_handle_t *handle)
{
    free(handle);
}

static void free_transfer(struct http_transfer *transfer)
{
    curl_slist_free_all(transfer->headers);
    curl_easy_cleanup(transfer->transfer.curl);
    free(transfer);
}

/* Anything may have happened to the descriptor, or only time has passed. */
static void act(struct http_loop *http, curl_socket_t fd, int events)
{
    CURLMsg *message;
    int running, left;

    curl_multi_socket_action(http->multi, fd, events, &running);
    while ((message = curl_multi_info_read(http->multi, &left))) {
        CURLcode code = message->data.result;
        CURL *curl = message->easy_handle;
        struct http_transfer *done = NULL;
        struct error err = {0};

        if (message->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(curl, CURLINFO_PRIVATE, (char **)&done);
        curl_multi_remove_handle(http->multi, curl);
        conclude(curl, code, &done->transfer, &err);
        done->on_done(done->request.user, &err);
        free_transfer(done);
    }
}

static void on_socket_event(uv_poll_t *poll, int status, int events)
{
    struct http_socket *socket = (struct http_socket *)poll;
    int flags = (status < 0 ? CURL_CSELECT_ERR : 0) | (events & UV_READABLE ? CURL_CSELECT_IN : 0) |
                (events & UV_WRITABLE ? CURL_CSELECT_OUT : 0);

    act(socket->http, socket->fd, flags);
}

static int on_socket(CURL *curl, curl_socket_t fd, int what, void *user, void *watched)
{
    struct http_loop *http = user;
    struct http_socket *socket = watched;
    int events = (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0);

    (void)curl;
    if (what == CURL_POLL_REMOVE) {
        if (socket)
            uv_close((uv_handle_t *)&socket->poll, free_handle);
        curl_multi_assign(http->multi, fd, NULL);
        return 0;
    }
    if (!socket) {
        socket = calloc(1, sizeof *socket);
        if (!socket || uv_poll_init(http->timer.loop, &socket->poll, fd) != 0) {
            free(socket);
            return -1;
        }
        socket->http = http;
        socket->fd = fd;
        curl_multi_assign(http->multi, fd, socket);
    }
    return uv_poll_start(&socket->poll, events, on_socket_event) == 0 ? 0 : -1;
}

static void on_timer(uv_timer_t *timer)
{
    act((struct http_loop *)timer, CURL_SOCKET_TIMEOUT, 0);
}

/* The loop's clock is that of its last turn, and curl is not to be called before its time. */
static int on_timeout(CURLM *multi, long timeout_ms, void *user)
{
    struct http_loop *http = user;

    (void)multi;
    if (timeout_ms < 0)
        return uv_timer_stop(&http->timer);
    uv_update_time(http->timer.loop);
    return uv_timer_start(&http->timer, on_timer, (uint64_t)timeout_ms + (timeout_ms > 0), 0);
}

struct http_loop *http_loop_create(struct uv_loop_s *loop, struct error *err)
{
    struct http_loop *http = calloc(1, sizeof *http);

    pthread_once(&curl_once, init_curl);
    if (http)
        http->multi = curl_multi_init();
    if (!http || !http->multi) {
        free(http);
        error_set(err, ERROR_MEMORY, "out of memory for an HTTP client");
        return NULL;
    }
    uv_timer_init(loop, &http->timer);
    curl_multi_setopt(http->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(http->multi, CURLMOPT_SOCKETDATA, http);
    curl_multi_setopt(http->multi, CURLMOPT_TIMERFUNCTION, on_timeout);
    curl_multi_setopt(http->multi, CURLMOPT_TIMERDATA, http);
    curl_multi_setopt(http->multi, CURLMOPT_MAXCONNECTS, IDLE_CONNECTIONS);
    /* A connection for each: one that is paused holds up no other. */
    curl_multi_setopt(http->multi, CURLMOPT_PIPELINING, CURLPIPE_NOTHING);
    return http;
}

void http_loop_destroy(struct http_loop *http)
{
    if (!http)
        return;
    curl_multi_cleanup(http->multi);
    uv_close((uv_handle_t *)&http->timer, free_handle);
}

struct http_transfer *http_transfer_start(struct http_loop *http,
                                          const struct http_request *request,
                                          struct http_response *response,
                                          void (*on_done)(void *user, const struct error *err),
                                          struct error *err)
{
    struct http_transfer *started = calloc(1, sizeof *started);
    CURL *curl = started ? create_handle(err) : NULL;

    if (!curl) {
        free(started);
        error_set(err, ERROR_MEMORY, "out of memory for a request");
        return NULL;
    }
    started->http = http;
    started->on_done = on_done;
    started->request = *request;
    started->request.cancel = NULL;
    started->transfer =
        (struct transfer){.curl = curl, .request = &started->request, .response = response};
    if (prepare(curl, &started->transfer, &started->headers, err) == 0) {
        curl_easy_setopt(curl, CURLOPT_PRIVATE, started);
        curl_easy_setopt(curl, CURLOPT_QUICK_EXIT, 1L); /* the end waits for no name's look-up */
        if (curl_multi_add_handle(http->multi, curl) == CURLM_OK)
            return started;
        error_set(err, ERROR_MEMORY, "out of memory for a request");
    }
    free_transfer(started);
    return NULL;
}

void http_transfer_cancel(struct http_transfer *transfer)
{
    curl_multi_remove_handle(transfer->http->multi, transfer->transfer.curl);
    free_transfer(transfer);
}

void http_transfer_resume(struct http_transfer *transfer)
{
    curl_easy_pause(transfer->transfer.curl, CURLPAUSE_CONT);
}

static const char *header_of(CURL *curl, const char *name)
{
    struct curl_header *header;

    return curl_easy_header(curl, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK ? header->value
                                                                                   : NULL;
}

const char *http_transfer_header(const struct http_transfer *transfer, const char *name)
{
    return header_of(transfer->transfer.curl, name);
}

bool http_is_loopback(const char *url)
{
    static const char *const names[] = {"localhost", "[::1]", "::1"};
    CURLU *parts = curl_url();
    char *host = NULL;
    bool found = false;

    if (parts && curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK &&
        curl_url_get(parts, CURLUPART_HOST, &host, 0) == CURLUE_OK) {
        struct in_addr address;

        found = inet_pton(AF_INET, host, &address) == 1 && ntohl(address.s_addr) >> 24 == 127;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            found |= strcasecmp(host, names[i]) == 0;
    }
    curl_free(host);
    curl_url_cleanup(parts);
    return found;
}

const char *http_client_header(struct http_client *client, const char *name)
{
    return header_of(client->slots[0], name);
}

void http_add_escaped(struct buf *to, const char *text)
{
    char *escaped = curl_easy_escape(NULL, text, 0);

    if (escaped)
        buf_adds(to, escaped);
    else
        to->failed = to->starved = true;
    curl_free(escaped);
}

/* 0 once the tunnel's socket is ready for events, -1 when time is up or the request was cancelled.
 */
static int wait_for(const struct http_tunnel *tunnel, const struct http_request *request,
                    short events, unsigned *left_ms, struct error *err)
{
    struct pollfd poll_fd = {.fd = tunnel->fd, .events = events};

    while (*left_ms > 0) {
        unsigned slice = *left_ms < WAIT_SLICE_MS ? *left_ms : WAIT_SLICE_MS;
        int ready = poll(&poll_fd, 1, (int)slice);

        if (ready > 0)
            return 0;
        if (ready < 0 && errno != EINTR)
            return error_errno(err, errno, "%s: poll", target_name(request));
        if (cancel_fired(request->cancel))
            return error_set(err, ERROR_CANCELLED, "%s: cancelled", target_name(request));
        *left_ms -= slice;
    }
    return error_set(err, ERROR_TIMEOUT, "%s: no answer in time", target_name(request));
}

/* curl has connected to this very address, so there are no control characters in it. */
static int write_head(const struct http_request *request, struct buf *head, struct error *err)
{
    const char *host = strstr(request->url, "://"), *user;
    size_t len = host ? strcspn(host += 3, "/?#") : 0;

    if (len == 0)
        return error_set(err, ERROR_INVALID, "'%s' is not the address of a server", request->url);
    user = memrchr(host, '@', len); /* a name and password before the host stay here */
    if (user) {
        len -= (size_t)(user + 1 - host);
        host = user + 1;
    }
    buf_addf(head, "%s %s%s HTTP/1.1\r\nHost: %.*s\r\n", request->method ? request->method : "GET",
             host[len] == '/' ? "" : "/", host + len, (int)len, host);
    buf_adds(head, "Connection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: 0\r\n");
    for (const char *const *h = request->headers; h && *h; h++)
        buf_addf(head, "%s\r\n", *h);
    buf_adds(head, "\r\n");
    return buf_check(head, "the request's head", err);
}

static int send_head(struct http_tunnel *tunnel, const struct http_request *request,
                     unsigned *left_ms, struct error *err)
{
    BUF_AUTO struct buf head;
    size_t sent = 0;

    buf_init(&head, HTTP_TUNNEL_HEAD_CAP);
    if (write_head(request, &head, err) < 0)
        return -1;
    while (sent < head.len) {
        ssize_t some = http_tunnel_send(tunnel, head.data + sent, head.len - sent);

        if (some > 0)
            sent += (size_t)some;
        else if (errno != EAGAIN)
            return error_errno(err, errno, "%s", target_name(request));
        else if (wait_for(tunnel, request, POLLOUT, left_ms, err) < 0)
            return -1;
    }
    return 0;
}

/* The answer's head into tunnel->early; what came after it stays there for receive. */
static int read_head(struct http_tunnel *tunnel, const struct http_request *request,
                     unsigned *left_ms, struct error *err)
{
    size_t len = 0;
    char *end;
    int status;

    for (;;) {
        size_t got = 0;
        CURLcode code =
            curl_easy_recv(tunnel->curl, tunnel->early + len, sizeof tunnel->early - 1 - len, &got);

        if (code == CURLE_AGAIN) {
            if (wait_for(tunnel, request, POLLIN, left_ms, err) < 0)
                return -1;
            continue;
        }
        if (code != CURLE_OK || got == 0)
            return error_set(err, ERROR_IO, "%s: closed before it answered", target_name(request));
        len += got;
        tunnel->early[len] = '\0';
        end = strstr(tunnel->early, "\r\n\r\n");
        if (end)
            break;
        if (len == sizeof tunnel->early - 1)
            return error_set(err, ERROR_TOO_LARGE, "%s: the answer's head is too long",
                             target_name(request));
    }
    if (strncmp(tunnel->early, "HTTP/1.", 7) != 0 || len < 12)
        return error_set(err, ERROR_IO, "%s: no HTTP server answers", target_name(request));
    status = atoi(tunnel->early +
                  9); // NOLINT(bugprone-unchecked-string-to-number-conversion): 0 is no status
    if (status != 101 && status != 200)
        return error_set(err, ERROR_UNAVAILABLE, "%s: answer %d: %s", target_name(request), status,
                         end + 4);
    tunnel->early_used = (size_t)(end + 4 - tunnel->early);
    tunnel->early_len = len;
    return 0;
}

struct http_tunnel *http_tunnel_open(const struct http_request *request, struct error *err)
{
    struct http_tunnel *tunnel = calloc(1, sizeof *tunnel);
    struct transfer transfer = {.request = request};
    unsigned left_ms = or_default(request->total_ms, HTTP_TOTAL_MS_DEFAULT);
    CURLcode code;

    if (!tunnel) {
        error_set(err, ERROR_MEMORY, "out of memory for a connection");
        return NULL;
    }
    tunnel->curl = create_handle(err);
    if (!tunnel->curl)
        goto fail;
    set_target(tunnel->curl, request);
    curl_easy_setopt(tunnel->curl, CURLOPT_CONNECT_ONLY, 1L);
    curl_easy_setopt(tunnel->curl, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(tunnel->curl, CURLOPT_ERRORBUFFER, transfer.why);
    code = curl_easy_perform(tunnel->curl);
    curl_easy_setopt(tunnel->curl, CURLOPT_ERRORBUFFER, NULL);
    if (code != CURLE_OK) {
        transfer_error(code, &transfer, err);
        goto fail;
    }
    curl_easy_getinfo(tunnel->curl, CURLINFO_ACTIVESOCKET, &tunnel->fd);
    if (send_head(tunnel, request, &left_ms, err) < 0 ||
        read_head(tunnel, request, &left_ms, err) < 0)
        goto fail;
    return tunnel;
fail:
    http_tunnel_close(tunnel);
    return NULL;
}

void http_tunnel_close(struct http_tunnel *tunnel)
{
    if (!tunnel)
        return;
    curl_easy_cleanup(tunnel->curl);
    free(tunnel);
}

int http_tunnel_fd(const struct http_tunnel *tunnel)
{
    return tunnel->fd;
}

static int errno_of(CURLcode code)
{
    if (code == CURLE_AGAIN)
        return EAGAIN;
    return code == CURLE_SEND_ERROR ? EPIPE : ECONNRESET;
}

ssize_t http_tunnel_send(struct http_tunnel *tunnel, const void *bytes, size_t len)
{
    size_t sent = 0;
    CURLcode code = curl_easy_send(tunnel->curl, bytes, len, &sent);

    if (code == CURLE_OK)
        return (ssize_t)sent;
    errno = errno_of(code);
    return -1;
}

ssize_t http_tunnel_receive(struct http_tunnel *tunnel, void *bytes, size_t size)
{
    size_t got = tunnel->early_len - tunnel->early_used;
    CURLcode code;

    if (got > 0) {
        got = got < size ? got : size;
        memcpy(bytes, tunnel->early + tunnel->early_used, got);
        tunnel->early_used += got;
        return (ssize_t)got;
    }
    code = curl_easy_recv(tunnel->curl, bytes, size, &got);
    if (code == CURLE_OK)
        return (ssize_t)got;
    errno = errno_of(code);
    return -1;
}
