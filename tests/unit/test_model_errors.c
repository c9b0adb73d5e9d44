/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a model's service says when it refuses, told to an editor: each status and type, with what
 * is known of the request and without, and the service's own words in quotation marks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "mcp/model/model_errors.h"

#define KNOWN .model = "m-1", .address = "https://api", .credential = "ANTHROPIC_AUTH_TOKEN"

static const struct {
    struct model_refusal refusal;
    enum error_kind kind;
    const char *says[3];
} cases[] = {
    /* by status, with all that can be named */
    {{.status = 400, KNOWN}, ERROR_INVALID, {"model 'm-1'", "new conversation", "(it says 400)"}},
    {{.status = 401, KNOWN},
     ERROR_UNAVAILABLE,
     {"refused the key", "value of ANTHROPIC_AUTH_TOKEN"}},
    {{.status = 402, KNOWN}, ERROR_UNAVAILABLE, {"account of ANTHROPIC_AUTH_TOKEN", "billing"}},
    {{.status = 403, KNOWN}, ERROR_UNAVAILABLE, {"key in ANTHROPIC_AUTH_TOKEN", "model 'm-1'"}},
    {{.status = 404, KNOWN}, ERROR_UNAVAILABLE, {"does not know the model 'm-1'", "(https://api)"}},
    {{.status = 405, KNOWN}, ERROR_UNAVAILABLE, {"does not speak the Messages API"}},
    {{.status = 408, KNOWN}, ERROR_TIMEOUT, {"took too long"}},
    {{.status = 413, KNOWN}, ERROR_TOO_LARGE, {"too long for the model"}},
    {{.status = 422, KNOWN}, ERROR_INVALID, {"rejected the request"}},
    {{.status = 429, .asked_ms = 1001, KNOWN}, ERROR_BUSY, {"to wait 2 s"}},
    {{.status = 429, KNOWN}, ERROR_BUSY, {"Wait a minute", "spend limit"}},
    {{.status = 500, KNOWN}, ERROR_UNAVAILABLE, {"internal error"}},
    {{.status = 504, KNOWN}, ERROR_TIMEOUT, {"took too long"}},
    {{.status = 529, KNOWN}, ERROR_BUSY, {"overloaded"}},
    /* by the hundred */
    {{.status = 302, KNOWN}, ERROR_UNAVAILABLE, {"https://api answers", "--llm-url"}},
    {{.status = 418, KNOWN}, ERROR_INVALID, {"model 'm-1'", "(it says 418)"}},
    {{.status = 599, KNOWN}, ERROR_UNAVAILABLE, {"internal error"}},
    /* without what could be named */
    {{.status = 400}, ERROR_INVALID, {"rejected the request. Begin"}},
    {{.status = 401}, ERROR_UNAVAILABLE, {"requires a key", "ANTHROPIC_API_KEY"}},
    {{.status = 402}, ERROR_UNAVAILABLE, {"account of the key"}},
    {{.status = 403, .model = "m-1"}, ERROR_UNAVAILABLE, {"the key may use this model"}},
    {{.status = 404, .model = "m-1"}, ERROR_UNAVAILABLE, {"does not know this model"}},
    {{.status = 307}, ERROR_UNAVAILABLE, {"has moved"}},
    /* by the type of an error event */
    {{.status = 0, .type = "overloaded_error", .message = "Overloaded"},
     ERROR_BUSY,
     {"overloaded. Ask", "(it says \"Overloaded\")"}},
    {{.status = 0, .type = "invalid_request_error"}, ERROR_INVALID, {"rejected the request"}},
    {{.status = 0, .type = "of a later version"}, ERROR_UNAVAILABLE, {"internal error"}},
    {{.status = 0}, ERROR_UNAVAILABLE, {"internal error"}},
    /* the status counts, where there is one */
    {{.status = 400, .type = "overloaded_error"}, ERROR_INVALID, {"rejected the request"}},
    /* a prompt that is too long is a 400 like others */
    {{.status = 400, .message = "Prompt is too long: 250000 tokens"},
     ERROR_TOO_LARGE,
     {"too long for the model", "(it says 400: \"Prompt is too long: 250000 tokens\")"}},
    {{.status = 400, .type = "exceed_context_size_error"},
     ERROR_TOO_LARGE,
     {"too long for the model"}},
    {{.status = 500, .message = "prompt is too long"}, ERROR_UNAVAILABLE, {"internal error"}},
    /* a name with a brace in it is only a name */
    {{.status = 404, .model = "{seconds}", .address = "{x"},
     ERROR_UNAVAILABLE,
     {"'{seconds}'", "({x)"}},
};

static void test_each_refusal(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error err = {0};

        assert_int_equal(model_refusal_describe(&cases[i].refusal, &err), -1);
        if (err.kind != cases[i].kind)
            fail_msg("case %zu: kind %d: %s", i, err.kind, err.text);
        for (size_t k = 0; k < 3 && cases[i].says[k]; k++) {
            if (!strstr(err.text, cases[i].says[k]))
                fail_msg("case %zu: '%s' is not in: %s", i, cases[i].says[k], err.text);
        }
    }
}

static void test_quoting(void **state)
{
    static const struct {
        const char *text, *quoted;
    } quotes[] = {
        {"", "\"\""},
        {"say \"no\" \\", "\"say \\\"no\\\" \\\\\""},
        {"a\nb\x1b[0m\x7f", "\"a\\x0ab\\x1b[0m\\x7f\""},
        {"\xC2\x9B"
         "1m \xC2\xA0\xE2\x82\xAC",
         "\"\\x9b1m \xC2\xA0\xE2\x82\xAC\""},
    };
    char longer[MODEL_QUOTE_MAX + 2];

    (void)state;
    for (size_t i = 0; i < sizeof quotes / sizeof *quotes; i++) {
        struct buf BUF_AUTO to = {0};

        model_refusal_quote(quotes[i].text, &to);
        assert_string_equal(to.data, quotes[i].quoted);
    }
    for (size_t len = MODEL_QUOTE_MAX; len <= MODEL_QUOTE_MAX + 1; len++) {
        struct buf BUF_AUTO to = {0};

        memset(longer, 'x', len);
        longer[len] = '\0';
        model_refusal_quote(longer, &to);
        assert_int_equal(to.len, MODEL_QUOTE_MAX + 2 + (len > MODEL_QUOTE_MAX ? 3 : 0));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_refusal),
        cmocka_unit_test(test_quoting),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
