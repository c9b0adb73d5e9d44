/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/transport/http/http_port.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "helpers/base/buf.h"
#include "helpers/base/log.h"

/* Of TLS 1.2, those with forward secrecy and authenticated encryption (RFC 9325, 4.2); all of TLS
 * 1.3 have both. */
#define CIPHERS_1_2    "ECDHE+AESGCM:ECDHE+CHACHA20"
#define PIECE          16384 /* bytes, the most of one TLS record */
#define LISTEN_PENDING 16
#define PAIR_TRIES     4
#define PAIR_WAIT_MS   100 /* for a connection to ourselves, which a busy kernel may delay */

/* One client. Bytes that one side does not take now wait here, and meanwhile no more are read from
 * the other. */
struct tls_connection {
    struct tls *tls;
    LIST_ENTRY(tls_connection) link;
    SSL *ssl;
    int client_fd, plain_fd;
    uv_poll_t client, plain;
    struct buf to_plain, to_client;
    bool wants_write; /* OpenSSL has something of its own to send */
    bool client_ended, plain_ended;
    bool ended; /* is being closed */
    unsigned open_handles;
    uint64_t ends_ms; /* by then the client has taken what it was sent; 0: it is open */
};

struct tls {
    uv_loop_t *loop;
    const char *cert, *key;
    SSL_CTX *context;
    struct stat seen[2];
    uint64_t checked_ms;
    int listener; /* the inner socket */
    in_port_t port;
    void (*on_connection)(void *user, int plain_fd, int client_fd);
    void *user;
    LIST_HEAD(, tls_connection) connections;
    size_t count;
    uv_timer_t timer; /* runs while some are ending */
    bool destroyed, timer_closed;
    char piece[PIECE];
};

/* ---- the certificate ---- */

static int fail(struct error *err, const char *option, const char *path)
{
    const char *reason = ERR_reason_error_string(ERR_peek_last_error());

    ERR_clear_error();
    return error_set(err, ERROR_INVALID, "%s %s cannot be used: %s", option, path,
                     reason ? reason : "it does not fit");
}

static int fill_context(const struct tls *tls, SSL_CTX *context, struct error *err)
{
    ERR_clear_error();
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_cipher_list(context, CIPHERS_1_2);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                  SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
    if (SSL_CTX_use_certificate_chain_file(context, tls->cert) != 1)
        return fail(err, "--tls-cert", tls->cert);
    if (SSL_CTX_use_PrivateKey_file(context, tls->key, SSL_FILETYPE_PEM) != 1 ||
        SSL_CTX_check_private_key(context) != 1)
        return fail(err, "--tls-key", tls->key);
    return 0;
}

static int read_files(struct tls *tls, struct error *err)
{
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());

    if (!context)
        return error_set(err, ERROR_MEMORY, "out of memory for TLS");
    if (fill_context(tls, context, err) < 0) {
        SSL_CTX_free(context);
        return -1;
    }
    SSL_CTX_free(tls->context); /* connections keep theirs */
    tls->context = context;
    return 0;
}

static void look(const struct tls *tls, struct stat seen[2])
{
    const char *const paths[] = {tls->cert, tls->key};

    memset(seen, 0, 2 * sizeof *seen);
    for (size_t i = 0; i < 2; i++)
        if (stat(paths[i], &seen[i]) < 0)
            memset(&seen[i], 0, sizeof seen[i]);
}

static bool is_same(const struct stat *one, const struct stat *other)
{
    return one->st_ino == other->st_ino && one->st_size == other->st_size &&
           one->st_mtim.tv_sec == other->st_mtim.tv_sec &&
           one->st_mtim.tv_nsec == other->st_mtim.tv_nsec;
}

/* While only one of the two is new, the old ones stay in use. */
static void refresh(struct tls *tls)
{
    struct stat now[2];
    struct error err = {0};

    if (uv_now(tls->loop) - tls->checked_ms < TLS_CHECK_MS)
        return;
    tls->checked_ms = uv_now(tls->loop);
    look(tls, now);
    if (is_same(&now[0], &tls->seen[0]) && is_same(&now[1], &tls->seen[1]))
        return;
    memcpy(tls->seen, now, sizeof now);
    if (read_files(tls, &err) < 0)
        log_error("tls", "the certificate in use stays: %s", err.text);
    else
        log_info("tls", "the certificate was read again");
}

