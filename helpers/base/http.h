/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * HTTP as a client, by libcurl: this is its only user. http_send is one request and its answer,
 * whole or as it streams in, and blocks; http_transfer is the same on a libuv loop, and blocks
 * nothing; http_tunnel is a connection that the other side turns into a plain stream of bytes (an
 * upgrade), read and written without blocking.
 *
 * A client keeps its connections open between requests. It belongs to one thread at a time; so does
 * a tunnel.
 */
#ifndef LECTERN_BASE_HTTP_H
#define LECTERN_BASE_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "helpers/base/buf.h"
#include "helpers/base/cancel.h"
#include "helpers/base/error.h"

#define HTTP_CONNECT_MS_DEFAULT   5000u
#define HTTP_TOTAL_MS_DEFAULT     30000u
#define HTTP_RESPONSE_CAP_DEFAULT ((size_t)64 << 20)
#define HTTP_TLS_RECORD           16384u /* most bytes of one */
#define HTTP_TUNNEL_HEAD_CAP      8192u  /* bytes of the answer that opens a tunnel */

/* Files in PEM form; each may be NULL: the system's authorities, no certificate of our own.
 * Borrowed. */
struct http_tls {
    const char *ca;
    const char *cert;
    const char *key;
};

/* Everything is borrowed for the length of the call. Zero or NULL means the default. */
struct http_request {
    const char *method;         /* "GET" */
    const char *url;            /* http or https; of a Unix socket: "http://localhost/path" */
    const char *unix_socket;    /* path; NULL: TCP */
    const char *const *headers; /* "Name: value", NULL-terminated */
    const void *body;
    size_t body_len;
    unsigned connect_ms;
    unsigned total_ms;
    unsigned
        silent_ms; /* ends a request when nothing came for this long; 0: only total_ms counts */
    bool direct;   /* not by a proxy, whatever the environment says */
    bool once;     /* never on a connection that was used before: curl repeats a request when such
                      a one turns out to be closed, and this one may not be done twice */
    const struct http_tls *tls;
    const struct cancel *cancel;
    size_t response_cap;

    /* Takes the body as it comes, instead of response->body, of an answer whose status is 2xx: what
     * another says of an error is in response->body. Another value than 0 ends the request with
     * ERROR_CANCELLED. Of a transfer on a loop, HTTP_PAUSE: nothing more is read from the other
     * side, and the same bytes come again after http_transfer_resume. */
    int (*on_bytes)(void *user, const char *bytes, size_t len);
    void *user;
};

#define HTTP_PAUSE     2
#define HTTP_ETAG_SIZE 160

/* Where a request without an answer, or whose answer broke off, came to an end. */
enum http_fault {
    HTTP_FAULT_NONE,
    HTTP_FAULT_ADDRESS, /* no such host */
    HTTP_FAULT_CONNECT, /* nobody answers there, or not in time */
    HTTP_FAULT_TLS,     /* the two sides do not agree, or the certificate is not trusted */
    HTTP_FAULT_LATER,   /* the connection stood: it was lost, or silent for too long */
};

struct http_response {
    long status; /* 0 until one came; it may be there where the request failed later */
    enum http_fault fault;
    struct buf body;
    char etag[HTTP_ETAG_SIZE]; /* as it came, quotes included; "" where there is none, or a longer
                                  one */
};
void http_response_finish(struct http_response *response); /* takes NULL and a zeroed struct */

struct http_client;
struct http_client *http_client_create(struct error *err);
void http_client_destroy(struct http_client *client); /* takes NULL */

/* 0 when an answer came, whatever its status. A cancel is seen at once, however silent the other
 * side is. -1: ERROR_UNAVAILABLE where nobody listens,
 * ERROR_TIMEOUT, ERROR_CANCELLED, ERROR_TOO_LARGE, else ERROR_IO. *response is filled in any case
 * and needs http_response_finish. */
int http_send(struct http_client *client, const struct http_request *request,
              struct http_response *response, struct error *err);

#define HTTP_AT_ONCE_MAX 8

/* Many requests, at_once of them at a time (at most HTTP_AT_ONCE_MAX), each on its own terms:
 * errors[i] is of kind ERROR_NONE where an answer came. All of responses want
 * http_response_finish. */
void http_send_many(struct http_client *client, const struct http_request *requests,
                    struct http_response *responses, struct error *errors, size_t count,
                    size_t at_once);

/* ---- on a loop ---- */

/* The connections of one loop's transfers. Everything of it is used on the loop's thread. */
struct http_loop;
struct uv_loop_s; /* libuv's loop */
struct http_loop *http_loop_create(struct uv_loop_s *loop, struct error *err);
/* No transfer is under way. The memory goes when the loop has run its close callbacks. Takes NULL.
 */
void http_loop_destroy(struct http_loop *http);

/* One request under way. */
struct http_transfer;

/* As http_send, but returns at once; request->cancel is not looked at (http_transfer_cancel). What
 * request points to, and response, are borrowed until the end. on_done comes last, never before
 * this returns, with err of kind ERROR_NONE where an answer came; the transfer is freed after it.
 * NULL with err: on_done will not come. */
struct http_transfer *http_transfer_start(struct http_loop *http,
                                          const struct http_request *request,
                                          struct http_response *response,
                                          void (*on_done)(void *user, const struct error *err),
                                          struct error *err);
/* Ends and frees it at once, without on_done. Not within on_bytes or on_done. */
void http_transfer_cancel(struct http_transfer *transfer);
/* After HTTP_PAUSE; on_bytes may be called before it returns. Not within on_bytes. */
void http_transfer_resume(struct http_transfer *transfer);
/* A header of the answer, borrowed until the end; NULL where it has none. */
const char *http_transfer_header(const struct http_transfer *transfer, const char *name);

/* Whether the address is one of this machine: "localhost", 127.0.0.0/8 or [::1]. */
bool http_is_loopback(const char *url);

/* A header of the last answer to http_send, borrowed until the next request; NULL where it had
 * none. */
const char *http_client_header(struct http_client *client, const char *name);

/* Appends text with every byte escaped that a path segment or a query value cannot hold. */
void http_add_escaped(struct buf *to, const char *text);

struct http_tunnel;

/* Connects, sends the request with "Upgrade: tcp" and waits for 101 (or 200, as older servers say).
 * Blocks. Any other answer is ERROR_UNAVAILABLE with what it said. */
struct http_tunnel *http_tunnel_open(const struct http_request *request, struct error *err);
void http_tunnel_close(struct http_tunnel *tunnel); /* takes NULL */
int http_tunnel_fd(const struct http_tunnel *tunnel);

/* As send(2) and recv(2) on a non-blocking socket: bytes moved; 0 from receive is the end; -1 with
 * errno, EAGAIN for "not now". Bytes may wait in the tunnel while the descriptor is not readable:
 * after opening, receive until EAGAIN; and under TLS, whose records are decrypted whole, with room
 * for HTTP_TLS_RECORD each time, or until EAGAIN. A send that said EAGAIN is repeated with the same
 * bytes. */
ssize_t http_tunnel_send(struct http_tunnel *tunnel, const void *bytes, size_t len);
ssize_t http_tunnel_receive(struct http_tunnel *tunnel, void *bytes, size_t size);

#endif
