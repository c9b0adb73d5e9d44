/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Folders as chapters: Docusaurus names them in files _category_.json and _category_.yml, else by
 * their page or their name without its number; Hugo names a section in its _index.md. The folder
 * that holds the pages ("docs", "content"), and those around it, are no chapters.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "helpers/base/buf.h"
#include "helpers/base/json.h"
#include "mcp/format/file.h"
#include "mcp/format/markdown.h"
#include "mcp/format/markdown_order.h"
#include "mcp/format/yaml.h"

#define CATEGORY     "_category_."
#define CATEGORY_CAP ((size_t)256 << 10) /* bytes of one file */

/* ---- Docusaurus's files ---- */

static const char *base_of(const char *name)
{
    const char *slash = strrchr(name, '/');

    return slash ? slash + 1 : name;
}

bool order_is_category(const char *name)
{
    return strncmp(base_of(name), CATEGORY, strlen(CATEGORY)) == 0;
}

static json_t *parse_category(const struct files *files, const char *name, struct error *why)
{
    struct buf BUF_AUTO text = {0};
    json_t *read;

    if (files_read(files, name, CATEGORY_CAP, &text, why) < 0)
        return NULL;
    note_decode(&text, name, NULL);
    read = file_ends_in(name, ".json") ? json_read(text.data, text.len, name, why)
                                       : yaml_read(text.data, text.len, name, 1, why);
    if (!read || json_is_object(read))
        return read;
    error_set(why, ERROR_INVALID, "%s must be an object such as {\"label\": \"Numbers\"}, not %s",
              name, json_kind(read));
    json_decref(read);
    return NULL;
}

static void read_category(struct note_order *order, const struct files *files, const char *name,
                          struct findings *said)
{
    struct error why = {0};
    json_auto_t *read = parse_category(files, name, &why), *kept = json_object();
    const char *base = base_of(name), *key;
    json_auto_t *folder = json_stringn(name, base > name ? (size_t)(base - name) - 1 : 0);
    json_t *value;

    if (!read || !folder) {
        findings_add(said, FINDING_LEFT_OUT, PLACE(name, 0, why.text),
                     "files _category_ that cannot be read name no chapter");
        return;
    }
    json_object_foreach(read, key, value)
    {
        bool is_label = strcmp(key, "label") == 0 && json_string_length(value) > 0;

        if (is_label || (strcmp(key, "position") == 0 && json_is_number(value)))
            json_object_set(kept, key, value);
        else
            findings_add(said, FINDING_LEFT_OUT, PLACE(name, 0, key),
                         "settings of a category other than its label and position");
    }
    json_object_set(order->folders, json_string_value(folder), kept);
    findings_add(said, FINDING_READ, PLACE(name, 0, NULL),
                 "categories of Docusaurus give the order of folders and their chapters");
}

void order_read_docusaurus(struct note_order *order, const struct files *files,
                           struct findings *said)
{
    static const char *const names[] = {"_category_.json", "_category_.yml", "_category_.yaml",
                                        NULL};
    static const char *const codes[] = {
        "sidebars.js",           "sidebars.ts",           "sidebars.cjs",
        "sidebars.mjs",          "docusaurus.config.js",  "docusaurus.config.ts",
        "docusaurus.config.cjs", "docusaurus.config.mjs", NULL};
    struct folder_rest rest;
    json_auto_t *found = files_list(files, names, &rest, NULL),
                *code = files_list(files, codes, &rest, NULL), *folders = json_object();
    json_t *name;
    size_t i;

    order->folders = folders;
    json_array_foreach(found, i, name)
    {
        if (order_is_category(json_string_value(name)))
            read_category(order, files, json_string_value(name), said);
    }
    order->categories = json_object_size(folders);
    json_array_foreach(code, i, name)
    {
        const char *base = base_of(json_string_value(name));
        bool is_one = false;

        for (size_t n = 0; codes[n]; n++)
            is_one = is_one || strcmp(base, codes[n]) == 0;
        order->is_site = order->is_site || is_one;
        if (is_one && strncmp(base, "sidebars.", 9) == 0)
            findings_add(said, FINDING_LEFT_OUT, PLACE(json_string_value(name), 0, NULL),
                         "sidebars that are code are not run: the order is that of positions and "
                         "names");
    }
    order->is_site = order->is_site || order->categories > 0;
    order->folders = order->is_site ? json_incref(folders) : NULL;
}

/* A version ("1.0 notes") and a date ("2026-01-15-news") are no prefix. */
size_t order_prefix(const char *name, size_t len, double *number)
{
    size_t digits = 0, at;

    while (digits < len && isdigit((unsigned char)name[digits]))
        digits++;
    if (digits == 0)
        return 0;
    for (at = digits; at < len && (name[at] == ' ' || name[at] == '\t');)
        at++;
    if (at == len || !strchr("-_.", name[at]) ||
        (at == digits && at + 1 < len && isdigit((unsigned char)name[at + 1])))
        return 0;
    while (at < len && strchr("-_. \t", name[at]))
        at++;
    if (at == len)
        return 0;
    *number = strtod(name, NULL);
    return at;
}

/* ---- the titles of folders ---- */

