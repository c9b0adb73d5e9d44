/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names of files: letters, digits, "-" and "_" of ASCII alone, so that no system reads them
 * otherwise, and no folder can be left by them.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <uuid/uuid.h>

#include "helpers/base/json.h"
#include "mcp/format/markdown.h"

#define ID_PART    60
#define TITLE_PART 60
#define HASH_CHARS 8

/* Names of devices on Windows, with whatever ending. */
static const char *const reserved[] = {
    "con",  "prn",  "aux",  "nul",  "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8",
    "com9", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9", NULL};

size_t markdown_slug(const char *text, char *to, size_t cap, bool *exact)
{
    size_t len = 0;

    *exact = *text != '\0';
    for (; *text; text++) {
        bool plain = isascii((unsigned char)*text) && isalnum((unsigned char)*text);

        if (len == cap) {
            *exact = false;
            break;
        }
        if (plain || (*text == '_' && len > 0)) {
            to[len++] = *text;
        } else {
            *exact = *exact && *text == '-' && len > 0 && to[len - 1] != '-';
            if (len > 0 && to[len - 1] != '-')
                to[len++] = '-';
        }
    }
    while (len > 0 && to[len - 1] == '-') {
        len--;
        *exact = false;
    }
    to[len] = '\0';
    return len;
}

static bool is_reserved(const char *name)
{
    for (size_t i = 0; reserved[i]; i++)
        if (!strcasecmp(reserved[i], name))
            return true;
    return false;
}

/* Letters that stand for an id that is not wholly in its name, the same each time. */
static void add_hash(char *name, size_t size, const json_t *id)
{
    char text[37];
    struct buf BUF_AUTO json = {0};
    uuid_t made;

    json_write(&json, id);
    uuid_generate_sha1(made, *uuid_get_template("url"), json.data ? json.data : "", json.len);
    uuid_unparse_lower(made, text);
    snprintf(name + strlen(name), size - strlen(name), "%s%.*s", *name ? "-" : "", HASH_CHARS,
             text);
}

static bool take(json_t *taken, const char *name)
{
    char lower[FILE_NAME_CAP + 1];
    size_t i;

    for (i = 0; name[i]; i++)
        lower[i] = (char)tolower((unsigned char)name[i]);
    lower[i] = '\0';
    if (json_object_get(taken, lower))
        return false;
    json_object_set_new(taken, lower, json_true());
    return true;
}

void markdown_name(const json_t *node, json_t *taken, char name[FILE_NAME_CAP + 1])
{
    const json_t *id = json_object_get(node, "node_id");
    const char *id_text = json_string_value(id), *title = json_get_string(node, "title");
    char stem[ID_PART + TITLE_PART + HASH_CHARS + 4], part[TITLE_PART + 1];
    bool exact = false, ignored;

    *stem = '\0';
    if (id_text)
        markdown_slug(id_text, stem, ID_PART, &exact);
    if (!*stem)
        snprintf(stem, sizeof stem, "node");
    if (id && (!exact || strlen(id_text) != json_string_length(id)))
        add_hash(stem, sizeof stem, id);
    if (title && markdown_slug(title, part, TITLE_PART, &ignored) > 0)
        snprintf(stem + strlen(stem), sizeof stem - strlen(stem), "-%s", part);
    if (is_reserved(stem))
        snprintf(stem + strlen(stem), sizeof stem - strlen(stem), "-node");
    snprintf(name, FILE_NAME_CAP + 1, "%s.md", stem);
    for (size_t n = 2; !take(taken, name); n++)
        snprintf(name, FILE_NAME_CAP + 1, "%s-%zu.md", stem, n);
}
