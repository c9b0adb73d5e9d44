/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validator/syntax/fstring.h"

#include <string.h>

#include "validator/syntax/literal.h"

void fstring_init(struct fstring *fstring, const char *source, const struct token *token)
{
    memset(fstring, 0, sizeof *fstring);
    fstring->source = source;
    literal_body(source, token, &fstring->at, &fstring->end);
    fstring->raw = token->flags & TOKEN_RAW;
}

static enum fstring_piece_kind fail(struct fstring *f, struct fstring_piece *piece, size_t at,
                                    const char *error)
{
    f->error = error;
    f->error_at = at;
    piece->kind = FSTRING_ERROR;
    return FSTRING_ERROR;
}

/* Literal text up to a field, the end of a spec, or the end. */
static enum fstring_piece_kind read_text(struct fstring *f, struct fstring_piece *piece)
{
    size_t at = f->at;

    while (at < f->end) {
        char c = f->source[at];

        if (c == '\\' && !f->raw) {
            bool named = at + 2 < f->end && f->source[at + 1] == 'N' && f->source[at + 2] == '{';

            if (at + 1 < f->end && (f->source[at + 1] == '{' || f->source[at + 1] == '}')) {
                at++; /* the brace keeps its meaning */
                continue;
            }
            at += 2;
            if (named) {
                while (at < f->end && f->source[at] != '}')
                    at++;
                at += at < f->end;
            }
            continue;
        }
        if (c != '{' && c != '}') {
            at++;
            continue;
        }
        if (f->level == 0 && at + 1 < f->end && f->source[at + 1] == c) {
            at += 2;
            continue;
        }
        if (f->level == 0 && c == '}')
            return fail(f, piece, at,
                        "A single '}' in an f-string. Write '}}' for the character itself.");
        break;
    }
    piece->kind = FSTRING_TEXT;
    piece->start = f->at;
    piece->end = f->at = at < f->end ? at : f->end;
    return FSTRING_TEXT;
}

static bool is_blank(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!strchr(" \t\n\f\r", text[i]) || text[i] == '\0')
            return false;
    return true;
}

static bool closes(char open, char close)
{
    return (open == '(' && close == ')') || (open == '[' && close == ']') ||
           (open == '{' && close == '}');
}

static const char unended[] = "A string or bracket inside the braces of this f-string is not "
                              "closed. In Python 3.11 a string in there cannot use the "
                              "quotes of the f-string itself: write f\"{d['key']}\".";

/* Where the expression at f->at ends. -1 after an error. */
static int find_expression_end(struct fstring *f, struct fstring_piece *piece, size_t *end)
{
    char open[VALIDATOR_DEPTH_CAP];
    size_t depth = 0, quotes = 0, opened_at = f->at, at;
    char quote = 0;

    for (at = f->at; at < f->end; at++) {
        char c = f->source[at];
        bool tripled = at + 2 < f->end && f->source[at + 1] == c && f->source[at + 2] == c;

        if (c == '\\') {
            fail(f, piece, at,
                 "Python 3.11 allows no backslash inside the braces of an f-string. Put that part "
                 "into a variable "
                 "before, or use chr(10) for a line end.");
            return -1;
        }
        if (quote) {
            if (c == quote && (quotes == 1 || tripled)) {
                at += quotes - 1;
                quote = 0;
            }
            continue;
        }
        if (c == '\'' || c == '"') {
            quote = c;
            quotes = tripled ? 3 : 1;
            opened_at = at;
            at += quotes - 1;
        } else if (c == '(' || c == '[' || c == '{') {
            if (depth == sizeof open) {
                fail(f, piece, at,
                     "Too many open brackets in an f-string. Work the value out before it.");
                return -1;
            }
            opened_at = at;
            open[depth++] = c;
        } else if (c == '#') {
            fail(f, piece, at,
                 "Python 3.11 allows no '#' inside the braces of an f-string. Put that part into a "
                 "variable before.");
            return -1;
        } else if (depth == 0 && strchr("!:}=<>", c) && c) {
            if (at + 1 < f->end && f->source[at + 1] == '=' && c != ':' && c != '}')
                at++;
            else if (c != '<' && c != '>')
                break;
        } else if (c == ')' || c == ']' || c == '}') {
            if (depth == 0 || !closes(open[depth - 1], c)) {
                fail(f, piece, at,
                     "A bracket inside the braces of this f-string closes nothing that is open.");
                return -1;
            }
            depth--;
        }
    }
    if (quote) {
        fail(f, piece, opened_at, unended);
        return -1;
    }
    if (depth > 0) {
        fail(f, piece, opened_at, unended);
        return -1;
    }
    *end = at;
    return 0;
}

