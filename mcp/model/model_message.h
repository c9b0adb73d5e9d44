/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Assembles one streamed answer of a model: the events of the Anthropic Messages API ("Streaming
 * messages") become the assistant's message in the format of the API, so that it can be sent back
 * unmodified (including thinking and signatures). A listener is notified on the way. Unknown events
 * and deltas are skipped, unknown blocks are kept as they are. An error event, a block that does
 * not end and an end without message_stop are failures. Pure, any thread.
 */
#ifndef LECTERN_MODEL_MESSAGE_H
#define LECTERN_MODEL_MESSAGE_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"

#define MODEL_BLOCKS_CAP  1024u             /* content blocks of one message */
#define MODEL_MESSAGE_CAP ((size_t)4 << 20) /* bytes of text, thinking and tool input in it */
#define MODEL_ID_MAX      127u              /* bytes of the id of a message or a call */
#define MODEL_NAME_MAX    127u              /* bytes of a tool's name */
#define MODEL_ERROR_MAX   511u              /* bytes stored of a service's error message */

enum model_stop {                     /* the API's stop_reason */
                  MODEL_STOP_UNKNOWN, /* not known to this program: ends the run, and is logged */
                  MODEL_STOP_END_TURN,
                  MODEL_STOP_SEQUENCE,
                  MODEL_STOP_TOOL_USE,
                  MODEL_STOP_MAX_TOKENS,
                  MODEL_STOP_PAUSE_TURN,
                  MODEL_STOP_REFUSAL,
                  MODEL_STOP_CONTEXT_WINDOW,
};
const char *model_stop_name(enum model_stop stop); /* static */

/* Tokens as counted by the API. Those of message_delta are cumulative: the last one counts. */
struct model_usage {
    int64_t input;       /* after the last cache mark */
    int64_t cache_write; /* cache_creation_input_tokens */
    int64_t cache_read;  /* cache_read_input_tokens */
    int64_t output;
};
int64_t model_usage_input(const struct model_usage *usage); /* the first three together */
void model_usage_add(struct model_usage *sum, const struct model_usage *more);

/* Callbacks on the way; each may be NULL. Blocks are numbered from 0 in the order in which they
 * begin, as in model_message.blocks. Texts are borrowed and never empty. A delta consists of
 * complete UTF-8 characters (an incomplete one waits for its rest). Blocks of other kinds are not
 * reported. */
struct model_listener {
    void (*on_text_begin)(void *user, size_t block);
    void (*on_text)(void *user, size_t block, const char *text, size_t len);
    void (*on_thinking_begin)(void *user, size_t block);
    void (*on_thinking)(void *user, size_t block, const char *text, size_t len);
    void (*on_call_begin)(void *user, size_t block, const char *id, const char *name);
    void (*on_call_arguments)(void *user, size_t block, const char *json, size_t len);
    void (*on_block_end)(void *user, size_t block);
    /* Whether an earlier message has a call with this id. */
    bool (*is_taken)(void *user, const char *id);
};

enum model_block_kind {
    MODEL_BLOCK_OTHER,
    MODEL_BLOCK_TEXT,
    MODEL_BLOCK_THINKING,
    MODEL_BLOCK_CALL
};

struct model_block {
    enum model_block_kind kind; /* a call may be one that the service executes itself */
    bool notified;              /* the listener was notified of its begin, and will be of its end */
    bool ended;
    bool lacks;       /* of an unknown type, with streamed data that was not kept */
    json_int_t index; /* the service's own */
    json_t *value;    /* owned; the block as it will be sent back, without what is still streamed */
    struct buf text;  /* text, thinking or partial_json so far */
    struct buf signature; /* of thinking */
    unsigned high;        /* first half of a surrogate pair whose second half is missing; 0: none */
};

struct model_message {
    char id[MODEL_ID_MAX + 1];
    char model[MODEL_NAME_MAX + 1]; /* the model that answers, as the service reports it */
    enum model_stop stop;
    json_t *stop_details; /* owned, or NULL: {"category", "explanation"} of a refusal */
    struct model_usage usage;
    bool began, ended; /* message_start and message_stop arrived */
    size_t events;     /* including unknown ones and pings */
    struct model_block blocks[MODEL_BLOCKS_CAP];
    size_t block_count;
    size_t bytes; /* in the blocks */
    /* From an "error" event, cut. These are the service's words, and must be escaped where they are
     * displayed (model_errors.h). */
    char error_type[MODEL_NAME_MAX + 1];
    char error_message[MODEL_ERROR_MAX + 1];
};

void model_message_init(struct model_message *message);
void model_message_finish(struct model_message *message);

/* Handles one event; data is NUL-terminated. On -1 the message is lost: ERROR_MALFORMED,
 * ERROR_TOO_LARGE, ERROR_MEMORY, or the error of an error event (model_refusal_describe). */
int model_message_event(struct model_message *message, const struct model_listener *listener,
                        void *user, const char *name, const char *data, size_t len,
                        struct error *err);

/* The content as a new reference: an array of blocks, possibly empty. NULL without memory, or if
 * the message did not end and partial is false.
 *
 * partial: what arrived of an incomplete message: the blocks that ended, and the text of the last
 * one, but no call whose block did not end, and no thinking without its signature.
 *
 * Text blocks of only white space are omitted, because the service refuses them when they are sent
 * back, and so are unknown blocks that were streamed in pieces. Unknown blocks that arrived whole
 * are kept, because a paused answer must be sent back unmodified. Each call has a unique id, the
 * service's or one derived from it, because the service refuses a history with a duplicate id. A
 * call whose input is not a JSON object gets {}, and its id is appended to broken (an array, or
 * NULL). */
json_t *model_message_content(const struct model_message *message, bool partial, json_t *broken);

#endif
