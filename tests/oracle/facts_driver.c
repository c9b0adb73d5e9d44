/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The line of validator_facts for many programs, without a file and a process for each.
 * On standard input: for each program its length in decimal, a line feed, and its bytes. The
 * answers come in the same order.
 *
 * With the word "tree" each line is the syntax tree instead, or null: a node is
 * [kind, name or text, op, flags, children...]; a text with lone surrogates is "?". With the word
 * "digest" it is the digest of the tree, or null.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "tests/oracle/facts_line.h"
#include "validator/limits.h"
#include "validator/report.h"
#include "validator/syntax/ast.h"
#include "validator/validator.h"

static void write_node(const struct ast *ast, uint32_t number, struct buf *to)
{
    const struct node *node = ast_node(ast, number);
    size_t len = 1;
    const char *text = "?";

    if (node->kind != NODE_STRING)
        text = ast_name(ast, number, &len);
    else if (!(node->flags & NODE_SURROGATE))
        text = ast_text(ast, number, &len);
    buf_addf(to, "[%u,", node->kind);
    json_write_string(to, len ? text : "", len);
    buf_addf(to, ",%u,%u", node->op, node->flags);
    for (uint32_t child = node->child; child; child = ast_node(ast, child)->next) {
        buf_addc(to, ',');
        write_node(ast, child, to);
    }
    buf_addc(to, ']');
}

static int tree_line(const char *program, size_t len, struct buf *to, struct error *err)
{
    static struct verdict verdict;
    struct report report = {.source = program, .len = len, .verdict = &verdict};
    struct ast ast;

    memset(&verdict, 0, sizeof verdict);
    ast_init(&ast, program, len);
    parser_parse(&ast, &report);
    to->failed |= ast.failed;
    if (ast.broken)
        buf_adds(to, "null");
    else
        write_node(&ast, 0, to);
    buf_addc(to, '\n');
    ast_finish(&ast);
    return buf_check(to, "the tree", err);
}

static int digest_line(const char *program, size_t len, struct buf *to, struct error *err)
{
    static struct verdict verdict;
    char digest[SHA256_TEXT_SIZE];

    if (validator_digest(program, len, &verdict, digest))
        buf_addf(to, "\"%s\"\n", digest);
    else
        buf_adds(to, "null\n");
    return buf_check(to, "the digest", err);
}

static int plain_line(const char *program, size_t len, struct buf *to, struct error *err)
{
    return facts_line("", program, len, to, err);
}

typedef int (*line_writer)(const char *program, size_t len, struct buf *to, struct error *err);

static int answer(const char *program, size_t len, line_writer write)
{
    struct buf BUF_AUTO line = {0};
    struct error err = {0};

    if (write(program, len, &line, &err) < 0) {
        fprintf(stderr, "facts_driver: %s\n", err.text);
        return -1;
    }
    fwrite(line.data, 1, line.len, stdout);
    return 0;
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";
    line_writer write = strcmp(word, "tree") == 0     ? tree_line
                        : strcmp(word, "digest") == 0 ? digest_line
                                                      : plain_line;
    size_t len;

    while (scanf("%zu", &len) == 1 && getchar() == '\n' && len <= VALIDATOR_PARSE_CAP) {
        /* Of its exact size, so that a sanitizer sees a read behind it. */
        char *program = malloc(len ? len : 1);

        if (!program || fread(program, 1, len, stdin) != len || answer(program, len, write) < 0) {
            free(program);
            return 2;
        }
        free(program);
    }
    return feof(stdin) ? 0 : 2;
}
