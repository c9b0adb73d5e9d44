/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * libFuzzer over the whole validator. The first byte chooses the profile. Beside what the
 * sanitizers see, it asserts what every verdict promises.
 *
 *     build/fuzz/tests/fuzz/fuzz_validator -max_len=65537 -dict=tests/fuzz/python.dict CORPUS
 * tests/fuzz/regression/validator
 */
#include <stdlib.h>
#include <string.h>

#include "validator/syntax/tokenizer.h"
#include "validator/validator.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool holds)
{
    if (!holds)
        abort();
}

static void check_verdict(const struct verdict *verdict)
{
    expect(verdict->kind != NULL);
    expect(verdict->accepted == (verdict->diagnostic_count == 0));
    expect(verdict->diagnostic_count <= VALIDATOR_DIAGNOSTICS_CAP &&
           verdict->module_count <= VALIDATOR_MODULES_CAP);
    for (size_t i = 0; i < verdict->diagnostic_count; i++) {
        expect(verdict->diagnostics[i].code && verdict->diagnostics[i].text[0]);
        expect(memchr(verdict->diagnostics[i].text, '\0', VALIDATOR_TEXT_CAP) != NULL);
    }
}

/* The tokens of an accepted program cover it in order. */
static void check_tokens(const char *source, size_t len)
{
    struct tokenizer tokenizer;
    struct token token;
    size_t at = 0, count = 0;

    tokenizer_init(&tokenizer, source, len);
    while (tokenizer_next(&tokenizer, &token) != TOKEN_END && token.kind != TOKEN_ERROR) {
        expect(token.start >= at && token.start + token.length <= len);
        expect(++count <= 2 * len + 2);
        at = token.start + token.length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"minimal", "data-science", "visualization"};
    static struct verdict verdict;
    struct buf BUF_AUTO text = {0};
    char *source;
    json_t *value;

    if (size == 0)
        return 0;
    source = malloc(size); /* its own block, so that reading past the end shows */
    expect(source != NULL);
    memcpy(source, data + 1, size - 1);
    buf_init(&text, 0);
    validator_check(source, size - 1, validator_profile_find(names[data[0] % 3]), &verdict);
    check_verdict(&verdict);
    check_tokens(source, size - 1);
    validator_explain(&verdict, source, size - 1, &text);
    expect(!text.failed);
    value = validator_explain_json(&verdict);
    expect(value != NULL);
    json_decref(value);
    free(source);
    return 0;
}
