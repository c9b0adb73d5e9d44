/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The forms of curricula without a store: small and odd ones come back, and the readers take
 * whatever bytes there are: a value or an error that names the file, nothing else. The bytes are
 * good files with random damage; LECTERN_LONG=N makes it N times as long.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "helpers/base/json.h"
#include "mcp/format/format.h"
#include "mcp/format/markdown.h"
#include "mcp/format/yaml.h"
#include "tests/fuzz/play_import.h"
#include "tests/unit/regression_inputs.h"

#define ROUNDS    1500
#define DAMAGE    6
#define BYTES_CAP 4096

static const char *const curricula[] = {
    "{\"nodes\": []}",
    "{\"nodes\": [], \"relationships\": []}",
    "{\"nodes\": [], \"relationships\": \"none\", \"meta\": null}",
    "{\"nodes\": [null, 5, [], \"x\", {}], \"relationships\": [null, {}, 1.0]}",
    "{\"meta\": {\"title\": \"a\\u0000b\"}, \"nodes\": [{\"node_id\": \"N1\", \"title\": \"x\","
    " \"components\": []}, {\"node_id\": \"N1\", \"components\": null}], \"relationships\": [],"
    " \"trailer\": []}",
    "{\"nodes\": [{\"node_id\": \"a\\u0000\", \"title\": \"\"}, {\"node_id\": \"a\"}],"
    " \"relationships\": [{\"from_node_id\": \"a\\u0000\", \"to_node_id\": \"a\"}]}",
    "{\"nodes\": [{\"node_id\": \"N1\", \"title\": \"t\", \"lectern_json\": \"1\"},"
    " {\"lectern_json\": \"[1]\"}, {\"lectern_node\": 3}], \"relationships\": [{\"x\": 1}]}",
    "{\"meta\": {\"title\": \"t\", \"case\": {\"CFDocument\": {\"identifier\": \"no\"}}},"
    " \"nodes\": [{\"node_id\": \"1b671a64-40d5-491e-99b0-da01ff1f3341\", \"title\": \"u\"},"
    " {\"node_id\": \"1b671a64-40d5-491e-99b0-da01ff1f3341\", \"title\": \"v\"}],"
    " \"relationships\": [{\"from_node_id\": \"1b671a64-40d5-491e-99b0-da01ff1f3341\","
    " \"to_node_id\": \"gone\", \"identifier\": \"x\", \"relationship_type\": \"precedes\"}]}",
};
#define CURRICULA (sizeof curricula / sizeof curricula[0])

static void little_curricula_come_back(void **state)
{
    (void)state;
    for (size_t f = 0; formats[f]; f++) {
        for (size_t i = 0; i < CURRICULA && formats[f]->write; i++) {
            char folder[] = "/tmp/lectern-test-XXXXXX", path[64], command[96];
            struct format_report report = {0};
            struct error err = {0};
            json_t *before = json_read(curricula[i], strlen(curricula[i]), "it", &err), *after;

            assert_non_null(before);
            assert_non_null(mkdtemp(folder));
            snprintf(path, sizeof path, "%s/it", folder);
            if (formats[f]->write(before, path, &report, &err) < 0)
                fail_msg("%s %zu: %s", formats[f]->name, i, err.text);
            after = format_read_path(path, formats[f], &report, &err);
            if (!after)
                fail_msg("%s %zu: %s", formats[f]->name, i, err.text);
            if (!json_equal(before, after))
                fail_msg("%s %zu: %s", formats[f]->name, i, json_dumps(after, 0));
            assert_int_equal(findings_count(&report.lines, FINDING_LEFT_OUT), 0);
            json_decref(before);
            json_decref(after);
            findings_finish(&report.lines);
            snprintf(command, sizeof command, "rm -r %s", folder);
            assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c,concurrency-mt-unsafe) */
        }
    }
}

static void forms_are_found(void **state)
{
    static const struct {
        const char *path, *name;
    } paths[] = {{"a.json", "json"},
                 {"a", "json"},
                 {"-", "json"},
                 {"a.csv", "csv"},
                 {"a.case.json", "case"},
                 {"notes.md", "markdown"},
                 {"notes.md/", "markdown"},
                 {"a.graphml", "graphml"},
                 {"A.GEXF", "gexf"},
                 {"a.xml", "json"},
                 {"", "json"}};

    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        assert_string_equal(format_of_path(paths[i].path)->name, paths[i].name);
    for (size_t i = 0; formats[i]; i++) {
        assert_ptr_equal(format_find(formats[i]->name), formats[i]);
        assert_non_null(strstr(format_names(), formats[i]->name));
    }
    assert_null(format_find("word"));
}

