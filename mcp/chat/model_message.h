/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One answer of a model as it streams in: the events of the Anthropic Messages API ("Streaming
 * messages") put together to the assistant's message, in the API's own form, so that it can be sent
 * back unmodified (thinking and its signatures included). A listener
 * hears of it on the way. Unknown events, deltas and blocks are skipped or kept as they are; an
 * error event, a block that never ended and an end without message_stop are failures. Pure, any
 * thread.
 */
#ifndef LECTERN_CHAT_MODEL_MESSAGE_H
#define LECTERN_CHAT_MODEL_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"

#define MODEL_BLOCKS_CAP  1024u             /* content blocks of one message */
#define MODEL_MESSAGE_CAP ((size_t)4 << 20) /* bytes of text, thinking and tool input in it */
#define MODEL_ID_MAX      127u              /* bytes of a message's and of a call's id */
#define MODEL_NAME_MAX    127u              /* bytes of a tool's name */
#define MODEL_ERROR_MAX   511u              /* bytes kept of what a service says went wrong */

enum model_stop {                     /* the API's stop_reason */
                  MODEL_STOP_UNKNOWN, /* one that this program does not know: ends, and is logged */
                  MODEL_STOP_END_TURN,
                  MODEL_STOP_SEQUENCE,
                  MODEL_STOP_TOOL_USE,
                  MODEL_STOP_MAX_TOKENS,
                  MODEL_STOP_PAUSE_TURN,
                  MODEL_STOP_REFUSAL,
                  MODEL_STOP_CONTEXT_WINDOW,
};
const char *model_stop_name(enum model_stop stop); /* static */

/* Tokens, as the API counts them. message_delta's are cumulative: the last one counts. */
struct model_usage {
    int64_t input;       /* after the last cache mark */
    int64_t cache_write; /* cache_creation_input_tokens */
    int64_t cache_read;  /* cache_read_input_tokens */
    int64_t output;
};
int64_t model_usage_input(const struct model_usage *usage); /* all three together */
void model_usage_add(struct model_usage *sum, const struct model_usage *more);

/* What is reported, or asked, on the way; each may be NULL. Blocks are numbered from 0 as they
 * begin, the numbers of model_message.blocks. Texts are borrowed and never empty; a delta is whole
 * characters of UTF-8 (a cut one waits for its rest). Blocks of other kinds are not reported. */
struct model_listener {
    void (*on_text_begin)(void *user, size_t block);
    void (*on_text)(void *user, size_t block, const char *text, size_t len);
    void (*on_thinking_begin)(void *user, size_t block);
    void (*on_thinking)(void *user, size_t block, const char *text, size_t len);
    void (*on_call_begin)(void *user, size_t block, const char *id, const char *name);
    void (*on_call_arguments)(void *user, size_t block, const char *json, size_t len);
    void (*on_block_end)(void *user, size_t block);
    /* Whether an earlier message has a call of that id. */
    bool (*is_taken)(void *user, const char *id);
};

enum model_block_kind {
    MODEL_BLOCK_OTHER,
    MODEL_BLOCK_TEXT,
    MODEL_BLOCK_THINKING,
    MODEL_BLOCK_CALL
};

struct model_block {
    enum model_block_kind kind; /* a call may be one that the service makes itself */
    bool notified;              /* to the listener, which then hears of its end */
    bool ended;
    bool lacks;       /* of a type not known here: something streamed into it that was not kept */
    json_int_t index; /* the service's own */
    json_t *value;    /* owned; the block as it will be sent back, without what still streams */
    struct buf text;  /* text, thinking or partial_json so far */
    struct buf signature; /* of thinking */
    unsigned high;        /* first half of a character whose second is to come; 0: none */
};

struct model_message {
    char id[MODEL_ID_MAX + 1];
    char model[MODEL_NAME_MAX + 1]; /* that answers, as it says */
    enum model_stop stop;
    json_t *stop_details; /* owned, or NULL: {"category", "explanation"} of a refusal */
    struct model_usage usage;
    bool began, ended; /* message_start, message_stop came */
    size_t events;     /* that came, unknown ones and pings included */
    struct model_block blocks[MODEL_BLOCKS_CAP];
    size_t block_count;
    size_t bytes; /* in the blocks */
    /* Of an "error" event, as the service says it, cut: its words are not ours, and escaped where
     * they are shown (model_errors.h). */
    char error_type[MODEL_NAME_MAX + 1];
    char error_message[MODEL_ERROR_MAX + 1];
};

void model_message_init(struct model_message *message);
void model_message_finish(struct model_message *message);

/* One event; data is NUL-terminated. -1: the message cannot be had any more: ERROR_MALFORMED,
 * ERROR_TOO_LARGE, ERROR_MEMORY, or what an error event says (model_refusal_describe). */
int model_message_event(struct model_message *message, const struct model_listener *listener,
                        void *user, const char *name, const char *data, size_t len,
                        struct error *err);

/* The content, an array of blocks, a new reference; NULL without memory, and where the message did
 * not end unless partial. partial: what had come of a message that was cut: blocks that ended, and
 * of the last one its text; no call whose block did not end, no thinking without its signature.
 * Text blocks of white space alone are left out, for the service refuses them when they are sent
 * back, and so are blocks of unknown types that came in pieces; those that came whole are kept,
 * since an answer that paused goes back as it is. So the array may be empty. A call's id is one
 * that no other call has: the service's own, or made of it, since a service refuses a history where
 * an id comes twice. A call whose input is not JSON object gets {}, and its id is appended to
 * broken, an array, or NULL. */
json_t *model_message_content(const struct model_message *message, bool partial, json_t *broken);

#endif
