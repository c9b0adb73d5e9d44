/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tool/run_answer.h"

#include <string.h>

#include "helpers/base/utf8.h"

/* Caps on what one answer spends on each part, in bytes; together under TOOL_ANSWER_CAP. */
#define STDOUT_SHOWN (48u << 10)
#define STDERR_SHOWN (8u << 10)
#define VALUE_SHOWN  (16u << 10)
#define ERROR_SHOWN  (8u << 10)

static const struct {
    enum tool_category category;
    const char *advice; /* behind the error's own text; NULL: that says it all */
} outcomes[] = {
    [EXECUTION_OK] = {TOOL_ERROR_NONE, NULL},
    [EXECUTION_RUNTIME] = {TOOL_ERROR_RUNTIME, NULL},
    [EXECUTION_TIMEOUT] = {TOOL_ERROR_TIMEOUT, "Running it again as it is will end the same way: "
                                               "look at fewer nodes at once, avoid nested "
                                               "loops over all pairs, or ask query_graph."},
    [EXECUTION_MEMORY] =
        {TOOL_ERROR_MEMORY,
         "Running it again as it is will end the same way: keep counts instead of copies, and go "
         "node by node with get_node_content."},
    [EXECUTION_OUTPUT] = {TOOL_ERROR_OUTPUT, "Print sums and a few rows, not everything."},
    [EXECUTION_CANCELLED] = {TOOL_ERROR_CANCELLED, NULL},
    [EXECUTION_CRASH] = {TOOL_ERROR_RUNTIME,
                         "Running it again as it is will likely end the same way."},
    [EXECUTION_BUSY] = {TOOL_ERROR_BUSY, "Nothing ran. Send it again in a few seconds."},
    [EXECUTION_ENGINE] = {TOOL_ERROR_ENGINE,
                          "Nothing is wrong with the code: the same call may go through later."},
    [EXECUTION_DISAGREEMENT] = {TOOL_ERROR_VALIDATION,
                                "What to do: write that line in another way and send the code "
                                "again; as it is it will be refused again."},
};

static void add_line_end(struct buf *to)
{
    if (to->len > 0 && to->data[to->len - 1] != '\n')
        buf_addc(to, '\n');
}

/* Appends at most cap bytes of text; returns how many were left out. */
static size_t add_text(struct buf *to, const char *text, size_t len, size_t cap)
{
    size_t shown = utf8_cut(text, len, cap);

    buf_add(to, text, shown);
    add_line_end(to);
    return len - shown;
}

static void say_cut(struct buf *to, const char *what, uint64_t bytes)
{
    if (bytes > 0)
        buf_addf(to, ", %llu bytes of %s left out: print less, or in parts",
                 (unsigned long long)bytes, what);
}

enum tool_category run_answer_write(const struct execution_result *result, struct buf *to)
{
    enum execution_status status = result->status;
    uint64_t out_cut = result->stdout_cut, err_cut = result->stderr_cut, value_cut = 0;

    out_cut += add_text(to, result->stdout_text, result->stdout_len, STDOUT_SHOWN);
    if (result->value)
        value_cut = add_text(to, result->value, strlen(result->value), VALUE_SHOWN);
    if (result->stderr_len > 0) {
        buf_adds(to, "[stderr]\n");
        err_cut += add_text(to, result->stderr_text, result->stderr_len, STDERR_SHOWN);
    }
    if (result->error)
        add_text(to, result->error, strlen(result->error), ERROR_SHOWN);
    if (outcomes[status].advice)
        buf_addf(to, "%s\n", outcomes[status].advice);
    if (status == EXECUTION_OK && to->len == 0)
        buf_adds(to, "The code ran and printed nothing; print() what you want to see.\n");
    buf_addf(to, "[%s, %.3f s", status == EXECUTION_OK ? "ok" : execution_status_name(status),
             result->seconds);
    if (result->exit_code != 0 && status == EXECUTION_RUNTIME)
        buf_addf(to, ", exit code %d", result->exit_code);
    say_cut(to, "output", out_cut);
    say_cut(to, "stderr", err_cut);
    say_cut(to, "the value", value_cut);
    buf_addc(to, ']');
    return outcomes[status].category;
}
