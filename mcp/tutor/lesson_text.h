/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A lesson as text for a model, in parts. A part is Markdown under the lesson's title. It has at
 * most LESSON_PART_TOKENS tokens by an estimate (token_estimate), which is above the number of
 * tokens of o200k_base for prose, code and Chinese, Japanese or Korean text; not for one of rare
 * Chinese characters only.
 *
 * A part ends between components where it can, else between paragraphs, lines, words or characters.
 * A code block that is cut is closed, and opened again in the next part. A drawing is its title and
 * description; exercises are only counted. The further fields of the node (node_field.h) are the
 * first component, each under its name. The same lesson gives the same parts.
 *
 * Pure, any thread.
 */
#ifndef LECTERN_TUTOR_LESSON_TEXT_H
#define LECTERN_TUTOR_LESSON_TEXT_H

#include <stddef.h>

#include <jansson.h>

#include "helpers/base/buf.h"
#include "helpers/base/error.h"

#define LESSON_PART_TOKENS 1500u
#define LESSON_TITLE_CAP   200u /* bytes of the title above a part */

/* Appends one part, and sets *parts to their number, at least 1. lesson: the object of
 * store_read_components; with "fields", the object of store_read_fields, if that is known. part:
 * from 1. Fails with ERROR_INVALID if there is no such part, and sets *parts then too; with
 * ERROR_MEMORY. */
int lesson_text(const json_t *lesson, size_t part, size_t *parts, struct buf *to,
                struct error *err);

/* An upper estimate of the tokens of valid UTF-8. */
size_t token_estimate(const char *text, size_t len);

#endif
