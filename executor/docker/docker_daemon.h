/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The HTTP API of a Docker daemon, as far as the executor needs it: in the version that the daemon
 * offers, over a Unix socket or TCP, with or without TLS. Podman offers the same API.
 *
 * The daemon is either available or away. A call without an answer marks it as away; then no call
 * is sent until docker_daemon_check succeeds, which every start tries. It checks the daemon, its
 * API version, the image, and the limits it supports. Each change between the two states is logged
 * once.
 *
 * Any thread may call these functions, several at the same time. Each blocks for a limited time.
 * While one thread checks the daemon, the others wait for its result.
 */
#ifndef LECTERN_EXECUTOR_DOCKER_DAEMON_H
#define LECTERN_EXECUTOR_DOCKER_DAEMON_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "executor/docker/docker_plan.h"
#include "executor/runner.h"
#include "helpers/base/http.h"

/* Time limits, in ms. */
struct docker_times {
    unsigned call;
    unsigned ping; /* to check whether it is available */
    unsigned look; /* to read its properties */
};

#define DOCKER_ID_CAP 128

struct docker_daemon;

/* Creates the client without sending anything. host is the daemon's address, or NULL: DOCKER_HOST,
 * DOCKER_TLS_VERIFY and DOCKER_CERT_PATH, or else the usual sockets (the system's, rootless, Docker
 * Desktop, Podman). times NULL: the defaults. image is borrowed for the daemon's life; NULL if
 * docker_daemon_check is never called. Returns NULL with ERROR_INVALID if the host is not valid. */
struct docker_daemon *docker_daemon_create(const char *host, const char *image,
                                           const struct docker_times *times, struct error *err);
void docker_daemon_destroy(struct docker_daemon *daemon); /* takes NULL */

/* As configured: "tcp://127.0.0.1:2376". */
const char *docker_daemon_address(const struct docker_daemon *daemon);

/* Asks which daemon it is and which API version it offers; later calls use that version. Returns -1
 * with ERROR_UNAVAILABLE and how to fix it if there is no answer in time. */
int docker_hello(struct docker_daemon *daemon, struct error *err);

/* Writes its description: "Docker/20.10.24 (linux), API 1.41". */
void docker_daemon_server(struct docker_daemon *daemon, char *text, size_t size);

/* Returns 0 if the daemon is available. If it was away, it is checked again, and *again is set in
 * the one call that finds it. After a check that failed slowly, calls fail at once with the same
 * error for as long as the check took. quiet: do not log that it is away. */
int docker_daemon_check(struct docker_daemon *daemon, bool quiet, bool *again, struct error *err);
bool docker_daemon_is_here(struct docker_daemon *daemon);

/* What the daemon reported when it last answered; before that, all limits are assumed. */
void docker_daemon_info(struct docker_daemon *daemon, struct docker_info *info);

/* Asks for its properties. Returns -1 if there is no answer; then *info has all limits. */
int docker_ask_info(struct docker_daemon *daemon, struct docker_info *info, struct error *err);

struct docker_request {
    const char *method;
    const char *path;   /* without the version: "/containers/create?name=x" */
    const json_t *body; /* or NULL; borrowed */
    unsigned ms;        /* time limit; 0: that of docker_times */
    bool look;          /* use the time limit "look" instead of "call" */
    const struct cancel *cancel;
};

/* Returns the status of the answer. If answer is not NULL, *answer is its body (owned), or NULL
 * without one; a plain-text error becomes {"message": text}. Returns -1 if there is no answer, or a
 * successful one that should be JSON and is not; then the daemon counts as away. */
long docker_call(struct docker_daemon *daemon, const struct docker_request *request,
                 json_t **answer, struct error *err);

/* Sets ERROR_UNAVAILABLE with the daemon's error message and how to fix it, and returns -1. what:
 * "create a container". */
int docker_refused(long status, const json_t *answer, const char *what, struct error *err);

struct docker_image {
    char id[DOCKER_ID_CAP]; /* "sha256:..." */
    char created[48];       /* "2026-11-21T11:10:39.123Z" */
};

/* Finds the current image. Returns -1 with ERROR_UNAVAILABLE and how to fix it if the daemon does
 * not have it. */
int docker_find_image(struct docker_daemon *daemon, struct docker_image *image, struct error *err);

/* Opens one connection to the container's standard streams; docker_demux separates them. */
struct http_tunnel *docker_attach(struct docker_daemon *daemon, const char *container,
                                  const struct cancel *cancel, struct error *err);

/* The parser of that connection: pieces with a head of 8 bytes (stream, 0, 0, 0, length
 * big-endian), received in parts of any size. */
struct docker_demux {
    unsigned char head[8];
    size_t head_len;
    uint32_t left;                /* bytes left of the current piece */
    struct runner_stderr *errors; /* receives what is not standard output; borrowed */
};

/* Moves the bytes of standard output to the front of bytes and returns their number; -1 if the
 * stream is malformed. */
ssize_t docker_demux(struct docker_demux *demux, char *bytes, size_t len);

#endif
