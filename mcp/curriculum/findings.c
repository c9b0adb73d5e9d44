/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/curriculum/findings.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/curriculum/text.h"

static const char *const headings[FINDING_KINDS] = {
    [FINDING_READ] = "How it was ", /* read */
    [FINDING_CHANGED] = "Kept in another form",
    [FINDING_LEFT_OUT] = "Left out",
    [FINDING_RULE] = "Kept as it is, though it breaks the rules",
};

#define OTHER_REASONS "other reasons, which are not listed"

/* The entry of a reason, made where it is new and there is room; borrowed, or NULL. */
static json_t *find_entry(struct findings *findings, enum finding_kind kind, const char *reason)
{
    json_t *entry;

    if (!findings->reasons[kind] && !(findings->reasons[kind] = json_object()))
        return NULL;
    entry = json_object_get(findings->reasons[kind], reason);
    if (entry)
        return entry;
    if (json_object_size(findings->reasons[kind]) >= FINDINGS_REASONS_CAP) {
        reason = OTHER_REASONS;
        entry = json_object_get(findings->reasons[kind], reason);
    }
    if (!entry && json_object_set_new(findings->reasons[kind], reason,
                                      json_pack("{s:i, s:[]}", "count", 0, "places")) == 0)
        entry = json_object_get(findings->reasons[kind], reason);
    return entry;
}

static json_t *place_json(const struct finding_place *place)
{
    char shown[FINDING_VALUE_CAP];
    json_t *made = json_object();

    if (place->file)
        json_object_set_new(made, "file", json_string(place->file));
    if (place->line > 0)
        json_object_set_new(made, "line", json_integer((json_int_t)place->line));
    if (place->value)
        json_object_set_new(made, "value",
                            json_string(text_cut_line(shown, sizeof shown, place->value)));
    return made;
}

static void add(struct findings *findings, enum finding_kind kind, size_t count,
                const struct finding_place *place, const char *format, va_list arguments)
{
    char text[FINDING_TEXT_CAP * 2], reason[FINDING_TEXT_CAP];
    json_t *entry, *places;

    if (!findings)
        return;
    vsnprintf(text, sizeof text, format, arguments);
    entry = find_entry(findings, kind, text_cut_line(reason, sizeof reason, text));
    if (!entry)
        return; /* out of memory: the curriculum, which needs more, fails too */
    json_object_set_new(
        entry, "count",
        json_integer(json_integer_value(json_object_get(entry, "count")) + (json_int_t)count));
    places = json_object_get(entry, "places");
    if (place && json_array_size(places) < FINDINGS_PLACES_CAP)
        json_array_append_new(places, place_json(place));
}

void findings_add(struct findings *findings, enum finding_kind kind,
                  const struct finding_place *place, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    add(findings, kind, 1, place, format, arguments);
    va_end(arguments);
}

void findings_add_count(struct findings *findings, enum finding_kind kind, size_t count,
                        const struct finding_place *place, const char *format, ...)
{
    va_list arguments;

    if (count == 0)
        return;
    va_start(arguments, format);
    add(findings, kind, count, place, format, arguments);
    va_end(arguments);
}

size_t findings_lines(const struct findings *findings, enum finding_kind kind)
{
    return json_object_size(findings->reasons[kind]);
}

size_t findings_count(const struct findings *findings, enum finding_kind kind)
{
    const char *reason;
    json_t *entry;
    size_t count = 0;

    json_object_foreach(findings->reasons[kind], reason, entry) count +=
        (size_t)json_integer_value(json_object_get(entry, "count"));
    return count;
}

void findings_move(struct findings *to, struct findings *from)
{
    for (unsigned kind = 0; kind < FINDING_KINDS; kind++) {
        const char *reason;
        json_t *entry, *place;
        size_t i;

        json_object_foreach(from->reasons[kind], reason, entry)
        {
            json_t *places = json_object_get(entry, "places");
            json_t *into = find_entry(to, kind, reason);
            json_t *listed = json_object_get(into, "places");

            json_object_set_new(into, "count",
                                json_integer(json_integer_value(json_object_get(into, "count")) +
                                             json_integer_value(json_object_get(entry, "count"))));
            json_array_foreach(places, i, place)
            {
                if (json_array_size(listed) < FINDINGS_PLACES_CAP)
                    json_array_append(listed, place);
            }
        }
    }
    findings_finish(from);
}

void findings_clear(struct findings *findings, enum finding_kind kind)
{
    json_decref(findings->reasons[kind]);
    findings->reasons[kind] = NULL;
}

void findings_finish(struct findings *findings)
{
    for (unsigned kind = 0; kind < FINDING_KINDS; kind++)
        findings_clear(findings, kind);
}

/* "notes/a.md line 4: 'x'" */
static void write_place(struct buf *to, const json_t *place)
{
    const char *file = json_get_string(place, "file"), *value = json_get_string(place, "value");
    json_int_t line = json_integer_value(json_object_get(place, "line"));

    if (file)
        buf_adds(to, file);
    if (line > 0)
        buf_addf(to, "%sline %lld", file ? " " : "", (long long)line);
    if (value)
        buf_addf(to, "%s'%s'", file || line > 0 ? ": " : "", value);
}

static void write_entry(struct buf *to, const char *reason, const json_t *entry)
{
    const json_t *places = json_object_get(entry, "places"), *place;
    json_int_t count = json_integer_value(json_object_get(entry, "count"));
    size_t i;

    buf_addf(to, "\n- %s", reason);
    if (count > 1)
        buf_addf(to, " (%lld)", (long long)count);
    json_array_foreach((json_t *)places, i, place)
    {
        buf_adds(to, i == 0 ? ": " : "; ");
        write_place(to, place);
    }
    if (i > 0 && i == FINDINGS_PLACES_CAP && count > (json_int_t)i)
        buf_addf(to, "; %lld more", (long long)count - (long long)i);
}

void findings_write(struct buf *to, const struct findings *findings, const char *how, size_t most)
{
    for (unsigned kind = 0; kind < FINDING_KINDS; kind++) {
        size_t lines = findings_lines(findings, kind), said = 0;
        const char *reason;
        json_t *entry;

        if (lines == 0)
            continue;
        buf_addf(to, "\n%s%s (%zu):", headings[kind], kind == FINDING_READ ? how : "", lines);
        json_object_foreach(findings->reasons[kind], reason, entry)
        {
            if (said == most)
                break;
            write_entry(to, reason, entry);
            said++;
        }
        if (said < lines)
            buf_addf(to, "\n- %zu more", lines - said);
    }
}

json_t *findings_json(const struct findings *findings)
{
    static const char *const names[FINDING_KINDS] = {
        [FINDING_READ] = "read",
        [FINDING_CHANGED] = "changed",
        [FINDING_LEFT_OUT] = "leftOut",
        [FINDING_RULE] = "rules",
    };
    json_t *all = json_object();

    for (unsigned kind = 0; kind < FINDING_KINDS; kind++) {
        json_t *list = json_array(), *entry;
        const char *reason;

        json_object_foreach(findings->reasons[kind], reason, entry)
        {
            json_array_append_new(list, json_pack("{s:s, s:O, s:O}", "reason", reason, "count",
                                                  json_object_get(entry, "count"), "places",
                                                  json_object_get(entry, "places")));
        }
        json_object_set_new(all, names[kind], list);
    }
    return all;
}
