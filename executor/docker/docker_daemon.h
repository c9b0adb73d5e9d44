/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The daemon as the engine knows it: there or away. A call that gets no answer makes it away; from
 * then on nothing is asked of it until it has been met again, which every start tries: who is
 * there, in which version, is the image there, which limits can it hold. That it went and that it
 * is back is logged once each.
 *
 * Any thread. Everything blocks for a bounded time; while one thread meets it, others wait for the
 * outcome.
 */
#ifndef LECTERN_EXECUTOR_DOCKER_DAEMON_H
#define LECTERN_EXECUTOR_DOCKER_DAEMON_H

#include "executor/docker/docker_api.h"
#include "executor/docker/docker_info.h"

#define DOCKER_IMAGE_CAP 256

struct docker_daemon;

/* Asks nobody. ERROR_INVALID where host or image cannot be meant. */
struct docker_daemon *docker_daemon_create(const char *host, const char *image,
                                           const struct docker_times *times, struct error *err);
void docker_daemon_destroy(struct docker_daemon *daemon); /* takes NULL */

/* 0 when it is there. Where it was away, looks for it: *again is set in the one call that has found
 * it. Where that failed and took long, the same error answers for as long again, at once. quiet:
 * logs nothing of its being away. */
int docker_daemon_meet(struct docker_daemon *daemon, bool quiet, bool *again, struct error *err);
bool docker_daemon_is_here(struct docker_daemon *daemon);

/* As docker_call; no answer means that it is away. */
long docker_daemon_call(struct docker_daemon *daemon, const struct docker_request *request,
                        json_t **answer, struct error *err);
struct http_tunnel *docker_daemon_attach(struct docker_daemon *daemon, const char *container,
                                         const struct cancel *cancel, struct error *err);

/* The image's id now. */
int docker_daemon_image(struct docker_daemon *daemon, char id[DOCKER_ID_CAP], struct error *err);

const char *docker_daemon_image_name(const struct docker_daemon *daemon);
const struct docker_host *docker_daemon_host(const struct docker_daemon *daemon);

/* What it said when it was last met; of one that never was, that all limits hold. */
void docker_daemon_info(struct docker_daemon *daemon, struct docker_info *info);
void docker_daemon_server(struct docker_daemon *daemon, char *text, size_t size);

#endif
