/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The tools that the scenarios of @modelcontextprotocol/conformance call by name.
 */
#include "scene.h"

#define LOG(ms, text)                                                                              \
    {                                                                                              \
        .after_ms = (ms), .note = {.kind = TOOL_NOTE_LOG, .level = "info"}, .log = (text)          \
    }
#define PROGRESS(ms, done)                                                                         \
    {                                                                                              \
        .after_ms = (ms), .note = {.kind = TOOL_NOTE_PROGRESS, .progress = (done), .total = 100 }  \
    }

/* ---- contents ---- */

static const struct scene simple_text = {
    .tool = SCENE_TOOL("test_simple_text", "Answers with one text"),
    .text = "This is a simple text response for testing.",
};

static const struct scene image_content = {
    .tool = SCENE_TOOL("test_image_content", "Answers with an image"),
    .parts = "[" SCENE_CONTENT("image", "image/png", SCENE_PNG) "]",
};

static const struct scene audio_content = {
    .tool = SCENE_TOOL("test_audio_content", "Answers with a sound"),
    .parts = "[" SCENE_CONTENT("audio", "audio/wav", SCENE_WAV) "]",
};

static const struct scene embedded_resource = {
    .tool = SCENE_TOOL("test_embedded_resource", "Answers with a resource"),
    .parts = "[" SCENE_RESOURCE("test://embedded-resource", "text/plain",
                                "This is an embedded resource content.") "]",
};

static const struct scene multiple_content_types = {
    .tool = SCENE_TOOL("test_multiple_content_types", "Answers with a text, an image, a resource"),
    .text = "Multiple content types test:",
    .parts = "[" SCENE_CONTENT("image", "image/png", SCENE_PNG) "," SCENE_RESOURCE(
        "test://mixed-content-resource", "application/json",
        "{\\\"test\\\":\\\"data\\\",\\\"value\\\":123}") "]",
};

static const struct scene error_handling = {
    .tool = SCENE_TOOL("test_error_handling", "Fails"),
    .text = "This tool intentionally returns an error for testing",
    .fails = true,
};

/* ---- meanwhile ---- */

static const struct scene tool_with_logging = {
    .tool = SCENE_TOOL("test_tool_with_logging", "Writes three log messages"),
    .steps = {LOG(0, "Tool execution started"), LOG(50, "Tool processing data"),
              LOG(50, "Tool execution completed")},
    .step_count = 3,
    .text = "Three log messages were written.",
};

static const struct scene logging_tool = {
    .tool = SCENE_TOOL("test_logging_tool", "Writes a log message"),
    .steps = {LOG(0, "A log message")},
    .step_count = 1,
    .text = "A log message was written.",
};

static const struct scene tool_with_progress = {
    .tool = SCENE_TOOL("test_tool_with_progress", "Reports progress three times"),
    .steps = {PROGRESS(0, 0), PROGRESS(50, 50), PROGRESS(50, 100)},
    .step_count = 3,
    .text = "Progress was reported three times.",
};

static const struct scene reconnection = {
    .tool = SCENE_TOOL("test_reconnection", "Lets its client come back for the answer"),
    .steps = {{.note = {.kind = TOOL_NOTE_PAUSE}}, PROGRESS(100, 100)},
    .step_count = 2,
    .text = "Reconnected.",
};

static const struct scene trigger_tool_change = {
    .tool = SCENE_TOOL("test_trigger_tool_change", "Says that the list of tools has changed"),
    .steps = {{.note = {.kind = TOOL_NOTE_TOOLS}}},
    .step_count = 1,
    .text = "The list of tools has changed.",
};

static const struct scene trigger_prompt_change = {
    .tool = SCENE_TOOL("test_trigger_prompt_change", "Says that the list of prompts has changed"),
    .steps = {{.note = {.kind = TOOL_NOTE_PROMPTS}}},
    .step_count = 1,
    .text = "The list of prompts has changed.",
};

/* ---- schemas ---- */

static const struct scene json_schema = {
    .tool = SCENE_TOOL_WITH(
        "json_schema_2020_12_tool", "Has a schema with the keywords of JSON Schema 2020-12",
        .arguments = ARGUMENTS("json_schema_2020_12_tool", FIELD("name", FIELD_TEXT),
                               FIELD("address", FIELD_OBJECT), FIELD("contactMethod", FIELD_TEXT),
                               FIELD("phone", FIELD_TEXT), FIELD("email", FIELD_TEXT)),
        .input_schema =
            "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"object\","
            "\"$defs\":{\"address\":{\"$anchor\":\"addressDef\",\"type\":\"object\",\"properties\":"
            "{\"street\":{\"type\":\"string\"},\"city\":{\"type\":\"string\"}}}},"
            "\"properties\":{\"name\":{\"type\":\"string\"},"
            "\"address\":{\"$ref\":\"#/$defs/address\"},"
            "\"contactMethod\":{\"type\":\"string\",\"enum\":[\"phone\",\"email\"]},"
            "\"phone\":{\"type\":\"string\"},\"email\":{\"type\":\"string\"}},"
            "\"allOf\":[{\"anyOf\":[{\"required\":[\"phone\"]},{\"required\":[\"email\"]}]}],"
            "\"if\":{\"properties\":{\"contactMethod\":{\"const\":\"phone\"}},"
            "\"required\":[\"contactMethod\"]},\"then\":{\"required\":[\"phone\"]},"
            "\"else\":{\"required\":[\"email\"]},\"additionalProperties\":false}"),
    .text = "The arguments were taken.",
};

