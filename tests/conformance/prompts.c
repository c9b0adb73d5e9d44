/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The prompts that the scenarios of @modelcontextprotocol/conformance get by name.
 */
#include "mcp/prompt/prompt.h"
#include "mcp/resource/resource.h"
#include "scene.h"

#define MESSAGE(content) "{\"role\":\"user\",\"content\":" content "}"
#define TEXT(text)       "{\"type\":\"text\",\"text\":\"" text "\"}"
#define REQUIRED(name)   FIELD(name, FIELD_TEXT, .required = true)

static const struct scene simple = {
    .tool = SCENE_TOOL("test_simple_prompt", "A prompt of one text"),
    .text = "This is a simple prompt for testing.",
};

static const struct scene with_arguments = {
    .tool = SCENE_TOOL_WITH(
        "test_prompt_with_arguments", "A prompt with two arguments",
        .arguments = ARGUMENTS("test_prompt_with_arguments", REQUIRED("arg1"), REQUIRED("arg2"))),
    .text = "Prompt with arguments: arg1='<$arg1>', arg2='<$arg2>'",
};

static const struct scene completion = {
    .tool = SCENE_TOOL_WITH("test_completion", "What an argument may be",
                            .arguments = COMPLETION_ARGUMENTS),
    .parts = "[\"paris\",\"park\",\"party\"]",
};

static const struct scene with_embedded_resource = {
    .tool = SCENE_TOOL_WITH(
        "test_prompt_with_embedded_resource", "A prompt with a resource in it",
        .arguments = ARGUMENTS("test_prompt_with_embedded_resource", REQUIRED("resourceUri"))),
    .parts = "[" MESSAGE(SCENE_RESOURCE(
        "$resourceUri", "text/plain",
        "Embedded resource content for testing.")) "," MESSAGE(TEXT("Please process the embedded "
                                                                    "resource above.")) "]",
};

static const struct scene with_image = {
    .tool = SCENE_TOOL("test_prompt_with_image", "A prompt with an image"),
    .parts = "[" MESSAGE(SCENE_CONTENT("image", "image/png", SCENE_PNG)) "," MESSAGE(
        TEXT("Please analyze the image above.")) "]",
};

static const struct scene input_required = {
    .tool = SCENE_TOOL("test_input_required_result_prompt", "A prompt that asks for its context"),
    .asks = {"{\"user_context\":" SCENE_ELICIT("What context should the prompt use?",
                                               SCENE_TEXT_MEMBER("context")) "}"},
    .text = "The context is <user_context/content/context>.",
};

#define PROMPT(scene)                                                                              \
    &(const struct prompt)                                                                         \
    {                                                                                              \
        .get = &(scene).tool                                                                       \
    }

const struct prompt *const prompts[] = {
    PROMPT(simple),
    &(const struct prompt){.get = &with_arguments.tool, .complete = &completion.tool},
    PROMPT(with_embedded_resource),
    PROMPT(with_image),
    PROMPT(input_required),
    NULL,
};
