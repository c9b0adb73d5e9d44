/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One container of the Docker engine, from its creation to its removal, and its stream.
 */
#include "executor/docker/docker_engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "executor/demux.h"
#include "executor/stderr_tail.h"
#include "helpers/base/log.h"

struct engine_box {
    char name[DOCKER_NAME_CAP];
    struct http_tunnel *tunnel;
    struct docker_plan plan;
    struct demux demux;
    struct stderr_tail tail;
    char line[3 * STDERR_TAIL_KEPT + 1];
};

/* ---- starting ---- */

static void on_stderr(void *user, const char *bytes, size_t len)
{
    struct engine_box *box = user;

    log_debug("executor", "runner: %.*s", (int)(len < LOG_LINE_CAP ? len : LOG_LINE_CAP), bytes);
    stderr_tail_add(&box->tail, bytes, len);
}

/* *doubtful: the daemon may have created it all the same. */
static int create_container(struct docker *docker, const struct engine_box *box, bool *doubtful,
                            struct error *err)
{
    json_t *plan = docker_plan_create(&box->plan, err);
    char path[DOCKER_NAME_CAP + 64];
    /* Never cancelled: a daemon whose client leaves creates the container all the same, and knows
     * no such name when it is told at once to remove it. */
    const struct docker_request request = {.method = "POST", .path = path, .body = plan};
    json_t *answer = NULL;
    long status;
    int rc = 0;

    if (!plan)
        return -1;
    snprintf(path, sizeof path, "/containers/create?name=%s", box->name);
    status = docker_daemon_call(docker->daemon, &request, &answer, err);
    *doubtful = status < 0;
    if (status < 0)
        rc = -1;
    else if (status == 404)
        rc = error_set(err, ERROR_UNAVAILABLE, "the image %s is not there: make image",
                       docker_daemon_image_name(docker->daemon));
    else if (status != 201)
        rc = docker_refused(status, answer, "create a container", err);
    if (status >= 400)
        docker_learn_limits(docker, json_get_string(answer, "message"));
    json_decref(answer);
    json_decref(plan);
    return rc;
}

static int start_container(struct docker *docker, const struct engine_box *box, struct error *err)
{
    char path[DOCKER_NAME_CAP + 64];
    const struct docker_request request = {.method = "POST", .path = path, .cancel = docker->stop};
    json_t *answer;
    long status;
    int rc = 0;

    snprintf(path, sizeof path, "/containers/%s/start", box->name);
    status = docker_daemon_call(docker->daemon, &request, &answer, err);
    if (status < 0)
        rc = -1;
    else if (status >= 300)
        rc = docker_refused(status, answer, "start a container", err);
    if (status >= 400)
        docker_learn_limits(docker, json_get_string(answer, "message"));
    json_decref(answer);
    return rc;
}

static struct engine_box *create_box(struct docker *docker, struct error *err)
{
    struct engine_box *box = calloc(1, sizeof *box);
    const char *apart = strrchr(docker->owner, '/') + 1;

    if (!box) {
        error_set(err, ERROR_MEMORY, "out of memory for a sandbox");
        return NULL;
    }
    box->demux.on_stderr = on_stderr;
    box->demux.user = box;
    pthread_mutex_lock(&docker->lock);
    snprintf(box->name, sizeof box->name, "lectern-%s-%lu", apart, ++docker->started);
    pthread_mutex_unlock(&docker->lock);
    return box;
}

struct engine_box *docker_start(void *state, const struct execution_kind *kind, struct error *err)
{
    struct docker *docker = state;
    struct engine_box *box;
    bool doubtful = false;

    if (cancel_check(docker->stop, err) < 0 || docker_meet(docker, false, err) < 0)
        return NULL;
    docker_removals_retry(docker->removals);
    box = create_box(docker, err);
    if (!box)
        return NULL;
    docker_plan_box(docker, kind, &box->plan);
    if (create_container(docker, box, &doubtful, err) < 0)
        goto fail;
    box->tunnel = docker_daemon_attach(docker->daemon, box->name, docker->stop, err);
    if (!box->tunnel || start_container(docker, box, err) < 0)
        goto fail;
    return box;
fail:
    http_tunnel_close(box->tunnel);
    docker_removals_remove(docker->removals, box->name, doubtful, cancel_fired(docker->stop));
    free(box);
    return NULL;
}

int docker_settle(void *state, struct engine_box *box, struct error *err)
{
    struct docker *docker = state;
    char path[DOCKER_NAME_CAP + 64];
    struct docker_request request = {.method = "POST", .path = path, .cancel = docker->stop};
    json_t *plan, *answer = NULL;
    long status;
    int rc = 0;

    if (!docker_plan_settles(&box->plan))
        return 0;
    plan = docker_plan_settle(&box->plan.limits, err);
    if (!plan)
        return -1;
    request.body = plan;
    snprintf(path, sizeof path, "/containers/%s/update", box->name);
    status = docker_daemon_call(docker->daemon, &request, &answer, err);
    if (status < 0)
        rc = -1;
    else if (status >= 300)
        rc = docker_refused(status, answer, "limit a container's CPU", err);
    /* This one goes, unless no container can have that limit. */
    if (status >= 300 && docker_cannot_update(docker, status, answer) && docker->no_quota)
        rc = 0;
    json_decref(answer);
    json_decref(plan);
    return rc;
}

void docker_destroy(void *state, struct engine_box *box)
{
    struct docker *docker = state;

    /* The connection first: a daemon whose reader has stopped reading cannot even kill the
     * container. */
    http_tunnel_close(box->tunnel);
    docker_removals_remove(docker->removals, box->name, false, cancel_fired(docker->stop));
    free(box);
}

/* ---- the stream ---- */

int docker_fd(const struct engine_box *box)
{
    return http_tunnel_fd(box->tunnel);
}

ssize_t docker_send(struct engine_box *box, const void *bytes, size_t len)
{
    return http_tunnel_send(box->tunnel, bytes, len);
}

ssize_t docker_receive(struct engine_box *box, void *bytes, size_t size)
{
    for (;;) {
        ssize_t got = http_tunnel_receive(box->tunnel, bytes, size);

        if (got <= 0)
            return got;
        got = demux_take(&box->demux, bytes, (size_t)got);
        if (got < 0) {
            static const char words[] = "the stream from the Docker daemon is none of its form\n";

            stderr_tail_add(&box->tail, words, sizeof words - 1);
            errno = EPROTO;
        }
        if (got != 0)
            return got;
    }
}

const char *docker_stderr_tail(struct engine_box *box)
{
    return stderr_tail_line(&box->tail, box->line);
}
