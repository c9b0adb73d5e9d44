/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/base/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;

    return least < c ? least : c;
}

static int fold(char c)
{
    return tolower((unsigned char)c);
}

/* Optimal string alignment distance over three rows. */
size_t nearest_distance(const char *a, const char *b)
{
    size_t rows[3][NEAREST_WORD_CAP + 1];
    size_t len_a = strnlen(a, NEAREST_WORD_CAP), len_b = strnlen(b, NEAREST_WORD_CAP);
    size_t *before = rows[0], *last = rows[1], *row = rows[2], *spare;

    for (size_t j = 0; j <= len_b; j++)
        last[j] = j;
    for (size_t i = 1; i <= len_a; i++) {
        row[0] = i;
        for (size_t j = 1; j <= len_b; j++) {
            size_t cost = fold(a[i - 1]) != fold(b[j - 1]);

            row[j] = min3(last[j] + 1, row[j - 1] + 1, last[j - 1] + cost);
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
                fold(a[i - 2]) == fold(b[j - 1]) && before[j - 2] + 1 < row[j])
                row[j] = before[j - 2] + 1;
        }
        spare = before;
        before = last;
        last = row;
        row = spare;
    }
    return last[len_b];
}

void nearest_begin(struct nearest *search, const char *word)
{
    memset(search, 0, sizeof *search);
    search->word = word;
    search->best_distance = (size_t)-1;
}

/* Verbs that others use for what is called otherwise here. */
static const char *const verbs[][2] = {
    {"update", "edit"},   {"modify", "edit"},   {"set", "edit"},    {"add", "create"},
    {"insert", "create"}, {"remove", "delete"}, {"get", "find"},    {"read", "find"},
    {"search", "find"},   {"list", "find"},     {"run", "execute"},
};

void nearest_begin_action(struct nearest *search, const char *word)
{
    size_t verb = strcspn(word, "_");

    nearest_begin(search, word);
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strlen(verbs[i][0]) == verb && strncasecmp(word, verbs[i][0], verb) == 0)
            snprintf(search->other, sizeof search->other, "%s%s", verbs[i][1], word + verb);
}

void nearest_feed(struct nearest *search, const char *candidate)
{
    size_t len = strnlen(search->word, NEAREST_WORD_CAP);
    size_t limit = len / 3 > 0 ? len / 3 : 1;
    size_t index = search->fed++;
    size_t distance;

    if (len == 0 || !*candidate)
        return;
    distance = nearest_distance(search->word, candidate);
    if (*search->other && strncasecmp(candidate, search->other, strlen(candidate)) == 0) {
        char next = search->other[strlen(candidate)];

        distance = next ? limit + 1 : 0; /* "find" for "find_node" */
        if (next && next != '_')
            return;
    } else if (distance > limit) {
        /* A part of a title, or a title with more around it: near, but any spelling slip is nearer.
         */
        if (len < 3 || strlen(candidate) < 3 ||
            (!strcasestr(candidate, search->word) && !strcasestr(search->word, candidate)))
            return;
        distance += limit;
    }
    if (distance < search->best_distance) {
        search->best = candidate;
        search->best_index = index;
        search->best_distance = distance;
    }
}
