/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A Docker daemon's HTTP API, as far as the executor needs it: one call and its answer, in the
 * version that the daemon offers, over a Unix socket or TCP (with TLS as DOCKER_TLS_VERIFY and
 * DOCKER_CERT_PATH say). Podman speaks the same.
 *
 * Calls block; any thread may make them, several at a time.
 */
#ifndef LECTERN_EXECUTOR_DOCKER_API_H
#define LECTERN_EXECUTOR_DOCKER_API_H

#include "helpers/base/http.h"
#include "helpers/base/json.h"

#define DOCKER_CALL_MS     30000u
#define DOCKER_PING_MS     3000u
#define DOCKER_CLIENTS_CAP 8u                 /* connections kept open */
#define DOCKER_ANSWER_CAP  ((size_t)16 << 20) /* a list of very many containers */

struct docker_api;

/* host: "unix:///var/run/docker.sock", "tcp://127.0.0.1:2375"; NULL: DOCKER_HOST, else where
 * daemons usually listen. Asks the daemon; NULL with ERROR_UNAVAILABLE where none answers. */
struct docker_api *docker_api_create(const char *host, struct error *err);
void docker_api_destroy(struct docker_api *api); /* takes NULL */

const char *docker_api_host(const struct docker_api *api);
const char *docker_api_version(const struct docker_api *api); /* "1.41" */
const char *docker_api_server(const struct docker_api *api);  /* "Docker/20.10.24 (linux)", or "" */

/* path begins behind the version: "/containers/create?name=x". body: NULL, or JSON to send
 * (borrowed). Returns the answer's status and, where answer is not NULL and the body is JSON, that
 * in *answer (owned, else NULL); -1 where no answer came. */
long docker_call(struct docker_api *api, const char *method, const char *path, const json_t *body,
                 const struct cancel *cancel, json_t **answer, struct error *err);

/* What the daemon said of an answer that is an error: always -1. what: "create a container". */
int docker_refused(long status, const json_t *answer, const char *what, struct error *err);

/* -1 with ERROR_UNAVAILABLE, and what mends it, where the daemon does not have the image. */
int docker_check_image(struct docker_api *api, const char *image, struct error *err);

/* The container's standard streams as one connection. */
struct http_tunnel *docker_attach(struct docker_api *api, const char *container,
                                  const struct cancel *cancel, struct error *err);

#endif
