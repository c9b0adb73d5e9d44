/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A folder of Markdown as a curriculum, and back; the form: markdown.h. Reading takes the listed
 * files as they are, then the ordinary notes, then the links between these. One file alone is read
 * as a text is (text.c).
 */
#include "mcp/format/markdown.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unictype.h>
#include <uninorm.h>
#include <uuid/uuid.h>

#include "helpers/base/json.h"
#include "helpers/base/utf8.h"
#include "mcp/curriculum/limits.h"
#include "mcp/format/file.h"
#include "mcp/format/format.h"
#include "mcp/format/markdown_order.h"
#include "mcp/format/yaml.h"

/* Names of files: letters, digits, "-" and "_" of ASCII alone, so that no system reads them
 * otherwise, and no folder can be left by them. */

#define ID_PART    60
#define TITLE_PART 60
#define HASH_CHARS 8
#define STEM_SIZE  (ID_PART + TITLE_PART + HASH_CHARS + 4)

/* Names of devices on Windows, with whatever ending. */
static const char *const reserved[] = {
    "con",  "prn",  "aux",  "nul",  "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8",
    "com9", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9", NULL};

/* One text as part of a name: at most cap bytes; *exact: nothing of it was changed. */
static size_t slug(const char *text, char *to, size_t cap, bool *exact)
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
        if (strcasecmp(reserved[i], name) == 0)
            return true;
    return false;
}

/* Appends a hash of an id that is not completely in its name; always the same. */
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

/* The beginning of the name of the node's file: its id, and a hash where that is not all of it. */
static void id_stem(const json_t *node, char *stem, size_t size)
{
    const json_t *id = json_object_get(node, "node_id");
    const char *id_text = json_string_value(id);
    bool exact = false;

    *stem = '\0';
    if (id_text)
        slug(id_text, stem, ID_PART, &exact);
    if (!*stem)
        snprintf(stem, size, "node");
    if (id && (!exact || strlen(id_text) != json_string_length(id)))
        add_hash(stem, size, id);
}

/* A name for the node's file, from id and title: valid on every system, always the same, and not in
 * taken (in lower case), to which it is added. */
static void name_file(const json_t *node, json_t *taken, char name[FILE_NAME_CAP + 1])
{
    const char *title = json_get_string(node, "title");
    char stem[STEM_SIZE], part[TITLE_PART + 1];
    bool ignored;

    id_stem(node, stem, sizeof stem);
    if (title && slug(title, part, TITLE_PART, &ignored) > 0)
        snprintf(stem + strlen(stem), sizeof stem - strlen(stem), "-%s", part);
    if (is_reserved(stem))
        snprintf(stem + strlen(stem), sizeof stem - strlen(stem), "-node");
    snprintf(name, FILE_NAME_CAP + 1, "%s.md", stem);
    for (size_t n = 2; !take(taken, name); n++)
        snprintf(name, FILE_NAME_CAP + 1, "%s-%zu.md", stem, n);
}

/* ---- writing ---- */

/* The shape that most components have. */
static unsigned usual_shape(const json_t *nodes)
{
    size_t counts[SHAPES] = {0}, n, i;
    unsigned best = SHAPE_USUAL;
    json_t *node, *component;

    json_array_foreach((json_t *)nodes, n, node)
    {
        json_array_foreach(json_object_get(node, "components"), i, component)
            counts[shape_of(component, i + 1)]++;
    }
    for (unsigned shape = 0; shape < SHAPES; shape++)
        if (counts[shape] > counts[best])
            best = shape;
    return best;
}

static int add_node(struct folder *folder, const json_t *node, unsigned usual, json_t *taken,
                    json_t *names, struct error *err)
{
    char name[FILE_NAME_CAP + 1];
    struct buf BUF_AUTO text = {0};

    name_file(node, taken, name);
    json_array_append_new(names, json_string(name));
    if (node_write(&text, node, usual, err) < 0)
        return error_wrap(err, "%s", name);
    return folder_add(folder, name, &text, err);
}

