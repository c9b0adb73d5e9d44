/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Literals of Python 3.11: numbers, strings with their escapes, and f-strings. They accept and
 * refuse what CPython does. Pure; only the value of a string is allocated.
 */
#ifndef LECTERN_VALIDATOR_LITERAL_H
#define LECTERN_VALIDATOR_LITERAL_H

#include "helpers/base/buf.h"
#include "validator/syntax/tokenizer.h"

/* Returns the length of the number at text, which begins with a digit, or with '.' and a digit. If
 * CPython refuses the number, *error (static) says why and *error_at where. *decimal_int is set for
 * digits and underscores only. */
size_t number_scan(const char *text, size_t len, bool *decimal_int, const char **error,
                   size_t *error_at);

/* Finds the text between the quotes of a STRING token. */
void literal_body(const char *source, const struct token *token, size_t *start, size_t *end);

/* Appends the value of source[from..end), part of a literal with these token flags, as UTF-8 (bytes
 * as Latin-1). In a formatted literal "{{" and "}}" become one brace. If CPython refuses an escape,
 * decoding stops there and sets *error (static) and *error_at. */
void literal_decode(struct buf *to, const char *source, size_t from, size_t end, unsigned flags,
                    const char **error, size_t *error_at);

/* An iterator over the pieces of an f-string, text and fields, in source order. The fields inside a
 * format spec directly follow the field with that spec. */

#define FSTRING_SPEC_LEVELS 2 /* a field, and a field inside its spec */

enum fstring_piece_kind { FSTRING_END, FSTRING_TEXT, FSTRING_FIELD, FSTRING_ERROR };

struct fstring_piece {
    enum fstring_piece_kind kind;
    size_t start, end; /* of the text, or of the field's expression; bytes of the source */
    size_t level;      /* 0, or 1 inside a format spec */
    char conversion;   /* 's', 'r', 'a', or 0 */
    bool shows_source; /* the '=' form */
};

struct fstring {
    const char *source;
    size_t at, end;
    bool raw;
    size_t level; /* number of open format specs */
    size_t error_at;
    const char *error; /* static, after FSTRING_ERROR */
};

/* token is a STRING with TOKEN_FORMATTED. */
void fstring_init(struct fstring *fstring, const char *source, const struct token *token);
enum fstring_piece_kind fstring_next(struct fstring *fstring, struct fstring_piece *piece);

#endif
