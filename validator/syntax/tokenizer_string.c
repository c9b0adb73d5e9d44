/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * String literals, each one token with its prefix and quotes.
 */
#include "validator/syntax/tokenizer_internal.h"

#include "validator/syntax/keyword.h"
#include "validator/syntax/unicode.h"

/* A prefix of a string at the place, if a quote follows it: its flags and length. */
bool tokenizer_prefix(const struct tokenizer *t, uint16_t *flags, size_t *len)
{
    bool bytes = false, raw = false, unicode = false, formatted = false;

    for (size_t i = 0; i < 3; i++) {
        int c = peek(t, i);

        if (c == '\'' || c == '"') {
            *flags = (uint16_t)((bytes ? TOKEN_BYTES : 0) | (raw ? TOKEN_RAW : 0) |
                                (formatted ? TOKEN_FORMATTED : 0));
            *len = i;
            return true;
        }
        c |= 0x20;
        if (c == 'b' && !bytes && !unicode && !formatted)
            bytes = true;
        else if (c == 'u' && !bytes && !unicode && !raw && !formatted)
            unicode = true;
        else if (c == 'r' && !raw && !unicode)
            raw = true;
        else if (c == 'f' && !bytes && !unicode && !formatted)
            formatted = true;
        else
            return false;
    }
    return false;
}

/* At a quote, behind the prefix that starts at `start`. */
enum token_kind tokenizer_string(struct tokenizer *t, struct token *token, size_t start)
{
    char quote = t->source[t->at];
    size_t quotes = peek(t, 1) == quote && peek(t, 2) == quote ? 3 : 1;
    uint32_t character;
    size_t size;

    if (quotes == 3)
        token->flags |= TOKEN_TRIPLE;
    t->at += quotes;
    while (t->at < t->len) {
        char c = t->source[t->at];

        if (c == quote && (quotes == 1 || (peek(t, 1) == quote && peek(t, 2) == quote))) {
            t->at += quotes;
            return give(t, token, TOKEN_STRING, start);
        }
        if (c == '\\') {
            size = line_end_size(t, t->at + 1);
            t->line += size > 0;
            t->at += 1 + (size ? size : peek(t, 1) >= 0 && peek(t, 1) < 0x80);
            continue;
        }
        size = line_end_size(t, t->at);
        if (size > 0 && quotes == 1)
            break;
        if ((unsigned char)c >= 0x80) {
            if (token->flags & TOKEN_BYTES)
                return tokenizer_fail(
                    t, token, t->at,
                    "A bytes literal holds ASCII characters only. Write \"...\".encode() or an "
                    "escape such as "
                    "\\xe9.");
            size = unicode_decode(t->source + t->at, t->len - t->at, &character);
            if (size == 0)
                return tokenizer_not_utf8(t, token);
            t->at += size;
            continue;
        }
        t->line += size > 0;
        t->at += size ? size : 1;
    }
    t->at = t->at > t->len ? t->len : t->at;
    t->cut_quote = quote;
    t->lost = quotes == 3;
    if (quotes == 3)
        return tokenizer_fail(t, token, start, "This string is never closed. Close it with %c%c%c.",
                              quote, quote, quote);
    if (start > 0 && start + 1 < t->len && quote == '\'' && t->source[start] == quote &&
        keyword_is_name_byte((unsigned char)t->source[start - 1]))
        return tokenizer_fail(
            t, token, start,
            "This apostrophe opens a string that is not closed. Put a text with an "
            "apostrophe in double quotes: \"it's\"; put '#' before prose.");
    return tokenizer_fail(
        t, token, start,
        "This string is not closed on its line. Close it with %c, or use %c%c%c for a text "
        "of several "
        "lines.",
        quote, quote, quote, quote);
}
