/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tool/run_json.h"

#include <inttypes.h>
#include <string.h>

#include "helpers/base/json.h"

static void add_output(struct buf *to, const char *text, size_t len, size_t head, uint64_t cut)
{
    if (cut == 0)
        head = len;
    buf_add(to, text, head);
    if (cut == 0)
        return;
    if (head > 0 && text[head - 1] != '\n')
        buf_addc(to, '\n');
    buf_addf(to, "... %" PRIu64 " bytes left out ...\n", cut);
    buf_add(to, text + head, len - head);
}

void run_add_stdout(const struct execution_result *result, struct buf *to)
{
    add_output(to, result->stdout_text, result->stdout_len, result->stdout_head,
               result->stdout_cut);
}

void run_add_stderr(const struct execution_result *result, struct buf *to)
{
    add_output(to, result->stderr_text, result->stderr_len, result->stderr_head,
               result->stderr_cut);
}

static void add_text(struct buf *to, const char *text)
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
    add_text(to, result->value);
    buf_adds(to, ",\"error\":");
    add_text(to, result->error);
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