static int add_index(struct folder *folder, const json_t *curriculum, unsigned usual,
                     const json_t *names, struct error *err)
{
    const json_t *relationships = json_object_get(curriculum, "relationships");
    json_t *further = json_copy((json_t *)curriculum);
    json_auto_t *index = NULL;
    struct buf BUF_AUTO text = {0};

    json_object_del(further, "nodes");
    if (json_is_array(relationships))
        json_object_del(further, "relationships");
    index = json_pack("{s:s, s:o, s:O}", "lectern", MARKDOWN_KIND, "usual", shape_names(usual),
                      "nodes", names);
    if (json_is_array(relationships))
        json_object_set(index, "relationships", (json_t *)relationships);
    json_object_set_new(index, "further", further);
    if (yaml_write(&text, index, err) < 0)
        return error_wrap(err, MARKDOWN_INDEX);
    return folder_add(folder, MARKDOWN_INDEX, &text, err);
}

static int markdown_write(const json_t *curriculum, const char *path, struct format_report *report,
                          struct error *err)
{
    const json_t *nodes = json_object_get(curriculum, "nodes"), *node;
    unsigned usual = usual_shape(nodes);
    json_auto_t *names = NULL, *taken = NULL;
    struct folder folder;
    int rc = 0;
    size_t i;

    (void)report; /* it holds all there is */
    if (json_array_size(nodes) > FORMAT_FILES_CAP)
        return error_set(err, ERROR_TOO_LARGE,
                         "more than %u nodes do not fit in a folder of Markdown", FORMAT_FILES_CAP);
    if (folder_begin(&folder, path, err) < 0)
        return -1;
    names = json_array();
    taken = json_object();
    json_array_foreach((json_t *)nodes, i, node)
    {
        if (rc == 0)
            rc = add_node(&folder, node, usual, taken, names, err);
    }
    if (rc == 0)
        rc = add_index(&folder, curriculum, usual, names, err);
    return folder_end(&folder, rc == 0, rc == 0 ? err : NULL) < 0 || rc < 0 ? -1 : 0;
}

/* ---- reading ---- */

#define ID_CAP      100   /* bytes of an id made from a file's name */
#define RENAMED_CAP 1000u /* listed files that are missing and looked for under other names */

const char *const markdown_suffixes[] = {".md", ".markdown", ".mdx", NULL};

struct markdown_reader {
    const struct files *from;
    struct format_report *report;
    json_t *files; /* name -> true; once it was read: its node id, or null */
    json_t *ids;   /* that nodes have */
    json_t *links; /* of notes: [name, link], see struct note */
    json_t *nodes;
    json_t *missing;       /* listed files that are not there: [{"name", "at" in nodes}] */
    json_t *untitled;      /* notes whose title is their file's name: [name, node] */
    json_t *unnamed;       /* notes that get an id from their file's name: [name, node] */
    struct findings *said; /* for the report: note_say */
    json_t *relationships; /* NULL until there is one, or a list */
    unsigned usual;
    size_t left; /* bytes that may still be read */
    size_t notes, rules, made;
    struct note_order order;
};

static int read_text(struct markdown_reader *reader, const char *name, struct buf *text,
                     struct error *err)
{
    if (files_read(reader->from, name, reader->left, text, err) < 0)
        return -1;
    reader->left -= text->len;
    note_decode(text, name, reader->said);
    return 0;
}

static void keep_id(struct markdown_reader *reader, const json_t *node)
{
    const char *id = json_get_string(node, "node_id");

    if (id)
        json_object_set_new(reader->ids, id, json_true());
}

/* ---- the listed files ---- */

static int read_note(struct markdown_reader *reader, const char *name, const struct buf *text,
                     unsigned usual, struct error *err);

/* An export has no comments in its front matter; people and other programs write them. */
static void keep_comments(struct markdown_reader *reader, const char *name, const struct buf *text,
                          json_t *node)
{
    static const char begin[] = "---\n", end[] = "\n---";
    const char *stop =
        text->len > sizeof begin ? memmem(text->data, text->len, end, sizeof end - 1) : NULL;

    if (stop && stop > text->data + sizeof begin &&
        memcmp(text->data, begin, sizeof begin - 1) == 0 && json_is_object(node))
        front_comments(node, text->data + sizeof begin - 1,
                       (size_t)(stop + 1 - text->data) - (sizeof begin - 1), name, 2, reader->said);
}