static const struct tool_param_header region_header[] = {{"region", "Region"}, {NULL, NULL}};

static const struct scene header_argument = {
    .tool =
        SCENE_TOOL_WITH("test_header_argument", "Has an argument that a header repeats",
                        .arguments = ARGUMENTS("test_header_argument", FIELD("region", FIELD_TEXT)),
                        .param_headers = region_header,
                        .input_schema = "{\"type\":\"object\",\"properties\":{\"region\":{\"type\":"
                                        "\"string\",\"x-mcp-header\":\"Region\"}}}"),
    .text = "The header is that of the argument.",
};

/* ---- questions to the client ---- */

static const struct scene sampling = {
    .tool = SCENE_TOOL_WITH(
        "test_sampling", "Asks the client's model",
        .arguments = ARGUMENTS("test_sampling", FIELD("prompt", FIELD_TEXT, .required = true))),
    .asks = {"{\"reply\":" SCENE_SAMPLE("$prompt", "100") "}"},
    .text = "LLM response: <reply/content/text>",
};

static const struct scene elicitation = {
    .tool = SCENE_TOOL_WITH(
        "test_elicitation", "Asks for a name and an address",
        .arguments = ARGUMENTS("test_elicitation", FIELD("message", FIELD_TEXT, .required = true))),
    .asks = {"{\"reply\":" SCENE_ELICIT(
        "$message", "\"properties\":{\"username\":{\"type\":\"string\",\"description\":\"User's "
                    "response\"},\"email\":{\"type\":\"string\",\"description\":\"User's email "
                    "address\"}},\"required\":[\"username\",\"email\"]") "}"},
    .text = "User response: <reply>",
};

static const struct scene elicitation_defaults = {
    .tool = SCENE_TOOL("test_elicitation_sep1034_defaults", "Asks with defaults of every type"),
    .asks = {"{\"reply\":" SCENE_ELICIT(
        "Please check these values",
        "\"properties\":{\"name\":{\"type\":\"string\",\"default\":\"John Doe\"},"
        "\"age\":{\"type\":\"integer\",\"default\":30},"
        "\"score\":{\"type\":\"number\",\"default\":95.5},"
        "\"status\":{\"type\":\"string\",\"enum\":[\"active\",\"inactive\",\"pending\"],"
        "\"default\":\"active\"},\"verified\":{\"type\":\"boolean\",\"default\":true}}") "}"},
    .text = "Elicitation completed: <reply>",
};

static const struct scene elicitation_enums = {
    .tool = SCENE_TOOL("test_elicitation_sep1330_enums", "Asks with choices of every form"),
    .asks = {"{\"reply\":" SCENE_ELICIT(
        "Please choose",
        "\"properties\":{\"untitledSingle\":{\"type\":\"string\","
        "\"enum\":[\"option1\",\"option2\",\"option3\"]},"
        "\"titledSingle\":{\"type\":\"string\","
        "\"oneOf\":[{\"const\":\"value1\",\"title\":\"First Option\"},"
        "{\"const\":\"value2\",\"title\":\"Second Option\"},"
        "{\"const\":\"value3\",\"title\":\"Third Option\"}]},"
        "\"legacyEnum\":{\"type\":\"string\",\"enum\":[\"opt1\",\"opt2\",\"opt3\"],"
        "\"enumNames\":[\"Option One\",\"Option Two\",\"Option Three\"]},"
        "\"untitledMulti\":{\"type\":\"array\",\"items\":{\"type\":\"string\","
        "\"enum\":[\"option1\",\"option2\",\"option3\"]}},"
        "\"titledMulti\":{\"type\":\"array\","
        "\"items\":{\"anyOf\":[{\"const\":\"value1\",\"title\":\"First Choice\"},"
        "{\"const\":\"value2\",\"title\":\"Second Choice\"},"
        "{\"const\":\"value3\",\"title\":\"Third Choice\"}]}}}") "}"},
    .text = "Elicitation completed: <reply>",
};