/* ---- the end ---- */

static void free_tls(struct tls *tls)
{
    if (tls->destroyed && tls->timer_closed && tls->count == 0)
        free(tls);
}

static void on_poll_closed(uv_handle_t *handle)
{
    struct tls_connection *connection = handle->data;
    struct tls *tls = connection->tls;

    if (--connection->open_handles > 0)
        return;
    close(connection->client_fd);
    close(connection->plain_fd);
    SSL_free(connection->ssl);
    buf_finish(&connection->to_plain);
    buf_finish(&connection->to_client);
    LIST_REMOVE(connection, link);
    tls->count--;
    free(connection);
    free_tls(tls);
}

static void end(struct tls_connection *connection)
{
    if (connection->ended)
        return;
    connection->ended = true;
    uv_close((uv_handle_t *)&connection->client, on_poll_closed);
    uv_close((uv_handle_t *)&connection->plain, on_poll_closed);
}

static void on_timer(uv_timer_t *timer)
{
    struct tls *tls = timer->data;
    struct tls_connection *connection, *next;
    bool more = false;

    for (connection = LIST_FIRST(&tls->connections); connection; connection = next) {
        next = LIST_NEXT(connection, link);
        if (connection->ends_ms != 0 && connection->ends_ms <= uv_now(timer->loop))
            end(connection);
        more |= connection->ends_ms != 0 && !connection->ended;
    }
    if (!more)
        uv_timer_stop(timer);
}

/* ---- bytes ---- */

/* What to do after OpenSSL's answer: 1: it went; 0: later; -1: the connection has ended. */
static int outcome(struct tls_connection *connection, int rc)
{
    int error = rc > 0 ? SSL_ERROR_NONE : SSL_get_error(connection->ssl, rc);

    if (error == SSL_ERROR_WANT_WRITE)
        connection->wants_write = true;
    return error == SSL_ERROR_NONE                                         ? 1
           : error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE ? 0
                                                                           : -1;
}

/* 1: all of it went; 0: the rest waits; -1. */
static int write_plain(struct tls_connection *connection, const char *bytes, size_t len)
{
    ssize_t sent = send(connection->plain_fd, bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);

    if (sent < 0 && errno != EAGAIN)
        return -1;
    if (sent < 0)
        sent = 0;
    if ((size_t)sent == len)
        return 1;
    buf_add(&connection->to_plain, bytes + sent, len - (size_t)sent);
    return connection->to_plain.failed ? -1 : 0;
}

static int write_client(struct tls_connection *connection, const char *bytes, size_t len)
{
    while (len > 0) {
        int rc, went;

        ERR_clear_error();
        rc = SSL_write(connection->ssl, bytes, (int)len);
        went = outcome(connection, rc);
        if (went < 0)
            return -1;
        if (went == 0)
            break;
        bytes += rc;
        len -= (size_t)rc;
    }
    if (len == 0)
        return 1;
    buf_add(&connection->to_client, bytes, len);
    return connection->to_client.failed ? -1 : 0;
}

/* Writes what waited; 1: nothing waits any more. */
static int flush(struct tls_connection *connection, struct buf *waiting,
                 int (*write)(struct tls_connection *, const char *, size_t))
{
    struct buf BUF_AUTO bytes = *waiting;

    if (bytes.len == 0)
        return 1;
    memset(waiting, 0, sizeof *waiting);
    return write(connection, bytes.data, bytes.len);
}

/* The client's bytes go to the server: 0, or -1. */
static int pass_in(struct tls_connection *connection)
{
    int went = flush(connection, &connection->to_plain, write_plain);

    while (went > 0 && !connection->client_ended) {
        int rc;

        ERR_clear_error();
        rc = SSL_read(connection->ssl, connection->tls->piece, PIECE);
        went = outcome(connection, rc);
        if (went < 0) { /* whatever was wrong: nothing more comes from it */
            connection->client_ended = true;
            went = 0;
        } else if (went > 0) {
            went = write_plain(connection, connection->tls->piece, (size_t)rc);
        }
    }
    if (connection->client_ended && connection->to_plain.len == 0)
        shutdown(connection->plain_fd, SHUT_WR);
    return went < 0 ? -1 : 0;
}