/* A file that is damaged is read as a note. */
static int read_listed(struct markdown_reader *reader, const char *name, struct error *err)
{
    struct buf BUF_AUTO text = {0};
    struct error why = {0};
    json_t *node;

    if (read_text(reader, name, &text, err) < 0)
        return -1;
    node = node_read(&text, name, reader->usual, NULL, &why);
    if (!node) {
        findings_add(reader->said, FINDING_CHANGED, PLACE(name, 0, why.text),
                     "files of an export that cannot be read as such are read as notes");
        return read_note(reader, name, &text, reader->usual, err);
    }
    keep_comments(reader, name, &text, node);
    keep_id(reader, node);
    json_object_set_new(reader->files, name,
                        json_get_string(node, "node_id")
                            ? json_incref(json_object_get(node, "node_id"))
                            : json_null());
    json_array_append_new(reader->nodes, node);
    return 0;
}

static int read_list(struct markdown_reader *reader, const json_t *list, struct error *err)
{
    json_t *entry;
    size_t i;

    json_array_foreach((json_t *)list, i, entry)
    {
        const char *name = json_string_value(entry);

        if (name && !json_object_get(reader->files, name))
            json_array_append_new(reader->missing,
                                  json_pack("{s:O, s:I}", "name", entry, "at",
                                            (json_int_t)json_array_size(reader->nodes)));
        else if (!name || !json_is_true(json_object_get(reader->files, name)))
            findings_add(&reader->report->lines, FINDING_LEFT_OUT,
                         PLACE(MARKDOWN_INDEX, 0, name ? name : json_kind(entry)),
                         "a file is listed that is not in the folder, or listed twice");
        else if (read_listed(reader, name, err) < 0)
            return -1;
    }
    return 0;
}

/* The listed file that a node was exported to, and that is missing: by the name that an export
 * gives it, else by its id where only one begins with that; or NULL. */
static json_t *find_missing(const struct markdown_reader *reader, const json_t *node)
{
    char name[FILE_NAME_CAP + 1], stem[STEM_SIZE];
    json_auto_t *taken = json_object();
    json_t *entry, *found = NULL;
    size_t i, len, count = 0;

    name_file(node, taken, name);
    id_stem(node, stem, sizeof stem);
    len = strlen(stem);
    json_array_foreach(reader->missing, i, entry)
    {
        const char *listed = json_get_string(entry, "name");

        if (i == RENAMED_CAP)
            break;
        if (json_object_get(entry, "node"))
            continue;
        if (strcmp(listed, name) == 0)
            return entry;
        if (strncmp(listed, stem, len) == 0 && (listed[len] == '-' || listed[len] == '.')) {
            found = entry;
            count++;
        }
    }
    return count == 1 ? found : NULL;
}

/* Reads a file that is not listed as the missing one that was renamed or moved, if it is that. */
static void read_renamed(struct markdown_reader *reader, const char *name)
{
    struct buf BUF_AUTO text = {0};
    json_t *node = NULL, *entry = NULL;
    size_t left = reader->left;
    const char *id;

    if (files_read(reader->from, name, reader->left, &text, NULL) < 0)
        return;
    note_decode(&text, name, NULL); /* what it changes is said when the file is taken */
    node = node_read(&text, name, reader->usual, NULL, NULL);
    id = json_get_string(node, "node_id");
    if (id && !json_object_get(reader->ids, id))
        entry = find_missing(reader, node);
    json_decref(node);
    if (!entry || read_listed(reader, name, NULL) < 0) {
        reader->left = left;
        return;
    }
    json_object_set(entry, "node",
                    json_array_get(reader->nodes, json_array_size(reader->nodes) - 1));
    json_array_remove(reader->nodes, json_array_size(reader->nodes) - 1);
    findings_add(reader->said, FINDING_READ, PLACE(name, 0, json_get_string(entry, "name")),
                 "files of an export that were renamed or moved are read in their place");
}

/* Listed files that are not there, under other names where their nodes are found. */
static void read_missing(struct markdown_reader *reader, const json_t *names)
{
    json_t *name;
    size_t i;

    if (json_array_size(reader->missing) == 0)
        return;
    json_array_foreach((json_t *)names, i, name)
    {
        if (json_is_true(json_object_get(reader->files, json_string_value(name))))
            read_renamed(reader, json_string_value(name));
    }
    for (i = json_array_size(reader->missing); i-- > 0;) { /* the last first: places stay */
        const json_t *entry = json_array_get(reader->missing, i);
        json_t *node = json_object_get(entry, "node");

        if (node)
            json_array_insert(reader->nodes,
                              (size_t)json_integer_value(json_object_get(entry, "at")), node);
        else
            findings_add(reader->said, FINDING_LEFT_OUT,
                         PLACE(MARKDOWN_INDEX, 0, json_get_string(entry, "name")),
                         "a file is listed that is not in the folder, or listed twice");
    }
}

