/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Curriculum files in and out: nothing lost, whatever is in them; what cannot be read is refused
 * with its place.
 */
#include <time.h>

#include "mcp/store/entities/import.h"
#include "mcp/store/entities/read.h"
#include "mcp/store/entities/session.h"
#include "tests/unit/session_fixture.h"

static void assert_round_trip(struct fixture *fixture, const char *text, size_t len)
{
    json_auto_t *file = json_read(text, len, "the file", &fixture->err);
    json_auto_t *first = NULL, *second = NULL;
    struct buf exported BUF_AUTO = {0}, again BUF_AUTO = {0};

    buf_init(&exported, 0);
    buf_init(&again, 0);
    assert_non_null(file);
    import_text(fixture, text, len);
    must(fixture, store_export(fixture->store, fixture->sid, &exported, &fixture->err));
    first = parse(exported.data);
    assert_true(same_json(file, first));
    import_text(fixture, exported.data, exported.len);
    must(fixture, store_export(fixture->store, fixture->sid, &again, &fixture->err));
    second = parse(again.data);
    assert_true(same_json(file, second));
    assert_string_equal(exported.data, again.data);
}

static void test_shared_files_round_trip(void **state)
{
    static const char *const names[] = {"fractions.json", "exercism_python.json",
                                        "openstax_algebra.json"};

    for (size_t i = 0; i < 3; i++) {
        size_t len = 0;
        char *text = read_shared(names[i], &len);

        if (text)
            assert_round_trip(*state, text, len);
        free(text);
    }
}

static void test_defective_file_round_trips(void **state)
{
    size_t len = 0;
    char *text = read_file("tests/data/defective_curriculum.json", &len);

    assert_non_null(text);
    assert_round_trip(*state, text, len);
    free(text);
}

static void test_demo_breaks_no_rule(void **state)
{
    struct fixture *fixture = *state;
    struct import_report report;
    struct findings lines = {0};
    struct buf said BUF_AUTO = {0};
    size_t len = 0;
    char *text = read_file("mcp/curriculum/demo/demo_curriculum.json", &len);

    assert_non_null(text);
    assert_round_trip(fixture, text, len);
    must(fixture, curriculum_import(fixture->store, &test_writer, text, len, NULL, true, NULL,
                                    &report, &lines, &fixture->err));
    if (findings_count(&lines, FINDING_RULE) > 0) {
        findings_write(&said, &lines, "read", FINDINGS_REASONS_CAP);
        fail_msg("%s", said.data);
    }
    findings_finish(&lines);
    free(text);
}

static void test_odd_top_levels_round_trip(void **state)
{
    static const char *const files[] = {
        "{\"nodes\":[]}",
        "{\"nodes\":[],\"relationships\":null}",
        "{\"nodes\":[],\"relationships\":{\"a\":1}}",
        "{\"relationships\":[],\"nodes\":[{\"components\":[{\"order\":1}]}],\"meta\":[1]}",
        "{\"nodes\":[{\"components\":\"none\"},{\"components\":[]},{}]}",
    };

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        assert_round_trip(*state, files[i], strlen(files[i]));
}

