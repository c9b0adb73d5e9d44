/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One pass over the cells. An opening quote is closed by the next quote that a separator or the end
 * of a line follows. It was not meant as an opening quote if the sheet ends before, or if a cell in
 * quotes begins before: then its cell ends on its own line, and the lines below are rows again.
 */
#include "mcp/format/csv_quotes.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct mender {
    const char *text;
    size_t len;
    char separator;
    const char *name;
    struct buf *to;
    struct findings *findings;
    size_t at, line; /* of the cell that is read */
    size_t copied;   /* up to where the text is in the buffer */
    size_t cells;    /* of the row, before this one */
    size_t columns;  /* cells of the first row that is not blank; 0: not yet read */
    bool filled;     /* a cell of the row is not empty */
};

/* A cell that begins with a quote. */
struct quoted_cell {
    size_t close; /* its closing quote, or where none can follow */
    size_t end;   /* of the cell, behind blanks */
    bool closed;
    bool bare; /* quotes in it are not doubled */
};

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_end(const struct mender *mender, size_t at)
{
    return at >= mender->len || mender->text[at] == mender->separator ||
           is_line_end(mender->text[at]);
}

static size_t skip_blanks(const struct mender *mender, size_t at)
{
    while (!is_end(mender, at) && (mender->text[at] == ' ' || mender->text[at] == '\t'))
        at++;
    return at;
}

static size_t cell_end(const struct mender *mender, size_t at)
{
    while (!is_end(mender, at))
        at++;
    return at;
}

/* Whether a quote at this place can open a cell. */
static bool can_open(const struct mender *mender, size_t at)
{
    char before = mender->text[at - 1];

    return before == mender->separator || is_line_end(before);
}

static struct quoted_cell find_close(const struct mender *mender, size_t open)
{
    struct quoted_cell cell = {0};
    size_t at = open + 1;

    for (; at < mender->len; at++) {
        bool doubled = at + 1 < mender->len && mender->text[at + 1] == '"';

        if (cell.bare && is_line_end(mender->text[at]))
            break;
        if (mender->text[at] != '"')
            continue;
        if (doubled && !(cell.bare && can_open(mender, at))) {
            at++;
            continue;
        }
        cell.end = skip_blanks(mender, at + 1);
        if (is_end(mender, cell.end)) {
            cell.closed = true;
            break;
        }
        if (can_open(mender, at))
            break;
        cell.bare = true;
    }
    cell.close = at;
    return cell;
}

/* Whether all quotes between two places are doubled. */
static bool all_doubled(const struct mender *mender, size_t from, size_t end)
{
    for (; from < end; from++) {
        if (mender->text[from] != '"')
            continue;
        if (from + 1 == end || mender->text[from + 1] != '"')
            return false;
        from++;
    }
    return true;
}

static void add_until(struct mender *mender, size_t end)
{
    buf_add(mender->to, mender->text + mender->copied, end - mender->copied);
    mender->copied = end;
}

/* Appends a cell in quotes. double_all: each of its quotes is text; else those that are not
 * doubled. */
static void add_cell(struct mender *mender, size_t from, size_t end, bool double_all)
{
    buf_addc(mender->to, '"');
    for (size_t at = from; at < end; at++) {
        bool quote = mender->text[at] == '"';

        if (quote)
            buf_addc(mender->to, '"');
        if (quote && !double_all && at + 1 < end && mender->text[at + 1] == '"')
            at++;
        buf_addc(mender->to, mender->text[at]);
    }
    buf_addc(mender->to, '"');
}

static void report(struct mender *mender, enum finding_kind kind, size_t end, const char *why)
{
    char shown[FINDING_VALUE_CAP * 2];
    size_t len = end - mender->at < sizeof shown ? end - mender->at : sizeof shown - 1;

    snprintf(shown, sizeof shown, "%.*s", (int)len, mender->text + mender->at);
    findings_add(mender->findings, kind, PLACE(mender->name, mender->line, shown), "%s", why);
}

/* The end of a cell whose opening quote was not meant as one: a separator where the row has as many
 * cells as the first one then, or is the first; else the end of the line. */
static size_t find_end(const struct mender *mender, const struct quoted_cell *cell)
{
    size_t line = mender->at, cells = mender->cells + 1;

    for (; line < mender->len && !is_line_end(mender->text[line]); line++)
        cells += mender->text[line] == mender->separator;
    return cell->close < line || cell->bare || mender->columns == 0 || cells == mender->columns
               ? cell_end(mender, mender->at)
               : line;
}

/* Moves behind a cell, which is added in quotes: its text is from there to there. */
static void replace(struct mender *mender, size_t from, size_t to, size_t end, bool double_all)
{
    add_until(mender, mender->at);
    add_cell(mender, from, to, double_all);
    mender->copied = end;
}

static size_t read_unclosed(struct mender *mender, const struct quoted_cell *cell)
{
    size_t end = find_end(mender, cell);

    if (all_doubled(mender, mender->at + 1, end)) {
        report(mender, FINDING_CHANGED, end,
               "a quote is opened and never closed: it is left out, and its cell ends on its line");
        replace(mender, mender->at + 1, end, end, false);
    } else {
        report(mender, FINDING_CHANGED, end,
               "a cell has text behind its closing quote: it is kept with its quotes");
        replace(mender, mender->at, end, end, true);
    }
    return end;
}

/* The end of the cell. */
static size_t read_cell(struct mender *mender)
{
    size_t open = skip_blanks(mender, mender->at), end;
    bool quoted = open < mender->len && mender->text[open] == '"';
    struct quoted_cell cell = quoted ? find_close(mender, open) : (struct quoted_cell){0};

    if (cell.closed) {
        if (cell.bare)
            report(mender, FINDING_CHANGED, cell.end,
                   "a cell has quotes in it that are not doubled: they are kept as text");
        else if (open > mender->at || cell.end > cell.close + 1)
            report(mender, FINDING_CHANGED, cell.end,
                   "blanks between a separator and a quote are left out");
        else
            return cell.end;
        replace(mender, open + 1, cell.close, cell.end, false);
        return cell.end;
    }
    if (quoted && open == mender->at)
        return read_unclosed(mender, &cell);
    end = cell_end(mender, mender->at);
    if (memchr(mender->text + mender->at, '"', end - mender->at)) {
        report(mender, FINDING_READ, end, "a quote within a cell without quotes is its text");
        replace(mender, mender->at, end, end, true);
    }
    return end;
}

/* Moves to the end of a cell. */
static void move(struct mender *mender, size_t end)
{
    mender->filled = mender->filled || skip_blanks(mender, mender->at) < end;
    for (; mender->at < end; mender->at++)
        mender->line += mender->text[mender->at] == '\n' ||
                        (mender->text[mender->at] == '\r' &&
                         (mender->at + 1 == mender->len || mender->text[mender->at + 1] != '\n'));
}

void csv_quotes_mend(const char *text, size_t len, char separator, size_t line, const char *name,
                     struct buf *mended, struct findings *findings)
{
    struct mender mender = {.text = text,
                            .len = len,
                            .separator = separator,
                            .name = name,
                            .to = mended,
                            .findings = findings,
                            .line = line};

    if (!memchr(text, '"', len))
        return;
    while (mender.at < len) {
        move(&mender, read_cell(&mender));
        mender.cells++;
        if (mender.at < len && text[mender.at] != separator) {
            if (mender.columns == 0 && mender.filled)
                mender.columns = mender.cells;
            mender.cells = 0;
            mender.filled = false;
        }
        if (mender.at < len)
            move(&mender, mender.at + 1);
    }
    if (mender.copied > 0)
        add_until(&mender, len);
}