/* The curriculum's own fields, owned; the listed nodes and the relationships go to reader. */
static json_t *read_index(struct markdown_reader *reader, struct error *err)
{
    struct buf BUF_AUTO text = {0};
    const json_t *relationships, *further;
    json_auto_t *index = NULL;

    if (!files_has(reader->from, MARKDOWN_INDEX))
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
        return NULL;
    }
    if (relationships && !json_is_array(relationships)) {
        error_set(err, ERROR_INVALID, MARKDOWN_INDEX ": relationships must be a list, not %s",
                  json_kind(relationships));
        return NULL;
    }
    if (json_object_get(index, "usual"))
        reader->usual = shape_of_names(json_object_get(index, "usual"));
    reader->relationships = relationships ? json_copy((json_t *)relationships) : NULL;
    if (read_list(reader, json_object_get(index, "nodes"), err) < 0)
        return NULL;
    return json_is_object(further) ? json_copy((json_t *)further) : json_object();
}

/* ---- ordinary notes ---- */

/* "folder/Some note.md" -> "Some note", composed as keyboards write it, whatever the file system
 * makes of it; owned. */
static char *stem_of(const char *name)
{
    const char *base = strrchr(name, '/'), *dot;
    size_t len = 0;
    char *stem;

    base = base ? base + 1 : name;
    dot = strrchr(base, '.');
    stem = (char *)u8_normalize(UNINORM_NFC, (const uint8_t *)base,
                                dot ? (size_t)(dot - base) : strlen(base), NULL, &len);
    if (stem) {
        char *ended = realloc(stem, len + 1);

        if (ended)
            ended[len] = '\0';
        else
            free(stem);
        stem = ended;
    }
    return stem;
}

/* The letters, digits and "_" of any script, with "-" between; at most ID_CAP bytes of whole
 * characters. *exact: nothing of it was changed. */
static void slug_any(const char *text, struct buf *to, bool *exact)
{
    size_t left = strlen(text);
    uint32_t c = 0;

    *exact = true;
    for (size_t len; left > 0 && (len = utf8_decode(text, left, &c)) > 0;
         text += len, left -= len) {
        bool is_kept = c == '_' || uc_is_general_category(c, UC_LETTER) ||
                       uc_is_general_category(c, UC_MARK) || uc_is_general_category(c, UC_NUMBER);

        if (to->len + len > ID_CAP) {
            *exact = false;
            break;
        }
        *exact = *exact && (is_kept || (c == '-' && to->len > 0 && to->data[to->len - 1] != '-'));
        if (is_kept)
            buf_add(to, text, len);
        else if (to->len > 0 && to->data[to->len - 1] != '-')
            buf_addc(to, '-');
    }
    if (to->len > 0 && to->data[to->len - 1] == '-') {
        to->len--;
        *exact = false;
    }
    buf_add(to, "", 0);
}

/* The bytes before a name that its program does not count to it; *left: the bytes of
 * the name. */
static size_t prefix_of(const struct markdown_reader *reader, const char *name, size_t len,
                        size_t *left)
{
    double number;
    size_t prefix = reader->order.is_site ? order_prefix(name, len, &number) : 0;

    *left = len - prefix;
    return prefix;
}

/* An id from the file's name: its own part alone, else with its folders, else with a hash of the
 * whole path. So the files around it do not change it, except one of the same name in another
 * folder that comes before. */
