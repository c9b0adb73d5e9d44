/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the server may say to the runner: one job, the answers to requests, an end,
 * and before the job whether the interpreter is alive. An error
 * here is a bug of the server's, and ends the runner.
 */
#include <string.h>

#include "image/runner/log_error.h"
#include "image/runner/run.h"
#include "image/runner/run_state.h"

#define ANSWER_HEAD 6u /* request id and status, in front of an answer's body */

const struct frame_reader_rule server_frames[] = {
    {FRAME_JOB, 2, FRAME_JOB_CAP, 0},
    {FRAME_ANSWER, ANSWER_HEAD, FRAME_ANSWER_CAP, ANSWER_HEAD},
    {FRAME_PING, 0, 0, 0},
    {0},
};

static int take_job(struct runner_run *run, const struct frame_reader_piece *piece)
{
    if (run->has_job)
        return log_error("a second job");
    if (run->options->session && run->phase != PHASE_IDLE)
        return log_error("a job before the interpreter is ready");
    if (job_read(&run->job, piece->data, piece->data_len) < 0)
        return -1;
    run->has_job = true;
    run->unanswered = 0;
    run->out.cap = run->job.stdout_cap;
    run->err.cap = run->job.stderr_cap;
    run->out.tail.cap = run->err.tail.cap = run->job.tail_cap;
    if (queue_add_frame(&run->to_child, FRAME_JOB, piece->data, piece->data_len) < 0)
        return log_error("no room for the job");
    return run->phase == PHASE_IDLE ? run_hand_job_over(run) : 0;
}

static int take_answer(struct runner_run *run, const struct frame_reader_piece *piece)
{
    unsigned char head[FRAME_HEAD_SIZE];

    if (piece->first) {
        const unsigned char *data = piece->data;
        uint32_t id = (uint32_t)data[0] << 24 | (uint32_t)data[1] << 16 | (uint32_t)data[2] << 8 |
                      (uint32_t)data[3];

        /* It was on its way when its run ended. */
        if (!run->has_job && id == run->unanswered) {
            run->unanswered = 0;
            return 0;
        }
        if (!run->waiting_for_answer || id != run->last_request)
            return log_error("an answer to request %u, which nobody waits for", id);
        run->waiting_for_answer = false;
        run->answering = run->phase == PHASE_RUNNING;
        if (!run->answering)
            return 0;
        frame_pack(head, FRAME_ANSWER, piece->len);
        if (queue_add(&run->to_child, head, sizeof head) < 0)
            return log_error("no room for an answer");
    }
    if (run->answering && queue_add(&run->to_child, piece->data, piece->data_len) < 0)
        return log_error("no room for an answer");
    return 0;
}

/* On to the interpreter: that it answers is what the server wants to know. */
static int take_ping(struct runner_run *run, const struct frame_reader_piece *piece)
{
    (void)piece;
    if (run->phase != PHASE_IDLE)
        return log_error("a ping where none waits for a job");
    if (run->waiting_for_pong)
        return log_error("a ping before the answer to the last");
    if (queue_add_frame(&run->to_child, FRAME_PING, "", 0) < 0)
        return log_error("no room for a ping");
    run->waiting_for_pong = true;
    return 0;
}

int run_take_from_server(struct runner_run *run, const struct frame_reader_piece *piece)
{
    static const struct {
        unsigned char type;
        int (*take)(struct runner_run *run, const struct frame_reader_piece *piece);
    } takers[] = {{FRAME_JOB, take_job}, {FRAME_ANSWER, take_answer}, {FRAME_PING, take_ping}};

    for (size_t i = 0; i < sizeof takers / sizeof *takers; i++) {
        if (takers[i].type == piece->type)
            return takers[i].take(run, piece);
    }
    return -1;
}
