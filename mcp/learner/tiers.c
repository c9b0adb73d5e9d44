/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/learner/tiers.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/cleanup.h"
#include "helpers/base/fields.h"
#include "helpers/base/http.h"
#include "helpers/base/json.h"
#include "helpers/base/log.h"

#define PLACEHOLDER "{learner}"
#define EXAMPLE                                                                                    \
    "A correct file: {\"tiers\": [{\"name\": \"free\", \"chapters\": [\"Numbers\"], "              \
    "\"attempts_a_day\": 5}, {\"name\": \"paid\", \"url\": "                                       \
    "\"https://example.org/upgrade?learner={learner}\"}]}"

struct tier_row {
    struct tier tier;
    json_t *chapters, *lessons; /* objects with these names; NULL: not restricted by them */
};

struct tiers {
    atomic_uint references;
    atomic_flag warned;
    bool of_file;
    json_t *file; /* has the texts */
    size_t count;
    struct tier_row rows[TIERS_CAP];
};

static const struct fields tier_fields = {
    .name = "a tier",
    .rows = (const struct field[]){FIELD("name", FIELD_TEXT, .required = true, .least = 1,
                                         .most = TIER_NAME_MAX, .flags = FIELD_LINE),
                                   FIELD("chapters", FIELD_ARRAY, .item = FIELD_TEXT),
                                   FIELD("lessons", FIELD_ARRAY, .item = FIELD_TEXT),
                                   FIELD("attempts_a_day", FIELD_WHOLE, .most = TIER_ATTEMPTS_MAX),
                                   FIELD("url", FIELD_TEXT, .least = 1, .most = TIER_URL_MAX),
                                   {0}},
};
static const struct fields file_fields = {
    .name = "the file",
    .rows = (const struct field[]){FIELD("tiers", FIELD_ARRAY, .required = true,
                                         .item = FIELD_OBJECT, .of = &tier_fields),
                                   {0}},
};

/* ---- one tier ---- */

static void write_url(const char *url, const char *learner, struct buf *to)
{
    const char *at;

    while ((at = strstr(url, PLACEHOLDER))) {
        buf_add(to, url, (size_t)(at - url));
        http_add_escaped(to, learner);
        url = at + strlen(PLACEHOLDER);
    }
    buf_adds(to, url);
}

/* Checked as a learner gets it. Printable ASCII, so that it is one word for every reader. */
static void check_url(const char *url, struct validation_errors *problems)
{
    struct buf BUF_AUTO whole = {0};
    const char *text;

    write_url(url, "0", &whole);
    text = whole.data ? whole.data : "";
    for (const char *at = text; *at; at++) {
        if (*at <= ' ' || *at > '~' || strchr("\"<>\\^`{|}", *at)) {
            validation_add(problems, "url",
                           "must be a URL without blanks, quotes and braces other than those "
                           "of " PLACEHOLDER);
            return;
        }
    }
    if (!(strncmp(text, "https://", 8) == 0 && text[8] && !strchr("/?#", text[8])) &&
        !(strncmp(text, "http://", 7) == 0 && http_is_loopback(text)))
        validation_add(problems, "url",
                       "must begin with https://, or with http:// and the address of this "
                       "machine");
}

/* The texts of an array as the names of an object, which is searched by a hash. */
static json_t *take_names(const json_t *tier, const char *member,
                          struct validation_errors *problems)
{
    const json_t *list = json_object_get(tier, member), *name;
    json_t *names;
    size_t i;

    if (!json_is_array(list))
        return NULL;
    if (json_array_size(list) > TIER_LESSONS_CAP)
        validation_add(problems, member, "must have at most %u entries, not %zu", TIER_LESSONS_CAP,
                       json_array_size(list));
    names = json_object();
    json_array_foreach((json_t *)list, i, name)
        json_object_set_new(names, json_string_value(name), json_true());
    return names;
}

static void take_tier(struct tiers *tiers, json_t *object, struct validation_errors *problems)
{
    struct tier_row *row = &tiers->rows[tiers->count];
    const json_t *attempts;

    fields_check(&tier_fields, object, NULL, problems);
    if (problems->count > 0)
        return;
    row->tier.name = json_get_string(object, "name");
    row->tier.url = json_get_string(object, "url");
    if (row->tier.url)
        check_url(row->tier.url, problems);
    for (size_t i = 0; i < tiers->count; i++) {
        if (strcmp(tiers->rows[i].tier.name, row->tier.name) == 0)
            validation_add(problems, "name", "must be different for each tier");
    }
    attempts = json_object_get(object, "attempts_a_day");
    row->tier.attempts_a_day = attempts && !json_is_null(attempts)
                                   ? (int64_t)json_number_value(attempts)
                                   : TIER_ATTEMPTS_ANY;
    row->chapters = take_names(object, "chapters", problems);
    row->lessons = take_names(object, "lessons", problems);
    tiers->count++;
}

/* ---- the file ---- */