static void reports_are_bounded(void **state)
{
    struct format_report report = {0};
    const struct findings *lines = &report.lines;

    (void)state;
    for (size_t i = 0; i < 1000; i++) {
        findings_add(&report.lines, FINDING_LEFT_OUT, NULL, "loss %zu\n%s", i, i == 0 ? "two" : "");
        format_note(&report, "note");
    }
    assert_int_equal(findings_count(lines, FINDING_LEFT_OUT), 1000);
    assert_int_equal(findings_lines(lines, FINDING_LEFT_OUT), FINDINGS_REASONS_CAP + 1);
    assert_int_equal(findings_count(lines, FINDING_READ), 1000);
    assert_int_equal(findings_lines(lines, FINDING_READ), 1);
    findings_finish(&report.lines);
}

/* ---- damage ---- */

static uint64_t chance = 88172645463325252u;

static size_t below(size_t most)
{
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return (size_t)(chance % most);
}

/* Pieces that mean something to one of the readers. */
static const char *const pieces[] = {"\"",
                                     ",",
                                     "\n",
                                     "\r\n",
                                     ";",
                                     "---\n",
                                     "```",
                                     "```json\n",
                                     "<!-- component: ",
                                     " -->",
                                     "**a:** ",
                                     "\xEF\xBB\xBF",
                                     "\xff",
                                     "{",
                                     "}",
                                     "[",
                                     "]",
                                     "&a ",
                                     "*a",
                                     ": ",
                                     "- ",
                                     "|\n",
                                     ">\n ",
                                     "\t",
                                     "1. ",
                                     "> ",
                                     "# ",
                                     "lectern:json",
                                     "\"\"",
                                     "null",
                                     "!!str ",
                                     "? ",
                                     "%",
                                     "](a.md)",
                                     "{\"fields\":{}}",
                                     "<node id='z'>",
                                     "</node>",
                                     "<graph>",
                                     "<data key='k'>",
                                     "<!--",
                                     "&#0;",
                                     "<!DOCTYPE a [<!ENTITY b 'c'>]>"};

static size_t damage(char *bytes, size_t len)
{
    for (size_t n = below(DAMAGE) + 1; n > 0; n--) {
        const char *piece = pieces[below(sizeof pieces / sizeof pieces[0])];
        size_t at = below(len + 1), cut = below(8), add = strlen(piece);

        if (cut > len - at)
            cut = len - at;
        if (below(4) == 0 && at < len) {
            bytes[at] = (char)below(256);
        } else if (len - cut + add < BYTES_CAP) {
            memmove(bytes + at + add, bytes + at + cut, len - at - cut);
            memcpy(bytes + at, piece, add);
            len = len - cut + add;
        }
    }
    return len;
}

static json_t *read_as_csv(const struct buf *text, struct format_report *report, struct error *err)
{
    return csv_read_sheet(&csv_nodes, "FILE", text, report, err);
}

static json_t *read_as_edges(const struct buf *text, struct format_report *report,
                             struct error *err)
{
    return csv_read_sheet(&csv_relationships, "FILE", text, report, err);
}

static json_t *read_as_yaml(const struct buf *text, struct format_report *report, struct error *err)
{
    (void)report;
    return yaml_read(text->data, text->len, "FILE", 1, err);
}

static json_t *read_as_node(const struct buf *text, struct format_report *report, struct error *err)
{
    (void)report;
    return node_read(text, "FILE", SHAPE_USUAL, NULL, err);
}

static json_t *read_as_note(const struct buf *text, struct format_report *report, struct error *err)
{
    struct note note = {.links = json_array()};
    json_t *node = node_read(text, "FILE", SHAPE_USUAL, &note, err);

    (void)report;
    note_finish(&note);
    return node;
}

static json_t *read_as_case(const struct buf *text, struct format_report *report, struct error *err)
{
    json_t *package = json_read(text->data, text->len, "FILE", err), *curriculum = NULL;

    if (package)
        curriculum = case_curriculum(package, report, err);
    if (package && !curriculum)
        error_wrap(err, "FILE");
    json_decref(package);
    return curriculum;
}

static json_t *read_as_text(const struct buf *text, struct format_report *report, struct error *err)
{
    json_t *curriculum = format_read_text(text->data, text->len, report, err);

    if (!curriculum)
        error_wrap(err, "FILE");
    return curriculum;
}

