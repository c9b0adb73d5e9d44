/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/format/markdown_order.h"

#include <cmark.h>
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "helpers/base/buf.h"
#include "helpers/base/json.h"
#include "mcp/format/file.h"
#include "mcp/format/yaml.h"

#define SUMMARY   "SUMMARY.md"
#define DEPTH_CAP 16u /* of sections in a navigation */
#define MISSING   "pages of the navigation that are not in the folder"
#define ELSEWHERE "entries of the navigation that lead to no page of the folder are not read"

void order_finish(struct note_order *order)
{
    json_decref(order->pages);
    order->pages = NULL;
    json_decref(order->folders);
    order->folders = NULL;
}

/* ---- one page of the navigation ---- */

/* folder and link as one path, without "." and "..", "%20", "?..." and "#..."; false: it leads out
 * of the folder. */
static bool join_path(const char *folder, const char *link, struct buf *to)
{
    size_t len = strcspn(link, "?#");

    if (*link == '/')
        link++, len--;
    else
        buf_adds(to, folder);
    for (size_t at = 0; at < len;) {
        size_t part = strcspn(link + at, "/?#");

        if (part == 2 && memcmp(link + at, "..", 2) == 0) {
            if (to->len == 0)
                return false;
            while (to->len > 0 && to->data[to->len - 1] != '/')
                to->len--;
            to->len -= to->len > 0;
        } else if (part > 0 && !(part == 1 && link[at] == '.')) {
            buf_adds(to, to->len > 0 ? "/" : "");
            for (size_t i = 0; i < part; i++) {
                unsigned code;

                if (link[at + i] == '%' && i + 2 < part &&
                    sscanf(link + at + i + 1, "%2x", &code) == 1 && code > 0) {
                    buf_addc(to, (char)code);
                    i += 2;
                } else {
                    buf_addc(to, link[at + i]);
                }
            }
        }
        at += part + 1;
    }
    buf_add(to, "", 0);
    return to->len > 0;
}

static const char *find_page(const json_t *files, const char *path)
{
    static const char *const fronts[] = {"index.md", "README.md", "_index.md"};
    json_t *found = json_object_get(files, path);
    const char *name;

    if (found)
        return json_object_iter_key(json_object_iter_at((json_t *)files, path));
    for (size_t i = 0; i < sizeof fronts / sizeof *fronts; i++) { /* a folder stands for its page */
        struct buf BUF_AUTO page = {0};

        buf_addf(&page, "%s/%s", path, fronts[i]);
        if (page.data && json_object_get(files, page.data))
            return json_object_iter_key(json_object_iter_at((json_t *)files, page.data));
    }
    json_object_foreach((json_t *)files, name, found)
    {
        if (strcasecmp(name, path) == 0)
            return name;
    }
    return NULL;
}

struct navigation {
    struct note_order *order;
    const char *file, *folder; /* of the navigation; where its paths begin */
    const json_t *files;
    struct findings *said;
};

static void add_page(const struct navigation *navigation, const char *link, const char *chapter,
                     const char *title, size_t line)
{
    struct buf BUF_AUTO path = {0};
    const char *page;
    json_t *entry;

    if (strstr(link, "://") || strncmp(link, "mailto:", 7) == 0 || *link == '#') {
        findings_add(navigation->said, FINDING_LEFT_OUT, PLACE(navigation->file, line, link),
                     ELSEWHERE);
        return;
    }
    page =
        join_path(navigation->folder, link, &path) ? find_page(navigation->files, path.data) : NULL;
    if (!page) {
        findings_add(navigation->said, FINDING_LEFT_OUT, PLACE(navigation->file, line, link),
                     MISSING);
        return;
    }
    if (json_object_get(navigation->order->pages, page))
        return; /* the first place counts */
    entry = json_object();
    if (chapter && *chapter)
        json_object_set_new(entry, "chapter", json_string(chapter));
    if (title && *title)
        json_object_set_new(entry, "title", json_string(title));
    json_object_set_new(navigation->order->pages, page, entry);
}

