/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "image/runner/output.h"

#include <errno.h>
#include <unistd.h>

#include "image/runner/run.h"
#include "image/runner/run_state.h"

/* What Python says while it warms goes where the runner's own messages go. */
static void pass_on_warm(struct runner_run *run, struct output *output, size_t len)
{
    size_t room = output->bytes < WARM_STDERR_CAP ? WARM_STDERR_CAP - output->bytes : 0;

    output->bytes += len;
    if (output == &run->err && room > 0)
        (void)!write(STDERR_FILENO, run->chunk, len < room ? len : room);
}

static int pass_on(struct runner_run *run, struct output *output, size_t len)
{
    uint64_t room = output->cap - output->sent;
    size_t kept = len < room ? len : (size_t)room;

    output->bytes += len;
    output->sent += kept;
    if (kept > 0 && run_send(run, output->type, run->chunk, kept) < 0)
        return -1;
    tail_feed(&output->tail, run->chunk + kept, len - kept);
    if (run->out.bytes + run->err.bytes > run->job.output_limit)
        run_end(run, VERDICT_OUTPUT);
    return 0;
}

void output_close(struct output *output)
{
    if (output->fd >= 0)
        close(output->fd);
    output->fd = -1;
    output->drained = true;
}

int output_read(struct runner_run *run, struct output *output)
{
    ssize_t got = read(output->fd, run->chunk, sizeof run->chunk);

    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        output->drained = errno == EAGAIN;
        return 0;
    }
    if (got <= 0) {
        output_close(output);
        return 0;
    }
    run->rest = run_now() + OUTPUT_REST_MS;
    if (!run->started && !run->result) {
        pass_on_warm(run, output, (size_t)got);
        return 0;
    }
    return pass_on(run, output, (size_t)got);
}

int output_drain(struct runner_run *run, struct output *output)
{
    while (output->fd >= 0 && !output->drained && run->to_server.len < OUTSIDE_HIGH_WATER) {
        if (output_read(run, output) < 0)
            return -1;
    }
    return 0;
}

void output_forget_warm(struct runner_run *run)
{
    run->out.bytes = run->err.bytes = 0;
}

int output_send_tail(struct runner_run *run, const struct output *output)
{
    size_t len = tail_len(&output->tail);

    if (len == 0)
        return 0;
    tail_copy(&output->tail, run->chunk);
    return run_send(run, output->tail_type, run->chunk, len);
}

uint64_t output_cut(const struct output *output)
{
    return output->bytes - output->sent - tail_len(&output->tail);
}