static void test_findings(void **state)
{
    static const char *const wanted[][2] = {
        {"a node repeats a node_id", ": node 2 (T1)"},
        {"a node has no node_id", ": node 3"},
        {"a node has no title", ": node 4 (T2)"},
        {"components is not an array", ": node 4 (T2)"},
        {"a node is not an object", ": node 7"},
        {"type: 'hologram' is not a component type", ": node 1 (T1), component 5"},
        {"a component is not an object", ": node 1 (T1), component 8"},
        {"order and order_index of a component differ", ": node 1 (T1)"},
        {"components repeat an order", ": node 1 (T1)"},
        {"parameters.text: is needed", "node 3, component 1"},
        {"to_node_id of a relationship does not exist", ": relationship 3: 'nowhere'"},
        {"a relationship repeats an earlier one", ": relationship 2"},
        {"a relationship leads from a node to itself", ": relationship 4"},
        {"'SEE_ALSO' is not a relationship type", ": relationship 4"},
        {"a relationship has no from_node_id", ": relationship 5"},
        {"a relationship is not an object", ": relationship 6"},
    };
    struct findings lines = {0};
    struct buf said BUF_AUTO = {0};
    struct fixture *fixture = *state;
    struct import_report report;
    struct buf sessions BUF_AUTO = {0};
    size_t len = 0;
    char *text = read_file("tests/data/defective_curriculum.json", &len);

    buf_init(&sessions, 0);
    must(fixture, curriculum_import(fixture->store, &test_writer, text, len, NULL, true, NULL,
                                    &report, &lines, &fixture->err));
    findings_write(&said, &lines, "read", FINDINGS_REASONS_CAP);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        const char *line = strstr(said.data, wanted[i][0]), *place = NULL;

        if (line)
            place = strstr(line, wanted[i][1]);
        if (!place || memchr(line, '\n', (size_t)(place - line)))
            fail_msg("'%s' with '%s' is not in:\n%s", wanted[i][0], wanted[i][1], said.data);
    }
    findings_finish(&lines);
    assert_int_equal(report.nodes, 9);
    assert_int_equal(report.components, 11);
    assert_int_equal(report.relationships, 7);
    assert_string_equal(report.session_id, "");
    must(fixture, store_read_sessions(fixture->store, &sessions, &fixture->err));
    assert_string_equal(sessions.data, "{\"sessions\":[],\"total\":0}");
    free(text);
}

static void test_findings_of_one_kind_are_one_line(void **state)
{
    struct fixture *fixture = *state;
    struct import_report report;
    struct findings lines = {0};
    struct buf text BUF_AUTO = {0}, said BUF_AUTO = {0};

    buf_init(&text, 0);
    buf_adds(&text, "{\"relationships\":[],\"nodes\":[0");
    for (int i = 1; i < 500; i++)
        buf_addf(&text, ",%d", i);
    buf_adds(&text, "]}");
    must(fixture, curriculum_import(fixture->store, &test_writer, text.data, text.len, NULL, false,
                                    NULL, &report, &lines, &fixture->err));
    assert_int_equal(findings_count(&lines, FINDING_RULE), 500);
    findings_write(&said, &lines, "read", FINDINGS_REASONS_CAP);
    assert_string_equal(said.data,
                        "\nKept as it is, though it breaks the rules (1):\n- a node is not an "
                        "object: kept for the export only (500): node 1; node 2; node 3; node 4; "
                        "node 5; 495 more");
    findings_finish(&lines);
}

static void refuse(struct fixture *fixture, enum error_kind kind, const char *text,
                   const char *says)
{
    struct import_report report;

    must_fail(fixture, kind,
              curriculum_import(fixture->store, &test_writer, text, strlen(text), NULL, false, NULL,
                                &report, NULL, &fixture->err));
    if (!strstr(fixture->err.text, says))
        fail_msg("'%s' is not in: %s", says, fixture->err.text);
}

static void test_refusals(void **state)
{
    struct fixture *fixture = *state;
    struct buf sessions BUF_AUTO = {0};

    buf_init(&sessions, 0);
    refuse(fixture, ERROR_MALFORMED, "{\n\"nodes\": [}", "line 2, column");
    refuse(fixture, ERROR_MALFORMED, "", "line 1");
    refuse(fixture, ERROR_MALFORMED, "{\"nodes\":[\"\\ud800\"]}", "line 1");
    refuse(fixture, ERROR_MALFORMED, "{\"nodes\":[{\"a\\u0000b\":1}]}", "line 1");
    refuse(fixture, ERROR_MALFORMED, "{\"nodes\":[1e999]}", "line 1");
    refuse(fixture, ERROR_MALFORMED, "{\"nodes\":[92233720368547758080]}", "line 1");
    refuse(fixture, ERROR_INVALID, "[]", "top level must be an object");
    refuse(fixture, ERROR_INVALID, "{\"relationships\":[]}", "it is missing");
    refuse(fixture, ERROR_INVALID, "{\"nodes\":{}}", "must be an array");
    must(fixture, store_read_sessions(fixture->store, &sessions, &fixture->err));
    assert_string_equal(sessions.data, "{\"sessions\":[],\"total\":0}");
}