/* ---- mkdocs.yml ---- */

/* The lines of one key at the top, as a file of their own: the others may have tags of Python,
 * which no other program reads. */
static json_t *read_key(const char *text, size_t len, const char *key, struct error *err)
{
    const char *at = text, *end = text + len;
    size_t size = strlen(key), line = 1;
    json_auto_t *whole = NULL;

    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at)), *from = at;
        size_t first = line;
        bool wanted = (size_t)(end - at) > size && memcmp(at, key, size) == 0 && at[size] == ':';

        do { /* with the lines that belong to it */
            at = stop ? stop + 1 : end;
            line++;
            stop = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
        } while (wanted && at < end && strchr(" \t-#\n\r", *at));
        if (!wanted)
            continue;
        whole = yaml_read(from, (size_t)(at - from), ORDER_MKDOCS, first, err);
        return json_incref(json_object_get(whole, key));
    }
    return NULL;
}

static void read_entries(const struct navigation *navigation, const json_t *list,
                         const char *chapter, unsigned depth);

static void read_section(const struct navigation *navigation, const char *title,
                         const json_t *value, const char *chapter, unsigned depth)
{
    struct buf BUF_AUTO inner = {0};

    if (json_is_string(value)) {
        add_page(navigation, json_string_value(value), chapter, title, 0);
        return;
    }
    if (*chapter)
        buf_addf(&inner, "%s / ", chapter);
    buf_adds(&inner, title);
    read_entries(navigation, value, inner.data ? inner.data : "", depth + 1);
}

static void read_entries(const struct navigation *navigation, const json_t *list,
                         const char *chapter, unsigned depth)
{
    json_t *entry, *value;
    const char *title;
    size_t i;

    if (depth == DEPTH_CAP || !json_is_array(list)) {
        findings_add(navigation->said, FINDING_LEFT_OUT, PLACE(navigation->file, 0, chapter),
                     "only lists of at most 16 levels are read of the navigation");
        return;
    }
    json_array_foreach((json_t *)list, i, entry)
    {
        if (json_is_string(entry))
            add_page(navigation, json_string_value(entry), chapter, NULL, 0);
        json_object_foreach(entry, title, value)
        {
            read_section(navigation, title, value, chapter, depth);
        }
    }
}

void order_read_mkdocs(struct note_order *order, const char *text, size_t len, const json_t *files,
                       struct findings *said)
{
    struct error why = {0};
    json_auto_t *folder = read_key(text, len, "docs_dir", NULL);
    json_auto_t *nav = read_key(text, len, "nav", &why);
    struct buf BUF_AUTO base = {0};
    struct navigation navigation = {order, ORDER_MKDOCS, "docs", files, said};

    if (json_string_length(folder) > 0) {
        join_path("", json_string_value(folder), &base);
        navigation.folder = base.data ? base.data : "";
    }
    if (why.kind != ERROR_NONE) {
        findings_add(said, FINDING_LEFT_OUT, PLACE(ORDER_MKDOCS, 0, why.text),
                     "a navigation that cannot be read gives no order");
    } else if (json_is_array(nav)) {
        order->pages = json_object();
        read_entries(&navigation, nav, "", 0);
        findings_add(said, FINDING_READ, PLACE(ORDER_MKDOCS, 0, NULL),
                     "the navigation gives the order of the notes and their chapters");
    }
}

/* ---- SUMMARY.md ---- */

bool order_is_summary(const char *name)
{
    const char *base = strrchr(name, '/');

    return strcasecmp(base ? base + 1 : name, SUMMARY) == 0;
}

