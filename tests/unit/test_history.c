/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random writes of every kind, looked at after each: then undone one by one, done again, restored,
 * compared. Seeded, so that a failure comes again: LECTERN_SEEDS says how many.
 */
#include "mcp/store/entities/session.h"
#include "mcp/store/history/history.h"
#include "tests/unit/random_writes.h"

#define SETS_CAP 64

static unsigned seeds(void)
{
    const char *given = getenv("LECTERN_SEEDS"); /* NOLINT(concurrency-mt-unsafe): no threads */

    return given ? (unsigned)atoi(given) : 6;
}

struct story { /* what was done, and how it looked before the first and after each */
    struct fixture *fixture;
    json_t *looks[SETS_CAP + 1];
    int64_t versions[SETS_CAP + 1];
    char sets[SETS_CAP][80];
    size_t count;
    json_t *revisions; /* the highest seen of each component */
};

static int64_t version_now(struct fixture *fixture)
{
    int64_t version;

    must(fixture, store_session(fixture->store, fixture->sid, NULL, 0, &version, &fixture->err));
    return version;
}

static json_t *history(struct fixture *fixture, const struct history_page *page)
{
    struct buf text BUF_AUTO = {0};

    must(fixture, store_read_history(fixture->store, fixture->sid, page, &text, &fixture->err));
    return parse(text.data);
}

static bool is_newest(struct fixture *fixture, const char *change_set)
{
    const struct history_page page = {.limit = 1, .without_texts = true};
    json_auto_t *read = history(fixture, &page);
    const json_t *newest = json_array_get(json_object_get(read, "changes"), 0);

    return !strcmp(json_get_string(newest, "change_set"), change_set);
}

/* Revisions never go back, also of what was deleted in between, and a change is one up at least. */
static void check_revisions(struct story *story)
{
    json_auto_t *all = read_all(story->fixture, read_components);
    json_t *node, *component;
    size_t i, j;

    json_array_foreach(json_object_get(all, "nodes"), i, node)
        json_array_foreach(json_object_get(node, "components"), j, component)
    {
        const char *id = json_get_string(component, "component_id");
        json_t *last = json_object_get(story->revisions, id);
        json_int_t revision = json_integer_value(json_object_get(component, "revision"));
        json_int_t seen = json_integer_value(json_object_get(last, "revision"));
        bool same;

        json_object_del(component, "order");
        json_object_del(component, "order_index");
        json_object_set(component, "revision", json_object_get(last, "revision"));
        same = last && same_json(component, last);
        assert_true(revision >= seen + (last && !same));
        json_object_set_new(component, "revision", json_integer(revision));
        json_object_set(story->revisions, id, component);
    }
}

static void tell(struct story *story, struct fixture *fixture, unsigned seed)
{
    memset(story, 0, sizeof *story);
    story->fixture = fixture;
    story->revisions = json_object();
    random_state = seed;
    story->looks[0] = look(fixture);
    story->versions[0] = version_now(fixture);
    check_revisions(story);
    for (unsigned i = 0; story->count < SETS_CAP && i < 2 * SETS_CAP; i++) {
        char *set = story->sets[story->count];
        unsigned writes = below(3) == 0 ? 1 + below(6) : 1;

        snprintf(set, sizeof story->sets[0], "set-%u-%u", seed, i);
        must(fixture, store_begin(fixture->store, &fixture->err));
        for (unsigned j = 0; j < writes; j++)
            random_write(fixture, set);
        must(fixture, store_end(fixture->store, true, &fixture->err));
        if (!is_newest(fixture, set))
            continue;
        story->count++;
        story->looks[story->count] = look(fixture);
        story->versions[story->count] = version_now(fixture);
        check_revisions(story);
    }
}

static void forget(struct story *story)
{
    for (size_t i = 0; i <= story->count; i++)
        json_decref(story->looks[i]);
    json_decref(story->revisions);
}

static void check_look(struct story *story, size_t at, const char *when)
{
    char place[160];

    snprintf(place, sizeof place, "%s, %s, after %zu", when, story->sets[0], at);
    same_look(story->fixture, story->looks[at], place);
    check_revisions(story);
}

/* ---- undo all, and all of that again ---- */

/* Who made the story's changes (random_writes.h): an undo without a name is of them alone. */
static const struct writer story_writer = {.who = "random"};

static void check_undos(struct story *story)
{
    struct fixture *fixture = story->fixture;
    static char by[SETS_CAP][80];
    struct undo_state state;

    for (size_t i = story->count; i-- > 0;) {
        int64_t version = version_now(fixture);

        must(fixture,
             store_undo(fixture->store, &story_writer, fixture->sid, NULL, &state, &fixture->err));
        assert_string_equal(state.change_set, story->sets[i]);
        assert_int_equal(state.version, version + 1);
        assert_true(strlen(state.what) > 0 && state.entries > 0);
        strcpy(by[i], state.by_set);
        check_look(story, i, "undo");
    }
    must_fail(fixture, ERROR_NOT_FOUND,
              store_undo(fixture->store, &story_writer, fixture->sid, NULL, &state, &fixture->err));
    must_fail(fixture, ERROR_CONFLICT,
              store_undo(fixture->store, &test_writer, fixture->sid, story->sets[0], &state,
                         &fixture->err));
    for (size_t i = 0; i < story->count; i++) {
        must(fixture,
             store_undo(fixture->store, &test_writer, fixture->sid, by[i], &state, &fixture->err));
        check_look(story, i + 1, "redo");
    }
}

