/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The result of a call as MCP writes it: a text, the images after it, and why it failed.
 */
#include "mcp/tool/tool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"

int tool_call_add_image(struct tool_call *call, const char *mime, const char *base64, size_t len)
{
    struct tool_image *image = &call->images[call->image_count];
    size_t used = 0;

    for (size_t i = 0; i < call->image_count; i++)
        used += call->images[i].len;
    if (call->image_count == TOOL_IMAGES_CAP || len > TOOL_IMAGE_BYTES - used ||
        strlen(mime) >= sizeof image->mime)
        return -1;
    image->base64 = malloc(len + 1);
    if (!image->base64)
        return -1;
    memcpy(image->base64, base64, len);
    image->base64[len] = '\0';
    image->len = len;
    snprintf(image->mime, sizeof image->mime, "%s", mime);
    call->image_count++;
    return 0;
}

enum failure_category tool_call_category(const struct tool_call *call)
{
    if (call->failure.category == FAILURE_NONE && call->text.failed)
        return FAILURE_OUTPUT;
    return call->failure.category;
}

static void add_failure(const struct tool_call *call, struct buf *to)
{
    struct failure too_large;
    const struct failure *failure = &call->failure;

    if (failure->category == FAILURE_NONE) {
        failure_of_size(&too_large, call->text.cap);
        failure = &too_large;
    }
    buf_adds(to, "\"lectern/error\":");
    failure_write(failure, call->tool->name, to);
}

/* Begins the next object of an array. */
static void next_part(struct buf *to, bool *some)
{
    if (*some)
        buf_addc(to, ',');
    *some = true;
}

static void write_text(const struct buf *text, struct buf *to)
{
    buf_adds(to, "{\"type\":\"text\",\"text\":");
    if (text->failed)
        buf_addf(to, "\"The answer is larger than its cap of %zu bytes; request less at once.\"",
                 text->cap);
    else
        json_write_string(to, text->data ? text->data : "", text->len);
    buf_addc(to, '}');
}

static void write_image(const struct tool_image *image, struct buf *to)
{
    buf_adds(to, "{\"type\":\"image\",\"data\":");
    json_write_string(to, image->base64, image->len);
    buf_adds(to, ",\"mimeType\":");
    json_write_string(to, image->mime, strlen(image->mime));
    buf_addc(to, '}');
}

void tool_call_result(const struct tool_call *call, const char *meta, struct buf *to)
{
    bool failed = tool_call_category(call) != FAILURE_NONE, some = false;
    const size_t parts = json_array_size(call->parts);

    buf_adds(to, "\"content\":[");
    if (failed || call->text.len > 0 || call->image_count + parts == 0) {
        next_part(to, &some);
        write_text(&call->text, to);
    }
    for (size_t i = 0; i < call->image_count; i++) {
        next_part(to, &some);
        write_image(&call->images[i], to);
    }
    for (size_t i = 0; i < parts; i++) {
        next_part(to, &some);
        json_write(to, json_array_get(call->parts, i));
    }
    buf_addf(to, "],\"isError\":%s", failed ? "true" : "false");
    if (!failed && !*meta)
        return;
    buf_addf(to, ",\"_meta\":{%s%s", meta, failed && *meta ? "," : "");
    if (failed)
        add_failure(call, to);
    buf_addc(to, '}');
}