static void give_id(struct markdown_reader *reader, json_t *node, const char *name,
                    const char *stem)
{
    char hash[HASH_CHARS + 2] = "";
    json_auto_t *path = json_string(name);
    struct buf BUF_AUTO id = {0}, whole = {0};
    bool exact;

    slug_any(stem, &id, &exact);
    if (id.len == 0 || json_object_get(reader->ids, id.data)) {
        buf_clear(&id);
        for (const char *from = name, *end = strrchr(name, '.'); from < end;) {
            size_t len = strcspn(from, "/");

            len = from + len > end ? (size_t)(end - from) : len;
            from += prefix_of(reader, from, len, &len);
            buf_add(&whole, from, len);
            buf_adds(&whole, from + len < end ? "/" : "");
            from += len + (from + len < end);
        }
        slug_any(whole.data ? whole.data : "", &id, &exact);
    }
    if (id.len == 0 || json_object_get(reader->ids, id.data)) {
        add_hash(hash, sizeof hash, path);
        buf_addf(&id, "%s-%s", id.len == 0 ? "note" : "", hash);
    }
    json_object_set_new(node, "node_id", json_stringn(id.data, id.len));
}

static void name_note(struct markdown_reader *reader, json_t *node, const char *name,
                      const struct note *note)
{
    char *stem = stem_of(name);
    const char *own = stem ? stem : name;
    const json_t *id;
    size_t left;

    if (!node_name_field(node, "title") && json_string_length(note->title) > 0) {
        json_object_set(node, "title", note->title);
    } else if (!node_name_field(node, "title")) {
        json_object_set_new(node, "title",
                            json_string(own + prefix_of(reader, own, strlen(own), &left)));
        json_array_append_new(reader->untitled, json_pack("[s, O]", name, node));
    }
    if (!node_name_field(node, "node_id") && node_name_field(node, "id"))
        json_object_set(node, "node_id", json_object_get(node, "id"));
    id = json_object_get(node, "node_id");
    if (json_string_length(id) > 0 && json_object_get(reader->ids, json_string_value(id))) {
        findings_add(
            reader->said, FINDING_CHANGED, PLACE(name, 0, json_string_value(id)),
            "ids that another note has are kept as duplicate_id, and the note gets an id from "
            "its file's name");
        json_object_set(node, "duplicate_id", (json_t *)id);
        id = NULL;
    }
    if (json_string_length(id) == 0)
        json_object_del(node, "node_id");
    free(stem);
}

/* The folder of the pages of a site has none of its other files, but its keys in front matter. */
static void find_site(struct markdown_reader *reader)
{
    json_t *node, *entry;
    size_t i, left;

    if (reader->order.is_site)
        return;
    json_array_foreach(reader->nodes, i, node) reader->order.is_site =
        reader->order.is_site || json_object_get(node, "sidebar_position") ||
        json_object_get(node, "sidebar_label");
    json_array_foreach(reader->untitled, i, entry)
    {
        const char *title = json_get_string(json_array_get(entry, 1), "title");
        char *stem = stem_of(json_string_value(json_array_get(entry, 0)));

        if (stem && title && strcmp(title, stem) == 0)
            json_object_set_new(json_array_get(entry, 1), "title",
                                json_string(stem + prefix_of(reader, stem, strlen(stem), &left)));
        free(stem);
    }
}

/* After all ids that the notes themselves have. */
static void give_ids(struct markdown_reader *reader)
{
    json_t *entry;
    size_t i;

    json_array_foreach(reader->unnamed, i, entry)
    {
        const char *name = json_string_value(json_array_get(entry, 0));
        json_t *node = json_array_get(entry, 1);
        char *stem = stem_of(name);
        const char *own = stem ? stem : name;
        size_t left;

        give_id(reader, node, name, own + prefix_of(reader, own, strlen(own), &left));
        keep_id(reader, node);
        json_object_set(reader->files, name, json_object_get(node, "node_id"));
        free(stem);
    }
}

/* A name, or lists of them; "[[Note]]" without quotes is a list in a list for YAML. is_sure: others
 * than notes are reported. */
static void add_names(struct markdown_reader *reader, const char *file, const char *kind,
                      bool is_sure, const json_t *value)
{
    const char *name = json_string_value(value);
    size_t len = json_string_length(value), i;
    struct buf BUF_AUTO number = {0};
    json_t *entry;

    json_array_foreach((json_t *)value, i, entry) add_names(reader, file, kind, is_sure, entry);
    if (json_is_number(value)) {
        json_write(&number, value);
        name = number.data;
        len = number.len;
    }
    if (len > 4 && strncmp(name, "[[", 2) == 0 && strcmp(name + len - 2, "]]") == 0) {
        name += 2;
        len = strcspn(name, "|#]");
    }
    if (name && len > 0)
        json_array_append_new(reader->links,
                              json_pack("[s, {s:s, s:s%, s:i, s:b}]", file, "kind", kind, "to",
                                        name, len, "line", 0, "maybe", !is_sure));
}

