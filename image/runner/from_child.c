/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the interpreter may say to the runner. Untrusted: its type, its length, its order and its
 * content are checked, and of its words only what was taken apart and put together again goes on.
 */
#include <signal.h>
#include <string.h>

#include "image/runner/log_error.h"
#include "image/runner/run.h"
#include "image/runner/run_state.h"

#define REQUEST_HEAD  4u            /* the request's id */
#define PNG_BEGINNING "iVBORw0KGgo" /* base64 of the eight bytes that each PNG begins with */

const struct frame_reader_rule child_frames[] = {
    {FRAME_READY, 2, FRAME_STATUS_CAP, 0},
    {FRAME_PONG, 0, 0, 0},
    {FRAME_STARTED, 0, 0, 0},
    {FRAME_REQUEST, REQUEST_HEAD + sizeof "GET /" - 1, FRAME_REQUEST_CAP, 0},
    {FRAME_ARTIFACT, sizeof PNG_BEGINNING - 1, FRAME_ARTIFACT_CAP, 0},
    {FRAME_RESULT, 2, FRAME_RESULT_CAP, 0},
    {0},
};

static int take_ready(struct runner_run *run, const struct frame_reader_piece *piece)
{
    if (run->phase != PHASE_WARMING)
        return log_error("the interpreter is ready twice");
    if (run->options->session && !run->zygote) { /* it is: the server hears of its copies */
        run->phase = PHASE_WARMED;
        return 0;
    }
    if (run_send_text(run, FRAME_READY,
                      ready_write(piece->data, piece->data_len, run->child->landlock_abi,
                                  run->child->exec_once)) < 0)
        return -1;
    if (run->has_job)
        return run_hand_job_over(run);
    run_enter(run, PHASE_IDLE, 0);
    return 0;
}

/* A job may have come behind the ping. */
static int take_pong(struct runner_run *run, const struct frame_reader_piece *piece)
{
    (void)piece;
    if (!run->waiting_for_pong)
        return log_error("an answer to no ping");
    run->waiting_for_pong = false;
    return run_send(run, FRAME_PONG, "", 0);
}

static int take_started(struct runner_run *run, const struct frame_reader_piece *piece)
{
    (void)piece;
    if (run->phase != PHASE_IMPORTING)
        return log_error("the interpreter started what it was not given");
    run->started = run_now();
    run->rest = run->started + OUTPUT_REST_MS;
    run->artifacts = 0;
    run_enter(run, PHASE_RUNNING, run->job.timeout_ms);
    return run_send(run, FRAME_STARTED, "", 0);
}

static bool is_target(const unsigned char *text, size_t len)
{
    if (len < 5 || memcmp(text, "GET /", 5) != 0)
        return false;
    for (size_t i = 4; i < len; i++) {
        if (text[i] <= ' ' || text[i] > '~')
            return false;
    }
    return true;
}

static int take_request(struct runner_run *run, const struct frame_reader_piece *piece)
{
    const unsigned char *data = piece->data;
    uint32_t id = (uint32_t)data[0] << 24 | (uint32_t)data[1] << 16 | (uint32_t)data[2] << 8 |
                  (uint32_t)data[3];

    if (run->phase == PHASE_ASKED || run->phase == PHASE_ENDING)
        return 0;
    if (run->phase != PHASE_RUNNING)
        return log_error("a request outside a run");
    if (run->waiting_for_answer || id <= run->last_request)
        return log_error("request %u before the answer to %u", id, run->last_request);
    if (!is_target(data + REQUEST_HEAD, piece->data_len - REQUEST_HEAD))
        return log_error("request %u is no GET of a path in plain ASCII", id);
    run->last_request = id;
    run->waiting_for_answer = true;
    return run_send(run, FRAME_REQUEST, data, piece->data_len);
}

/* Whole groups of four of the alphabet, padded in the last one alone. What the letters stand for is
 * the code's own making. */
static bool is_base64(const unsigned char *text, size_t len)
{
    size_t padding = 0;

    if (len == 0 || len % 4 != 0)
        return false;
    while (padding < 2 && text[len - 1 - padding] == '=')
        padding++;
    for (size_t i = 0; i < len - padding; i++) {
        unsigned char c = text[i];

        if (!((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
              c == '+' || c == '/'))
            return false;
    }
    return true;
}

static int take_artifact(struct runner_run *run, const struct frame_reader_piece *piece)
{
    static const char beginning[] = PNG_BEGINNING;

    if (run->phase == PHASE_ASKED || run->phase == PHASE_ENDING)
        return 0;
    if (run->phase != PHASE_RUNNING || run->result)
        return log_error("a figure outside a run");
    if (run->artifacts == FRAME_ARTIFACTS_MAX)
        return log_error("more than %u figures", FRAME_ARTIFACTS_MAX);
    if (memcmp(piece->data, beginning, sizeof beginning - 1) != 0 ||
        !is_base64(piece->data, piece->data_len))
        return log_error("a figure that is no PNG in base64");
    run->artifacts++;
    return run_send(run, FRAME_ARTIFACT, piece->data, piece->data_len);
}

static int take_result(struct runner_run *run, const struct frame_reader_piece *piece)
{
    if (run->result)
        return log_error("a second result");
    if (run->phase != PHASE_IMPORTING && run->phase != PHASE_RUNNING && run->phase != PHASE_ASKED)
        return run->phase == PHASE_ENDING ? 0 : log_error("a result without a job");
    run->result = result_write(piece->data, piece->data_len, &run->facts);
    if (!run->result)
        return -1;
    run_stop_clock(run);
    run->out.drained = run->out.fd < 0;
    run->err.drained = run->err.fd < 0;
    if (run->phase == PHASE_IMPORTING && run->verdict == VERDICT_NONE)
        run->verdict = VERDICT_IMPORT;
    run_enter(run, PHASE_ENDING, ENDING_MS_MAX);
    return 0;
}

int run_take_from_child(struct runner_run *run, const struct frame_reader_piece *piece)
{
    static const struct {
        unsigned char type;
        int (*take)(struct runner_run *run, const struct frame_reader_piece *piece);
    } takers[] = {{FRAME_READY, take_ready},       {FRAME_PONG, take_pong},
                  {FRAME_STARTED, take_started},   {FRAME_REQUEST, take_request},
                  {FRAME_ARTIFACT, take_artifact}, {FRAME_RESULT, take_result}};

    for (size_t i = 0; i < sizeof takers / sizeof *takers; i++) {
        if (takers[i].type == piece->type)
            return takers[i].take(run, piece);
    }
    return -1;
}