static void add_words(cmark_node *node, struct buf *to)
{
    cmark_iter *walk = cmark_iter_new(node);
    cmark_event_type event;

    while ((event = cmark_iter_next(walk)) != CMARK_EVENT_DONE) {
        const char *text = cmark_node_get_literal(cmark_iter_get_node(walk));

        if (event == CMARK_EVENT_ENTER && text)
            buf_adds(to, text);
    }
    cmark_iter_free(walk);
    buf_add(to, "", 0);
}

/* Headings, rules, and lists and paragraphs of nothing but links and names. */
static bool is_contents(cmark_node *document)
{
    cmark_iter *walk = cmark_iter_new(document);
    cmark_event_type event;
    size_t links = 0;
    bool is = true;

    while ((event = cmark_iter_next(walk)) != CMARK_EVENT_DONE) {
        cmark_node *node = cmark_iter_get_node(walk), *parent = cmark_node_parent(node);
        cmark_node_type type = cmark_node_get_type(node);

        if (event != CMARK_EVENT_ENTER)
            continue;
        links += type == CMARK_NODE_LINK;
        if (type == CMARK_NODE_PARAGRAPH && cmark_node_get_type(parent) == CMARK_NODE_DOCUMENT)
            for (cmark_node *child = cmark_node_first_child(node); child;
                 child = cmark_node_next(child))
                is = is && (cmark_node_get_type(child) == CMARK_NODE_LINK ||
                            cmark_node_get_type(child) == CMARK_NODE_SOFTBREAK);
        is = is && type != CMARK_NODE_CODE_BLOCK && type != CMARK_NODE_BLOCK_QUOTE;
    }
    cmark_iter_free(walk);
    return is && links > 0;
}

/* The words of the item that a list stands in, without those of the list. */
static void add_outer(cmark_node *item, struct buf *to)
{
    cmark_node *first = cmark_node_first_child(item);

    if (first && cmark_node_get_type(first) == CMARK_NODE_PARAGRAPH)
        add_words(first, to);
}

/* The part above, and the outermost item that the link stands below. */
static void add_chapter(cmark_node *link, const char *part, struct buf *to)
{
    cmark_node *outer = NULL, *own = NULL;

    for (cmark_node *node = link; node; node = cmark_node_parent(node)) {
        if (cmark_node_get_type(node) != CMARK_NODE_ITEM)
            continue;
        own = own ? own : node;
        outer = node;
    }
    if (*part)
        buf_adds(to, part);
    else if (outer && outer != own)
        add_outer(outer, to);
    else if (own && cmark_node_last_child(own) != cmark_node_first_child(own))
        add_outer(own, to); /* it begins the chapter of those below */
    buf_add(to, "", 0);
}

bool order_read_summary(struct note_order *order, const char *name, const char *text, size_t len,
                        const json_t *files, struct findings *said)
{
    const char *slash = strrchr(name, '/');
    cmark_node *document = cmark_parse_document(text, len, CMARK_OPT_DEFAULT);
    struct buf BUF_AUTO part = {0}, folder = {0};
    struct navigation navigation = {order, name, "", files, said};
    cmark_event_type event;
    cmark_iter *walk;
    size_t headings = 0;

    if (!is_contents(document)) {
        cmark_node_free(document);
        return false;
    }
    buf_add(&folder, name, slash ? (size_t)(slash - name) : 0);
    buf_add(&folder, "", 0);
    navigation.folder = folder.data ? folder.data : "";
    order->pages = json_object();
    walk = cmark_iter_new(document);
    buf_adds(&part, "");
    while ((event = cmark_iter_next(walk)) != CMARK_EVENT_DONE) {
        cmark_node *node = cmark_iter_get_node(walk);
        cmark_node_type type = cmark_node_get_type(node);
        struct buf BUF_AUTO chapter = {0}, title = {0};

        if (event != CMARK_EVENT_ENTER)
            continue;
        if (type == CMARK_NODE_HEADING) {
            buf_clear(&part);
            buf_adds(&part, "");
            if (headings++ > 0 || cmark_node_get_start_line(node) > 1)
                add_words(node, &part);
        } else if (type == CMARK_NODE_LINK) {
            const char *url = cmark_node_get_url(node);

            add_words(node, &title);
            add_chapter(node, part.data ? part.data : "", &chapter);
            if (url && *url)
                add_page(&navigation, url, chapter.data, title.data, 0);
            else
                findings_add(said, FINDING_LEFT_OUT, PLACE(name, 0, title.data),
                             "chapters that are not written yet (drafts) are left out");
        }
    }
    cmark_iter_free(walk);
    cmark_node_free(document);
    findings_add(said, FINDING_READ, PLACE(name, 0, NULL),
                 "the table of contents gives the order of the notes and their chapters, and is "
                 "not read as a note");
    return true;
}

