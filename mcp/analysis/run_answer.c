/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/analysis/run_answer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/tool/tool.h"

/* Caps on what one answer spends on the other parts, in bytes; with what the executor keeps of the
 * output under TOOL_ANSWER_CAP. */
#define VALUE_SHOWN (16u << 10)
#define ERROR_SHOWN (8u << 10)

#define TAIL_SHARE 4 /* the end gets one part in so many of what is shown of an output */

/* One of the two outputs: its beginning and, if the executor cut it, its end. */
struct shown_output {
    const char *text;
    size_t len, head; /* where `cut` bytes are missing */
    uint64_t cut;
};

static struct shown_output stdout_of(const struct execution_result *result)
{
    return (struct shown_output){result->stdout_text, result->stdout_len, result->stdout_head,
                                 result->stdout_cut};
}

static struct shown_output stderr_of(const struct execution_result *result)
{
    return (struct shown_output){result->stderr_text, result->stderr_len, result->stderr_head,
                                 result->stderr_cut};
}

/* ---- in words, for a model ---- */

/* What was not shown of one: characters as far as all of it is here, else bytes. */
struct left_out {
    uint64_t count;
    const char *unit;
};

/* What follows the error's own text; NULL: that says it all. */
static const char *const advice[EXECUTION_STATUS_COUNT] = {
    [EXECUTION_TIMEOUT] = "Running it again as it is will end the same way: look at fewer nodes at "
                          "once, avoid nested loops over all pairs, or ask query_graph.",
    [EXECUTION_MEMORY] = "Running it again as it is will end the same way: keep counts instead of "
                         "copies, and go node by node with get_node_content.",
    [EXECUTION_OUTPUT] = "Print sums and a few rows, not everything.",
    [EXECUTION_CRASH] = "Running it again as it is will likely end the same way.",
    [EXECUTION_ENGINE] = "Nothing is wrong with the code: the same call may go through later.",
    [EXECUTION_DISAGREEMENT] = "What to do: write that line in another way and send the code "
                               "again; as it is it will be refused again.",
};

static void add_line_end(struct buf *to)
{
    if (to->len > 0 && to->data[to->len - 1] != '\n')
        buf_addc(to, '\n');
}

/* 1234567 as "1,234,567". */
static const char *grouped(uint64_t number, char text[32])
{
    char digits[24];
    size_t len = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, number), at = 0;

    for (size_t i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}

/* Appends at most cap bytes of text; returns how many were left out. */
static size_t add_text(struct buf *to, const char *text, size_t len, size_t cap)
{
    size_t shown = utf8_cut(text, len, cap);

    buf_add(to, text, shown);
    add_line_end(to);
    return len - shown;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Where of the text what is shown of its beginning ends, and what is shown of its end begins. */
static void choose(const struct shown_output *output, size_t most, size_t *first_end,
                   size_t *last_begin)
{
    size_t behind = output->cut > 0 ? output->head : 0; /* search for the end after it */
    size_t head_count = utf8_count(output->text, output->cut > 0 ? output->head : output->len);
    size_t tail_len = output->len - behind;
    size_t tail_count = utf8_count(output->text + behind, tail_len);
    size_t last = least(most / TAIL_SHARE, tail_count);
    size_t first = least(most - last, head_count);

    last = least(most - first, tail_count); /* a short beginning leaves it more */
    *first_end = utf8_offset(output->text, output->len, first);
    *last_begin = behind + utf8_offset(output->text + behind, tail_len, tail_count - last);
}

/* Appends the shown part of an output, at most this many characters. */
static struct left_out add_output(struct buf *to, const struct shown_output *output, size_t most)
{
    struct left_out left_out = {0, "characters"};
    size_t first_end, last_begin;
    char number[32];

    if (output->cut == 0 && utf8_count(output->text, output->len) <= most) {
        add_text(to, output->text, output->len, output->len);
        return left_out;
    }
    choose(output, most, &first_end, &last_begin);
    left_out.count = utf8_count(output->text + first_end, last_begin - first_end);
    if (output->cut > 0) {
        left_out.count = last_begin - first_end + output->cut;
        left_out.unit = "bytes";
    }
    add_text(to, output->text, first_end, first_end);
    buf_addf(to, "... %s %s left out ...\n", grouped(left_out.count, number), left_out.unit);
    add_text(to, output->text + last_begin, output->len - last_begin, output->len - last_begin);
    return left_out;
}

static bool is_blank(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (!strchr(" \t\r\n", text[i]) || text[i] == '\0')
            return false;
    }
    return true;
}

/* Figures as they came, as far as one answer may carry them; returns how many it does not. */
static size_t add_images(const struct execution_result *result, struct tool_call *call)
{
    size_t left_out = 0;

    for (size_t i = 0; i < result->artifact_count; i++) {
        const struct execution_artifact *figure = &result->artifacts[i];

        if (tool_call_add_image(call, figure->mime, figure->base64, figure->len) < 0)
            left_out++;
    }
    return left_out;
}

/* most: characters of it in one answer. */
static void write_left_out(struct buf *to, const struct left_out *left_out, const char *what,
                           size_t most)
{
    char number[32], cap[32];

    if (left_out->count > 0)
        buf_addf(to, ", %s %s of %s left out: print at most %s characters in a call",
                 grouped(left_out->count, number), left_out->unit, what, grouped(most, cap));
}