static const char unclosed[] = "A field of this f-string lacks its '}': f\"{x:.2f}\". Write '{{' "
                               "for the character '{' itself.";

/* Behind the expression: '=', '!r', ':' or '}'. */
static enum fstring_piece_kind read_field_tail(struct fstring *f, struct fstring_piece *piece)
{
    if (f->at < f->end && f->source[f->at] == '=') {
        piece->shows_source = true;
        f->at++;
        while (f->at < f->end && f->source[f->at] && strchr(" \t\n\f\r\v", f->source[f->at]))
            f->at++;
    }
    if (f->at < f->end && f->source[f->at] == '!') {
        f->at++;
        if (f->at >= f->end)
            return fail(f, piece, f->at - 1, unclosed);
        piece->conversion = f->source[f->at];
        if (piece->conversion == '\0' || !strchr("sra", piece->conversion))
            return fail(f, piece, f->at, "Behind '!' in an f-string stands r, s or a: {name!r}.");
        f->at++;
    }
    if (f->at < f->end && f->source[f->at] == ':') {
        f->at++;
        f->level++;
        if (f->at >= f->end)
            return fail(f, piece, f->at - 1, unclosed);
    } else if (f->at < f->end && f->source[f->at] == '}') {
        f->at++;
    } else {
        return fail(f, piece, f->at < f->end ? f->at : f->end - 1, unclosed);
    }
    piece->kind = FSTRING_FIELD;
    return FSTRING_FIELD;
}

static const char cut[] =
    "This f-string ends inside of its braces. In Python 3.11 a string in there cannot use the "
    "quotes of the f-string itself: write f\"{', '.join(xs)}\". For the character '{' write '{{'.";

/* Whether the expression that the end of the string cuts off was in the middle: the string's own
 * quote ended it, as in f"{", ".join(x)}". */
static bool breaks_off(const struct fstring *f, size_t end)
{
    return is_blank(f->source + f->at, end - f->at) || strchr(" =+-*/%,(<>", f->source[end - 1]);
}

static enum fstring_piece_kind read_field(struct fstring *f, struct fstring_piece *piece)
{
    size_t end;

    if (f->level >= FSTRING_SPEC_LEVELS)
        return fail(f, piece, f->at,
                    "Fields of an f-string nest too deeply. Work the format out before.");
    f->at++;
    if (find_expression_end(f, piece, &end) < 0)
        return FSTRING_ERROR;
    if (end >= f->end)
        return fail(f, piece, f->at - 1, breaks_off(f, end) ? cut : unclosed);
    if (is_blank(f->source + f->at, end - f->at))
        return fail(f, piece, f->at - 1,
                    "An empty pair of braces in an f-string. Write an expression in it, or '{{}}' "
                    "for the characters themselves.");
    piece->level = f->level;
    piece->start = f->at;
    piece->end = f->at = end;
    return read_field_tail(f, piece);
}

enum fstring_piece_kind fstring_next(struct fstring *f, struct fstring_piece *piece)
{
    char c;

    memset(piece, 0, sizeof *piece);
    if (f->error)
        return fail(f, piece, f->error_at, f->error);
    for (;;) {
        if (f->at >= f->end) {
            if (f->level > 0)
                return fail(f, piece, f->end - 1, unclosed);
            return FSTRING_END;
        }
        c = f->source[f->at];
        if (f->level > 0 && c == '}') {
            f->level--;
            f->at++;
            continue;
        }
        piece->level = f->level;
        if (c != '{' || (f->level == 0 && f->at + 1 < f->end && f->source[f->at + 1] == '{'))
            return read_text(f, piece);
        return read_field(f, piece);
    }
}
