/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the validator sees in files, for compare_tokens.py to hold against CPython. Paths come on
 * standard input, a line each. For each file: "FILE path", then with "tokens" one line "KIND start
 * length" a token and "ERROR byte text" at the end where there is one; with "syntax" one line
 * "SYNTAX line text" for each thing that is refused as no Python, and with "compile" likewise
 * "PARSER line text" or, where the parser takes the file, "COMPILER line text". With "letters" it
 * reads nothing, and prints a digit for each character: 1 if it continues a name, plus 2 if it
 * begins one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "validator/report.h"
#include "validator/rule/compile_internal.h"
#include "validator/syntax/ast.h"
#include "validator/syntax/tokenizer.h"
#include "validator/syntax/unicode.h"
#include "validator/validator.h"

#define PATH_CAP       4096
#define FILE_CAP       ((size_t)16 << 20)
#define LAST_CHARACTER 0x10FFFF

static char *read_file(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    char *text = malloc(FILE_CAP);

    if (!file || !text) {
        fprintf(stderr, "%s: cannot be read\n", path);
        if (file)
            fclose(file);
        free(text);
        return NULL;
    }
    *len = fread(text, 1, FILE_CAP, file);
    fclose(file);
    return text;
}

static void dump_tokens(const char *text, size_t len, bool trivia)
{
    struct tokenizer tokenizer;
    struct token token;
    enum token_kind kind;

    tokenizer_init(&tokenizer, text, len);
    tokenizer.trivia = trivia;
    do {
        kind = tokenizer_next(&tokenizer, &token);
        if (kind == TOKEN_ERROR)
            printf("ERROR %zu %s\n", tokenizer.error_at, tokenizer.error);
        else
            printf("%s %u %u\n", token_kind_name(kind), token.start, token.length);
    } while (kind != TOKEN_END && kind != TOKEN_ERROR);
}

static void dump_syntax(const char *text, size_t len, struct verdict *verdict)
{
    validator_check(text, len, validator_profile_find("visualization"), verdict);
    for (size_t i = 0; i < verdict->diagnostic_count; i++) {
        const struct diagnostic *diagnostic = &verdict->diagnostics[i];

        if (strcmp(diagnostic->code, "syntax") == 0)
            printf("SYNTAX %zu %s\n", diagnostic->line, diagnostic->text);
    }
}

static void print_diagnostics(const char *label, const struct verdict *verdict)
{
    for (size_t i = 0; i < verdict->diagnostic_count; i++)
        printf("%s %zu %s\n", label, verdict->diagnostics[i].line, verdict->diagnostics[i].text);
}

static void dump_compile(const char *text, size_t len, struct verdict *verdict)
{
    struct report report = {.source = text, .len = len, .verdict = verdict};
    struct facts facts;
    struct ast ast;

    memset(verdict, 0, sizeof *verdict);
    ast_init(&ast, text, len);
    parser_parse(&ast, &report);
    facts_init(&facts, &ast);
    if (verdict->diagnostic_count > 0)
        print_diagnostics("PARSER", verdict);
    else if (!compile_check(&facts, &report))
        printf("COMPILER 0 no memory\n");
    else
        print_diagnostics("COMPILER", verdict);
    facts_finish(&facts);
    ast_finish(&ast);
}

static void dump_letters(void)
{
    for (uint32_t character = 0; character <= LAST_CHARACTER; character++)
        putchar('0' + unicode_is_name_continue(character) + 2 * unicode_is_name_start(character));
}

int main(int argc, char **argv)
{
    static struct verdict verdict;
    const char *mode = argc == 2 ? argv[1] : "";
    char path[PATH_CAP];

    if (strcmp(mode, "letters") == 0) {
        dump_letters();
        return 0;
    }
    if (strcmp(mode, "tokens") != 0 && strcmp(mode, "trivia") != 0 && strcmp(mode, "syntax") != 0 &&
        strcmp(mode, "compile") != 0) {
        fprintf(stderr, "usage: validator_dump tokens|trivia|syntax|compile <PATHS\n"
                        "       validator_dump letters\n");
        return 2;
    }
    while (fgets(path, sizeof path, stdin)) {
        size_t len;
        char *text;

        path[strcspn(path, "\n")] = '\0';
        text = read_file(path, &len);
        if (!text)
            return 2;
        printf("FILE %s\n", path);
        if (mode[0] == 's')
            dump_syntax(text, len, &verdict);
        else if (mode[0] == 'c')
            dump_compile(text, len, &verdict);
        else
            dump_tokens(text, len, mode[1] == 'r');
        free(text);
    }
    return 0;
}