static json_t *read_as_graphml(const struct buf *text, struct format_report *report,
                               struct error *err)
{
    return graphml_curriculum("FILE", text, false, report, err);
}

static json_t *read_as_gexf(const struct buf *text, struct format_report *report, struct error *err)
{
    return gexf_curriculum("FILE", text, false, report, err);
}

static const struct {
    json_t *(*read)(const struct buf *text, struct format_report *report, struct error *err);
    const char *text;
} readers[] = {
    {read_as_csv,
     "Id,Label,chapter_id:int,components:json,lectern:json\r\n"
     "N1,\"a \"\"b\"\"\nc\",5,\"[1]\",\r\nN2,x,,,\"{\"\"fields\"\":{\"\"a\"\":1}}\"\r\n"},
    {read_as_edges, "Source;Target;Type;weight\na;b;Directed;1\nb;c;X;2.5\n"},
    {read_as_yaml, "a: 1\nb: [x, {y: 'z'}]\nc: |\n  line\n  two\nd: \"q\\u00e9\"\n? e\n: - f\n"},
    {read_as_node, "---\nnode_id: N1\ntitle: x\n---\n\n<!-- component: definition -->\n"
                   "**term:** a\n\n**definition:** b\n\n<!-- component: callout-box "
                   "{\"parameters\":{\"style\":\"tip\"},\"is\":[\"type\"]} -->\n> q\n> r\n\n"
                   "<!-- component: step-sequence -->\n1. a\n2. b\n   c\n\n<!-- component: x -->\n"
                   "```yaml parameters\na: 1\n```\n\n<!-- component -->\n```json\n{}\n```\n"},
    {read_as_note,
     "# T\n\np [l](a.md)\n\n1. a\n   - b\n2. c\n\n> q\n\n---\n\n    code\n\n[x]: y\n"},
    {read_as_text, "Before.\n\n# A\n\n[l](a.md)\n\nB\n===\n\n---\n\n```\n# c\n```\n# D\n"},
    {read_as_text, "```csv\nId;Title;Prerequisites\na;A;\nb;B, c;a\nc;C;\"B, c|a,x; y\"\n```\n"},
    {read_as_text,
     "{\"nodes\":[{\"id\":1,\"label\":\"x\"},{\"name\":\"y\",\"key\":\"b\"}],\"links\":["
     "{\"source\":1,\"target\":\"b\",\"type\":\"directed\"}]}"},
    {read_as_graphml,
     "<graphml><key id='k' for='node' attr.name='n' attr.type='int'><default>1</default></key>"
     "<graph edgedefault='directed'><node id='g'><graph><node id='a'><data key='k'>2</data></node>"
     "</graph></node><node id='b'><data key='d'><S><NodeLabel>x</NodeLabel></S></data></node>"
     "<edge source='a' target='b' directed='false'><desc>d</desc></edge></graph></graphml>"},
    {read_as_gexf,
     "<gexf><meta><title>t</title></meta><graph defaultedgetype='directed'><attributes "
     "class='node'><attribute id='0' title='n' type='listint'/></attributes><nodes><node id='a' "
     "label='A'><attvalues><attvalue for='0' value='[1, 2]'/></attvalues><nodes><node id='b' "
     "pid='a'/></nodes></node></nodes><edges><edge source='a' target='b' weight='2'/></edges>"
     "</graph></gexf>"},
    {read_as_case,
     "{\"CFDocument\":{\"identifier\":\"1b671a64-40d5-491e-99b0-da01ff1f3341\",\"title\":\"t\","
     "\"extensions\":{\"lectern\":{\"further\":{\"meta\":{\"title\":\"t\"}}}}},\"CFItems\":[{"
     "\"identifier\":\"1b671a64-40d5-491e-99b0-da01ff1f3342\",\"fullStatement\":\"s\","
     "\"extensions\":"
     "{\"lectern\":{\"generated\":[\"uri\"],\"fields\":{\"a\":1}}}}],\"CFAssociations\":[{"
     "\"associationType\":\"precedes\",\"originNodeURI\":{\"identifier\":\"x\"},"
     "\"destinationNodeURI\":{\"identifier\":\"1b671a64-40d5-491e-99b0-da01ff1f3342\"}}]}"},
};

