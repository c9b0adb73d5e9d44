/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where a Docker daemon is, and with which certificates it is spoken to: as given, as DOCKER_HOST,
 * DOCKER_TLS_VERIFY and DOCKER_CERT_PATH say, or where daemons usually listen (the system's,
 * rootless, Docker Desktop, Podman). Nobody is asked.
 */
#ifndef LECTERN_EXECUTOR_DOCKER_HOST_H
#define LECTERN_EXECUTOR_DOCKER_HOST_H

#include <stdbool.h>

#include "helpers/base/error.h"
#include "helpers/base/http.h"

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

/* given may be NULL. ERROR_INVALID for what is no address. */
int docker_host_find(struct docker_host *host, const char *given, struct error *err);

/* What to do where that host does not answer: "start it: systemctl start docker"; static. */
const char *docker_host_advice(const struct docker_host *host);

#endif
