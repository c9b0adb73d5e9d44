/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The search: its index is after every write what it would be if it were made from nothing, and
 * find says what stands where.
 */
#include <sqlite3.h>

#include "mcp/curriculum/prose.h"
#include "mcp/store/entities/component.h"
#include "mcp/store/entities/session.h"
#include "mcp/store/history/history.h"
#include "mcp/store/search/find.h"
#include "mcp/store/search/search_internal.h"
#include "tests/unit/random_writes.h"

#define WRITES 60

static const char lessons[] =
    "{\"meta\":{\"title\":\"Ratios\"},\"nodes\":["
    "{\"node_id\":\"N1\",\"title\":\"What a ratio says\",\"components\":["
    "{\"type\":\"heading\",\"parameters\":{\"text\":\"Beads\"}},"
    "{\"type\":\"paragraph\",\"parameters\":{\"text\":\"The mixture of a drink is the same in each "
    "<b title='ratio'>glass</b>, in the operation as well.\"}},"
    "{\"type\":\"definition\",\"parameters\":{\"term\":\"Ratio\",\"definition\":\"A comparison of "
    "two "
    "amounts.\"}}]},"
    "{\"node_id\":\"N2\",\"title\":\"Adding\",\"standard\":\"M.1\",\"components\":["
    "{\"type\":\"paragraph\",\"parameters\":{\"text\":\"Before ratios are compared, add the parts. "
    "The "
    "mixtures differ.\"}},"
    "{\"type\":\"three-svgs\",\"parameters\":{\"title1\":\"One\",\"title2\":\"b\",\"title3\":\"c\","
    "\"description1\":\"d\",\"description2\":\"e\",\"description3\":\"f\","
    "\"svg1\":\"<svg><text>hidden</text></svg>\"}}]},"
    "{\"node_id\":\"N3\",\"title\":\"Thin\",\"components\":[{\"type\":\"worked-example\","
    "\"parameters\":{\"problem\":\"caf\xC3\xA9\",\"solution\":\"\",\"answer\":\"7\"}}]},"
    "{\"node_id\":\"N4\",\"title\":\"Tasks\",\"components\":["
    "{\"type\":\"exercise-code\",\"parameters\":{\"prompt\":\"Draw the turtle.\",\"cases\":["
    "{\"call\":\"concealed\",\"expect\":\"concealed\"}],\"starter\":\"concealed\","
    "\"solution\":\"concealed\",\"hints\":[\"Walk slowly.\"]}},"
    "{\"type\":\"question\",\"parameters\":{\"prompt\":\"Who is slow?\",\"kind\":\"choice\","
    "\"options\":[\"Tortoise\",\"Hare\"],\"answer\":\"Tortoise\",\"criteria\":[\"names one "
    "animal\"],\"hints\":[\"Look at its shell.\"]}}]}],"
    "\"relationships\":[{\"from_node_id\":\"N2\",\"to_node_id\":\"N1\",\"relationship_type\":"
    "\"PREREQUISITE\"}]}";

static void load(struct fixture *fixture, const char *file)
{
    import_text(fixture, file, strlen(file));
}

/* ---- the index ---- */

/* All that the index has, and that it is whole. */
static char *dump(struct fixture *fixture)
{
    struct buf text = {0};
    sqlite3_stmt *rows;
    sqlite3 *db;

    assert_int_equal(sqlite3_open(fixture->url + strlen("sqlite:"), &db), SQLITE_OK);
    if (sqlite3_exec(db, "INSERT INTO search (search) VALUES ('integrity-check')", NULL, NULL,
                     NULL) != SQLITE_OK)
        fail_msg("%s", sqlite3_errmsg(db));
    assert_int_equal(
        sqlite3_prepare_v2(db,
                           "SELECT search.rowid, head, term, search.words, search_row.words,"
                           " (SELECT count(*) FROM search_stale)"
                           " FROM search JOIN search_row ON row = search.rowid"
                           " ORDER BY search.rowid",
                           -1, &rows, NULL),
        SQLITE_OK);
    buf_adds(&text, "");
    while (sqlite3_step(rows) == SQLITE_ROW)
        for (int i = 0; i < 6; i++)
            buf_addf(&text, "%s%c", sqlite3_column_text(rows, i), i < 5 ? '|' : '\n');
    sqlite3_finalize(rows);
    sqlite3_close(db);
    return text.data;
}