static void damaged_files_are_told(void **state)
{
    const char *longer = getenv("LECTERN_LONG"); /* NOLINT(concurrency-mt-unsafe) */
    size_t rounds = ROUNDS * (longer ? strtoul(longer, NULL, 10) : 1), read = 0, refused = 0;

    (void)state;
    for (size_t round = 0; round < rounds; round++) {
        for (size_t i = 0; i < sizeof readers / sizeof readers[0]; i++) {
            size_t len = strlen(readers[i].text);
            char *bytes = malloc(BYTES_CAP);
            struct format_report report = {0};
            struct buf text = {0};
            struct error err = {0};
            json_t *value;

            assert_non_null(bytes);
            memcpy(bytes, readers[i].text, len);
            len = round > 0 ? damage(bytes, len) : len;
            buf_add(&text, bytes, len);
            buf_add(&text, "", 0);
            value = readers[i].read(&text, &report, &err);
            if (value)
                read++;
            else
                refused++;
            if (round == 0 && !value)
                fail_msg("%zu: %s", i, err.text);
            if (!value && !strstr(err.text, "FILE"))
                fail_msg("%zu names no file: %s\n%.*s", i, err.text, (int)len, bytes);
            json_decref(value);
            buf_finish(&text);
            findings_finish(&report.lines);
            free(bytes);
        }
    }
    assert_true(read > rounds / 2);
    assert_true(refused > rounds / 2);
}

/* Whatever quotes there are, the rows come. */
static void quotes_refuse_no_sheet(void **state)
{
    static const char signs[] = "\"\"\"\"a ,;\n\r";

    (void)state;
    for (size_t round = 0; round < ROUNDS * 20; round++) {
        struct format_report report = {0};
        struct buf text = {0};
        struct error err = {0};
        json_t *nodes;

        buf_adds(&text, "Id,Note\n");
        for (size_t n = below(30); n > 0; n--)
            buf_addc(&text, signs[below(sizeof signs - 1)]);
        buf_adds(&text, "\nlast,row");
        nodes = csv_read_sheet(&csv_nodes, "FILE", &text, &report, &err);
        if (!nodes)
            fail_msg("%s: %s", err.text, text.data);
        assert_true(json_array_size(nodes) > 0);
        json_decref(nodes);
        buf_finish(&text);
        findings_finish(&report.lines);
    }
}

/* Bombs of YAML and of nesting end in an error, not in a crash or in gigabytes. */
static void bombs_are_refused(void **state)
{
    static const struct {
        const char *open;
        size_t times;
    } bombs[] = {{"[", 100000}, {"{a: ", 100000}, {"- ", 100000}, {"? ", 50000}, {"> ", 50000}};

    (void)state;
    for (size_t i = 0; i < sizeof bombs / sizeof bombs[0]; i++) {
        struct buf BUF_AUTO text = {0}, note_text = {0};
        struct note note = {.links = json_array()};
        struct error err = {0};
        json_t *value;

        for (size_t n = 0; n < bombs[i].times; n++)
            buf_adds(&text, bombs[i].open);
        value = yaml_read(text.data, text.len, "FILE", 1, &err);
        if (value && !json_is_string(value))
            fail_msg("%s was read", bombs[i].open);
        json_decref(value);
        value = node_read(&text, "FILE", SHAPE_USUAL, &note, &err);
        assert_non_null(value); /* it is ordinary text */
        json_decref(value);
        note_finish(&note);
    }
}

static const struct format *replayed;

static void play_file(const uint8_t *bytes, size_t len)
{
    play_import(replayed, false, bytes, len);
}

static void play_files(const uint8_t *bytes, size_t len)
{
    play_import(replayed, true, bytes, len);
}

/* The readers of tests/fuzz/CMakeLists.txt. */
static void inputs_of_the_fuzzers(void **state)
{
    static const char *const one[] = {"json", "csv", "case", "markdown", "graphml", "gexf"};
    static const char *const several[] = {"csv", "markdown", "xlsx", "olx", "cartridge"};
    char folder[128];

    (void)state;
    for (size_t i = 0; i < sizeof one / sizeof one[0]; i++) {
        replayed = format_find(one[i]);
        snprintf(folder, sizeof folder, "tests/fuzz/regression/import_%s", one[i]);
        replay_inputs(folder, play_file);
    }
    for (size_t i = 0; i < sizeof several / sizeof several[0]; i++) {
        replayed = format_find(several[i]);
        snprintf(folder, sizeof folder, "tests/fuzz/regression/import_%s_files", several[i]);
        replay_inputs(folder, play_files);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(little_curricula_come_back), cmocka_unit_test(forms_are_found),
        cmocka_unit_test(reports_are_bounded),        cmocka_unit_test(damaged_files_are_told),
        cmocka_unit_test(bombs_are_refused),          cmocka_unit_test(quotes_refuse_no_sheet),
        cmocka_unit_test(inputs_of_the_fuzzers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
