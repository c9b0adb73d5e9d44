/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Takes an f-string of Python 3.11 apart: a pull reader over its pieces, literal text and fields,
 * in the order of the source; the fields inside a format spec come right behind the field that has
 * the spec. It refuses what CPython 3.11 refuses at this level. Pure, allocates nothing.
 */
#ifndef LECTERN_VALIDATOR_FSTRING_H
#define LECTERN_VALIDATOR_FSTRING_H

#include "validator/syntax/tokenizer.h"

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
    size_t level; /* how many specs are open */
    size_t error_at;
    const char *error; /* static, after FSTRING_ERROR */
};

/* token is a STRING with TOKEN_FORMATTED. */
void fstring_init(struct fstring *fstring, const char *source, const struct token *token);
enum fstring_piece_kind fstring_next(struct fstring *fstring, struct fstring_piece *piece);

#endif
