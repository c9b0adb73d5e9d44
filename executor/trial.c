/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/trial.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>

#include "executor/sandbox.h"
#include "helpers/base/clock.h"
#include "helpers/base/json.h"

#define TRIAL_MS 30000 /* as long as the executor waits for a sandbox to become warm */

static int read_report(const struct frame *frame, struct trial *trial, struct error *err)
{
    json_auto_t *ready = NULL;

    if (frame->type != FRAME_READY)
        return error_set(err, ERROR_MALFORMED, "the sandbox began with a frame '%c'", frame->type);
    if (sandbox_check_ready(frame, err) < 0)
        return -1;
    ready = json_read(frame->payload, frame->len, "the sandbox's report", err);
    snprintf(trial->python, sizeof trial->python, "%s", json_get_string(ready, "python"));
    trial->landlock_abi = (int)json_integer_value(json_object_get(ready, "landlock_abi"));
    trial->exec_once = json_is_true(json_object_get(ready, "exec_once"));
    return 0;
}

/* Returns -1 with errno 0 at the end of the stream, and with ETIMEDOUT if nothing came in time. */
static ssize_t receive(const struct engine *engine, struct engine_box *box, char *bytes,
                       size_t size, int64_t until)
{
    for (;;) {
        struct pollfd waiting = {.fd = engine->fd(box), .events = POLLIN};
        ssize_t got = engine->receive(box, bytes, size);
        int64_t left = until - clock_ms();

        if (got > 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            return got;
        errno = got == 0 ? 0 : ETIMEDOUT;
        if (got == 0 || left <= 0)
            return -1;
        poll(&waiting, 1, (int)left);
    }
}

static int wait_ready(const struct engine *engine, struct engine_box *box, struct trial *trial,
                      struct error *err)
{
    int64_t began = clock_ms();
    struct frame_decoder decoder;
    char bytes[FRAME_STATUS_CAP];
    enum frame_decoded done = FRAME_MORE;
    struct frame frame;
    int rc = -1;

    frame_decoder_init(&decoder, frames_from_runner);
    while (done == FRAME_MORE) {
        ssize_t got = receive(engine, box, bytes, sizeof bytes, began + TRIAL_MS);
        const char *at = bytes;
        size_t len = got > 0 ? (size_t)got : 0;

        if (got < 0) {
            const char *words = errno == ETIMEDOUT ? "" : engine->stderr_tail(box);

            error_set(err, ERROR_UNAVAILABLE, "a trial sandbox was not ready%s%s",
                      words[0]             ? ": "
                      : errno == ETIMEDOUT ? " in time"
                                           : "",
                      words);
            break;
        }
        done = frame_decode(&decoder, &at, &len, &frame);
    }
    trial->ms = (unsigned)(clock_ms() - began);
    if (done == FRAME_COMPLETE)
        rc = read_report(&frame, trial, err);
    else if (done == FRAME_BREACH)
        error_set(err, ERROR_MALFORMED, "a trial sandbox sent no frames: %s", decoder.fault);
    frame_decoder_finish(&decoder);
    return rc;
}

int trial_run(const struct engine *engine, void *state, struct trial *trial, struct error *err)
{
    struct engine_box *box = engine->start(state, &execution_kinds[kind_index("bare")], err);
    int rc;

    *trial = (struct trial){.landlock_abi = 0};
    if (!box)
        return -1;
    rc = wait_ready(engine, box, trial, err);
    engine->destroy(state, box);
    return rc;
}