json_t *order_by_file(const json_t *nodes, size_t first, const json_t *files)
{
    json_auto_t *by_id = json_object();
    json_t *by_file = json_object(), *id, *node;
    const char *name;
    size_t i;

    json_array_foreach((json_t *)nodes, i, node)
    {
        const char *own = json_get_string(node, "node_id");

        if (i >= first && own)
            json_object_set(by_id, own, node);
    }
    json_object_foreach((json_t *)files, name, id)
    {
        node = json_is_string(id) ? json_object_get(by_id, json_string_value(id)) : NULL;
        if (node)
            json_object_set(by_file, name, node);
    }
    return by_file;
}

static size_t stem_len(const char *base)
{
    const char *dot = strrchr(base, '.');

    return dot ? (size_t)(dot - base) : strlen(base);
}

/* Whether the page is the one that names its folder. */
static bool names_folder(const struct note_order *order, const char *file)
{
    const char *base = base_of(file), *folder = base;
    size_t len = stem_len(base), size = 0;

    if (base == file)
        return false;
    if (!order->is_site)
        return len == 6 && strncmp(base, "_index", 6) == 0;
    for (folder = base - 1; folder > file && folder[-1] != '/';)
        folder--;
    size = (size_t)(base - folder) - 1;
    return (len == 5 && strncasecmp(base, "index", 5) == 0) ||
           (len == 6 && strncasecmp(base, "readme", 6) == 0) ||
           (len == size && strncasecmp(base, folder, len) == 0);
}

struct folder_titles {
    const struct note_order *order;
    json_t *pages;  /* folder -> title of its page; owned */
    json_t *counts; /* folder -> number of notes in it; owned */
    bool has_docs;  /* pages stand in a folder "docs" */
};

static bool is_top(const char *part, size_t len)
{
    return (len == 4 && memcmp(part, "docs", 4) == 0) ||
           (len == 7 && memcmp(part, "content", 7) == 0);
}

static void count_notes(struct folder_titles *titles, const char *file, const json_t *node)
{
    const char *base = base_of(file), *title = json_get_string(node, "sidebar_label");

    if (!titles->order->is_site || !title || !*title)
        title = json_get_string(node, "title");
    for (const char *slash = strchr(file, '/'), *from = file; slash;
         from = slash + 1, slash = strchr(from, '/')) {
        json_auto_t *folder = json_stringn(file, (size_t)(slash - file));
        json_int_t count =
            json_integer_value(json_object_get(titles->counts, json_string_value(folder)));

        titles->has_docs = titles->has_docs || ((size_t)(slash - from) == 4 && is_top(from, 4));
        json_object_set_new(titles->counts, json_string_value(folder), json_integer(count + 1));
        if (slash + 1 == base && title && *title && strcmp(title, "_index") != 0 &&
            names_folder(titles->order, file))
            json_object_set_new(titles->pages, json_string_value(folder), json_string(title));
    }
}

/* The title of a folder, whose last part begins at part: a new string, or NULL. */
static json_t *title_of(const struct folder_titles *titles, const char *folder, const char *part,
                        bool below_docs)
{
    json_t *label = json_object_get(json_object_get(titles->order->folders, folder), "label"),
           *page = json_object_get(titles->pages, folder);
    double number;

    if (label)
        return json_incref(label);
    if (is_top(part, strlen(part)))
        return NULL;
    if (page && json_integer_value(json_object_get(titles->counts, folder)) > 1)
        return json_incref(page);
    if (page || !titles->order->is_site || (titles->has_docs && !below_docs))
        return NULL;
    return json_string(part + order_prefix(part, strlen(part), &number));
}

static json_t *chapter_of(const struct folder_titles *titles, const char *file)
{
    struct buf BUF_AUTO chapter = {0};
    bool below_docs = false;

    for (const char *slash = strchr(file, '/'), *from = file; slash;
         from = slash + 1, slash = strchr(from, '/')) {
        json_auto_t *folder = json_stringn(file, (size_t)(slash - file)), *title = NULL;
        const char *part = json_string_value(folder) + (from - file);

        title = title_of(titles, json_string_value(folder), part, below_docs);
        if (title) {
            buf_adds(&chapter, chapter.len > 0 ? " / " : "");
            buf_adds(&chapter, json_string_value(title));
        } else if (is_top(part, strlen(part))) {
            below_docs = true;
            buf_clear(&chapter);
        }
    }
    return chapter.len > 0 ? json_stringn(chapter.data, chapter.len) : NULL;
}

void order_folder_chapters(const struct note_order *order, const json_t *nodes, size_t first,
                           const json_t *files)
{
    struct folder_titles titles = {.order = order, .pages = json_object(), .counts = json_object()};
    json_auto_t *notes = order_by_file(nodes, first, files);
    const char *file;
    json_t *node;

    json_object_foreach(notes, file, node) count_notes(&titles, file, node);
    json_object_foreach(notes, file, node)
    {
        json_auto_t *chapter = chapter_of(&titles, file);

        if (chapter && !json_object_get(node, "chapter"))
            json_object_set(node, "chapter", chapter);
    }
    json_decref(titles.pages);
    json_decref(titles.counts);
}