static int pass_out(struct tls_connection *connection)
{
    int went = flush(connection, &connection->to_client, write_client);

    while (went > 0 && !connection->plain_ended) {
        ssize_t come = recv(connection->plain_fd, connection->tls->piece, PIECE, MSG_DONTWAIT);

        if (come < 0 && errno == EAGAIN)
            return 0;
        if (come <= 0)
            connection->plain_ended = true;
        else
            went = write_client(connection, connection->tls->piece, (size_t)come);
    }
    return went < 0 ? -1 : 0;
}

/* The server has ended its side: the client is sent the end, and gets a moment to read the rest. */
static void end_client_side(struct tls_connection *connection)
{
    struct tls *tls = connection->tls;

    if (connection->ends_ms == 0) {
        connection->ends_ms = uv_now(tls->loop) + TLS_LINGER_MS;
        if (!uv_is_active((uv_handle_t *)&tls->timer))
            uv_timer_start(&tls->timer, on_timer, TLS_LINGER_MS, TLS_LINGER_MS / 3);
    }
    if (connection->to_client.len > 0)
        return;
    ERR_clear_error();
    SSL_shutdown(connection->ssl);
    shutdown(connection->client_fd, SHUT_WR);
    if (connection->client_ended || !SSL_is_init_finished(connection->ssl))
        end(connection);
}

static void on_event(uv_poll_t *poll, int status, int events);

static void watch(struct tls_connection *connection)
{
    int client = 0, plain = 0;

    if (connection->to_plain.len == 0 && !connection->client_ended)
        client |= UV_READABLE;
    if (connection->to_client.len > 0 || connection->wants_write)
        client |= UV_WRITABLE;
    if (connection->to_client.len == 0 && !connection->plain_ended)
        plain |= UV_READABLE;
    if (connection->to_plain.len > 0)
        plain |= UV_WRITABLE;
    if (client)
        uv_poll_start(&connection->client, client, on_event);
    else
        uv_poll_stop(&connection->client);
    if (plain)
        uv_poll_start(&connection->plain, plain, on_event);
    else
        uv_poll_stop(&connection->plain);
}

static void pump(struct tls_connection *connection)
{
    int rc;

    connection->wants_write = false;
    if (!SSL_is_init_finished(connection->ssl)) {
        ERR_clear_error();
        rc = outcome(connection, SSL_do_handshake(connection->ssl));
        if (rc < 0) {
            end(connection);
            return;
        }
    }
    if (pass_in(connection) < 0 || pass_out(connection) < 0) {
        end(connection);
        return;
    }
    if (connection->plain_ended)
        end_client_side(connection);
    if (!connection->ended)
        watch(connection);
}

static void on_event(uv_poll_t *poll, int status, int events)
{
    struct tls_connection *connection = poll->data;

    (void)events;
    if (status < 0)
        end(connection);
    else
        pump(connection);
}

/* ---- the beginning ---- */

static in_port_t port_of(int fd, int (*name)(int, struct sockaddr *, socklen_t *))
{
    struct sockaddr_in address = {0};
    socklen_t len = sizeof address;

    return name(fd, (struct sockaddr *)&address, &len) < 0 ? 0 : address.sin_port;
}

/* The other end of fd; whoever else has connected to the inner socket is turned away. -1 if it has
 * not come. */
