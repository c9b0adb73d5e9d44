/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An HTTP client, and the only user of libcurl. http_send performs one request and blocks; its
 * answer is collected or streamed. http_transfer does the same on a libuv loop without blocking.
 * http_tunnel is a connection that the server upgrades to a plain stream of bytes, with
 * non-blocking reads and writes.
 *
 * A client keeps its connections open between requests. One thread at a time may use a client or a
 * tunnel.
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

/* Files in PEM form; NULL means the system's authorities, or no client certificate. Borrowed. */
struct http_tls {
    const char *ca;
    const char *cert;
    const char *key;
};

/* Everything is borrowed for the duration of the call. Zero or NULL selects the default. */
struct http_request {
    const char *method;         /* "GET" */
    const char *url;            /* http or https; with a Unix socket: "http://localhost/path" */
    const char *unix_socket;    /* path; NULL: TCP */
    const char *const *headers; /* "Name: value", NULL-terminated */
    const void *body;
    size_t body_len;
    unsigned connect_ms;
    unsigned total_ms;
    unsigned silent_ms; /* ends the request after this time without data; 0: only total_ms counts */
    const char *proxy;  /* URL; NULL: that of the environment */
    bool direct;        /* use no proxy, whatever the environment says */
    bool follow;        /* follow redirections, at most HTTP_REDIRECTIONS_MAX */
    bool once; /* always use a new connection: curl repeats a request if a reused connection turns
                  out to be closed, and this request must not be sent twice */
    const struct http_tls *tls;
    const struct cancel *cancel;
    size_t response_cap;

    /* Receives the body as it arrives, instead of response->body, if the status is 2xx; the body of
     * an error is in response->body. A return value other than 0 ends the request with
     * ERROR_CANCELLED. In a transfer on a loop, HTTP_PAUSE stops reading; after
     * http_transfer_resume the same bytes are passed again. */
    int (*on_bytes)(void *user, const char *bytes, size_t len);
    void *user;
};

#define HTTP_REDIRECTIONS_MAX 5

#define HTTP_PAUSE     2
#define HTTP_ETAG_SIZE 160

/* Where a request failed, or its answer was interrupted. */
enum http_fault {
    HTTP_FAULT_NONE,
    HTTP_FAULT_ADDRESS, /* no such host */
    HTTP_FAULT_CONNECT, /* nothing accepts connections there, or not in time */
    HTTP_FAULT_TLS,     /* the handshake failed, or the certificate is not trusted */
    HTTP_FAULT_LATER,   /* an established connection was lost, or silent for too long */
};

struct http_response {
    long status; /* 0 until it is received; may be set although the request failed later */
    enum http_fault fault;
    struct buf body;
    char etag[HTTP_ETAG_SIZE]; /* as received, with quotes; "" if missing or too long */
};
void http_response_finish(struct http_response *response); /* takes NULL and a zeroed struct */

struct http_client;
struct http_client *http_client_create(struct error *err);
void http_client_destroy(struct http_client *client); /* takes NULL */

/* Returns 0 if an answer arrived, whatever its status. A cancellation takes effect at once, even if
 * the server is silent. Returns -1 with ERROR_UNAVAILABLE if nothing listens, ERROR_TIMEOUT,
 * ERROR_CANCELLED, ERROR_TOO_LARGE, or else ERROR_IO. *response is always filled and needs
 * http_response_finish. */
int http_send(struct http_client *client, const struct http_request *request,
              struct http_response *response, struct error *err);

#define HTTP_AT_ONCE_MAX 8

/* Sends many requests, at_once of them at the same time (at most HTTP_AT_ONCE_MAX), each
 * independent of the others. errors[i].kind is ERROR_NONE if an answer arrived. All responses need
 * http_response_finish. */
void http_send_many(struct http_client *client, const struct http_request *requests,
                    struct http_response *responses, struct error *errors, size_t count,
                    size_t at_once);

/* ---- on a loop ---- */

/* The connections of the transfers of one loop. Use it only on the loop's thread. */
struct http_loop;
struct uv_loop_s; /* libuv's loop */
struct http_loop *http_loop_create(struct uv_loop_s *loop, struct error *err);
/* No transfer may be active. The memory is freed after the loop has run its close callbacks. Takes
 * NULL. */
void http_loop_destroy(struct http_loop *http);

/* An active request. */
struct http_transfer;

/* Like http_send, but returns at once, and ignores request->cancel (use http_transfer_cancel). What
 * request points to, and response, are borrowed until the end. on_done is the last callback and is
 * never called before this function returns; its err is of kind ERROR_NONE if an answer arrived.
 * The transfer is freed after it. Returns NULL with err if it could not start; on_done is not
 * called then. */
struct http_transfer *http_transfer_start(struct http_loop *http,
                                          const struct http_request *request,
                                          struct http_response *response,
                                          void (*on_done)(void *user, const struct error *err),
                                          struct error *err);
/* Ends and frees the transfer at once, without on_done. Must not be called within on_bytes or
 * on_done. */
void http_transfer_cancel(struct http_transfer *transfer);
/* Continues after HTTP_PAUSE; may call on_bytes before it returns. Must not be called within
 * on_bytes. */
void http_transfer_resume(struct http_transfer *transfer);
/* A header of the answer, borrowed until the end; NULL if missing. */
const char *http_transfer_header(const struct http_transfer *transfer, const char *name);

/* Whether the URL's host is this machine: "localhost", 127.0.0.0/8 or [::1]. */
bool http_is_loopback(const char *url);

/* A header of the last answer to http_send, borrowed until the next request; NULL if missing. */
const char *http_client_header(struct http_client *client, const char *name);

/* Appends text, escaping each byte that is not allowed in a path segment or a query value. */
void http_add_escaped(struct buf *to, const char *text);

struct http_tunnel;

/* Connects, sends the request with "Upgrade: tcp" and waits for 101 (or 200, from older servers).
 * Blocks. Any other answer is ERROR_UNAVAILABLE with the server's text. */
struct http_tunnel *http_tunnel_open(const struct http_request *request, struct error *err);
void http_tunnel_close(struct http_tunnel *tunnel); /* takes NULL */
int http_tunnel_fd(const struct http_tunnel *tunnel);

/* Like send(2) and recv(2) on a non-blocking socket: the number of bytes; receive returns 0 at the
 * end; -1 with errno, where EAGAIN means "not now". The tunnel may hold bytes while its descriptor
 * is not readable. So after opening, receive until EAGAIN. With TLS, whose records are decrypted as
 * a whole, always pass room for HTTP_TLS_RECORD, or receive until EAGAIN. Repeat a send that
 * returned EAGAIN with the same bytes. */
ssize_t http_tunnel_send(struct http_tunnel *tunnel, const void *bytes, size_t len);
ssize_t http_tunnel_receive(struct http_tunnel *tunnel, void *bytes, size_t size);

#endif
