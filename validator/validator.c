/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The way through: bytes, tree, facts, what the compiler refuses, rules, verdict. Every step runs
 * over what could be read, so that a program's problems are reported at once.
 */
#include "validator/validator.h"

#include <string.h>
#include <strings.h>

#include "validator/report.h"
#include "validator/rule/check_internal.h"
#include "validator/rule/compile_internal.h"
#include "validator/syntax/ast.h"
#include "validator/syntax/unicode.h"

static const struct validator_profile profiles[PROFILE_COUNT] = {
    {PROFILE_MINIMAL}, {PROFILE_DATA_SCIENCE}, {PROFILE_VISUALIZATION}};

const struct validator_profile *validator_profile_find(const char *name)
{
    for (size_t i = 0; i < PROFILE_COUNT; i++)
        if (strcmp(policy_profile_name(profiles[i].rank), name) == 0)
            return &profiles[i];
    return NULL;
}

const char *validator_profile_name(const struct validator_profile *profile)
{
    return policy_profile_name(profile->rank);
}

const char *validator_profile_names(void)
{
    return "minimal, data-science, visualization";
}

bool validator_profile_within(const struct validator_profile *profile,
                              const struct validator_profile *limit)
{
    return profile->rank <= limit->rank;
}

const char *validator_profile_module(const struct validator_profile *profile, size_t index)
{
    return policy_profile_module(profile->rank, index);
}

bool validator_profile_allows(const struct validator_profile *profile, const char *module)
{
    const struct policy_module *row = policy_module_find(module, strlen(module));

    return row && row->importable && row->profile <= profile->rank;
}

/* ---- bytes: size, UTF-8, and no character that makes what a reader sees differ from what Python
 * runs. Stricter than Python's own rules on purpose; the tokenizer knows nothing of them. Each kind
 * of break is reported once, at its first place. ---- */

#define COOKIE_LINES 2 /* Python looks for an encoding cookie in the first two */

/* Whether all of eight bytes are printable ASCII, looked at as one number: none has its top bit, or
 * gets it by taking 0x20 away (control characters) or adding one (0x7F). */
static bool are_printable(const char *bytes)
{
    const uint64_t top = UINT64_C(0x8080808080808080), one = UINT64_C(0x0101010101010101);
    uint64_t word;

    memcpy(&word, bytes, sizeof word);
    return ((word | (word - one * 0x20) | (word + one)) & top) == 0;
}

/* One character after another. False where the bytes are no UTF-8: nothing behind that is worth
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
        used = unicode_decode(source + at, report->len - at, &character);
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
            hidden = true;
        }
    }
    return true;
}

static bool is_cookie_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

/* Where Python would read an encoding's name in this line: a comment with nothing before it that
 * has "coding", then ':' or
 * '=', then the name. False when there is none. */
static bool find_cookie(const char *line, size_t len, size_t *start, size_t *end)
{
    static const char word[] = "coding";
    size_t at = 0;

    while (at < len && (line[at] == ' ' || line[at] == '\t' || line[at] == '\f'))
        at++;
    if (at == len || line[at] != '#')
        return false;
    for (; at + sizeof word <= len; at++) {
        size_t name = at + sizeof word;

        if (memcmp(line + at, word, sizeof word - 1) != 0 ||
            (line[at + sizeof word - 1] != ':' && line[at + sizeof word - 1] != '='))
            continue;
        while (name < len && (line[name] == ' ' || line[name] == '\t'))
            name++;
        *start = *end = name;
        while (*end < len && is_cookie_char(line[*end]))
            ++*end;
        if (*end > *start)
            return true;
    }
    return false;
}

static bool is_blank_or_comment(const char *line, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (line[i] == '#')
            return true;
        if (line[i] != ' ' && line[i] != '\t' && line[i] != '\f')
            return false;
    }
    return true;
}

static void check_cookie(struct report *report)
{
    for (size_t line = 1; line <= COOKIE_LINES; line++) {
        size_t from, to, start, end;

        report_line(report->source, report->len, line, &from, &to);
        if (find_cookie(report->source + from, to - from, &start, &end)) {
            const char *name = report->source + from + start;
            size_t len = end - start;

            if ((len == 5 && strncasecmp(name, "utf-8", 5) == 0) ||
                (len == 4 && strncasecmp(name, "utf8", 4) == 0) ||
                (len == 5 && strncasecmp(name, "utf_8", 5) == 0))
                return;
            report_add(
                report, "encoding", from + start,
                "The encoding '%.*s' is not allowed: programs are UTF-8. Delete this comment.",
                (int)(len < 40 ? len : 40), name);
            return;
        }
        if (!is_blank_or_comment(report->source + from, to - from))
            return;
    }
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

/* ---- the whole ---- */

/* Where there was no memory, not all has been seen. */
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
    for (size_t i = 0; i < len; i++) {
        if (source[i] == '\0' || !strchr(" \t\n\r\f", source[i]))
            return false;
    }
    return true;
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
    verdict->kind = policy_kind_name(check.kind);
    verdict->profile = policy_profile_name(check.needs);
    report_finish(&report);
#ifdef LECTERN_TEST_WITHOUT_VALIDATOR
    verdict->accepted = true; /* a test looks at what stands behind it */
#endif
}
