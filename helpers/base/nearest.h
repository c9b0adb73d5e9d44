/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The candidate nearest to a misspelt word, for "did you mean". Pure.
 */
#ifndef LECTERN_BASE_NEAREST_H
#define LECTERN_BASE_NEAREST_H

#include <stddef.h>

#define NEAREST_WORD_CAP 128 /* bytes of a word that count */

/* Edits (insert, delete, replace, swap of neighbours; ASCII letter case is free) between two words.
 */
size_t nearest_distance(const char *a, const char *b);

/* A running search: feed candidates, read best. best is borrowed from the candidates; NULL while
 * none is near enough (more than a third of the word's length, at least 1, away). A candidate that
 * contains the word, or is contained in it, counts as near. */
struct nearest {
    const char *word;
    const char *best;
    size_t best_index; /* the 0-based place of best among the candidates fed */
    size_t best_distance;
    size_t fed;
};

void nearest_begin(struct nearest *search, const char *word);
void nearest_feed(struct nearest *search, const char *candidate);

#endif
