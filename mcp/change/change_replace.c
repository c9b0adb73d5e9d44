/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The operation of a change set that replaces a term everywhere. A dry run lists the texts with the
 * words that change; the operation itself only counts them.
 */
#include <string.h>

#include "mcp/change/change_run.h"
#include "mcp/curriculum/json_difference.h"
#include "mcp/store/entities/replace.h"

#define TEXTS_LISTED_MAX 100u /* by a dry run, in its results */
#define TEXTS_SAID_MAX   40u  /* in words */

struct dry_listing {
    struct run *run;
    json_t *texts; /* owned; NULL: nothing is listed */
    size_t count;
    struct named lesson; /* the last one that was said; "": none */
};

/* N014 "Ratio tables"; PREREQUISITE from N001 to N002 */
static void write_place(const struct replaced_text *text, struct named *place)
{
    if (text->node_id)
        name_node(place, text->node_id, text->title);
    else
        snprintf(place->text, sizeof place->text, "%.40s from %.90s to %.90s",
                 text->type ? text->type : "relationship", text->from ? text->from : "?",
                 text->to ? text->to : "?");
}

/* The texts of a lesson come one after the other, so its name is said once. */
static void say_text(struct dry_listing *listing, const struct replaced_text *text,
                     const struct named *place, const char *change)
{
    struct buf *to = &listing->run->details;

    if (strcmp(listing->lesson.text, place->text) != 0)
        buf_addf(to, "  %s:\n", place->text);
    listing->lesson = *place;
    if (text->component_id)
        buf_addf(to, "    %ld. %.64s, ", text->order, text->type ? text->type : "");
    else
        buf_adds(to, "    ");
    buf_addf(to, "%s: %s\n", text->path, change);
}

static int list_text(void *user, const struct replaced_text *text, struct error *err)
{
    struct buf BUF_AUTO where = {0}, change BUF_AUTO = {0};
    struct dry_listing *listing = user;
    struct named place;
    json_t *entry;

    if (!listing->texts || ++listing->count > TEXTS_LISTED_MAX)
        return 0;
    write_place(text, &place);
    text_change(text->before, text->after, &change);
    if (listing->count <= TEXTS_SAID_MAX)
        say_text(listing, text, &place, change.data);
    buf_adds(&where, place.text);
    if (text->component_id)
        buf_addf(&where, ", component %ld (%.64s)", text->order, text->type ? text->type : "");
    entry = json_pack("{s:s*, s:s*, s:s, s:s, s:s}", "node_id", text->node_id, "component_id",
                      text->component_id, "place", where.data, "field", text->path, "change",
                      change.data);
    if (!entry || json_array_append_new(listing->texts, entry) != 0)
        return error_set(err, ERROR_MEMORY, "out of memory for a dry run");
    return 0;
}

/* Absent counts as `otherwise`. */
static bool is_set(const struct run *run, const char *name, bool otherwise)
{
    const json_t *value = get(run, name);

    return value ? json_is_true(value) : otherwise;
}

/* The ids of node_ids, where titles may stand; JSON null for all. A new reference. */
static json_t *read_nodes(const struct run *run, struct error *err)
{
    return get(run, "node_ids") ? change_node_names(run, "node_ids", false, err) : json_null();
}

static void say(struct run *run, const struct replaced *replaced)
{
    const struct replacement_counts *counts = &replaced->counts;
    const struct {
        size_t count;
        const char *one, *many;
    } parts[] = {{replaced->components, "component", "components"},
                 {replaced->node_texts, "title or text", "titles or texts"},
                 {replaced->relationships, "relationship", "relationships"}};
    struct buf *to = &run->message;
    size_t said = 0;

    buf_addf(to, "Replaced %zu place%s in %zu lesson%s: ", counts->places, plural(counts->places),
             replaced->nodes, plural(replaced->nodes));
    replacement_say(counts, to);
    buf_adds(to, replaced->counts.places > 0 ? "; in" : "nothing");
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        if (parts[i].count == 0)
            continue;
        buf_addf(to, "%s %zu %s", said++ > 0 ? "," : "", parts[i].count,
                 parts[i].count == 1 ? parts[i].one : parts[i].many);
    }
    if (counts->inside > 0)
        buf_addf(to, "; %zu within other words stayed", counts->inside);
}

/* No place at all: probably a mistake, so an error, unless it was expected. */
static int not_found(const struct run *run, const struct replaced *replaced, struct error *err)
{
    char shown[TITLE_SAID];

    text_cut_line(shown, sizeof shown, get_text(run, "find"));
    if (replaced->counts.inside > 0)
        return error_set(err, ERROR_NOT_FOUND,
                         "find: \"%s\" is not a word there, but %zu times within other words; "
                         "whole_words false replaces these too",
                         shown, replaced->counts.inside);
    return error_set(err, ERROR_NOT_FOUND,
                     "find: \"%s\" is in no text there%s; expected_places 0 accepts that", shown,
                     get(run, "in") || get(run, "node_ids")
                         ? " (in is \"titles\", a component type or a field such as definition)"
                         : "");
}

int change_replace_text(struct run *run, struct error *err)
{
    const struct replacement_wanted wanted = {
        .find = get_text(run, "find"),
        .replace = get_text(run, "replace"),
        .parts = !is_set(run, "whole_words", true),
        .match_case = is_set(run, "match_case", false),
        .no_plurals = !is_set(run, "plurals", true),
    };
    struct dry_listing listing = {.run = run, .texts = run->set->dry_run ? json_array() : NULL};
    struct replacement *replacement = replacement_new(&wanted, err);
    json_auto_t *nodes = replacement ? read_nodes(run, err) : NULL;
    struct replacing replacing = {
        .replacement = replacement,
        .in = get_text(run, "in"),
        .node_ids = json_is_null(nodes) ? NULL : nodes,
        .expected = get(run, "expected_places") ? get_whole(run, "expected_places") : -1,
        .visit = list_text,
        .user = &listing};
    struct replaced replaced;
    int rc =
        nodes ? store_replace(run->store, run->writer, run->sid, &replacing, &replaced, err) : -1;

    if (rc == 0 && replaced.counts.places == 0 && replacing.expected != 0)
        rc = not_found(run, &replaced, err);
    if (rc == 0) {
        say(run, &replaced);
        if (listing.count > TEXTS_SAID_MAX)
            buf_addf(&run->details, "  … and %zu texts more\n", listing.count - TEXTS_SAID_MAX);
        add_result(run,
                   json_pack("{s:I, s:I, s:I, s:O*}", "places", (json_int_t)replaced.counts.places,
                             "components", (json_int_t)replaced.components, "within_other_words",
                             (json_int_t)replaced.counts.inside, "texts", listing.texts));
    }
    json_decref(listing.texts);
    replacement_free(replacement);
    return rc;
}