static int read_note(struct markdown_reader *reader, const char *name, const struct buf *text,
                     unsigned usual, struct error *err)
{
    struct note note = {.links = json_array(), .said = reader->said};
    json_t *node = node_read(text, name, usual, &note, err), *link, *value;
    const char *key, *kind;
    bool is_sure;
    size_t i;

    if (node) {
        name_note(reader, node, name, &note);
        keep_id(reader, node);
        if (json_object_get(node, "node_id"))
            json_object_set(reader->files, name, json_object_get(node, "node_id"));
        else
            json_array_append_new(reader->unnamed, json_pack("[s, O]", name, node));
        json_array_append_new(reader->nodes, node);
        json_object_foreach(node, key, value)
        {
            if ((kind = property_kind(key, strlen(key), &is_sure)))
                add_names(reader, name, kind, is_sure, value);
        }
        json_array_foreach(note.links, i, link)
            json_array_append_new(reader->links, json_pack("[s, O]", name, link));
        reader->notes++;
        reader->rules += note.rules;
    }
    note_finish(&note);
    return node ? 0 : -1;
}

/* A file that is not listed. One that cannot be opened does not stop the others. */
static int read_unlisted(struct markdown_reader *reader, const char *name, struct error *err)
{
    struct buf BUF_AUTO text = {0};
    struct error why = {0};

    if (read_text(reader, name, &text, &why) < 0) {
        if (why.kind == ERROR_TOO_LARGE || why.kind == ERROR_MEMORY)
            return error_set(err, why.kind, "%s", why.text);
        findings_add(reader->said, FINDING_LEFT_OUT, PLACE(name, 0, why.text),
                     "files that cannot be read");
        return 0;
    }
    return read_note(reader, name, &text, SHAPE_USUAL, err);
}

/* ---- links ---- */

/* A relationship between two notes, unless the same stands there. */
static bool relate(struct markdown_reader *reader, const json_t *from, const json_t *to,
                   const char *type, const char *explanation, json_t *seen)
{
    struct buf BUF_AUTO pair = {0};

    buf_addf(&pair, "%s\n%s\n%s", json_string_value(from), json_string_value(to), type);
    if (json_equal((json_t *)to, (json_t *)from) || !pair.data || json_object_get(seen, pair.data))
        return false;
    json_object_set_new(seen, pair.data, json_true());
    json_array_append_new(reader->relationships,
                          json_pack("{s:O, s:O, s:s, s:s}", "from_node_id", from, "to_node_id", to,
                                    "relationship_type", type, "explanation", explanation));
    return true;
}

static void add_link(struct markdown_reader *reader, const struct link_index *index,
                     const char *from, const json_t *link, json_t *seen)
{
    const json_t *source = json_object_get(reader->files, from), *target;
    const char *to = json_get_string(link, "to"), *kind = json_get_string(link, "kind"), *file;
    size_t line = (size_t)json_integer_value(json_object_get(link, "line"));
    bool is_path = strcmp(kind, "path") == 0, many = false;
    bool is_need = strcmp(kind, "needs") == 0, is_next = strcmp(kind, "next") == 0;
    json_t *maybe = json_object_get(link, "maybe");
    const char *where = line > 0 ? "named in the note" : "named in the front matter";

    if (is_path && !link_is_path(to))
        return;
    file = is_path ? link_by_path(index, from, to) : link_by_name(index, from, to, &many);
    if (!file && (is_need || is_next))
        file = link_by_path(index, from, to);
    target = file ? json_object_get(reader->files, file) : NULL;
    if (!json_is_string(target) && (is_need || is_next) && strpbrk(to, ",;")) {
        for (size_t len; *to; to += len + (to[len] != '\0')) { /* several in one text */
            json_auto_t *one = NULL;

            to += strspn(to, " [");
            len = strcspn(to, ",;");
            one = json_pack("{s:s, s:s%, s:i, s:O*}", "kind", kind, "to", to, strcspn(to, "],;|#"),
                            "line", 0, "maybe", maybe);
            if (one && len > 0)
                add_link(reader, index, from, one, seen);
        }
        return;
    }
    if (!json_is_string(target) &&
        (json_is_true(maybe) || (is_need && line > 0 && !link_is_path(to))))
        return;
    if (!json_is_string(target)) {
        bool other = link_is_attachment(to);

        findings_add(reader->said, other ? FINDING_READ : FINDING_LEFT_OUT, PLACE(from, line, to),
                     "%s",
                     other ? "links to files other than notes are kept as text alone"
                           : "links that lead to no note of the folder are kept as text alone");
        return;
    }
    if (many)
        findings_add(reader->said, FINDING_CHANGED, PLACE(from, line, to),
                     "links to a name that several notes have lead to the nearest of them");
    if (is_need)
        relate(reader, target, source, "PREREQUISITE", where, seen);
    else if (is_next)
        relate(reader, source, target, "LEADS_TO", where, seen);
    else if (relate(reader, source, target, format_untyped(reader->report), "a link between notes",
                    seen))
        reader->made++;
}

