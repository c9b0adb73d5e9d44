/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Forms of the bodies of components, and their lines; what writing and reading share.
 */
#ifndef LECTERN_SESSION_FORMAT_MARKDOWN_BODY_H
#define LECTERN_SESSION_FORMAT_MARKDOWN_BODY_H

#include <stdbool.h>
#include <stddef.h>

#define BODY_YAML_FENCE "```yaml parameters\n"
#define BODY_FENCE_END  "\n```"
#define BODY_LABEL_CAP  64 /* bytes of a field's name with its NUL */

enum body_form { BODY_FIELDS, BODY_HEADING, BODY_TEXT, BODY_QUOTE, BODY_STEPS };
enum body_form body_form(const char *type);

/* The next line of the text, without its end; false behind the last. */
struct lines {
    const char *at, *end;
};
bool lines_next(struct lines *lines, const char **line, size_t *len);

#endif