static json_t *read_file(const char *path, struct error *err)
{
    FILE *file = fopen(path, "re");
    char *text = file ? malloc(TIERS_FILE_CAP + 1) : NULL;
    size_t len = text ? fread(text, 1, TIERS_FILE_CAP + 1, file) : 0;
    json_t *value = NULL;

    if (!file)
        error_errno(err, errno, "cannot open it");
    else if (!text)
        error_set(err, ERROR_MEMORY, "out of memory for the file");
    else if (ferror(file))
        error_errno(err, errno, "cannot read it");
    else if (len > TIERS_FILE_CAP)
        error_set(err, ERROR_TOO_LARGE, "it is larger than %zu bytes", TIERS_FILE_CAP);
    else
        value = json_read(text, len, "the file", err);
    free(text);
    if (file)
        fclose(file);
    return value;
}

static int take_tiers(struct tiers *tiers, struct error *err)
{
    struct validation_errors problems;
    json_t *list, *object;
    size_t i;

    validation_begin(&problems, "");
    if (json_is_object(tiers->file))
        fields_check(&file_fields, tiers->file, NULL, &problems);
    else
        validation_add(&problems, "", "it must be an object, not %s", json_kind(tiers->file));
    list = json_object_get(tiers->file, "tiers");
    if (problems.count == 0 && (json_array_size(list) < 1 || json_array_size(list) > TIERS_CAP))
        validation_add(&problems, "tiers", "must have 1 to %u tiers", TIERS_CAP);
    if (validation_end(&problems, EXAMPLE, err) < 0)
        return -1;
    json_array_foreach(list, i, object)
    {
        const char *name = json_get_string(object, "name");

        validation_begin(&problems, "");
        if (json_is_object(object))
            take_tier(tiers, object, &problems);
        else
            validation_add(&problems, "", "it must be an object, not %s", json_kind(object));
        if (validation_end(&problems, EXAMPLE, err) < 0)
            return error_wrap(err, "tier %zu%s%s%s", i + 1, name ? " ('" : "", name ? name : "",
                              name ? "')" : "");
    }
    return 0;
}

struct tiers *tiers_read(const char *path, struct error *err)
{
    struct tiers *tiers = calloc(1, sizeof *tiers);

    if (!tiers) {
        error_set(err, ERROR_MEMORY, "out of memory for the tiers");
        return NULL;
    }
    atomic_init(&tiers->references, 1);
    tiers->of_file = path != NULL;
    if (!path) {
        tiers->count = 1;
        tiers->rows[0].tier =
            (struct tier){.name = TIER_WITHOUT_TIERS, .attempts_a_day = TIER_ATTEMPTS_ANY};
        return tiers;
    }
    tiers->file = read_file(path, err);
    if (tiers->file && take_tiers(tiers, err) == 0)
        return tiers;
    tiers_unref(tiers);
    error_wrap(err, "--tiers %s", path);
    return NULL;
}

struct tiers *tiers_ref(struct tiers *tiers)
{
    atomic_fetch_add(&tiers->references, 1);
    return tiers;
}

void tiers_unref(struct tiers *tiers)
{
    if (!tiers || atomic_fetch_sub(&tiers->references, 1) != 1)
        return;
    for (size_t i = 0; i < TIERS_CAP; i++) {
        json_decref(tiers->rows[i].chapters);
        json_decref(tiers->rows[i].lessons);
    }
    json_decref(tiers->file);
    free(tiers);
}

/* ---- questions ---- */

static const struct tier *find(const struct tiers *tiers, const char *name)
{
    for (size_t i = 0; i < tiers->count; i++) {
        if (strcmp(tiers->rows[i].tier.name, name) == 0)
            return &tiers->rows[i].tier;
    }
    return NULL;
}

const struct tier *tier_find(struct tiers *tiers, const char *name)
{
    const struct tier *tier = name ? find(tiers, name) : NULL;

    if (tier)
        return tier;
    if (name && tiers->of_file && !atomic_flag_test_and_set(&tiers->warned))
        log_warning("tutor",
                    "a learner has the tier '%s', which the file of --tiers does not have: it "
                    "counts as '%s'. Name it in the file, or change the learner by `lectern "
                    "learner tier ID NAME`",
                    name, tiers->rows[0].tier.name);
    return &tiers->rows[0].tier;
}

const struct tier *tier_next(const struct tiers *tiers, const struct tier *tier)
{
    const struct tier_row *next = container_of(tier, const struct tier_row, tier) + 1;

    return next < tiers->rows + tiers->count ? &next->tier : NULL;
}

bool tier_allows(const struct tier *tier, const char *chapter, const char *node_id)
{
    const struct tier_row *row = container_of(tier, const struct tier_row, tier);

    if (!row->chapters && !row->lessons)
        return true;
    return (chapter && json_object_get(row->chapters, chapter)) ||
           json_object_get(row->lessons, node_id);
}

bool tier_write_url(const struct tier *tier, const char *learner, struct buf *to)
{
    if (!tier->url)
        return false;
    write_url(tier->url, learner, to);
    return true;
}

int tier_name_check(const struct tiers *tiers, const char *name, struct error *err)
{
    struct buf BUF_AUTO names = {0};

    if (find(tiers, name))
        return 0;
    for (size_t i = 0; i < tiers->count; i++)
        buf_addf(&names, "%s%s", i > 0 ? ", " : "", tiers->rows[i].tier.name);
    if (buf_check(&names, "the names of the tiers", err) < 0)
        return -1;
    return error_set_at(err, "tier", "there is no tier of this name: send one of %s%s", names.data,
                        tiers->of_file ? "" : " (the server was started without --tiers FILE)");
}
