/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Python 3.11's lexical grammar as a pull interface: each call gives the next token, until
 * TOKEN_END or TOKEN_ERROR. It follows CPython's own tokenizer in what it takes and refuses, is
 * total on any bytes, allocates nothing, and looks at each byte a bounded number of times. Tokens
 * point into the source; nothing is copied.
 *
 * An f-string is one TOKEN_STRING here, as it is for CPython 3.11; literal.h takes it apart, and
 * tokenizer_init_field reads the expressions inside.
 */
#ifndef LECTERN_VALIDATOR_TOKENIZER_H
#define LECTERN_VALIDATOR_TOKENIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "validator/validator.h"

#define TOKENIZER_ERROR_CAP 256

enum token_kind {
    TOKEN_END,
    TOKEN_NEWLINE, /* the end of a logical line; of length 0 at the end of the text */
    TOKEN_INDENT,
    TOKEN_DEDENT,
    TOKEN_NAME, /* names and keywords; token.id is an enum keyword */
    TOKEN_NUMBER,
    TOKEN_STRING,
    TOKEN_OP,      /* token.id is an enum op */
    TOKEN_COMMENT, /* this and the next one only when asked for */
    TOKEN_NL,      /* a line end that ends no logical line */
    TOKEN_ERROR,
};

/* The keywords of 3.11. Soft ones (match, case, _) are names. */
enum keyword {
    KEYWORD_NONE,
    KEYWORD_FALSE,
    KEYWORD_NONE_VALUE,
    KEYWORD_TRUE,
    KEYWORD_AND,
    KEYWORD_AS,
    KEYWORD_ASSERT,
    KEYWORD_ASYNC,
    KEYWORD_AWAIT,
    KEYWORD_BREAK,
    KEYWORD_CLASS,
    KEYWORD_CONTINUE,
    KEYWORD_DEF,
    KEYWORD_DEL,
    KEYWORD_ELIF,
    KEYWORD_ELSE,
    KEYWORD_EXCEPT,
    KEYWORD_FINALLY,
    KEYWORD_FOR,
    KEYWORD_FROM,
    KEYWORD_GLOBAL,
    KEYWORD_IF,
    KEYWORD_IMPORT,
    KEYWORD_IN,
    KEYWORD_IS,
    KEYWORD_LAMBDA,
    KEYWORD_NONLOCAL,
    KEYWORD_NOT,
    KEYWORD_OR,
    KEYWORD_PASS,
    KEYWORD_RAISE,
    KEYWORD_RETURN,
    KEYWORD_TRY,
    KEYWORD_WHILE,
    KEYWORD_WITH,
    KEYWORD_YIELD,
};

/* Single characters stand for themselves: '+', '(', ... The others: */
enum op {
    OP_POWER = 128,
    OP_FLOOR_DIVIDE,
    OP_SHIFT_LEFT,
    OP_SHIFT_RIGHT,
    OP_EQUAL,
    OP_NOT_EQUAL,
    OP_LESS_EQUAL,
    OP_GREATER_EQUAL,
    OP_ARROW,
    OP_WALRUS,
    OP_ELLIPSIS,
    OP_ASSIGN_FIRST, /* augmented assignments from here on */
    OP_ADD_ASSIGN = OP_ASSIGN_FIRST,
    OP_SUBTRACT_ASSIGN,
    OP_MULTIPLY_ASSIGN,
    OP_DIVIDE_ASSIGN,
    OP_MODULO_ASSIGN,
    OP_AND_ASSIGN,
    OP_OR_ASSIGN,
    OP_XOR_ASSIGN,
    OP_MATMUL_ASSIGN,
    OP_POWER_ASSIGN,
    OP_FLOOR_DIVIDE_ASSIGN,
    OP_SHIFT_LEFT_ASSIGN,
    OP_SHIFT_RIGHT_ASSIGN,
    OP_ASSIGN_LAST = OP_SHIFT_RIGHT_ASSIGN,
};

enum token_flags {
    TOKEN_NON_ASCII = 1 << 0, /* a name that must be normalised before it is compared */
    TOKEN_BYTES = 1 << 1,     /* of strings: the prefixes, and the quotes */
    TOKEN_RAW = 1 << 2,
    TOKEN_FORMATTED = 1 << 3,
    TOKEN_TRIPLE = 1 << 4,
    TOKEN_DECIMAL_INT = 1 << 5, /* of numbers: digits and underscores only */
};

struct token {
    uint8_t kind;
    uint8_t id;
    uint16_t flags;
    uint32_t start, length; /* bytes */
};

struct tokenizer {
    const char *source;
    size_t len, at;
    uint32_t line;
    bool trivia;      /* give TOKEN_COMMENT and TOKEN_NL as well; set after init */
    bool field;       /* reads an expression: line ends are blanks, and there is no NEWLINE */
    bool line_start;  /* the next thing to read is a line's indentation */
    bool blank_line;  /* nothing but blanks and a comment on this line */
    bool after_token; /* something stands on this logical line */
    bool ended;
    bool lost;      /* what was wrong leaves nothing to go on with */
    bool in_place;  /* what was wrong is an indentation: the line itself can be read */
    char cut_quote; /* what was wrong is a text that its line's end cuts off: its quote */
    int pending;    /* INDENT (above 0) or DEDENT (below) tokens still to give */
    size_t depth;
    size_t indent_count;
    uint32_t bracket_at[VALIDATOR_DEPTH_CAP]; /* where each open bracket stands */
    uint32_t bracket_line[VALIDATOR_DEPTH_CAP];
    uint32_t columns[VALIDATOR_INDENT_CAP];     /* with a tab to the next eighth column */
    uint32_t alt_columns[VALIDATOR_INDENT_CAP]; /* with a tab as one column: both must agree */
    size_t error_at;
    char error[TOKENIZER_ERROR_CAP]; /* what was wrong and what was expected, after TOKEN_ERROR */
};

/* source is borrowed; len below 4 GiB. */
void tokenizer_init(struct tokenizer *tokenizer, const char *source, size_t len);

/* Reads source[from..to) as one expression in brackets, as CPython does with an f-string's field:
 * ends with TOKEN_END. line is the one `from` stands on. */
void tokenizer_init_field(struct tokenizer *tokenizer, const char *source, size_t from, size_t to,
                          uint32_t line);

/* Fills *token and returns its kind. After TOKEN_END or TOKEN_ERROR it gives the same again. */
enum token_kind tokenizer_next(struct tokenizer *tokenizer, struct token *token);

/* The short way, for who reads many: the tokens that ordinary programs mostly hold, as
 * tokenizer_next would give them. token is all zero. False, with nothing taken, for all else. */
bool tokenizer_common(struct tokenizer *tokenizer, struct token *token);

/* After TOKEN_ERROR: makes the tokenizer go on behind the line that it could not read, so that what
 * is wrong behind it can be reported as well. False where nothing can be read any more. */
bool tokenizer_resume(struct tokenizer *tokenizer);

const char *token_kind_name(enum token_kind kind); /* "NAME", as CPython spells it; static */

/* keyword.c: the fixed words and signs. */
enum keyword keyword_find(const char *name, size_t len); /* KEYWORD_NONE for other names */

/* The longest operator at text, as a character or an enum op; *used is 0 where there is none. */
unsigned keyword_operator(const char *text, size_t len, size_t *used);

bool keyword_is_name_byte(unsigned char c); /* ASCII letters, digits, '_' */

/* For a character that is no part of Python: " Write ..." where it is known what was meant, else
 * "". Static. */
const char *keyword_lookalike(uint32_t character);

#endif