static void check_index(struct fixture *fixture, const char *when)
{
    char *kept = dump(fixture), *anew;

    must(fixture, search_rebuild(fixture->store, &fixture->err));
    anew = dump(fixture);
    if (strcmp(kept, anew) != 0)
        fail_msg("%s: the index is\n%s\nbut from nothing\n%s", when, kept, anew);
    free(kept);
    free(anew);
}

static void test_index_after_writes(void **state)
{
    struct fixture *fixture = *state;
    struct undo_state undone;

    random_state = 17;
    load(fixture, odd_file);
    check_index(fixture, "after the import");
    for (int i = 0; i < WRITES; i++) {
        char set[32];

        snprintf(set, sizeof set, "set %d", i);
        random_write(fixture, set);
        if (i % 6 == 5)
            check_index(fixture, set);
        if (i % 10 == 9) {
            (void)store_undo(fixture->store, &(struct writer){.who = "random"}, fixture->sid, set,
                             &undone, &fixture->err);
            check_index(fixture, "after an undo");
        }
    }
    must(fixture,
         store_restore(fixture->store, &test_writer, fixture->sid, 1, &undone, &fixture->err));
    check_index(fixture, "after a restore");
    must(fixture, store_session_delete(fixture->store, &test_writer, fixture->sid, &fixture->err));
    check_index(fixture, "after the session was deleted");
}

/* What was rolled back is not in it. */
static void test_index_without_what_was_taken_back(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *component = some_component();
    char *before, *after;

    load(fixture, odd_file);
    before = dump(fixture);
    must(fixture, store_begin(fixture->store, &fixture->err));
    must(fixture, store_component_insert(fixture->store, &test_writer, fixture->sid, "A", 0,
                                         component, NULL, &fixture->err));
    store_end(fixture->store, false, NULL);
    after = dump(fixture);
    assert_string_equal(before, after);
    free(before);
    free(after);
}

