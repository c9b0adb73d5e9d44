/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A folder of Markdown as a curriculum: the listed files as they are, then the ordinary notes, then
 * the links between these.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/session/curriculum_file.h"
#include "mcp/format/markdown.h"
#include "mcp/format/markdown_folder.h"
#include "mcp/format/yaml.h"

#define ID_CAP 100 /* bytes of an id made from a file's name */

struct reader {
    const char *path;
    struct format_report *report;
    json_t *files; /* name -> true; once it was read: its node id, or null */
    json_t *ids;   /* that nodes have */
    json_t *links; /* of notes: [name, target] */
    json_t *nodes;
    json_t *relationships; /* NULL until there is one, or a list */
    unsigned usual;
    size_t left; /* bytes that may still be read */
    size_t notes, rules, made;
};

static int read_text(struct reader *reader, const char *name, struct buf *text, struct error *err)
{
    if (file_read_in(reader->path, name, reader->left, text, err) < 0)
        return -1;
    reader->left -= text->len;
    return 0;
}

static void keep_id(struct reader *reader, const json_t *node)
{
    const char *id = json_get_string(node, "node_id");

    if (id)
        json_object_set_new(reader->ids, id, json_true());
}

/* ---- the listed files ---- */

static int read_listed(struct reader *reader, const char *name, struct error *err)
{
    struct buf BUF_AUTO text = {0};
    json_t *node;

    if (read_text(reader, name, &text, err) < 0)
        return -1;
    node = node_read(&text, name, reader->usual, NULL, err);
    if (!node)
        return -1;
    keep_id(reader, node);
    json_object_set_new(reader->files, name,
                        json_get_string(node, "node_id")
                            ? json_incref(json_object_get(node, "node_id"))
                            : json_null());
    json_array_append_new(reader->nodes, node);
    return 0;
}

static int read_list(struct reader *reader, const json_t *list, struct error *err)
{
    json_t *entry;
    size_t i;

    json_array_foreach((json_t *)list, i, entry)
    {
        const char *name = json_string_value(entry);

        if (!name || !json_is_true(json_object_get(reader->files, name)))
            format_loss(reader->report,
                        MARKDOWN_INDEX ": '%s' is listed, but no such file is in the folder (or it "
                                       "is listed twice)",
                        name ? name : json_kind(entry));
        else if (read_listed(reader, name, err) < 0)
            return -1;
    }
    return 0;
}

/* The curriculum's own fields, owned; the listed nodes and the relationships go to reader. */
static json_t *read_index(struct reader *reader, struct error *err)
{
    struct buf BUF_AUTO text = {0};
    const json_t *relationships, *further;
    json_t *index, *root = NULL;

    if (!file_is_in(reader->path, MARKDOWN_INDEX))
        return json_object();
    if (read_text(reader, MARKDOWN_INDEX, &text, err) < 0)
        return NULL;
    index = yaml_read(text.data, text.len, MARKDOWN_INDEX, 1, err);
    if (!index)
        return NULL;
    relationships = json_object_get(index, "relationships");
    further = json_object_get(index, "further");
    if (!json_get_string(index, "lectern") ||
        strcmp(json_get_string(index, "lectern"), MARKDOWN_KIND) != 0) {
        error_set(err, ERROR_INVALID,
                  MARKDOWN_INDEX " line 1: it must say `lectern: " MARKDOWN_KIND "`");
    } else if (relationships && !json_is_array(relationships)) {
        error_set(err, ERROR_INVALID, MARKDOWN_INDEX ": relationships must be a list, not %s",
                  json_kind(relationships));
    } else {
        if (json_object_get(index, "usual"))
            reader->usual = shape_of_names(json_object_get(index, "usual"));
        reader->relationships = relationships ? json_copy((json_t *)relationships) : NULL;
        if (read_list(reader, json_object_get(index, "nodes"), err) == 0)
            root = json_is_object(further) ? json_copy((json_t *)further) : json_object();
    }
    json_decref(index);
    return root;
}

