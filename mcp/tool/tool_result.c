/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The result of a call as MCP's CallToolResult: a text, the images after it, and why it failed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/tool/tool.h"

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

void tool_call_free_images(struct tool_call *call)
{
    for (size_t i = 0; i < call->image_count; i++)
        free(call->images[i].base64);
    call->image_count = 0;
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
    buf_adds(to, ",\"_meta\":{\"lectern/error\":");
    failure_write(failure, call->tool->name, to);
    buf_addc(to, '}');
}

void tool_call_result(const struct tool_call *call, struct buf *to)
{
    bool failed = tool_call_category(call) != FAILURE_NONE;
    const struct buf *text = &call->text;

    buf_adds(to, "{\"content\":[{\"type\":\"text\",\"text\":");
    if (text->failed)
        buf_addf(to, "\"The answer is larger than its cap of %zu bytes; ask for less at once.\"",
                 text->cap);
    else
        json_write_string(to, text->data ? text->data : "", text->len);
    buf_addc(to, '}');
    for (size_t i = 0; i < call->image_count; i++) {
        const struct tool_image *image = &call->images[i];

        buf_adds(to, ",{\"type\":\"image\",\"data\":");
        json_write_string(to, image->base64, image->len);
        buf_adds(to, ",\"mimeType\":");
        json_write_string(to, image->mime, strlen(image->mime));
        buf_addc(to, '}');
    }
    buf_addf(to, "],\"isError\":%s", failed ? "true" : "false");
    if (failed)
        add_failure(call, to);
    buf_addc(to, '}');
}