static int accept_own(const struct tls *tls, int fd)
{
    struct pollfd listener = {.fd = tls->listener, .events = POLLIN};
    int wait_ms = PAIR_WAIT_MS, other;

    for (int i = 0; i < 2 * LISTEN_PENDING && poll(&listener, 1, wait_ms) > 0; i++) {
        other = accept4(tls->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (other < 0 || port_of(other, getpeername) == port_of(fd, getsockname))
            return other;
        close(other);
        wait_ms = 0;
    }
    return -1;
}

/* A connection to ourselves. Its connect() does not wait: where others have filled the backlog,
 * nobody but this thread would ever empty it. Then the next try finds room. */
static int open_pair(const struct tls *tls, int pair[2])
{
    const struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = tls->port};
    const int on = 1;

    for (int i = 0; i < PAIR_TRIES; i++) {
        pair[0] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (pair[0] < 0)
            return -1;
        if (connect(pair[0], (const struct sockaddr *)&address, sizeof address) == 0 ||
            errno == EINPROGRESS)
            pair[1] = accept_own(tls, pair[0]);
        if (pair[1] >= 0) {
            setsockopt(pair[0], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            setsockopt(pair[1], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            return 0;
        }
        close(pair[0]);
        pair[0] = -1;
    }
    return -1;
}

static struct tls_connection *create(struct tls *tls, int fd, int plain_fd)
{
    struct tls_connection *connection = calloc(1, sizeof *connection);

    if (!connection)
        return NULL;
    connection->ssl = SSL_new(tls->context);
    if (!connection->ssl || SSL_set_fd(connection->ssl, fd) != 1) {
        SSL_free(connection->ssl);
        free(connection);
        return NULL;
    }
    SSL_set_accept_state(connection->ssl);
    connection->tls = tls;
    connection->client_fd = fd;
    connection->plain_fd = plain_fd;
    uv_poll_init(tls->loop, &connection->client, fd);
    uv_poll_init(tls->loop, &connection->plain, plain_fd);
    connection->client.data = connection->plain.data = connection;
    connection->open_handles = 2;
    LIST_INSERT_HEAD(&tls->connections, connection, link);
    tls->count++;
    return connection;
}

void tls_accept(struct tls *tls, int fd)
{
    struct tls_connection *connection = NULL;
    int pair[2] = {-1, -1};

    refresh(tls);
    if (tls->count < TLS_CONNECTIONS_CAP && open_pair(tls, pair) == 0)
        connection = create(tls, fd, pair[0]);
    if (!connection) {
        log_warning("tls", "a connection could not be taken");
        for (size_t i = 0; i < 2; i++)
            if (pair[i] >= 0)
                close(pair[i]);
        close(fd);
        return;
    }
    tls->on_connection(tls->user, pair[1], fd);
    watch(connection);
}

static int open_listener(struct tls *tls, struct error *err)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    tls->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (tls->listener < 0 ||
        bind(tls->listener, (const struct sockaddr *)&address, sizeof address) < 0 ||
        listen(tls->listener, LISTEN_PENDING) < 0)
        return error_errno(err, errno, "a loopback socket for TLS");
    tls->port = port_of(tls->listener, getsockname);
    return 0;
}

struct tls *tls_create(uv_loop_t *loop, const char *cert, const char *key,
                       void (*on_connection)(void *user, int plain_fd, int client_fd), void *user,
                       struct error *err)
{
    struct tls *tls = calloc(1, sizeof *tls);

    if (!tls) {
        error_set(err, ERROR_MEMORY, "out of memory for TLS");
        return NULL;
    }
    tls->loop = loop;
    tls->cert = cert;
    tls->key = key;
    tls->on_connection = on_connection;
    tls->user = user;
    tls->listener = -1;
    LIST_INIT(&tls->connections);
    uv_timer_init(loop, &tls->timer);
    tls->timer.data = tls;
    look(tls, tls->seen);
    if (read_files(tls, err) < 0 || open_listener(tls, err) < 0) {
        tls_destroy(tls);
        return NULL;
    }
    return tls;
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct tls *tls = handle->data;

    tls->timer_closed = true;
    free_tls(tls);
}

void tls_destroy(struct tls *tls)
{
    struct tls_connection *connection;

    if (!tls)
        return;
    tls->destroyed = true;
    LIST_FOREACH(connection, &tls->connections, link) end(connection);
    if (tls->listener >= 0)
        close(tls->listener);
    SSL_CTX_free(tls->context);
    uv_close((uv_handle_t *)&tls->timer, on_timer_closed);
}