static int add_links(struct markdown_reader *reader, struct error *err)
{
    struct link_index *index = links_index();
    json_auto_t *seen = json_object(), *nodes = json_object();
    json_t *link, *id, *node;
    const char *file;
    size_t i;

    if (!index)
        return error_set(err, ERROR_MEMORY, "out of memory for the links");
    json_array_foreach(reader->nodes, i, node)
    {
        const char *name = json_get_string(node, "node_id");

        if (name)
            json_object_set(nodes, name, node);
    }
    json_object_foreach(reader->files, file, id)
    {
        if (json_is_string(id))
            links_index_add(index, file, json_object_get(nodes, json_string_value(id)));
    }
    if (!reader->relationships && reader->notes > 0)
        reader->relationships = json_array();
    json_array_foreach(reader->links, i, link) add_link(
        reader, index, json_string_value(json_array_get(link, 0)), json_array_get(link, 1), seen);
    links_index_free(index);
    return 0;
}

/* ---- the folder ---- */

/* The navigation of the folder's program, if it has one. Its table of contents is no note. */
static int read_order(struct markdown_reader *reader, struct error *err)
{
    const char *name;
    json_t *state;

    if (files_has(reader->from, ORDER_MKDOCS)) {
        struct buf BUF_AUTO text = {0};

        if (read_text(reader, ORDER_MKDOCS, &text, err) < 0)
            return -1;
        order_read_mkdocs(&reader->order, text.data, text.len, reader->files, reader->said);
    }
    order_read_docusaurus(&reader->order, reader->from, reader->said);
    json_object_foreach(reader->files, name, state)
    {
        struct buf BUF_AUTO text = {0};

        if (reader->order.pages || !json_is_true(state) || !order_is_summary(name))
            continue;
        if (read_text(reader, name, &text, NULL) == 0 &&
            order_read_summary(&reader->order, name, text.data, text.len, reader->files,
                               reader->said))
            json_object_set_new(reader->files, name, json_null());
    }
    return 0;
}

static json_t *read_folder(struct markdown_reader *reader, const json_t *names, struct error *err)
{
    json_auto_t *root = NULL;
    json_t *name;
    size_t listed, i;

    json_array_foreach((json_t *)names, i, name)
        json_object_set_new(reader->files, json_string_value(name), json_true());
    root = read_index(reader, err);
    if (!root)
        return NULL;
    read_missing(reader, names);
    listed = json_array_size(reader->nodes);
    if (read_order(reader, err) < 0)
        return NULL;
    json_array_foreach((json_t *)names, i, name)
    {
        if (json_is_true(json_object_get(reader->files, json_string_value(name))) &&
            read_unlisted(reader, json_string_value(name), err) < 0)
            return NULL;
    }
    find_site(reader);
    give_ids(reader);
    order_read_parents(&reader->order, reader->nodes, listed, reader->files, reader->said);
    order_notes(&reader->order, reader->nodes, listed, reader->files);
    if (!reader->order.pages)
        order_folder_chapters(&reader->order, reader->nodes, listed, reader->files);
    if (add_links(reader, err) < 0)
        return NULL;
    json_object_set(root, "nodes", reader->nodes);
    if (reader->relationships)
        json_object_set(root, "relationships", reader->relationships);
    return json_incref(root);
}

