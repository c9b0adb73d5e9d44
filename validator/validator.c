/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The steps of a check: bytes, tree, facts, the compiler's refusals, rules, verdict. Each step uses
 * whatever could be parsed, so that all problems of a program are reported together.
 */
#include "validator/validator.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "helpers/base/utf8.h"
#include "validator/encoding_cookie.h"
#include "validator/report.h"
#include "validator/rule/check_internal.h"
#include "validator/rule/compile_internal.h"
#include "validator/syntax/ast.h"
#include "validator/syntax/unicode.h"

/* ---- bytes: size, UTF-8, and no characters that make the visible text differ from what Python
 * runs. This is stricter than Python on purpose; the tokenizer does not depend on it. Each kind of
 * problem is reported once, at its first place. ---- */

/* Whether all of eight bytes are printable ASCII, checked as one number: no byte has its top bit
 * set, or gets it by subtracting 0x20 (control characters) or adding one (0x7F). */
static bool are_printable(const char *bytes)
{
    const uint64_t top = UINT64_C(0x8080808080808080), one = UINT64_C(0x0101010101010101);
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return ((word | (word - one * 0x20) | (word + one)) & top) == 0;
}

/* Checks one character after another. Returns false at invalid UTF-8: nothing after it is worth
 * reporting. */
static bool check_characters(struct report *report)
{
    const char *source = report->source;
    bool lone_cr = false, hidden = false;
    uint32_t character = 0;

    for (size_t at = 0, used; at < report->len; at += used) {
        const char *what;

        while (report->len - at >= sizeof(uint64_t) && are_printable(source + at))
            at += sizeof(uint64_t);
        if (at == report->len)
            break;
        if ((unsigned char)source[at] >= 0x20 && (unsigned char)source[at] < 0x7F) {
            used = 1;
            continue;
        }
        used = utf8_decode(source + at, report->len - at, &character);
        if (used == 0) {
            report_add(report, "bytes", at,
                       "The byte 0x%02X here is not UTF-8. Send the program as UTF-8 text.",
                       (unsigned char)source[at]);
            return false;
        }
        if (character == '\n' || character == '\t')
            continue;
        if (character == '\r') {
            if (!lone_cr && (at + 1 == report->len || source[at + 1] != '\n')) {
                report_add(
                    report, "bytes", at,
                    "A carriage return stands here alone. End lines with \\n or \\r\\n; inside "
                    "a string write \\r as an escape.");
                lone_cr = true;
            }
            continue;
        }
        what = unicode_hidden(character);
        if (what && !hidden) {
            report_add(
                report, "bytes", at,
                "U+%04X, %s, is not allowed in a program. Delete it; inside a string write it as "
                "the escape \\u%04x.",
                character, what, character);
            if (at == 0)
                report_correct(report, at, used, "%s", "");
            hidden = true;
        }
    }
    return true;
}

static void check_cookie(struct report *report)
{
    static const char *const taken[] = {"utf-8", "utf8", "utf_8"};
    size_t len;
    const char *name = encoding_cookie(report->source, report->len, &len);

    for (size_t i = 0; name && i < sizeof taken / sizeof *taken; i++)
        if (len == strlen(taken[i]) && strncasecmp(name, taken[i], len) == 0)
            return;
    if (name)
        report_add(report, "encoding", (size_t)(name - report->source),
                   "The encoding '%.*s' is not allowed: programs are UTF-8. Delete this comment.",
                   (int)(len < 40 ? len : 40), name);
}

static void check_bytes(struct report *report)
{
    if (report->len > VALIDATOR_SOURCE_CAP) {
        report_add_whole(
            report, "too-long",
            "The program has %zu bytes; at most %zu are taken. Read data with the functions of "
            "code_helpers instead of writing it into the program.",
            report->len, VALIDATOR_SOURCE_CAP);
        return;
    }
    if (check_characters(report))
        check_cookie(report);
}

/* ---- the policy ---- */

#define TEXT_CAP (VALIDATOR_SOURCE_CAP * 4) /* bytes of an f-string's text */

#define RULE_ROW(name) rule_##name,
static void (*const rules[])(struct check *check) = {RULES(RULE_ROW)};
#undef RULE_ROW

