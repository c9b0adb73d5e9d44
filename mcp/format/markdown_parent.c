/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Pages that name the page above them, as Just the Docs (Jekyll) has it: `parent` is a title, and
 * `grand_parent` or `ancestor` one further up where several pages have that title. Pages of one
 * parent are in the order of the numbers in `nav_order`, then of other texts there or their titles.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/buf.h"
#include "helpers/base/json.h"
#include "mcp/format/markdown_order.h"

#define LEVELS_CAP      16u  /* of pages below pages */
#define SAME_TITLES_CAP 100u /* that are compared to find a parent */

struct nav_page {
    const char *file;
    json_t *node;
    size_t above;   /* from 1; 0: at the top */
    bool is_number; /* nav_order */
    double number;
    const char *text; /* nav_order, or the title */
};

struct nav_tree {
    struct nav_page *all; /* in the order of their parents, then of the navigation */
    size_t count;
    size_t *begin; /* the first page below each page; count + 2 of them */
    struct note_order *order;
    struct findings *said;
};

static bool is_text(const json_t *node, const char *key, const char *text)
{
    const char *value = json_get_string(node, key);

    return value && strcmp(value, text) == 0;
}

/* Whether the page fits what the one below says of pages further up. */
static bool fits(const json_t *page, const json_t *below)
{
    const char *grand = json_get_string(below, "grand_parent"),
               *ancestor = json_get_string(below, "ancestor");

    if (grand && *grand && !is_text(page, "parent", grand))
        return false;
    return !ancestor || !*ancestor || is_text(page, "parent", ancestor) ||
           is_text(page, "grand_parent", ancestor) || is_text(page, "ancestor", ancestor);
}

/* titles: title -> [place]. The place from 1, or 0. */
static size_t find_parent(const struct nav_tree *tree, const json_t *titles, size_t place)
{
    const struct nav_page *page = &tree->all[place];
    const char *parent = json_get_string(page->node, "parent");
    const json_t *same = parent ? json_object_get(titles, parent) : NULL;
    size_t found = 0, fitting = 0;

    if (!parent || !*parent)
        return 0;
    for (size_t i = 0; i < json_array_size(same) && i < SAME_TITLES_CAP; i++) {
        size_t other = (size_t)json_integer_value(json_array_get(same, i));

        if (other == place || !fits(tree->all[other].node, page->node))
            continue;
        found = found ? found : other + 1;
        fitting++;
    }
    if (fitting == 0)
        findings_add(tree->said, FINDING_CHANGED, PLACE(page->file, 0, parent),
                     "parents that name a page which is missing give no chapter");
    else if (fitting > 1)
        findings_add(tree->said, FINDING_CHANGED, PLACE(page->file, 0, parent),
                     "parents whose title several pages have are the first of them");
    return found;
}

static bool is_excluded(const json_t *node)
{
    return json_is_true(json_object_get(node, "nav_exclude"));
}

static void fill(struct nav_tree *tree, const json_t *notes)
{
    const char *file;
    json_t *node;

    json_object_foreach((json_t *)notes, file, node)
    {
        const json_t *order = json_object_get(node, "nav_order");
        const char *title = json_get_string(node, "title");

        tree->all[tree->count++] =
            (struct nav_page){.file = file,
                              .node = node,
                              .is_number = json_is_number(order),
                              .number = json_number_value(order),
                              .text = json_is_string(order) ? json_string_value(order)
                                      : title               ? title
                                                            : ""};
    }
}

/* Whether any page has a parent. */
static bool find_parents(struct nav_tree *tree)
{
    json_auto_t *titles = json_object();
    bool any = false;

    for (size_t i = 0; i < tree->count; i++) {
        const char *title = json_get_string(tree->all[i].node, "title");
        json_t *same = title ? json_object_get(titles, title) : NULL;

        if (title && !same)
            json_object_set_new(titles, title, same = json_array());
        json_array_append_new(same, json_integer((json_int_t)i));
    }
    for (size_t i = 0; i < tree->count; i++) {
        tree->all[i].above = find_parent(tree, titles, i);
        any = any || tree->all[i].above > 0;
    }
    return any;
}