/* An index of another form is made anew when the store is opened. */
static void test_index_of_another_form(void **state)
{
    struct fixture *fixture = *state;
    char *before, *after;
    sqlite3 *db;

    load(fixture, lessons);
    before = dump(fixture);
    store_close(fixture->store);
    assert_int_equal(sqlite3_open(fixture->url + strlen("sqlite:"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "DELETE FROM search; UPDATE search_form SET version = 0",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    fixture_open_store(fixture, STORE_WRITE);
    after = dump(fixture);
    assert_string_equal(before, after);
    free(before);
    free(after);
}

/* ---- find ---- */

static const struct {
    struct find_request request;
    const char *found; /* "N1/3 N2/1": lessons, with the component; with "!": more is there */
} searches[] = {
    {{.text = "ratio"}, "N1/3 N2/1"},
    {{.text = "RATIOS", .sort = FIND_ORDER}, "N1/3 N2/1"},
    {{.text = "where is the mixture"}, "N1/2 N2/1"},
    {{.text = "cafe"}, "N3/1"},
    {{.text = "hidden"}, ""},
    {{.text = "concealed"}, ""},
    {{.text = "turtle"}, "N4/1"},
    {{.text = "slowly"}, "N4/1"},
    {{.text = "hare"}, "N4/2"},
    {{.text = "animal"}, "N4/2"},
    {{.text = "shell"}, "N4/2"},
    {{.text = "ratio", .in = "titles"}, "N1/0"},
    {{.text = "ratio", .in = "definition"}, "N1/3"},
    {{.text = "ratio", .in = "term"}, "N1/3"},
    {{.text = "amounts", .in = "term"}, ""},
    {{.text = "\"ratios are compared\""}, "N2/1"},
    {{.text = "\"compared ratios\""}, ""},
    {{.text = "mixture", .without = "definition"}, "N2/1"},
    {{.text = "mixture", .node_id = "N2"}, "N2/1"},
    {{.text = "ratio AND NOT (\"a\" OR x*) NEAR/2 {head}: -y ^z"}, "N1/0"},
    {{.text = "\" unclosed ratio"}, "N1/0 N2/1"},
    {{.without = "worked-example"}, "N2/0 N1/0 N4/0"},
    {{.without = "relationships"}, "N3/0 N4/0"},
    {{.without = "PREREQUISITE"}, "N3/0 N4/0"},
    {{.without = "standard"}, "N1/0 N3/0 N4/0"},
    {{.in = "three-svgs"}, "N2/2"},
    {{.in = "question"}, "N4/2"},
    {{.sort = FIND_WORDS}, "N3/0 N2/0 N4/0 N1/0"},
    {{.sort = FIND_ORDER}, "N2/0 N1/0 N3/0 N4/0"},
    {{.limit = 1}, "N2/0"},
};

static void find(struct fixture *fixture, const struct find_request *request, struct buf *found)
{
    struct find_request asked = *request;
    struct buf BUF_AUTO text = {0};
    json_auto_t *answer = NULL;
    const json_t *hit;
    size_t i;

    asked.limit = asked.limit ? asked.limit : 10;
    must(fixture, store_find(fixture->store, fixture->sid, &asked, &text, &fixture->err));
    answer = parse(text.data);
    buf_adds(found, "");
    json_array_foreach(json_object_get(answer, "hits"), i, hit)
    {
        buf_addf(found, "%s%s/%d", i > 0 ? " " : "", json_get_string(hit, "node_id"),
                 (int)json_integer_value(json_object_get(hit, "component_order")));
    }
}

static void test_find(void **state)
{
    struct fixture *fixture = *state;

    load(fixture, lessons);
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++) {
        struct buf BUF_AUTO found = {0};

        find(fixture, &searches[i].request, &found);
        if (strcmp(found.data, searches[i].found) != 0)
            fail_msg("search %zu (%s) found %s, not %s", i, searches[i].request.text, found.data,
                     searches[i].found);
    }
}

static void test_excerpt(void **state)
{
    struct fixture *fixture = *state;
    const struct find_request request = {.text = "glasses", .limit = 3};
    struct buf BUF_AUTO text = {0};

    load(fixture, lessons);
    must(fixture, store_find(fixture->store, fixture->sid, &request, &text, &fixture->err));
    assert_non_null(strstr(text.data, "\"text\":\"... is the same in each [glass], in the "
                                      "operation as well\""));
    assert_non_null(strstr(text.data, "\"field\":\"text\""));
}

/* Another curriculum of the store does not show. */
static void test_one_session_is_searched(void **state)
{
    struct fixture *fixture = *state;
    struct buf BUF_AUTO found = {0};
    char first[SESSION_ID_SIZE];

    load(fixture, lessons);
    memcpy(first, fixture->sid, sizeof first);
    load(fixture, odd_file);
    find(fixture, &(struct find_request){.text = "ratio"}, &found);
    assert_string_equal(found.data, "");
    memcpy(fixture->sid, first, sizeof first);
    buf_clear(&found);
    find(fixture, &(struct find_request){.text = "ratio"}, &found);
    assert_string_equal(found.data, "N1/3 N2/1");
}

static void test_read_a_lesson(void **state)
{
    struct fixture *fixture = *state;
    struct find_request request = {.node_id = "N2"};
    struct buf BUF_AUTO outline = {0}, whole BUF_AUTO = {0};

    load(fixture, lessons);
    must(fixture, store_find(fixture->store, fixture->sid, &request, &outline, &fixture->err));
    assert_non_null(strstr(outline.data,
                           "\"text\":\"Before ratios are compared, add the parts. The "
                           "mixtures ...\""));
    assert_null(strstr(outline.data, "svg1"));
    assert_non_null(strstr(outline.data, "\"words\":16,\"fields\":[{\"field\":\"standard\","
                                         "\"words\":1,\"text\":\"M.1\"}]}"));
    request.in = "all";
    must(fixture, store_find(fixture->store, fixture->sid, &request, &whole, &fixture->err));
    assert_non_null(strstr(whole.data, "\"svg1\":\"svg, 0.0 kB\""));
}

static const struct {
    struct find_request request;
    const char *says;
} wrong[] = {
    {{.text = "?!"}, "send words"},
    {{.text = "ratio", .in = "definiton"}, "did you mean 'definition'"},
    {{.in = "term"}, "send text"},
    {{.without = "worked-exmaple"}, "did you mean 'worked-example'"},
    {{.node_id = "N9"}, "N9"},
};

static void test_errors_say_what_to_send(void **state)
{
    struct fixture *fixture = *state;

    load(fixture, lessons);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct find_request request = wrong[i].request;
        struct buf BUF_AUTO text = {0};

        request.limit = 3;
        fixture->err = (struct error){0};
        assert_int_equal(store_find(fixture->store, fixture->sid, &request, &text, &fixture->err),
                         -1);
        if (!strstr(fixture->err.text, wrong[i].says))
            fail_msg("%zu: %s", i, fixture->err.text);
    }
}

/* ---- stems ---- */

static const struct {
    const char *language, *one, *other;
} same_stems[] = {
    {"en-GB", "Ratios", "ratio"},
    {"English", "multiplying", "multiplied"},
    {"de",
     "Br\xC3\xBC"
     "che",
     "bruch"},
    {"de", "multipliziert", "Multiplikation"},
    {"de", "Faktorisierung", "faktorisieren"},
    {"es", "fracciones", "fracci\xC3\xB3n"},
    {"fr", "\xC3\xA9quations", "equation"},
    {"fi", "\xC3\x84lg", "alg"},
    {"en", "cafe\xCC\x81", "caf\xC3\xA9"},
};

static int take_stem(void *user, const struct stem *stem)
{
    buf_adds(user, stem->stem);
    buf_addc(user, ' ');
    return 0;
}

static void test_stems(void **state)
{
    struct stems *stems = stems_new();

    (void)state;
    for (size_t i = 0; i < sizeof same_stems / sizeof *same_stems; i++) {
        int language = language_named(same_stems[i].language);
        struct buf BUF_AUTO one = {0}, other BUF_AUTO = {0};

        stems_each(stems, language, same_stems[i].one, strlen(same_stems[i].one), take_stem, &one);
        stems_each(stems, language, same_stems[i].other, strlen(same_stems[i].other), take_stem,
                   &other);
        assert_string_equal(one.data, other.data);
    }
    stems_free(stems);
}

static void test_languages(void **state)
{
    static const struct {
        const char *text, *code;
    } texts[] = {
        {"The ratio of the parts is what we compare", "en"},
        {"Die Teile eines Ganzen und ihr Verh\xC3\xA4ltnis", "de"},
        {"Las partes de una fracci\xC3\xB3n son iguales", "es"},
        {"x = 7", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_string_equal(
            language_code(language_of(texts[i].text, strlen(texts[i].text), LANGUAGE_NONE)),
            texts[i].code);
    assert_int_equal(language_of("in der Regel", strlen("in der Regel"), 0), 0);
}

#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, fixture_open, fixture_close)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        WITH_STORE(test_index_after_writes),
        WITH_STORE(test_index_without_what_was_taken_back),
        WITH_STORE(test_index_of_another_form),
        WITH_STORE(test_find),
        WITH_STORE(test_excerpt),
        WITH_STORE(test_one_session_is_searched),
        WITH_STORE(test_read_a_lesson),
        WITH_STORE(test_errors_say_what_to_send),
        cmocka_unit_test(test_stems),
        cmocka_unit_test(test_languages),
    };

    return cmocka_run_group_tests_name("find", tests, NULL, NULL);
}