static void test_byte_order_mark(void **state)
{
    const char *text = "\xEF\xBB\xBF{\"nodes\":[],\"relationships\":[]}";
    struct fixture *fixture = *state;
    json_auto_t *exported = NULL;

    import_text(fixture, text, strlen(text));
    exported = export_json(fixture, fixture->sid);
    assert_int_equal(json_object_size(exported), 2);
}

static void import_titled(struct fixture *fixture, const char *text, const char *title,
                          const char *wanted)
{
    struct import_report report;
    char got[TITLE_MAX + 1];

    must(fixture, curriculum_import(fixture->store, &test_writer, text, strlen(text), title, false,
                                    NULL, &report, NULL, &fixture->err));
    must(fixture,
         store_session(fixture->store, report.session_id, got, sizeof got, NULL, &fixture->err));
    assert_string_equal(got, wanted);
}

static void test_titles(void **state)
{
    import_titled(*state, "{\"nodes\":[],\"meta\":{\"title\":\"Of the file\"}}", "Given", "Given");
    import_titled(*state, "{\"nodes\":[],\"meta\":{\"title\":\"Of the file\"}}", NULL,
                  "Of the file");
    import_titled(*state, "{\"nodes\":[],\"meta\":{\"title\":\" \\n\",\"name\":\"Name\"}}", NULL,
                  "Name");
    import_titled(*state, "{\"nodes\":[]}", NULL, "Untitled curriculum");
}

struct told {
    size_t times, done, total;
};

static void on_progress(void *user, const char *what, size_t done, size_t total)
{
    struct told *told = user;

    if (strcmp(what, "components") != 0)
        return;
    assert_true(done > told->done);
    assert_true(done <= total);
    told->times++;
    told->done = done;
    told->total = total;
}

static void test_large_file_is_quick(void **state)
{
    struct fixture *fixture = *state;
    struct told told = {0};
    struct import_progress progress = {on_progress, &told};
    struct import_report report;
    struct findings lines = {0};
    struct timespec begin, end;
    size_t len = 0;
    char *text = read_shared("openstax_algebra.json", &len);

    if (!text)
        skip();
    clock_gettime(CLOCK_MONOTONIC, &begin);
    must(fixture, curriculum_import(fixture->store, &test_writer, text, len, NULL, false, &progress,
                                    &report, &lines, &fixture->err));
    clock_gettime(CLOCK_MONOTONIC, &end);
    print_message("imported in %.0f ms, %zu findings\n",
                  (double)(end.tv_sec - begin.tv_sec) * 1e3 +
                      (double)(end.tv_nsec - begin.tv_nsec) / 1e6,
                  findings_count(&lines, FINDING_RULE));
    findings_finish(&lines);
    assert_int_equal(report.components, 17110);
    assert_int_equal(told.done, 17110);
    assert_true(told.times > 10);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_shared_files_round_trip, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(test_defective_file_round_trips, fixture_open,
                                        fixture_close),
        cmocka_unit_test_setup_teardown(test_demo_breaks_no_rule, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(test_odd_top_levels_round_trip, fixture_open,
                                        fixture_close),
        cmocka_unit_test_setup_teardown(test_findings, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(test_findings_of_one_kind_are_one_line, fixture_open,
                                        fixture_close),
        cmocka_unit_test_setup_teardown(test_refusals, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(test_byte_order_mark, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(test_titles, fixture_open, fixture_close),
        cmocka_unit_test_setup_teardown(test_large_file_is_quick, fixture_open, fixture_close),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
