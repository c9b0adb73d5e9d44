/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the files of the parser share. One function a rule of CPython 3.11's grammar or a group of
 * them; each gives the number of the node it made, or NODE_NONE after reporting what was wrong.
 * Private to the parser. Its files call each other in circles: the grammar is recursive, and a
 * recursive-descent parser follows it.
 */
#ifndef LECTERN_VALIDATOR_PARSE_H
#define LECTERN_VALIDATOR_PARSE_H

#include "validator/limits.h"
#include "validator/report.h"
#include "validator/syntax/ast.h"
#include "validator/syntax/tokenizer.h"

/* What the tokenizer could not read, and the token that stands for it. Its text is empty where it
 * has been reported before. */
struct unreadable {
    uint32_t token;
    size_t at;
    char text[TOKENIZER_ERROR_CAP];
};

struct parser {
    struct ast *ast;
    struct report *report;
    struct token *tokens; /* owned; the program's, and behind them those of the f-string's field
                             that is being read */
    uint32_t count, size;
    uint32_t at;            /* the next token to read */
    uint32_t depth;         /* rules that called themselves, at most VALIDATOR_TREE_CAP */
    uint32_t fstring_depth; /* f-strings around this place */
    size_t unreadable;      /* the byte from which the text is none the tokenizer can read */
    uint32_t last;          /* the program's last token */
    struct unreadable errors[VALIDATOR_DIAGNOSTICS_CAP]; /* those behind which something was read */
    uint32_t error_count;
    bool quiet;       /* nothing more is reported of this statement */
    struct buf value; /* a string's value while it is put together */
};

/* A list of siblings being made. */
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

/* parser.c: tokens and nodes. */
bool parse_is_text(const struct parser *p, const char *text); /* a name, and this one */
bool parse_add_tokens(struct parser *p, struct tokenizer *tokenizer);
uint32_t parse_new(struct parser *p, enum node_kind kind, uint32_t at);
uint32_t parse_new_named(struct parser *p, enum node_kind kind); /* takes a name */
uint32_t parse_symbol(struct parser *p);                         /* takes a name: its symbol */
/* False for NODE_NONE: a rule's own failure. */
bool parse_append(struct parser *p, struct siblings *siblings, uint32_t node);
/* The siblings become the node's children. NODE_NONE where the tree grows too high. */
uint32_t parse_adopt(struct parser *p, uint32_t parent, const struct siblings *siblings);
/* A new node with these children, or with one; NODE_NONE where that is none. */
uint32_t parse_finish(struct parser *p, enum node_kind kind, uint32_t at,
                      const struct siblings *children);
uint32_t parse_wrap(struct parser *p, enum node_kind kind, uint32_t at, uint32_t child);
static inline uint32_t parse_adopt_one(struct parser *p, uint32_t parent, uint32_t child)
{
    return child ? parse_adopt(p, parent, &(struct siblings){child, child}) : NODE_NONE;
}
/* For rules that call themselves: false, reported, when too deep. Each true wants a leave. */
bool parse_enter(struct parser *p);
static inline void parse_leave(struct parser *p)
{
    p->depth--;
}

/* The program ends here, or what can be read of it. */
static inline bool parse_is_end(const struct parser *p)
{
    return parse_token(p)->kind == TOKEN_END ||
           (parse_token(p)->kind == TOKEN_ERROR && p->at >= p->last);
}

/* hint.c: another place reports what is wrong here. */
void parse_leave_unreported(struct parser *p, uint32_t at);
/* Reports and gives NODE_NONE. */
uint32_t parse_fail(struct parser *p, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports that at this token `what` was expected ("a value", "':'"), or the mistake
 * that is behind it where it is a known one. */
uint32_t parse_expected(struct parser *p, const char *what);

/* parser.c: takes the token, or reports that it was expected. */
bool parse_expect_op(struct parser *p, unsigned op, const char *what);
bool parse_expect_keyword(struct parser *p, enum keyword keyword, const char *what);
/* parser.c: what follows ':'. */
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
/* Arguments behind '(' up to and with ')'. */
bool parse_arguments(struct parser *p, struct siblings *to, bool generator_allowed);
/* What stands between '(' and ')'. */
uint32_t parse_group_content(struct parser *p, uint32_t at);

/* parse_string.c: one or several literals. */
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
