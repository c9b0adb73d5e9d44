/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validator/facts_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "validator/encoding.h"
#include "validator/facts/facts_json.h"
#include "validator/syntax/parser.h"
#include "validator/syntax/unicode.h"

#define REPLACEMENT "\xEF\xBF\xBD"
#define WHY_CAP     256

/* A path is bytes; what is no UTF-8 in it is shown as U+FFFD. */
static void add_text(struct buf *to, const char *text)
{
    struct buf BUF_AUTO shown = {0};
    size_t len = strlen(text), used;
    uint32_t character;

    for (size_t at = 0; at < len; at += used ? used : 1) {
        used = unicode_decode(text + at, len - at, &character);
        if (used > 0)
            buf_add(&shown, text + at, used);
        else
            buf_adds(&shown, REPLACEMENT);
    }
    buf_add(&shown, "", 0);
    if (shown.failed)
        to->failed = true;
    else
        json_write_string(to, shown.data, shown.len);
}

static void add_refusal(struct buf *to, const char *why, const char *rule)
{
    buf_adds(to, "\"grammar\":\"reject\",\"facts\":null,\"error\":");
    add_text(to, why);
    if (rule)
        buf_addf(to, ",\"rule\":\"%s\"", rule);
}

static void add_encoding_refusal(struct buf *to, const struct decoded *decoded)
{
    char why[WHY_CAP];

    if (decoded->name)
        snprintf(why, sizeof why, "encoding '%.*s': %s",
                 (int)(decoded->name_len < 40 ? decoded->name_len : 40), decoded->name,
                 decoded->error);
    else
        snprintf(why, sizeof why, "%s", decoded->error);
    add_refusal(to, why, "encoding");
}

/* Into to; -1 without memory. */
static int add_facts(struct buf *to, const struct decoded *decoded, struct error *err)
{
    struct report report = {.source = decoded->text, .len = decoded->len};
    const struct diagnostic *first;
    char why[VALIDATOR_TEXT_CAP + 32];
    struct ast ast;
    int rc = 0;

    report.verdict = calloc(1, sizeof *report.verdict);
    if (!report.verdict)
        return error_set(err, ERROR_MEMORY, "out of memory");
    ast_init(&ast, decoded->text, decoded->len);
    parser_parse(&ast, &report);
    if (ast.failed) {
        rc = error_set(err, ERROR_MEMORY, "out of memory for the syntax tree");
    } else if (ast.broken) {
        report_finish(&report);
        first = &report.verdict->diagnostics[0];
        snprintf(why, sizeof why, "line %zu: %s", first->line, first->text);
        add_refusal(to, why, NULL);
    } else {
        buf_adds(to, "\"grammar\":\"ok\",\"facts\":");
        facts_json(&ast, to);
    }
    ast_finish(&ast);
    free(report.verdict);
    return rc;
}

int facts_line_too_long(const char *file, struct buf *to, struct error *err)
{
    buf_adds(to, "{\"file\":");
    add_text(to, file);
    buf_addc(to, ',');
    add_refusal(to, "the program is larger than the parser takes", "too-long");
    buf_adds(to, "}\n");
    return buf_check(to, "the facts", err);
}

int facts_line(const char *file, const char *bytes, size_t len, struct buf *to, struct error *err)
{
    struct decoded decoded;
    int rc = decoded_init(&decoded, bytes, len, err);

    buf_adds(to, "{\"file\":");
    add_text(to, file);
    buf_addc(to, ',');
    if (rc == 0 && decoded.error)
        add_encoding_refusal(to, &decoded);
    else if (rc == 0 && decoded.len > VALIDATOR_PARSE_CAP)
        add_refusal(to, "the program is larger than the parser takes", "too-long");
    else if (rc == 0)
        rc = add_facts(to, &decoded, err);
    buf_adds(to, "}\n");
    decoded_finish(&decoded);
    return rc < 0 ? -1 : buf_check(to, "the facts", err);
}
