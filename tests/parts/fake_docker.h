/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A Docker daemon of a few hundred lines for tests of the engine, on a Unix socket of its own: its
 * containers are the boxes of fake_engine.h, and it misbehaves as it is told. It speaks just enough
 * HTTP for docker_daemon.c.
 */
#ifndef LECTERN_TESTS_FAKE_DOCKER_H
#define LECTERN_TESTS_FAKE_DOCKER_H

#include <stddef.h>

enum fake_docker_fault {
    DOCKER_WELL,
    DOCKER_REFUSES,     /* nobody listens */
    DOCKER_MUTE,        /* takes the request and never answers */
    DOCKER_SLOW,        /* answers after FAKE_DOCKER_SLOW_MS */
    DOCKER_500,         /* "it is broken" */
    DOCKER_409,         /* "it is taken" */
    DOCKER_409_BEGUN,   /* "removal … is already in progress", and it never ends */
    DOCKER_404_PAGE,    /* no such thing in this API, in plain text */
    DOCKER_NO_SPACE,    /* 500: no space left on device */
    DOCKER_NO_QUOTA,    /* 400: NanoCPUs can not be set */
    DOCKER_NO_SECCOMP,  /* 400: it cannot run a custom seccomp profile */
    DOCKER_NO_HTTP,     /* something else is spoken there */
    DOCKER_NO_JSON,     /* a good answer that is none */
    DOCKER_CLOSES,      /* in the middle of the answer */
    DOCKER_DOES_SILENT, /* does what it is told, and never answers */
    DOCKER_BAD_HEADS,   /* an attached stream of no known form */
    DOCKER_STREAM_ENDS, /* an attached stream that ends with its start */
};

#define FAKE_DOCKER_SLOW_MS 50

struct fake_docker;

struct fake_docker *fake_docker_start(void);
void fake_docker_stop(struct fake_docker *docker); /* its containers end with it */

const char *fake_docker_host(const struct fake_docker *docker); /* "unix:///..." */

/* From now on, for requests whose first line holds where ("" for all): "POST /v1.41/containers/".
 */
void fake_docker_set(struct fake_docker *docker, enum fake_docker_fault fault, const char *where);
void fake_docker_set_info(struct fake_docker *docker, const char *json); /* borrowed */

size_t fake_docker_containers(struct fake_docker *docker);
/* Whether the last that was created was asked for with that text in its plan. */
int fake_docker_was_asked(struct fake_docker *docker, const char *text);

#endif