static void write_figures(struct buf *to, const struct tool_call *call, size_t left_out)
{
    if (call->image_count > 0)
        buf_addf(to, ", %zu figure%s", call->image_count, call->image_count == 1 ? "" : "s");
    if (left_out > 0)
        buf_addf(to, ", %zu more left out: make fewer or smaller ones", left_out);
}

bool run_answer_shows_value(const struct execution_result *result)
{
    return result->value && (!result->value_bound || result->stdout_len == 0);
}

void run_answer_write(const struct execution_result *result, const struct run_answer_limits *limits,
                      struct tool_call *call)
{
    const struct shown_output out = stdout_of(result), err = stderr_of(result);
    struct left_out out_left, err_left = {0}, value_left = {0, "bytes"};
    enum execution_status status = result->status;
    struct buf *to = &call->text;
    size_t images_left;

    out_left = add_output(to, &out, limits->stdout_characters);
    if (run_answer_shows_value(result))
        value_left.count = add_text(to, result->value, strlen(result->value), VALUE_SHOWN);
    if (!is_blank(err.text, err.len)) {
        buf_adds(to, "[stderr]\n");
        err_left = add_output(to, &err, limits->stderr_characters);
    }
    if (result->error)
        add_text(to, result->error, strlen(result->error), ERROR_SHOWN);
    if (advice[status])
        buf_addf(to, "%s\n", advice[status]);
    if (status == EXECUTION_BUSY)
        buf_addf(to, "Nothing ran. Send it again in %u s.\n", limits->retry_after_s);
    images_left = add_images(result, call);
    if (status == EXECUTION_OK && to->len == 0 && result->artifact_count == 0)
        buf_adds(to, "The code ran and printed nothing; print() what you want to see.\n");
    buf_addf(to, "[%s, %.3f s", status == EXECUTION_OK ? "ok" : execution_status_name(status),
             result->seconds);
    if (result->exit_code != 0 && status == EXECUTION_RUNTIME)
        buf_addf(to, ", exit code %d", result->exit_code);
    write_figures(to, call, images_left);
    write_left_out(to, &out_left, "output", limits->stdout_characters);
    write_left_out(to, &err_left, "stderr", limits->stderr_characters);
    write_left_out(to, &value_left, "the value", VALUE_SHOWN);
    if (limits->timeout_cut_to > 0)
        buf_addf(to, ", timeout_seconds limited to %ld", limits->timeout_cut_to);
    buf_addc(to, ']');
}

/* ---- whole, as text and as JSON ---- */

static void add_whole(struct buf *to, const struct shown_output *output)
{
    size_t head = output->cut > 0 ? output->head : output->len;

    buf_add(to, output->text, head);
    if (output->cut == 0)
        return;
    if (head > 0 && output->text[head - 1] != '\n')
        buf_addc(to, '\n');
    buf_addf(to, "... %" PRIu64 " bytes left out ...\n", output->cut);
    buf_add(to, output->text + head, output->len - head);
}

void run_add_stdout(const struct execution_result *result, struct buf *to)
{
    const struct shown_output out = stdout_of(result);

    add_whole(to, &out);
}

void run_add_stderr(const struct execution_result *result, struct buf *to)
{
    const struct shown_output err = stderr_of(result);

    add_whole(to, &err);
}

static void add_or_null(struct buf *to, const char *text)
{
    if (text)
        json_write_string(to, text, strlen(text));
    else
        buf_adds(to, "null");
}

void run_json_texts(const struct execution_result *result, struct buf *to)
{
    struct buf BUF_AUTO out = {0}, BUF_AUTO err = {0};

    run_add_stdout(result, &out);
    run_add_stderr(result, &err);
    buf_adds(to, "\"stdout\":");
    json_write_string(to, out.data ? out.data : "", out.len);
    buf_adds(to, ",\"stderr\":");
    json_write_string(to, err.data ? err.data : "", err.len);
    buf_adds(to, ",\"result\":");
    add_or_null(to, result->value);
    buf_adds(to, ",\"error\":");
    add_or_null(to, result->error);
}

void run_json_refused(const char *why, size_t len, struct buf *to)
{
    buf_adds(to, "\"stdout\":\"\",\"stderr\":\"\",\"result\":null,\"error\":");
    json_write_string(to, why, len);
}

void run_json_failure(const struct failure *failure, struct buf *to)
{
    buf_adds(to, ",\"error_info\":");
    failure_write(failure, NULL, to);
}

void run_json_artifacts(const struct execution_result *result, struct buf *to)
{
    buf_addc(to, '[');
    for (size_t i = 0; i < result->artifact_count; i++) {
        const struct execution_artifact *figure = &result->artifacts[i];

        buf_addf(to, "%s{\"mime\":", i > 0 ? "," : "");
        json_write_string(to, figure->mime, strlen(figure->mime));
        buf_adds(to, ",\"base64\":");
        json_write_string(to, figure->base64, figure->len);
        buf_addc(to, '}');
    }
    buf_addc(to, ']');
}