static void check_restores(struct story *story)
{
    struct fixture *fixture = story->fixture;
    struct undo_state state;

    for (unsigned i = 0; i < 12; i++) {
        size_t to = below((unsigned)story->count + 1);
        json_auto_t *before = look(fixture);

        must(fixture, store_restore(fixture->store, &test_writer, fixture->sid, story->versions[to],
                                    &state, &fixture->err));
        check_look(story, to, "restore");
        if (*state.by_set && below(2)) { /* "": all was so already */
            must(fixture, store_undo(fixture->store, &test_writer, fixture->sid, state.by_set,
                                     &state, &fixture->err));
            same_look(fixture, before, "restore undone");
        }
    }
    must_fail(fixture, ERROR_INVALID,
              store_restore(fixture->store, &test_writer, fixture->sid, 0, &state, &fixture->err));
    assert_string_equal(fixture->err.loc, "version");
    must_fail(fixture, ERROR_INVALID,
              store_restore(fixture->store, &test_writer, fixture->sid, version_now(fixture) + 1,
                            &state, &fixture->err));
}

/* Any change set out of the middle: taken back as a whole, or not at all. */
static void check_picks(struct story *story, unsigned *taken, unsigned *refused)
{
    struct fixture *fixture = story->fixture;
    struct undo_state state, again;

    for (unsigned i = 0; i < 40; i++) {
        const char *set = story->sets[below((unsigned)story->count)];
        json_auto_t *before = look(fixture);

        fixture->err = (struct error){0};
        if (store_undo(fixture->store, &test_writer, fixture->sid, set, &state, &fixture->err) !=
            0) {
            if (fixture->err.kind != ERROR_CONFLICT)
                fail_msg("%s: %s", set, fixture->err.text);
            same_look(fixture, before, "refused");
            ++*refused;
            continue;
        }
        ++*taken;
        must(fixture, store_undo(fixture->store, &test_writer, fixture->sid, state.by_set, &again,
                                 &fixture->err));
        same_look(fixture, before, "a pick and back");
    }
}

/* ---- differences ---- */

/* The components of a look by their ids. */
static json_t *by_id(const json_t *seen)
{
    json_t *all = json_object(), *node, *component;
    size_t i, j;

    json_array_foreach(json_object_get(json_object_get(seen, "components"), "nodes"), i, node)
        json_array_foreach(json_object_get(node, "components"), j, component)
    {
        json_t *bare = json_copy(component);

        json_object_del(bare, "order");
        json_object_del(bare, "order_index");
        json_object_set_new(all, json_get_string(component, "component_id"), bare);
    }
    return all;
}

static size_t count_entity(const json_t *differences, const char *entity, const char *id)
{
    size_t i, count = 0;
    json_t *entry;

    json_array_foreach((json_t *)differences, i, entry)
    {
        const char *of = json_get_string(entry, "entity_id");

        count += !strcmp(json_get_string(entry, "entity"), entity) && of && !strcmp(of, id);
    }
    return count;
}

static void check_difference(struct story *story, size_t from, size_t to)
{
    struct fixture *fixture = story->fixture;
    struct buf text BUF_AUTO = {0};
    json_auto_t *read = NULL, *old = by_id(story->looks[from]), *new = by_id(story->looks[to]);
    const json_t *differences;
    const char *id;
    json_t *component;

    must(fixture, store_read_difference(fixture->store, fixture->sid, story->versions[from],
                                        story->versions[to], &text, &fixture->err));
    read = parse(text.data);
    differences = json_object_get(read, "differences");
    assert_int_equal(json_integer_value(json_object_get(read, "total")),
                     json_array_size(differences));
    if (from == to)
        assert_int_equal(json_array_size(differences), 0);
    if (!same_json(json_object_get(story->looks[from], "file"),
                   json_object_get(story->looks[to], "file")))
        assert_true(json_array_size(differences) > 0);
    json_object_foreach(old, id, component)
    {
        const json_t *other = json_object_get(new, id);

        if (!other || !same_json(component, other))
            assert_true(count_entity(differences, "component", id) >= 1);
    }
    json_object_foreach(new, id, component)
    {
        if (!json_object_get(old, id))
            assert_true(count_entity(differences, "component", id) >= 1);
    }
}

static void test_random_stories(void **state)
{
    struct fixture *fixture = *state;
    unsigned taken = 0, refused = 0;

    for (unsigned seed = 1; seed <= seeds(); seed++) {
        struct story story;

        import_text(fixture, odd_file, strlen(odd_file));
        /* One commit a story: what is kept to the disk is others' matter, and takes its time. */
        must(fixture, store_begin(fixture->store, &fixture->err));
        tell(&story, fixture, seed);
        assert_true(story.count > SETS_CAP / 2);
        check_picks(&story, &taken, &refused);
        check_undos(&story);
        for (unsigned i = 0; i < 12; i++)
            check_difference(&story, below((unsigned)story.count + 1),
                             below((unsigned)story.count + 1));
        check_restores(&story);
        forget(&story);
        must(fixture, store_end(fixture->store, true, &fixture->err));
    }
    assert_true(taken > 0 && refused > 0);
    print_message("of %u change sets out of the middle %u were undone\n", taken + refused, taken);
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_open, fixture_close)
    const struct CMUnitTest tests[] = {
        TEST(test_random_stories),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
