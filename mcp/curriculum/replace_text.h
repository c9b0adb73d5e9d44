/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Replaces a term in the words of a text (prose.h), never in its markup. As a person would: the
 * replacement takes the case of what it replaces, and the plural of the term becomes the plural of
 * the replacement. Letters with marks are the same in every Unicode normal form. Pure, any thread.
 */
#ifndef LECTERN_CURRICULUM_REPLACE_TEXT_H
#define LECTERN_CURRICULUM_REPLACE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"
#include "mcp/curriculum/prose.h"

#define REPLACE_FIND_MAX  500u  /* bytes of the term */
#define REPLACE_WITH_MAX  2000u /* bytes of what replaces it */
#define REPLACE_FORMS_MAX 6u    /* different forms that are counted one by one */
#define REPLACE_FORM_SIZE 48u

struct replacement_wanted {
    const char *find, *replace; /* UTF-8; replace "": the term is deleted */
    bool parts;                 /* also inside other words */
    bool match_case;            /* only as it is written, and written as replace is */
    bool no_plurals;            /* English ones: ratio also finds ratios, quantity quantities */
};

struct replacement;

/* NULL with ERROR_INVALID if find has no letter, digit or sign, or nothing would change. */
struct replacement *replacement_new(const struct replacement_wanted *wanted, struct error *err);
void replacement_free(struct replacement *replacement); /* takes NULL */

/* What was found, summed up over texts. Zeroed by the caller. */
struct replacement_counts {
    size_t places;
    size_t inside; /* places inside other words, which stay as they are */
    struct replacement_form {
        char was[REPLACE_FORM_SIZE], is[REPLACE_FORM_SIZE]; /* cut */
        size_t count;
    } forms[REPLACE_FORMS_MAX];
    size_t form_count; /* of them the first REPLACE_FORMS_MAX are in forms */
};

/* false: surely not in these bytes, which may also be the JSON text of a value. Fast. */
bool replacement_may_be_in(const struct replacement *replacement, const char *bytes, size_t len);

/* Appends the whole text with its places replaced, and counts them. Returns 1 if there is one, 0 if
 * nothing changed (then nothing is appended). */
int replacement_apply(const struct replacement *replacement, const struct prose_text *text,
                      struct buf *to, struct replacement_counts *counts, struct error *err);

/* Appends `"ratio" -> "proportion" (300), "Ratios" -> "Proportions" (58)`. */
void replacement_say(const struct replacement_counts *counts, struct buf *to);

#endif