/* ---- ordinary notes ---- */

/* "folder/Some note.md" -> "Some note". */
static void stem_of(const char *name, char *stem, size_t size)
{
    const char *base = strrchr(name, '/');

    base = base ? base + 1 : name;
    snprintf(stem, size, "%.*s", (int)(strlen(base) - strlen(".md")), base);
}

static void name_note(struct reader *reader, json_t *node, const char *name,
                      const struct note *note)
{
    char stem[FILE_NAME_CAP + 1], id[ID_CAP + 32];
    bool exact;
    size_t len;

    stem_of(name, stem, sizeof stem);
    if (!json_is_string(json_object_get(node, "title")))
        json_object_set_new(node, "title",
                            json_string_length(note->title) > 0 ? json_incref(note->title)
                                                                : json_string(stem));
    if (json_is_string(json_object_get(node, "node_id")))
        return;
    len = markdown_slug(stem, id, ID_CAP, &exact);
    if (len == 0)
        len = (size_t)snprintf(id, sizeof id, "note");
    for (size_t n = 2; json_object_get(reader->ids, id); n++)
        snprintf(id + len, sizeof id - len, "-%zu", n);
    json_object_set_new(node, "node_id", json_string(id));
}

static int read_note(struct reader *reader, const char *name, struct error *err)
{
    struct note note = {.links = json_array()};
    struct buf BUF_AUTO text = {0};
    json_t *node = NULL, *link;
    size_t i;

    if (read_text(reader, name, &text, err) == 0)
        node = node_read(&text, name, SHAPE_USUAL, &note, err);
    if (node && !json_is_object(node)) {
        error_set(err, ERROR_INVALID, "%s line 1: it is no node: list it in " MARKDOWN_INDEX, name);
        json_decref(node);
        node = NULL;
    }
    if (node) {
        name_note(reader, node, name, &note);
        keep_id(reader, node);
        json_object_set(reader->files, name, json_object_get(node, "node_id"));
        json_array_append_new(reader->nodes, node);
        json_array_foreach(note.links, i, link)
            json_array_append_new(reader->links, json_pack("[s, O]", name, link));
        reader->notes++;
        reader->rules += note.rules;
    }
    note_finish(&note);
    return node ? 0 : -1;
}

/* ---- links ---- */

static int hex(char c)
{
    return c >= '0' && c <= '9'                 ? c - '0'
           : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
                                                : -1;
}

/* The file a link from a file means, as a name in the folder: "a/b.md" and "../c%20d.md#part" is
 * "c d.md". false: it leaves the folder, or is no link to a file. */
static bool resolve(const char *from, const char *link, char *to, size_t size)
{
    size_t len = 0, base = strcspn(link, ":/?#");
    const char *slash = strrchr(from, '/');

    if (link[base] == ':' || link[0] == '/' || link[0] == '#' || !*link)
        return false;
    if (slash)
        len = (size_t)(slash - from) + 1;
    if (len + strlen(link) >= size)
        return false;
    memcpy(to, from, len);
    for (const char *at = link; *at && *at != '#' && *at != '?'; at++) {
        bool coded = *at == '%' && hex(at[1]) >= 0 && hex(at[2]) >= 0;

        to[len++] = *at;
        if (coded)
            to[len - 1] = (char)(unsigned char)(hex(at[1]) * 16 + hex(at[2]));
        at += coded ? 2 : 0;
        if (to[len - 1] != '/')
            continue;
        if (len >= 2 && to[len - 2] == '.' && (len == 2 || to[len - 3] == '/')) {
            len -= 2; /* "./" */
        } else if (len >= 3 && !strncmp(to + len - 3, "../", 3) &&
                   (len == 3 || to[len - 4] == '/')) {
            if (len == 3)
                return false;
            for (len -= 4; len > 0 && to[len - 1] != '/'; len--)
                ;
        }
    }
    to[len] = '\0';
    return len > 0 && strlen(to) == len;
}

