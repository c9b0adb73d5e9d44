/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Properties of a note that name other notes: keys of front matter, and lines of its text, as
 * Notion ("Prerequisites: Counting (Counting%200b1c.md)"), Obsidian's Dataview ("requires::
 * [[Counting]]") and people write them.
 */
#include <string.h>
#include <strings.h>

#include "helpers/base/json.h"
#include "mcp/format/column_role.h"
#include "mcp/format/markdown.h"

#define NAME_CAP 40u /* bytes of the name of a property in a text */

const char *property_kind(const char *name, size_t len, bool *is_sure)
{
    static const char *const sure[] = {"prerequisites", "prerequisite", "requires"};
    enum column_fit fit;

    *is_sure = true;
    for (size_t i = 0; i < sizeof sure / sizeof sure[0]; i++)
        if (strlen(sure[i]) == len && strncasecmp(name, sure[i], len) == 0)
            return "needs";
    if (len == 4 && strncasecmp(name, "next", 4) == 0)
        return "next";
    *is_sure = false;
    return column_role_rank(COLUMN_PREREQUISITES, name, len, &fit) > 0 ? "needs" : NULL;
}

bool property_is_need(const char *name, size_t len)
{
    bool is_sure;
    const char *kind = property_kind(name, len, &is_sure);

    return kind && strcmp(kind, "needs") == 0;
}

static void add(struct note *note, const char *to, size_t len, size_t line)
{
    if (len > 0)
        json_array_append_new(note->links, json_pack("{s:s, s:s%, s:I}", "kind", "needs", "to", to,
                                                     len, "line", (json_int_t)line));
}

/* The length of the path in parentheses that begins at at; 0: it is none of a note. Notion's paths
 * may have parentheses in them, and have no blanks. */
static size_t path_len(const char *at, size_t len)
{
    for (size_t end = 0; end < len && at[end] != ' '; end++)
        if (at[end] == ')' && end > 3 && strncasecmp(at + end - 3, ".md", 3) == 0)
            return end;
    return 0;
}

/* The links of a value: "[[Note|words]]", "[words](path)", "words (path.md)". */
static void add_links(const char *text, size_t len, size_t line, struct note *note)
{
    for (size_t at = 0; at < len;) {
        const char *from = text + at;
        size_t left = len - at, end;

        if (strncmp(from, "[[", 2) == 0) {
            for (end = 2; end < left && !strchr("|#^]", from[end]); end++)
                ;
            add(note, from + 2, end - 2, line);
            while (end < left && from[end] != ']')
                end++;
            at += end;
        } else if (*from == '(' && at > 0 && text[at - 1] == ']') {
            bool in_angles = left > 1 && from[1] == '<';

            for (end = 1; end < left && from[end] != (in_angles ? '>' : ')'); end++)
                ;
            add(note, from + 1 + in_angles, end - 1 - in_angles, line);
            at += end;
        } else if (*from == '(' && (end = path_len(from + 1, left - 1)) > 0) {
            add(note, from + 1, end, line);
            at += end + 1;
        } else {
            at++;
        }
    }
}

void properties_find(const char *text, size_t len, size_t line, struct note *note)
{
    const char *end = text + len;

    note->properties = json_array_size(note->links);
    for (const char *next; text < end; text = next, line++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text)), *name, *colon;
        size_t name_len;

        stop = stop ? stop : end;
        next = stop + (stop < end);
        name = text + strspn(text, " \t>*_-");
        colon = name < stop ? memchr(name, ':', (size_t)(stop - name)) : NULL;
        name_len = colon ? (size_t)(colon - name) : 0;
        while (name_len > 0 && strchr(" *_", name[name_len - 1]))
            name_len--;
        if (name_len <= NAME_CAP && property_is_need(name, name_len))
            add_links(colon + 1, (size_t)(stop - colon) - 1, line, note);
    }
}

bool properties_have(const struct note *note, const char *to, size_t len)
{
    for (size_t i = note->properties; i < json_array_size(note->links); i++) {
        const json_t *link = json_array_get(note->links, i);
        const json_t *target = json_object_get(link, "to");

        if (json_string_is(link, "kind", "needs") && json_string_length(target) == len &&
            memcmp(json_string_value(target), to, len) == 0)
            return true;
    }
    return false;
}