/* ---- the order ---- */

struct note_place {
    const char *name;
    json_t *node;
    size_t at;  /* in the order of the names */
    size_t nav; /* from 1; 0: not in the navigation */
    bool front; /* the page of its folder */
    bool has_weight;
    double weight;
};

struct note_places {
    const struct note_order *order;
    struct note_place *all;
    size_t count;
    json_t *folders; /* folder -> index of its page in all */
};

static bool is_front(const char *name)
{
    static const char *const fronts[] = {"_index", "index", "readme"};
    const char *base = strrchr(name, '/'), *dot;

    base = base ? base + 1 : name;
    dot = strrchr(base, '.');
    for (size_t i = 0; i < sizeof fronts / sizeof *fronts; i++)
        if (dot && strlen(fronts[i]) == (size_t)(dot - base) &&
            strncasecmp(base, fronts[i], strlen(fronts[i])) == 0)
            return true;
    return false;
}

static bool find_weight(const json_t *node, double *weight)
{
    static const char *const keys[] = {"weight", "nav_order", "sidebar_position", "order"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const json_t *value = json_object_get(node, keys[i]);
        const char *text = json_string_value(value);
        char *end = NULL;

        *weight = text ? strtod(text, &end) : json_number_value(value);
        if (text ? end > text && !*end : json_is_number(value))
            if (*weight != 0 || strcmp(keys[i], "weight") != 0) /* Hugo: 0 is none */
                return true;
    }
    return false;
}

struct place_number {
    bool has;
    double number;
};

/* The number before a name, of which `from` bytes are the folders around it. */
static struct place_number number_before(const struct note_places *places, const char *name,
                                         size_t from, size_t len)
{
    struct place_number before = {0};

    if (places->order->is_site)
        before.has = order_prefix(name + from, len - from, &before.number) > 0;
    return before;
}

/* The number by the first `len` bytes of the name of a note, whose last part begins at `from`: that
 * of the note, or of a folder. */
static struct place_number number_of(const struct note_places *places,
                                     const struct note_place *note, size_t from, size_t len)
{
    const struct note_place *page = note;
    const json_t *index, *position;
    char folder[PATH_MAX];

    if (note->name[len]) {
        if (len >= sizeof folder)
            return (struct place_number){0};
        memcpy(folder, note->name, len);
        folder[len] = '\0';
        position = json_object_get(json_object_get(places->order->folders, folder), "position");
        if (position)
            return (struct place_number){true, json_number_value(position)};
        index = json_object_get(places->folders, folder);
        page = index ? &places->all[json_integer_value(index)] : NULL;
    }
    if (page && page->has_weight)
        return (struct place_number){true, page->weight};
    if (!note->name[len] && strrchr(note->name + from, '.'))
        len = (size_t)(strrchr(note->name + from, '.') - note->name);
    return number_before(places, note->name, from, len);
}

static int compare_numbers(struct place_number one, struct place_number other)
{
    if (one.has != other.has)
        return one.has ? -1 : 1;
    if (one.has && one.number != other.number)
        return one.number < other.number ? -1 : 1;
    return 0;
}

/* Whether it is the page of the folder that its name's first `from` bytes are. */
static bool is_front_in(const struct note_place *note, size_t from)
{
    return note->front && !strchr(note->name + from, '/');
}