static bool fill_words(struct check *check)
{
    const struct symbols *symbols = &check->ast->symbols;

    check->words = malloc((size_t)(symbols->count + 1) * sizeof *check->words);
    if (!check->words)
        return false;
    check->words[SYMBOL_NONE] = (struct word){.import = FACTS_NONE};
    for (uint32_t i = 1; i < symbols->count; i++) {
        struct word *word = &check->words[i];
        size_t len;
        const char *text = symbols_text(symbols, i, &len);

        word->name = policy_name_find(text, len);
        word->import = FACTS_NONE;
        word->roles = word->name ? word->name->roles : 0;
        if (word->name && check->profile->builtin &&
            strcmp(word->name->name, check->profile->builtin) == 0)
            word->roles &= ~(unsigned)ROLE_NAME;
        word->flags = symbols->rows[i].flags & SYMBOL_MIXED ? WORD_MIXED : 0;
        if (policy_is_dunder(text, len))
            word->flags |=
                WORD_DUNDER | (policy_has_word(policy_dunder_methods, text, len) ? WORD_METHOD : 0);
        else if (len > 0 && text[0] == '_' && !policy_has_word(policy_private_names, text, len))
            word->flags |= WORD_PRIVATE;
        check->roles |= word->roles;
        check->flags |= word->flags;
    }
    return true;
}

/* Requires that the tree and the facts are complete. */
static void check_program(struct check *check)
{
    buf_init(&check->value, TEXT_CAP);
    if (!fill_words(check)) {
        check->failed = true;
        return;
    }
    if ((check->roles & ROLE_GRAPH) && check->kind < KIND_DATA)
        check->kind = KIND_DATA;
    for (size_t i = 0; i < sizeof rules / sizeof *rules && !check->failed; i++)
        rules[i](check);
    check->failed = check->failed || check->value.failed;
    buf_finish(&check->value);
    free(check->words);
    free(check->meanings);
    free(check->imported);
    free(check->foreign);
    free(check->of_module);
    free(check->parents);
    free(check->buffer_sites);
    free(check->buffer_bindings);
}

/* ---- the whole ---- */

/* Returns false if out of memory; the check is then incomplete. */
static bool check_tree(struct check *check, struct ast *ast, struct facts *facts)
{
    parser_parse(ast, check->report);
    if (ast->failed)
        return false;
    if (ast->nodes[0].height > VALIDATOR_RUN_DEPTH_CAP) {
        report_add(check->report, "limit", 0,
                   "This program nests more than %d levels deep, as a long chain of operators or "
                   "calls does. Work values out in steps, and put long lists of data in brackets "
                   "with commas.",
                   VALIDATOR_RUN_DEPTH_CAP);
        return true;
    }
    facts_init(facts, ast);
    if (facts->failed || (!ast->broken && !compile_check(facts, check->report)))
        return false;
    check_program(check);
    if (ast->broken && check->report->verdict->diagnostic_count == 0)
        report_add(check->report, "syntax", ast->unreported_at,
                   "This cannot be read as Python 3.11. Rewrite the line.");
    return !check->failed;
}

bool validator_is_blank(const char *source, size_t len)
{
    size_t at = 0;

    while (at < len && source[at] != '\0' && strchr(" \t\n\r\f", source[at]))
        at++;
    return at == len;
}

void validator_check(const char *source, size_t len, const struct validator_profile *profile,
                     struct verdict *verdict)
{
    struct report report = {.source = source, .len = len, .verdict = verdict};
    struct ast ast;
    struct facts facts = {0};
    struct check check = {.report = &report, .profile = profile, .ast = &ast, .facts = &facts};

    memset(verdict, 0, offsetof(struct verdict, diagnostics));
    verdict->module_count = 0;
    check_bytes(&report);
    if (verdict->diagnostic_count == 0) {
        ast_init(&ast, source, len);
        if (!check_tree(&check, &ast, &facts))
            report_add_whole(&report, "no-memory",
                             "There was no memory to check the program. Send it again.");
        facts_finish(&facts);
        ast_finish(&ast);
    }
    verdict->kind = policy_profiles[check.kind].kind;
    verdict->profile = check.uses_added ? profile->name : policy_profiles[check.needs].name;
    report_finish(&report);
#ifdef LECTERN_TEST_WITHOUT_VALIDATOR
    verdict->accepted = true; /* a test examines the layers behind the validator */
#endif
}
