/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Going on behind an error, so that a program's problems are told at once.
 */
#include "validator/syntax/tokenizer_internal.h"

#include <string.h>

static size_t end_of_line(const struct tokenizer *t, size_t at)
{
    while (at < t->len && line_end_size(t, at) == 0)
        at++;
    return at;
}

/* The brackets that stay open behind the rest of a line, which is not read: those of the lines
 * before, and where the line goes on, its own. */
static void leave_brackets(struct tokenizer *t, size_t end)
{
    size_t last = end;

    for (size_t i = t->error_at; i < end; i++)
        if (t->depth > 0 && strchr(")]}", t->source[i]) && t->source[i])
            t->depth--;
    while (last > 0 && (t->source[last - 1] == ' ' || t->source[last - 1] == '\t'))
        last--;
    if (!t->cut_quote && last > 0 && t->source[last - 1] && strchr("([{,", t->source[last - 1]))
        return;
    while (t->depth > 0 && t->bracket_line[t->depth - 1] == t->line)
        t->depth--;
}

/* A text over two lines, as "a
 * b", is one mistake: the end of the line is behind its second quote. */
static size_t skip_cut_text(struct tokenizer *t, size_t end)
{
    size_t size = line_end_size(t, end), next = end_of_line(t, end + size), quotes = 0;

    for (size_t i = end + size; i < next; i++)
        quotes += t->source[i] == t->cut_quote;
    if (quotes % 2 == 0)
        return end;
    t->line++;
    return next;
}

bool tokenizer_resume(struct tokenizer *t)
{
    size_t end;

    if (t->lost || t->field || !t->error[0])
        return false;
    if (!t->in_place) {
        end = end_of_line(t, t->at > t->error_at ? t->at : t->error_at);
        leave_brackets(t, end);
        t->at = t->cut_quote ? skip_cut_text(t, end) : end;
        t->line_start = false;
        t->blank_line = false;
        t->after_token = true;
    }
    t->ended = t->in_place = false;
    t->cut_quote = '\0';
    t->error[0] = '\0';
    return true;
}