static void add_link(struct reader *reader, const char *from, const char *link, json_t *seen)
{
    const json_t *source = json_object_get(reader->files, from), *target;
    char to[PATH_MAX];
    struct buf BUF_AUTO pair = {0};

    if (!resolve(from, link, to, sizeof to - 4))
        return;
    target = json_object_get(reader->files, to);
    if (!target) { /* wikis leave the ending out */
        snprintf(to + strlen(to), sizeof to - strlen(to), ".md");
        target = json_object_get(reader->files, to);
    }
    if (!json_is_string(target)) {
        if (strlen(link) > 3 && strstr(link, ".md"))
            format_loss(reader->report, "%s: the link to '%s' leads to no note of the folder", from,
                        link);
        return;
    }
    buf_addf(&pair, "%s\n%s", json_string_value(source), json_string_value(target));
    if (target == source || !pair.data || json_object_get(seen, pair.data))
        return;
    json_object_set_new(seen, pair.data, json_true());
    json_array_append_new(reader->relationships,
                          json_pack("{s:O, s:O, s:s, s:s}", "from_node_id", source, "to_node_id",
                                    target, "relationship_type", "LEADS_TO", "explanation",
                                    "a link between notes"));
    reader->made++;
}

static void add_links(struct reader *reader)
{
    json_t *seen = json_object(), *link;
    size_t i;

    if (!reader->relationships && reader->notes > 0)
        reader->relationships = json_array();
    json_array_foreach(reader->links, i, link)
        add_link(reader, json_string_value(json_array_get(link, 0)),
                 json_string_value(json_array_get(link, 1)), seen);
    json_decref(seen);
}

/* ---- the folder ---- */

static json_t *read_folder(struct reader *reader, const json_t *names, struct error *err)
{
    json_t *name, *root;
    size_t i;

    json_array_foreach((json_t *)names, i, name)
        json_object_set_new(reader->files, json_string_value(name), json_true());
    root = read_index(reader, err);
    if (!root)
        return NULL;
    json_array_foreach((json_t *)names, i, name)
    {
        if (json_is_true(json_object_get(reader->files, json_string_value(name))) &&
            read_note(reader, json_string_value(name), err) < 0) {
            json_decref(root);
            return NULL;
        }
    }
    add_links(reader);
    json_object_set(root, "nodes", reader->nodes);
    if (reader->relationships)
        json_object_set(root, "relationships", reader->relationships);
    return root;
}

static void say_what_was_done(const struct reader *reader, size_t links)
{
    if (reader->notes > 0)
        format_note(reader->report,
                    "%zu ordinary notes: title from front matter, first heading or file name, text "
                    "as components, %zu links between them as LEADS_TO",
                    reader->notes, reader->made);
    if (reader->rules > 0)
        format_loss(reader->report, "%zu lines between paragraphs (---) are left out",
                    reader->rules);
    if (links > 0)
        format_loss(reader->report, "%zu links, special files or folders too deep are not read",
                    links);
}

json_t *markdown_read(const char *path, struct format_report *report, struct error *err)
{
    size_t links = 0;
    json_t *names, *root = NULL;
    struct reader reader = {.path = path,
                            .report = report,
                            .usual = SHAPE_USUAL,
                            .left = CURRICULUM_FILE_CAP,
                            .files = json_object(),
                            .ids = json_object(),
                            .links = json_array(),
                            .nodes = json_array()};

    names = folder_list(path, ".md", FORMAT_FILES_CAP, &links, err);
    if (names && json_array_size(names) == 0 && !file_is_in(path, MARKDOWN_INDEX))
        error_set(err, ERROR_NOT_FOUND, "%s holds no file NAME.md", path);
    else if (names)
        root = read_folder(&reader, names, err);
    if (root)
        say_what_was_done(&reader, links);
    json_decref(names);
    json_decref(reader.files);
    json_decref(reader.ids);
    json_decref(reader.links);
    json_decref(reader.nodes);
    json_decref(reader.relationships);
    return root;
}