static void write_what_was_done(const struct markdown_reader *reader,
                                const struct folder_rest *rest)
{
    if (reader->notes > 0)
        format_note(
            reader->report,
            "ordinary notes (%zu): title from front matter, first heading or file name, text "
            "as components",
            reader->notes);
    if (reader->made > 0)
        format_note_untyped(reader->report, "notes", reader->made, "links");
    if (reader->rules > 0)
        findings_add_count(&reader->report->lines, FINDING_LEFT_OUT, reader->rules, NULL,
                           "lines between paragraphs (---)");
    if (rest->links > 0)
        findings_add_count(
            &reader->report->lines, FINDING_LEFT_OUT, rest->links, NULL,
            "links to files, special files and folders too deep, which are not read");
    if (rest->others > reader->order.categories)
        findings_add_count(&reader->report->lines, FINDING_LEFT_OUT,
                           rest->others - reader->order.categories,
                           order_is_category(rest->other) ? NULL : PLACE(rest->other, 0, NULL),
                           "files other than notes (.md, .markdown, .mdx), which are not read");
}

static json_t *read_file(const char *name, const struct buf *bytes, struct format_report *report,
                         struct error *err)
{
    char *stem = stem_of(name);
    json_t *curriculum = notes_read(bytes->data, bytes->len, stem, report, err);

    if (!curriculum)
        error_wrap(err, "%s", name);
    free(stem);
    return curriculum;
}

static json_t *list_notes(const struct files *files, struct folder_rest *rest, struct error *err)
{
    json_t *names = files_list(files, markdown_suffixes, rest, err);

    /* Our own index and a navigation are read, though they are no notes. */
    if (names && rest->others > 0 && files_has(files, MARKDOWN_INDEX))
        rest->others--;
    if (names && rest->others > 0 && files_has(files, ORDER_MKDOCS))
        rest->others--;
    return names;
}

static json_t *read_notes(const struct files *files, struct format_report *report,
                          struct error *err)
{
    struct folder_rest rest;
    json_auto_t *names = NULL;
    json_t *root = NULL;
    struct markdown_reader reader = {.from = files,
                                     .report = report,
                                     .usual = SHAPE_USUAL,
                                     .left = CURRICULUM_FILE_CAP,
                                     .files = json_object(),
                                     .ids = json_object(),
                                     .links = json_array(),
                                     .said = &report->lines,
                                     .missing = json_array(),
                                     .untitled = json_array(),
                                     .unnamed = json_array(),
                                     .nodes = json_array()};

    names = list_notes(files, &rest, err);
    if (names && json_array_size(names) == 0 && !files_has(files, MARKDOWN_INDEX))
        error_set(err, ERROR_NOT_FOUND, "%s holds no file NAME.md, NAME.markdown or NAME.mdx",
                  files_path(files));
    else if (names)
        root = read_folder(&reader, names, err);
    if (root)
        write_what_was_done(&reader, &rest);
    json_decref(reader.files);
    json_decref(reader.ids);
    json_decref(reader.links);
    json_decref(reader.missing);
    json_decref(reader.untitled);
    json_decref(reader.unnamed);
    json_decref(reader.nodes);
    json_decref(reader.relationships);
    order_finish(&reader.order);
    return root;
}

/* ---- which paths are one ---- */

static bool holds_notes(const struct files *files)
{
    struct folder_rest rest;
    json_auto_t *names = NULL;

    if (files_has(files, MARKDOWN_INDEX))
        return true;
    names = list_notes(files, &rest, NULL);
    return json_array_size(names) > 0;
}

static bool has_name(const char *path)
{
    size_t len = strlen(path);
    char name[PATH_MAX];

    if (len >= sizeof name)
        return false;
    memcpy(name, path, len + 1);
    while (len > 1 && name[len - 1] == '/')
        name[--len] = '\0';
    return file_ends_in_any(name, markdown_suffixes) || file_ends_in(name, "markdown");
}

const struct format format_markdown = {
    .name = "markdown",
    .what = "a folder of Markdown, one file a node",
    .has_name = has_name,
    .read = read_file,
    .has_files = holds_notes,
    .read_files = read_notes,
    .write = markdown_write,
};
