/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/transport/http/tls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <openssl/err.h>
#include <openssl/ssl.h>

#include "helpers/base/log.h"

/* Of TLS 1.2, those with forward secrecy and authenticated encryption (RFC 9325, 4.2); all of TLS
 * 1.3 have both. */
#define CIPHERS_1_2 "ECDHE+AESGCM:ECDHE+CHACHA20"

struct tls {
    const uv_loop_t *loop;
    const char *cert, *key;
    SSL_CTX *context;
    struct stat seen[2];
    uint64_t checked_ms;
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

/* ---- a client ---- */

/* Like the result of a system call: rc if it is positive; -1 with EAGAIN; 0 at the end. */
static ssize_t outcome(const SSL *client, int rc)
{
    int error = rc > 0 ? SSL_ERROR_NONE : SSL_get_error(client, rc);

    if (error == SSL_ERROR_NONE)
        return rc;
    if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE)
        return 0;
    errno = EAGAIN;
    return -1;
}

ssize_t tls_client_read(struct ssl_st *client, char *bytes, size_t len)
{
    ERR_clear_error();
    return outcome(client, SSL_read(client, bytes, (int)len));
}

ssize_t tls_client_write(struct ssl_st *client, const char *bytes, size_t len)
{
    ssize_t sent;

    ERR_clear_error();
    sent = outcome(client, SSL_write(client, bytes, (int)len));
    if (sent != 0)
        return sent;
    errno = EPIPE;
    return -1;
}

bool tls_client_holds_input(const struct ssl_st *client)
{
    return SSL_has_pending(client);
}

bool tls_client_wants_write(const struct ssl_st *client)
{
    return SSL_want(client) == SSL_WRITING;
}

void tls_client_end(struct ssl_st *client)
{
    ERR_clear_error();
    if (SSL_is_init_finished(client))
        SSL_shutdown(client);
}

struct ssl_st *tls_client_create(struct tls *tls, int fd)
{
    SSL *client;

    refresh(tls);
    client = SSL_new(tls->context);
    if (!client)
        return NULL;
    if (SSL_set_fd(client, fd) != 1) {
        SSL_free(client);
        return NULL;
    }
    SSL_set_accept_state(client);
    return client;
}

void tls_client_destroy(struct ssl_st *client)
{
    SSL_free(client);
}

/* ---- life ---- */

struct tls *tls_create(const uv_loop_t *loop, const char *cert, const char *key, struct error *err)
{
    struct tls *tls = calloc(1, sizeof *tls);

    if (!tls) {
        error_set(err, ERROR_MEMORY, "out of memory for TLS");
        return NULL;
    }
    tls->loop = loop;
    tls->cert = cert;
    tls->key = key;
    look(tls, tls->seen);
    if (read_files(tls, err) < 0) {
        tls_destroy(tls);
        return NULL;
    }
    return tls;
}

void tls_destroy(struct tls *tls)
{
    if (!tls)
        return;
    SSL_CTX_free(tls->context);
    free(tls);
}
