/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A tool of the conformance server as a row: what it tells its client meanwhile, what it asks, and
 * what it answers. No tool of these needs the store; all run on the loop.
 */
#ifndef LECTERN_TESTS_SCENE_H
#define LECTERN_TESTS_SCENE_H

#include "mcp/tool/arguments.h"
#include "mcp/tool/tool.h"

#define SCENE_STEPS_CAP  3u
#define SCENE_ROUNDS_CAP 2u

/* A red pixel, and two samples of silence: base64. */
#define SCENE_PNG                                                                                  \
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
#define SCENE_WAV "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQIAAACAgA=="

/* Content blocks, as the protocol writes them. */
#define SCENE_CONTENT(type, mime, data)                                                            \
    "{\"type\":\"" type "\",\"data\":\"" data "\",\"mimeType\":\"" mime "\"}"
#define SCENE_RESOURCE(uri, mime, text)                                                            \
    "{\"type\":\"resource\",\"resource\":{\"uri\":\"" uri "\",\"mimeType\":\"" mime                \
    "\",\"text\":\"" text "\"}}"

/* A question to the client, as the protocol writes it: members of scene.asks. */
#define SCENE_ELICIT(message, schema)                                                              \
    "{\"method\":\"elicitation/create\",\"params\":{\"message\":\"" message                        \
    "\",\"requestedSchema\":{\"type\":\"object\"," schema "}}}"
#define SCENE_TEXT_MEMBER(name)                                                                    \
    "\"properties\":{\"" name "\":{\"type\":\"string\"}},\"required\":[\"" name "\"]"
#define SCENE_SAMPLE(text, tokens)                                                                 \
    "{\"method\":\"sampling/createMessage\",\"params\":{\"messages\":[{\"role\":\"user\","         \
    "\"content\":{\"type\":\"text\",\"text\":\"" text "\"}}],\"maxTokens\":" tokens "}}"
#define SCENE_ROOTS "{\"method\":\"roots/list\",\"params\":{}}"

struct scene_step {
    unsigned after_ms; /* the step before */
    struct tool_note note;
    const char *log; /* the data of a note that is a log message */
};

struct scene {
    struct tool tool; /* first: the tool of a call is its scene */
    struct scene_step steps[SCENE_STEPS_CAP];
    size_t step_count;
    /* Asked one round after the other: JSON objects {key: question}. A text "$NAME" in one is the
     * argument of that name, in parts too. A round with an answer missing is asked again. */
    const char *asks[SCENE_ROUNDS_CAP];
    bool keeps;    /* the number of rounds asked is kept while it asks */
    bool declared; /* asks only what the client can be asked */
    bool fails;    /* the text says why */
    /* <$NAME> is an argument, <KEY/MEMBER...> a value in an answer; without it the last round is
     * asked again. */
    const char *text;
    const char *parts; /* JSON array of further content; or NULL */
};

int scene_start(struct tool_call *call, struct error *err);
void scene_stop(struct tool_call *call);

#define SCENE_TOOL_WITH(called, what, ...)                                                         \
    {                                                                                              \
        .name = (called), .title = (called), .description = (what), .call_title = (called),        \
        .icon = "ask", .use = "", .read_only = true, .start = scene_start, .stop = scene_stop,     \
        __VA_ARGS__                                                                                \
    }
#define SCENE_TOOL(called, what)                                                                   \
    SCENE_TOOL_WITH(called, what, .arguments = {.name = (called), .noun = "argument"})

#endif
