/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A Docker daemon's HTTP API, as far as the executor needs it: in the version that the daemon
 * offers, over a Unix socket or TCP, with TLS or without. Podman speaks the same.
 *
 * The daemon is there or away. A call that gets no answer makes it away; from then on nothing is
 * asked of it until it has been met again, which every start tries: who is there, in which version,
 * is the image there, which limits can it hold. That it went and that it is back is logged once
 * each.
 *
 * Any thread, several at a time. Everything blocks for a bounded time; while one thread meets the
 * daemon, others wait for the outcome.
 */
#ifndef LECTERN_EXECUTOR_DOCKER_DAEMON_H
#define LECTERN_EXECUTOR_DOCKER_DAEMON_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "executor/docker/docker_plan.h"
#include "executor/runner.h"
#include "helpers/base/http.h"

/* Most ms that each may take. */
struct docker_times {
    unsigned call;
    unsigned ping; /* to see whether it is there */
    unsigned look; /* to ask what it has, and what it is */
};

#define DOCKER_ID_CAP 128

struct docker_daemon;

/* host: its address, or NULL: as DOCKER_HOST, DOCKER_TLS_VERIFY and DOCKER_CERT_PATH say, or where
 * daemons usually listen (the system's, rootless, Docker Desktop, Podman). times NULL: the usual.
 * image: borrowed for the daemon's life; NULL where it is never met. Asks nobody. ERROR_INVALID
 * where the host cannot be meant. */
struct docker_daemon *docker_daemon_create(const char *host, const char *image,
                                           const struct docker_times *times, struct error *err);
void docker_daemon_destroy(struct docker_daemon *daemon); /* takes NULL */

/* As it was given: "tcp://127.0.0.1:2376". */
const char *docker_daemon_address(const struct docker_daemon *daemon);

/* Asks which daemon it is and which version of the API it offers; later calls speak that. -1 with
 * ERROR_UNAVAILABLE and what fixes it where none answers in time. */
int docker_hello(struct docker_daemon *daemon, struct error *err);

/* What it said: "Docker/20.10.24 (linux), API 1.41". */
void docker_daemon_server(struct docker_daemon *daemon, char *text, size_t size);

/* 0 when it is there. Where it was away, looks for it: *again is set in the one call that has found
 * it. Where that failed and took long, the same error answers for as long again, at once. quiet:
 * logs nothing of its being away. */
int docker_daemon_meet(struct docker_daemon *daemon, bool quiet, bool *again, struct error *err);
bool docker_daemon_is_here(struct docker_daemon *daemon);

/* What it said when it was last met; of one that never was, that all limits hold. */
void docker_daemon_info(struct docker_daemon *daemon, struct docker_info *info);

/* Asks what it can. -1 where it does not say: then *info has all limits. */
int docker_ask_info(struct docker_daemon *daemon, struct docker_info *info, struct error *err);

struct docker_request {
    const char *method;
    const char *path;   /* begins behind the version: "/containers/create?name=x" */
    const json_t *body; /* or NULL; borrowed */
    unsigned ms;        /* most that it may take; 0: as docker_times says */
    bool look;          /* that of a look, not of a call */
    const struct cancel *cancel;
};

/* Returns the answer's status and, where answer is not NULL and there is a body, that in *answer
 * (owned, else NULL); the plain text of a failure becomes {"message": text}. -1 where no answer
 * came, or a good one that is no JSON though JSON is asked for: the daemon is away then. */
long docker_call(struct docker_daemon *daemon, const struct docker_request *request,
                 json_t **answer, struct error *err);

/* What the daemon said of an answer that is an error, and what fixes it: always -1 with
 * ERROR_UNAVAILABLE. what: "create a container". */
int docker_refused(long status, const json_t *answer, const char *what, struct error *err);

struct docker_image {
    char id[DOCKER_ID_CAP]; /* "sha256:..." */
    char created[48];       /* "2026-11-21T11:10:39.123Z" */
};

/* The image as it is now. -1 with ERROR_UNAVAILABLE, and what fixes it, where the daemon does not
 * have it. */
int docker_find_image(struct docker_daemon *daemon, struct docker_image *image, struct error *err);

/* The container's standard streams as one connection; docker_demux takes apart what comes. */
struct http_tunnel *docker_attach(struct docker_daemon *daemon, const char *container,
                                  const struct cancel *cancel, struct error *err);

/* What a Docker daemon sends on it: pieces with a head of 8 bytes (stream, 0, 0, 0, length
 * big-endian), however they are cut. */
struct docker_demux {
    unsigned char head[8];
    size_t head_len;
    uint32_t left;                /* of the piece under way */
    struct runner_stderr *errors; /* takes what is not standard output; borrowed */
};

/* Of len bytes, leaves those of standard output at the front and returns their number; -1 for a
 * stream that is none. */
ssize_t docker_demux(struct docker_demux *demux, char *bytes, size_t len);

#endif