static const struct scene missing_capability = {
    .tool = SCENE_TOOL("test_missing_capability", "Needs a client with a model"),
    .asks = {"{\"reply\":" SCENE_SAMPLE("Hello", "10") "}"},
    .text = "<reply/content/text>",
};

static const struct scene streaming_elicitation = {
    .tool = SCENE_TOOL("test_streaming_elicitation", "Reports progress, then asks"),
    .steps = {PROGRESS(0, 0), PROGRESS(20, 50)},
    .step_count = 2,
    .asks = {"{\"confirm\":" SCENE_ELICIT("Go on?", SCENE_TEXT_MEMBER("answer")) "}"},
    .text = "<confirm>",
};

/* ---- questions of the revision 2026-07-28 ---- */

#define ASK_NAME "\"user_name\":" SCENE_ELICIT("What is your name?", SCENE_TEXT_MEMBER("name"))
#define ASK_OK                                                                                     \
    "{\"confirm\":" SCENE_ELICIT("Please confirm",                                                 \
                                 "\"properties\":{\"ok\":{\"type\":\"boolean\"}},"                 \
                                 "\"required\":[\"ok\"]") "}"

static const struct scene input_elicitation = {
    .tool = SCENE_TOOL("test_input_required_result_elicitation", "Asks for a name"),
    .asks = {"{" ASK_NAME "}"},
    .text = "Hello, <user_name/content/name>!",
};

static const struct scene input_sampling = {
    .tool = SCENE_TOOL("test_input_required_result_sampling", "Asks the client's model"),
    .asks = {"{\"capital_question\":" SCENE_SAMPLE("What is the capital of France?", "100") "}"},
    .text = "The model says: <capital_question/content/text>",
};

static const struct scene input_list_roots = {
    .tool = SCENE_TOOL("test_input_required_result_list_roots", "Asks for the client's roots"),
    .asks = {"{\"client_roots\":" SCENE_ROOTS "}"},
    .text = "The roots: <client_roots/roots>",
};

static const struct scene input_request_state = {
    .tool = SCENE_TOOL("test_input_required_result_request_state", "Keeps a state while it asks"),
    .asks = {ASK_OK},
    .keeps = true,
    .text = "state-ok <confirm/action>",
};

static const struct scene input_multiple = {
    .tool = SCENE_TOOL("test_input_required_result_multiple_inputs", "Asks three things at once"),
    .asks = {"{" ASK_NAME ",\"greeting\":" SCENE_SAMPLE("Generate a greeting",
                                                        "50") ",\"client_roots\":" SCENE_ROOTS "}"},
    .keeps = true,
    .text = "<greeting/content/text> <user_name/content/name>: <client_roots/roots>",
};

static const struct scene input_multi_round = {
    .tool = SCENE_TOOL("test_input_required_result_multi_round", "Asks twice"),
    .asks = {"{\"step1\":" SCENE_ELICIT("Step 1: What is your name?",
                                        SCENE_TEXT_MEMBER("name")) "}",
             "{\"step2\":" SCENE_ELICIT("Step 2: What is your favorite color?",
                                        SCENE_TEXT_MEMBER("color")) "}"},
    .keeps = true,
    .text = "Your favorite color is <step2/content/color>.",
};

static const struct scene input_tampered_state = {
    .tool = SCENE_TOOL("test_input_required_result_tampered_state",
                       "Keeps a state that nobody can change"),
    .asks = {ASK_OK},
    .keeps = true,
    .text = "The state is unchanged: <confirm/action>",
};

static const struct scene input_capabilities = {
    .tool =
        SCENE_TOOL("test_input_required_result_capabilities", "Asks what the client can answer"),
    .asks = {"{" ASK_NAME ",\"greeting\":" SCENE_SAMPLE("Generate a greeting", "50") "}"},
    .declared = true,
    .text = "All that was asked was answered.",
};

const struct tool *const tools[] = {
    &simple_text.tool,
    &image_content.tool,
    &audio_content.tool,
    &embedded_resource.tool,
    &multiple_content_types.tool,
    &error_handling.tool,
    &tool_with_logging.tool,
    &logging_tool.tool,
    &tool_with_progress.tool,
    &reconnection.tool,
    &trigger_tool_change.tool,
    &trigger_prompt_change.tool,
    &json_schema.tool,
    &header_argument.tool,
    &sampling.tool,
    &elicitation.tool,
    &elicitation_defaults.tool,
    &elicitation_enums.tool,
    &missing_capability.tool,
    &streaming_elicitation.tool,
    &input_elicitation.tool,
    &input_sampling.tool,
    &input_list_roots.tool,
    &input_request_state.tool,
    &input_multiple.tool,
    &input_multi_round.tool,
    &input_tampered_state.tool,
    &input_capabilities.tool,
    NULL,
};

/* test_trigger_tool_change and test_trigger_prompt_change say so. */
const bool tables_change = true;
