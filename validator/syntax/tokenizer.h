/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A tokenizer for Python 3.11: each call returns the next token, until TOKEN_END or TOKEN_ERROR. It
 * accepts and refuses the same input as CPython's tokenizer, handles any bytes, allocates nothing,
 * and reads each byte a bounded number of times. Tokens are offsets into the source; nothing is
 * copied.
 *
 * An f-string is one TOKEN_STRING, as in CPython 3.11; literal.h splits it, and
 * tokenizer_init_field reads its expressions.
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
    TOKEN_COMMENT, /* this and the next one only if requested */
    TOKEN_NL,      /* a line end that does not end a logical line */
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
    TOKEN_NON_ASCII = 1 << 0, /* a name that must be normalised before comparison */
    TOKEN_BYTES = 1 << 1,     /* prefixes and quotes of strings */
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
    bool trivia;      /* return TOKEN_COMMENT and TOKEN_NL as well; set after init */
    bool field;       /* reads one expression: line ends are white space, and there is no NEWLINE */
    bool line_start;  /* the indentation of a line is next */
    bool blank_line;  /* this line has only white space and a comment so far */
    bool after_token; /* this logical line has a token */
    bool ended;
    bool lost;      /* the error makes it impossible to continue */
    bool in_place;  /* the error is an indentation; the rest of the line can be read */
    char cut_quote; /* the error is a string that ends with its line: its quote */
    int pending;    /* INDENT (positive) or DEDENT (negative) tokens still to be returned */
    size_t depth;
    size_t indent_count;
    uint32_t bracket_at[VALIDATOR_DEPTH_CAP]; /* position of each open bracket */
    uint32_t bracket_line[VALIDATOR_DEPTH_CAP];
    uint32_t columns[VALIDATOR_INDENT_CAP];     /* a tab advances to the next multiple of eight */
    uint32_t alt_columns[VALIDATOR_INDENT_CAP]; /* a tab counts as one column; both must agree */
    size_t error_at;
    struct tokenizer_edit {
        size_t at, len;
        const char *with;          /* static */
    } edits[CORRECTION_EDITS_CAP]; /* that correct the error, where they are certain */
    unsigned edit_count;
    char error[TOKENIZER_ERROR_CAP]; /* after TOKEN_ERROR: what is wrong and what was expected */
};

/* source is borrowed; len must be below 4 GiB. */
void tokenizer_init(struct tokenizer *tokenizer, const char *source, size_t len);

/* Prepares to read source[from..to) as one expression in parentheses, as CPython does for a field
 * of an f-string; it ends with TOKEN_END. line is the line of `from`. */
void tokenizer_init_field(struct tokenizer *tokenizer, const char *source, size_t from, size_t to,
                          uint32_t line);

/* Fills *token and returns its kind. After TOKEN_END or TOKEN_ERROR it returns the same again. */
enum token_kind tokenizer_next(struct tokenizer *tokenizer, struct token *token);

/* A fast path for the most common tokens, with the same result as tokenizer_next. token must be all
 * zero. Returns false, consuming nothing, for other tokens. */
bool tokenizer_common(struct tokenizer *tokenizer, struct token *token);

/* After TOKEN_ERROR, skips the line that could not be read, so that later problems can be reported
 * too. Returns false if nothing more can be read. */
bool tokenizer_resume(struct tokenizer *tokenizer);

const char *token_kind_name(enum token_kind kind); /* "NAME", as CPython spells it; static */

/* keyword.c: keywords and operators. */
enum keyword keyword_find(const char *name, size_t len); /* KEYWORD_NONE for other names */

/* The longest operator at text, as a character or an enum op; *used is 0 if there is none. */
unsigned keyword_operator(const char *text, size_t len, size_t *used);

bool keyword_is_name_byte(unsigned char c); /* ASCII letters, digits, '_' */

/* For a character that Python does not use: " Write ..." if its intended meaning is known, else "".
 * Static. *instead is the text to write for it, or NULL where that is not certain. */
const char *keyword_lookalike(uint32_t character, const char **instead);

#endif
