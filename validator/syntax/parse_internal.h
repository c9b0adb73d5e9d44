/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of the parser share. There is one function for each rule of CPython 3.11's
 * grammar, or for a group of rules; it returns the number of its node, or NODE_NONE after it has
 * reported an error. Private to the parser. The files call each other in circles because the
 * grammar is recursive.
 */
#ifndef LECTERN_VALIDATOR_PARSE_H
#define LECTERN_VALIDATOR_PARSE_H

#include "validator/limits.h"
#include "validator/report.h"
#include "validator/syntax/ast.h"
#include "validator/syntax/tokenizer.h"

/* A place that the tokenizer could not read, and its token. text is empty if it is already
 * reported. */
struct unreadable {
    uint32_t token;
    size_t at;
    struct tokenizer_edit edits[CORRECTION_EDITS_CAP];
    unsigned edit_count;
    char text[TOKENIZER_ERROR_CAP];
};

struct parser {
    struct ast *ast;
    struct report *report;
    struct token *tokens; /* owned; the tokens of the program, followed by those of the current
                             f-string field */
    uint32_t count, size;
    uint32_t at;            /* the next token to read */
    uint32_t depth;         /* depth of recursion, at most VALIDATOR_TREE_CAP */
    uint32_t fstring_depth; /* f-strings around the current position */
    size_t unreadable;      /* the byte from which on the tokenizer cannot read the text */
    uint32_t last;          /* the program's last token */
    struct unreadable errors[VALIDATOR_DIAGNOSTICS_CAP]; /* after which something was read */
    uint32_t error_count;
    bool quiet;       /* no more problems of this statement are reported */
    struct buf value; /* the value of the current string */
};

/* A list of siblings under construction. */
struct siblings {
    uint32_t first, last;
};

static inline const struct token *parse_token(const struct parser *p)
{
    return &p->tokens[p->at];
}

static inline bool parse_is_op(const struct parser *p, unsigned op)
{
    const struct token *token = parse_token(p);

    return token->kind == TOKEN_OP && token->id == op;
}

static inline bool parse_is_keyword(const struct parser *p, enum keyword keyword)
{
    const struct token *token = parse_token(p);

    return token->kind == TOKEN_NAME && token->id == keyword;
}

/* A name that is no keyword. */
static inline bool parse_is_name(const struct parser *p)
{
    return parse_is_keyword(p, KEYWORD_NONE);
}

static inline bool parse_take_op(struct parser *p, unsigned op)
{
    bool there = parse_is_op(p, op);

    p->at += there;
    return there;
}

static inline bool parse_take_keyword(struct parser *p, enum keyword keyword)
{
    bool there = parse_is_keyword(p, keyword);

    p->at += there;
    return there;
}

static inline bool parse_next_is_op(const struct parser *p, unsigned op)
{
    const struct token *token = parse_token(p);

    return token->kind != TOKEN_END && token->kind != TOKEN_ERROR && token[1].kind == TOKEN_OP &&
           token[1].id == op;
}

static inline struct node *parse_node(struct parser *p, uint32_t node)
{
    return &p->ast->nodes[node];
}

/* parser.c: reports a text that the tokenizer could not read, with its correction. */
void parse_report_unreadable(struct parser *p, size_t at, const char *text,
                             const struct tokenizer_edit *edits, unsigned edit_count);

/* parser.c: tokens and nodes. */
bool parse_is_text(const struct parser *p, const char *text); /* whether it is this name */
bool parse_add_tokens(struct parser *p, struct tokenizer *tokenizer);
uint32_t parse_new(struct parser *p, enum node_kind kind, uint32_t at);
uint32_t parse_new_named(struct parser *p, enum node_kind kind); /* consumes a name */
uint32_t parse_symbol(struct parser *p); /* consumes a name and returns its symbol */
/* Returns false for NODE_NONE, the failure of a rule. */
bool parse_append(struct parser *p, struct siblings *siblings, uint32_t node);
/* Makes the siblings the node's children. Returns NODE_NONE if the tree becomes too high. */
uint32_t parse_adopt(struct parser *p, uint32_t parent, const struct siblings *siblings);
/* Makes a new node with these children, or with one; NODE_NONE if that is NODE_NONE. */
uint32_t parse_finish(struct parser *p, enum node_kind kind, uint32_t at,
                      const struct siblings *children);
uint32_t parse_wrap(struct parser *p, enum node_kind kind, uint32_t at, uint32_t child);
static inline uint32_t parse_adopt_one(struct parser *p, uint32_t parent, uint32_t child)
{
    return child ? parse_adopt(p, parent, &(struct siblings){child, child}) : NODE_NONE;
}
/* For recursive rules. False, reported, if nested too deep; else parse_leave must follow. */
bool parse_enter(struct parser *p);
static inline void parse_leave(struct parser *p)
{
    p->depth--;
}

/* Whether the program ends here, or cannot be read further. */
static inline bool parse_is_end(const struct parser *p)
{
    return parse_token(p)->kind == TOKEN_END ||
           (parse_token(p)->kind == TOKEN_ERROR && p->at >= p->last);
}

/* hint.c: suppresses the report at this place because another place reports the mistake. */
void parse_leave_unreported(struct parser *p, uint32_t at);
/* Reports the problem and returns NODE_NONE. report_correct may follow: it does nothing if another
 * problem was reported instead. */
uint32_t parse_fail(struct parser *p, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports that `what` was expected at this token ("a value", "':'"), or the actual mistake if it is
 * a known one. Returns NODE_NONE. */
uint32_t parse_expected(struct parser *p, const char *what);

/* parser.c: consumes the token, or reports that it was expected. */
bool parse_expect_op(struct parser *p, unsigned op, const char *what);
bool parse_expect_keyword(struct parser *p, enum keyword keyword, const char *what);
/* parser.c: the block after ':'. */
uint32_t parse_block(struct parser *p, enum node_kind kind);

/* parse_expression.c */
uint32_t parse_expression(struct parser *p);
uint32_t parse_named_expression(struct parser *p); /* with := */
uint32_t parse_bitwise_or(struct parser *p);       /* no lambda, conditional or comparison */
uint32_t parse_star_expressions(struct parser *p); /* one, or a tuple without brackets */
uint32_t parse_yield(struct parser *p);            /* at `yield` */
uint32_t parse_yield_or_stars(struct parser *p);   /* the right side of an assignment */
uint32_t parse_primary(struct parser *p);          /* an atom and what follows it */
uint32_t parse_element(struct parser *p);          /* with := or behind '*' */
uint32_t parse_constant(struct parser *p);         /* None, True, False, ... */
uint32_t parse_attribute(struct parser *p, uint32_t base); /* at '.' */
/* Parses the arguments after '(', including ')'. */
bool parse_arguments(struct parser *p, struct siblings *to, bool generator_allowed);
/* Parses what is between '(' and ')'. */
uint32_t parse_group_content(struct parser *p, uint32_t at);

/* parse_string.c: one or more adjacent literals. */
uint32_t parse_strings(struct parser *p);

/* parse_simple.c: statements of one line, and targets. */
bool parse_simple_line(struct parser *p, struct siblings *to);
uint32_t parse_star_targets(struct parser *p); /* of for: up to `in` */
uint32_t parse_star_target(struct parser *p);  /* of with */

/* parse_compound.c */
bool parse_is_compound(const struct parser *p);
uint32_t parse_compound(struct parser *p);
uint32_t parse_parameters(struct parser *p, unsigned close, bool lambda); /* up to `close` */

/* parse_pattern.c */
uint32_t parse_match(struct parser *p); /* at its keyword */

#endif
