/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A Docker daemon's HTTP API, as far as the executor needs it: one call and its answer, in the
 * version that the daemon offers, over a Unix socket or TCP, with TLS or without. Podman
 * speaks the same.
 *
 * Calls block, each for a bounded time; any thread may make them, several at a time.
 */
#ifndef LECTERN_EXECUTOR_DOCKER_API_H
#define LECTERN_EXECUTOR_DOCKER_API_H

#include <stdbool.h>

#include "helpers/base/http.h"
#include "helpers/base/json.h"

/* Where a Docker daemon is, and with which certificates it is spoken to: as given, as DOCKER_HOST,
 * DOCKER_TLS_VERIFY and DOCKER_CERT_PATH say, or where daemons usually listen (the system's,
 * rootless, Docker Desktop, Podman). Nobody is asked. */
#define DOCKER_HOST_CAP 512
#define DOCKER_PATH_CAP 1024

struct docker_host {
    char address[DOCKER_HOST_CAP];     /* as it was given: "tcp://127.0.0.1:2376" */
    char unix_socket[DOCKER_HOST_CAP]; /* its path; "" for TCP */
    char base[DOCKER_HOST_CAP];        /* what a URL begins with: "http://localhost" */
    bool secure;                       /* TLS */
    char ca[DOCKER_PATH_CAP], cert[DOCKER_PATH_CAP], key[DOCKER_PATH_CAP];
    struct http_tls tls; /* points to those of the three that are there: not to be copied */
};

/* Most ms that each may take. */
struct docker_times {
    unsigned call;
    unsigned ping; /* to see whether it is there */
    unsigned look; /* to ask what it has, and what it is */
};
extern const struct docker_times docker_times_usual;

#define DOCKER_CLIENTS_CAP 8u                 /* connections kept open */
#define DOCKER_ANSWER_CAP  ((size_t)16 << 20) /* a list of very many containers */
#define DOCKER_ID_CAP      128

struct docker_api;

/* host: an address, or NULL for where struct docker_host says; times NULL: the usual. Asks nobody:
 * docker_api_hello does. */
struct docker_api *docker_api_create(const char *host, const struct docker_times *times,
                                     struct error *err);
void docker_api_destroy(struct docker_api *api); /* takes NULL */

const struct docker_host *docker_api_host(const struct docker_api *api);
const struct docker_times *docker_api_times(const struct docker_api *api);

/* Asks which daemon it is and which version of the API it offers; later calls speak that. -1 with
 * ERROR_UNAVAILABLE and what fixes it where none answers in time. */
int docker_api_hello(struct docker_api *api, struct error *err);

/* What it said: "Docker/20.10.24 (linux), API 1.41". */
void docker_api_server(struct docker_api *api, char *text, size_t size);

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
 * came, or a good one that is no JSON though JSON is asked for. */
long docker_call(struct docker_api *api, const struct docker_request *request, json_t **answer,
                 struct error *err);

/* What the daemon said of an answer that is an error, and what fixes it: always -1 with
 * ERROR_UNAVAILABLE. what: "create a container". */
int docker_refused(long status, const json_t *answer, const char *what, struct error *err);

struct docker_image {
    char id[DOCKER_ID_CAP]; /* "sha256:..." */
    char created[48];       /* "2026-11-21T11:10:39.123Z" */
};

/* -1 with ERROR_UNAVAILABLE, and what fixes it, where the daemon does not have the image. */
int docker_find_image(struct docker_api *api, const char *name, struct docker_image *image,
                      struct error *err);

/* The container's standard streams as one connection. */
struct http_tunnel *docker_attach(struct docker_api *api, const char *container,
                                  const struct cancel *cancel, struct error *err);

#endif