static int compare(const void *left, const void *right)
{
    const struct nav_page *one = *(const struct nav_page *const *)left,
                          *other = *(const struct nav_page *const *)right;
    int rc;

    if (one->above != other->above)
        return one->above < other->above ? -1 : 1;
    if (one->is_number != other->is_number)
        return one->is_number ? -1 : 1;
    if (one->is_number && one->number != other->number)
        return one->number < other->number ? -1 : 1;
    rc = one->is_number ? 0 : strcmp(one->text, other->text);
    return rc != 0 ? rc : one < other ? -1 : one > other;
}

/* Adds the pages below one (0: those at the top) to the navigation. sorted: by compare. */
static void add_below(struct nav_tree *tree, struct nav_page *const *sorted, size_t above,
                      const char *chapter, unsigned level)
{
    if (level == LEVELS_CAP)
        return;
    for (size_t i = tree->begin[above]; i < tree->begin[above + 1]; i++) {
        const struct nav_page *page = sorted[i];
        size_t place = (size_t)(page - tree->all) + 1;
        bool has_pages = tree->begin[place] < tree->begin[place + 1];
        const char *title = json_get_string(page->node, "title");
        struct buf BUF_AUTO own = {0};
        json_t *entry;

        if (is_excluded(page->node)) {
            findings_add(
                tree->said, FINDING_READ, PLACE(page->file, 0, NULL),
                "pages that the navigation leaves out (nav_exclude), and those below them, "
                "come after the others");
            continue;
        }
        buf_adds(&own, chapter);
        if (has_pages && title)
            buf_addf(&own, "%s%s", own.len > 0 ? " / " : "", title);
        entry = json_object();
        if (own.len > 0)
            json_object_set_new(entry, "chapter", json_stringn(own.data, own.len));
        json_object_set_new(tree->order->pages, page->file, entry);
        if (has_pages)
            add_below(tree, sorted, place, own.data, level + 1);
    }
}

static void add_all(struct nav_tree *tree)
{
    struct nav_page **sorted = calloc(tree->count + 1, sizeof(struct nav_page *));
    size_t at = 0, pages = 0;

    tree->begin = calloc(tree->count + 2, sizeof *tree->begin);
    if (!sorted || !tree->begin)
        abort();
    for (size_t i = 0; i < tree->count; i++)
        sorted[i] = &tree->all[i];
    qsort((void *)sorted, tree->count, sizeof(struct nav_page *), compare);
    for (size_t above = 0; above <= tree->count; above++) {
        tree->begin[above] = at;
        while (at < tree->count && sorted[at]->above == above)
            at++;
        pages += above > 0 ? at - tree->begin[above] : 0;
    }
    tree->begin[tree->count + 1] = at;
    tree->order->pages = json_object();
    add_below(tree, sorted, 0, "", 0);
    findings_add_count(tree->said, FINDING_READ, pages, NULL,
                       "the parents of pages give the order of the notes and their chapters");
    free((void *)sorted);
    free(tree->begin);
}

/* Other programs may have a key "parent", too. */
static bool is_jekyll(const json_t *notes)
{
    static const char *const keys[] = {"nav_order", "has_children", "nav_exclude", "grand_parent"};
    const char *file;
    json_t *node;

    json_object_foreach((json_t *)notes, file, node)
    {
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
            if (json_object_get(node, keys[i]))
                return true;
    }
    return false;
}

void order_read_parents(struct note_order *order, const json_t *nodes, size_t first,
                        const json_t *files, struct findings *said)
{
    json_auto_t *notes = order_by_file(nodes, first, files);
    struct nav_tree tree = {.order = order, .said = said};

    if (order->pages || !is_jekyll(notes))
        return;
    tree.all = calloc(json_object_size(notes) + 1, sizeof *tree.all);
    if (!tree.all)
        abort();
    fill(&tree, notes);
    if (find_parents(&tree))
        add_all(&tree);
    free(tree.all);
}
