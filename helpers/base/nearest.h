/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Finds the candidate nearest to a misspelt word, for "did you mean". Pure.
 */
#ifndef LECTERN_BASE_NEAREST_H
#define LECTERN_BASE_NEAREST_H

#include <stddef.h>

#define NEAREST_WORD_CAP 128 /* bytes of a word that count */

/* The number of edits between two words: insert, delete, replace, swap of neighbours. Changing the
 * case of an ASCII letter costs nothing. */
size_t nearest_distance(const char *a, const char *b);

/* A search: feed the candidates, then read best. best is borrowed from the candidates; NULL if none
 * is near. Near means a distance of at most a third of the word's length, or 1; a candidate that
 * contains the word, or is contained in it, is near too. */
struct nearest {
    const char *word;
    char other[NEAREST_WORD_CAP + 1]; /* the word with the verb that is used here: "edit_node" of
                                         "update_node"; or "" */
    const char *best;
    size_t best_index; /* 0-based index of best among the candidates fed */
    size_t best_distance;
    size_t fed;
};

void nearest_begin(struct nearest *search, const char *word);
/* The same for the name of an action: one with another verb of the same meaning is near too. */
void nearest_begin_action(struct nearest *search, const char *word);
void nearest_feed(struct nearest *search, const char *candidate);

#endif