/* At the first folder or name in which the two differ. */
static int compare(const void *left, const void *right, void *user)
{
    const struct note_place *one = left, *other = right;
    size_t from = 0, at = 0;
    int rc;

    if (one->nav != other->nav)
        return one->nav == 0 ? 1 : other->nav == 0 ? -1 : one->nav < other->nav ? -1 : 1;
    for (; one->name[at] && one->name[at] == other->name[at]; at++)
        from = one->name[at] == '/' ? at + 1 : from;
    if (is_front_in(one, from) != is_front_in(other, from))
        return is_front_in(one, from) ? -1 : 1;
    rc = compare_numbers(number_of(user, one, from, from + strcspn(one->name + from, "/")),
                         number_of(user, other, from, from + strcspn(other->name + from, "/")));
    if (rc != 0)
        return rc;
    return one->at < other->at ? -1 : one->at > other->at;
}

static void take_page(const struct note_order *order, struct note_place *place, size_t nav)
{
    const json_t *page = json_object_get(order->pages, place->name);
    json_t *chapter = json_object_get(page, "chapter"), *title = json_object_get(page, "title");

    if (!page)
        return;
    place->nav = nav;
    if (chapter && !json_object_get(place->node, "chapter"))
        json_object_set(place->node, "chapter", chapter);
    if (title && !json_equal(title, json_object_get(place->node, "title")))
        json_object_set(place->node, "nav_title", title);
}

/* notes: by their files. */
static void fill(struct note_places *places, const json_t *notes)
{
    json_auto_t *navs = json_object();
    const char *name;
    json_t *node, *page;
    size_t at = 0;

    json_object_foreach(places->order->pages, name, page)
    {
        json_object_set_new(navs, name, json_integer((json_int_t)++at));
    }
    json_object_foreach((json_t *)notes, name, node)
    {
        struct note_place *place = &places->all[places->count];

        *place = (struct note_place){.name = name, .node = node, .at = places->count};
        place->has_weight = find_weight(node, &place->weight);
        place->front = is_front(name);
        take_page(places->order, place, (size_t)json_integer_value(json_object_get(navs, name)));
        if (place->front && strchr(name, '/'))
            json_object_set_new(places->folders, name, json_integer((json_int_t)places->count));
        places->count++;
    }
}

/* "a/b/_index.md" becomes the page of "a/b". */
static void name_folders(struct note_places *places)
{
    json_t *folders = json_object(), *index;
    const char *name;

    json_object_foreach(places->folders, name, index)
    {
        json_auto_t *folder = json_stringn(name, (size_t)(strrchr(name, '/') - name));

        if (folder && !json_object_get(folders, json_string_value(folder)))
            json_object_set(folders, json_string_value(folder), index);
    }
    json_decref(places->folders);
    places->folders = folders;
}

void order_notes(const struct note_order *order, json_t *nodes, size_t first, const json_t *files)
{
    size_t count = json_array_size(nodes) - first;
    json_auto_t *notes = order_by_file(nodes, first, files);
    struct note_places places = {.order = order,
                                 .all = calloc(json_object_size(notes) + 1, sizeof *places.all),
                                 .folders = json_object()};
    bool any = order->pages || order->is_site;

    if (places.all && places.folders) {
        fill(&places, notes);
        name_folders(&places);
        for (size_t i = 0; i < places.count; i++)
            any = any || places.all[i].has_weight;
        /* Nodes that are none of the files' stay where they are. */
        if (any && places.count == count) {
            qsort_r(places.all, places.count, sizeof *places.all, compare, &places);
            for (size_t i = 0; i < count; i++)
                json_incref(places.all[i].node);
            for (size_t i = 0; i < count; i++)
                json_array_set_new(nodes, first + i, places.all[i].node);
        }
    }
    json_decref(places.folders);
    free(places.all);
}
