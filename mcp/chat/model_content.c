/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a message amounts to: its content as it is sent back, and its tokens.
 */
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/chat/json_mend.h"
#include "mcp/chat/model_message.h"

int64_t model_usage_input(const struct model_usage *usage)
{
    return usage->input + usage->cache_write + usage->cache_read;
}

void model_usage_add(struct model_usage *sum, const struct model_usage *more)
{
    sum->input += more->input;
    sum->cache_write += more->cache_write;
    sum->cache_read += more->cache_read;
    sum->output += more->output;
}

static bool is_blank(const struct buf *text)
{
    return text->len == 0 || strspn(text->data, " \t\r\n") == text->len;
}

static json_t *text_of(const struct buf *text)
{
    return json_stringn(text->data ? text->data : "", text->len);
}

/* A call's input: what streamed in, else what its beginning had. *broken: it is no object. */
static json_t *input_of(const struct model_block *block, bool *broken)
{
    BUF_AUTO struct buf mended = {0};
    json_t *input = json_object_get(block->value, "input"), *read;

    *broken = false;
    if (is_blank(&block->text))
        return json_is_object(input) ? json_incref(input) : json_object();
    json_mend(block->text.data, block->text.len, &mended, NULL);
    if (mended.failed)
        return NULL;
    read = json_read(mended.data, mended.len, "a tool call's input", NULL);
    *broken = !json_is_object(read);
    if (!*broken)
        return read;
    json_decref(read);
    return json_object();
}

/* The block with what streamed into it; a new reference, NULL without memory. */
static json_t *block_value(const struct model_block *block, bool *broken)
{
    json_t *value = json_object();
    int rc = json_object_update(value, block->value); /* json_copy would lose members in silence */

    *broken = false;
    switch (block->kind) {
    case MODEL_BLOCK_TEXT:
        rc |= json_object_set_new(value, "text", text_of(&block->text));
        break;
    case MODEL_BLOCK_THINKING:
        rc |= json_object_set_new(value, "thinking", text_of(&block->text));
        if (block->signature.len > 0)
            rc |= json_object_set_new(value, "signature", text_of(&block->signature));
        break;
    case MODEL_BLOCK_CALL:
        rc |= json_object_set_new(value, "input", input_of(block, broken));
        break;
    case MODEL_BLOCK_OTHER:
        break;
    }
    if (rc == 0)
        return value;
    json_decref(value);
    return NULL;
}

static bool is_signed(const struct model_block *block)
{
    const char *signature = json_get_string(block->value, "signature");

    return block->signature.len > 0 || (signature && *signature);
}

/* cut: the message did not end. */
static bool is_kept(const struct model_block *block, bool cut)
{
    if (block->kind == MODEL_BLOCK_TEXT)
        return !is_blank(&block->text);
    if (!block->ended || block->lacks)
        return false;
    return !cut || block->kind != MODEL_BLOCK_THINKING || is_signed(block);
}

/* Appends the block to content, and its id to broken where it belongs there. */
static int add_block(const struct model_block *block, json_t *content, json_t *broken)
{
    bool is_broken;
    json_t *value = block_value(block, &is_broken);
    json_t *id = json_object_get(value, "id");

    if (json_array_append_new(content, value) < 0)
        return -1;
    return is_broken && broken && id ? json_array_append(broken, id) : 0;
}

json_t *model_message_content(const struct model_message *message, bool partial, json_t *broken)
{
    json_t *content;

    if (!message->ended && !partial)
        return NULL;
    content = json_array();
    for (size_t i = 0; content && i < message->block_count; i++) {
        if (!is_kept(&message->blocks[i], !message->ended) ||
            add_block(&message->blocks[i], content, broken) == 0)
            continue;
        json_decref(content);
        content = NULL;
    }
    return content;
}
