/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A term replaced: in one text, with all that must be left or follow; and everywhere in a
 * curriculum as an operation, with what it says, counts, lists, refuses and how it is undone.
 */
#include "mcp/store/entities/component.h"
#include "mcp/store/history/history.h"
#include "tests/unit/change_set_fixture.h"

#include "mcp/curriculum/replace_text.h"

/* ---- one text ---- */

enum how { PARTS = 1, CASE = 2, SINGULAR = 4 };

/* The text with the term replaced; the same text if nothing is. The caller frees it. */
static char *replaced(const char *find, const char *replace, const char *text, enum how how,
                      struct replacement_counts *counts)
{
    const struct replacement_wanted wanted = {find, replace, how & PARTS, how & CASE,
                                              how & SINGULAR};
    json_auto_t *parameters = json_pack("{s:s}", "text", text);
    struct prose_span spans[64];
    struct prose_text prose = {.path = "text", .text = text, .len = strlen(text), .spans = spans};
    struct buf BUF_AUTO to = {0};
    struct error err = {0};
    struct replacement *replacement = replacement_new(&wanted, &err);
    struct buf BUF_AUTO body = {0};
    int found;

    if (!replacement)
        fail_msg("%s: %s", find, err.text);
    assert_int_equal(prose_spans(text, prose.len, spans, 64, &prose.count), 0);
    found = replacement_apply(replacement, &prose, &to, counts, &err);
    assert_in_range(found, 0, 1);
    json_write(&body, parameters);
    if (found && !replacement_may_be_in(replacement, body.data, body.len))
        fail_msg("'%s' in '%s' is not seen at first sight", find, text);
    replacement_free(replacement);
    if (!found)
        return strdup(text);
    buf_add(&to, "", 0);
    return strdup(to.data);
}

static const struct {
    const char *find, *replace, *text, *wanted; /* wanted NULL: as it was */
    enum how how;
} texts[] = {
    /* Case is kept. */
    {"ratio", "proportion", "A ratio. Ratio! RATIO", "A proportion. Proportion! PROPORTION", 0},
    {"Ratio", "Proportion", "a ratio, a Ratio, RATIO", "a proportion, a Proportion, PROPORTION", 0},
    {"golden ratio", "golden section", "Golden ratio, Golden Ratio, GOLDEN RATIO",
     "Golden section, Golden Section, GOLDEN SECTION", 0},
    {"DNA", "genome", "DNA and dna", "genome and genome", 0},
    {"genome", "DNA", "Genome, genome", "DNA, DNA", 0},
    {"ratio", "Ratio", "a ratio, RATIO", "a Ratio, RATIO", 0},
    {"ratio", "proportion", "ratio Ratio", "proportion Ratio", CASE},
    /* Plurals, and what only looks like one. */
    {"ratio", "proportion", "ratios, Ratios, RATIOS", "proportions, Proportions, PROPORTIONS", 0},
    {"quantity", "box", "quantities of a quantity", "boxes of a box", 0},
    {"box", "quantity", "BOXES", "QUANTITIES", 0},
    {"key", "day", "keys", "days", 0},
    {"ratio", "proportion", "ratios", NULL, SINGULAR},
    {"ratio", "x + 1", "the ratios", NULL, 0},
    {"ratio", "proportion", "the ratio's value", "the proportion's value", 0},
    /* Within other words. */
    {"ratio", "proportion", "rational operation ratio2 my_ratio", NULL, 0},
    {"ratio", "proportion", "ratio-based, (ratio) \"ratio\" /ratio/",
     "proportion-based, (proportion) \"proportion\" /proportion/", 0},
    {"ratio", "R", "operation", "opeRn", PARTS},
    {"ratio", "R", "fig-ratio-1 part-part-ratio ratio-2b ratio--table -ratio- 2 -- ratio",
     "fig-ratio-1 part-part-ratio ratio-2b R--table -R- 2 -- R", 0},
    {"\xE6\xAF\x94", "R", "\xE6\xAD\xA3\xE6\xAF\x94\xE4\xBE\x8B-\xE6\xAD\xA3-2",
     "\xE6\xAD\xA3R\xE4\xBE\x8B-\xE6\xAD\xA3-2", 0},
    {"step", "move", "step-by-step, a step", "step-by-step, a move", 0},
    {"ratio", "R", "fig-ratio-1", "fig-R-1", PARTS},
    {"step-by-step", "slowly", "step-by-step", "slowly", 0},
    {"C", "Rust", "C++, C#, C+, C and C.", "C++, C#, C+, Rust and Rust.", 0},
    {"a", "b", "a+b", "b+b", 0},
    {"1", "2", "1.5 and 1, 1. 0,1 1", "1.5 and 2, 2. 0,1 2", 0},
    {"5", "6", "1.5 5", "1.5 6", 0},
    {"1.5", "2.5", "1.5 and 11.5", "2.5 and 11.5", 0},
    {"ratio", "proportion", "ra\xC2\xADtio ratio\xC2\xADnal", NULL, 0},
    {"C++", "Rust", "C++, C++11", "Rust, Rust11", 0},
    /* White space of any kind is one. */
    {"golden ratio", "mean", "the golden\n  ratio, golden\xC2\xA0ratios", "the mean, means", 0},
    {" ratio ", "mean", "the ratio.", "the mean.", 0},
    {"ratio", "", "the ratio is", "the is", 0},
    {"very ", "", "very big", "big", 0},
    /* Normal forms: e with its accent as one character, and as two. */
    {"caf\xC3\xA9", "bar", "caf\xC3\xA9, cafe\xCC\x81, CAF\xC3\x89, Cafe\xCC\x81s",
     "bar, bar, BAR, Bars", 0},
    {"cafe\xCC\x81", "bar", "caf\xC3\xA9", "bar", 0},
    {"cafe", "bar", "caf\xC3\xA9, cafe\xCC\x81", NULL, 0},
    {"cafe", "bar", "caf\xC3\xA9, cafe\xCC\x81", NULL, PARTS},
    {"bar", "caf\xC3\xA9", "Bar", "Caf\xC3\xA9", 0},
    {"\xC3\xA9tude", "\xC3\xA9pure", "\xC3\x89tude", "\xC3\x89pure", 0},
    {"\xE1\xB9\xA9", "s", "s\xCC\xA3\xCC\x87", "s", 0}, /* s with two dots */
    {"\xCE\xBB\xCF\x8C\xCE\xB3\xCE\xBF\xCF\x82", "x", "\xCE\x9B\xCE\x8C\xCE\x93\xCE\x9F\xCE\xA3",
     "X", SINGULAR}, /* logos, and in capitals */
    {"\xE6\xAF\x94", "R", "\xE6\xAD\xA3\xE6\xAF\x94\xE4\xBE\x8B", "\xE6\xAD\xA3R\xE4\xBE\x8B", 0},
    /* Not words: tags, links, addresses, code, drawings, commands, entities. */
    {"ratio", "X", "<b class=\"ratio\">ratio</b>", "<b class=\"ratio\">X</b>", 0},
    {"ratio", "X", "<svg><text>ratio</text></svg> ratio", "<svg><text>ratio</text></svg> X", 0},
    {"ratio", "X", "[ratio](https://a.org/ratio) http://ratio.org",
     "[X](https://a.org/ratio) http://ratio.org", 0},
    {"ratio", "X", "`ratio` ratio ```\nratio\n```", "`ratio` X ```\nratio\n```", 0},
    {"ratio", "X", "\\ratio{ratio}", "\\ratio{X}", 0},
    {"ratio", "X", "<b>ratio</b>nal, ope<i>ratio</i>n", NULL, 0},
    {"ratio", "X", "<p>ratio</p><p>ratio</p>", "<p>X</p><p>X</p>", 0},
    {"caf", "X", "caf&eacute; caf&#233; caf&nbsp;", "caf&eacute; caf&#233; X&nbsp;", 0},
    {"tude", "X", "&eacute;tude &nbsp;tude", "&eacute;tude &nbsp;X", 0},
    {"amp", "X", "a &amp; b amp", "a &amp; b X", 0},
};

static void each_text_is_as_a_person_would_have_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct replacement_counts counts = {0};
        const char *wanted = texts[i].wanted ? texts[i].wanted : texts[i].text;
        char *is = replaced(texts[i].find, texts[i].replace, texts[i].text, texts[i].how, &counts);

        if (strcmp(is, wanted) != 0)
            fail_msg("'%s' by '%s' in '%s': '%s', not '%s'", texts[i].find, texts[i].replace,
                     texts[i].text, is, wanted);
        assert_int_equal(counts.places > 0, texts[i].wanted != NULL);
        free(is);
    }
}

static void what_is_found_is_counted(void **state)
{
    struct replacement_counts counts = {0};
    struct buf BUF_AUTO said = {0};
    char *is =
        replaced("ratio", "mean", "ratio ratio Ratios rational <i>operation</i>", 0, &counts);

    (void)state;
    assert_string_equal(is, "mean mean Means rational <i>operation</i>");
    assert_int_equal(counts.places, 3);
    assert_int_equal(counts.inside, 2);
    replacement_say(&counts, &said);
    assert_string_equal(said.data, "\"ratio\" -> \"mean\" (2), \"Ratios\" -> \"Means\" (1)");
    free(is);
}

static void what_cannot_be_replaced_is_said(void **state)
{
    static char longest[REPLACE_WITH_MAX + 2];
    static const struct {
        const char *find, *replace, *says;
    } wrong[] = {
        {"", "x", "find: send the words"},          {" \n", "x", "find: send the words"},
        {"x", "x", "replace: is the same as find"}, {longest, "x", "send 500 at most"},
        {"x", longest, "send 2000 at most"},
    };

    (void)state;
    memset(longest, 'a', sizeof longest - 1);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        const struct replacement_wanted wanted = {.find = wrong[i].find,
                                                  .replace = wrong[i].replace};
        struct error err = {0};

        assert_null(replacement_new(&wanted, &err));
        assert_int_equal(err.kind, ERROR_INVALID);
        if (!strstr(err.text, wrong[i].says))
            fail_msg("'%s' is not in: %s", wrong[i].says, err.text);
    }
}

/* ---- everywhere ---- */

static const char ratios[] =
    "{\"nodes\":["
    "{\"node_id\":\"ratio\",\"title\":\"Ratios\",\"explanation\":\"A ratio compares.\","
    "\"Note\":\"ratio\",\"note_id\":\"ratio\",\"components\":["
    "{\"type\":\"definition\",\"order\":1,\"parameters\":{\"term\":\"ratio\",\"definition\":"
    "\"A Ratio of <b>two</b> rational numbers, see [ratio](/ratio)\"}},"
    "{\"type\":\"two-pictures\",\"order\":2,\"parameters\":{\"pictures\":{\"svg1\":{\"title\":"
    "\"Ratio\",\"body\":\"one\",\"svgCode\":\"<svg><text>ratio</text></svg>\"},\"svg2\":{"
    "\"title\":\"two\",\"body\":\"RATIO\",\"svgCode\":\"<svg/>\"}}}},"
    "{\"type\":\"callout-box\",\"order\":3,\"parameters\":{\"text\":\"a "
    "tip\",\"style\":\"tip\"}}]},"
    "{\"node_id\":\"B\",\"title\":\"Operations\",\"components\":["
    "{\"type\":\"step-sequence\",\"order\":1,\"parameters\":{\"steps\":[\"Add\",\"Find the "
    "ratio\"]}},"
    "{\"type\":\"paragraph\",\"order\":2,\"parameters\":{\"text\":\"ratio\"},"
    "\"content\":\"ratio\"},"
    "{\"type\":\"unheard\",\"order\":3,\"parameters\":{\"body\":\"one ratio\"}}]}],"
    "\"relationships\":[{\"from_node_id\":\"ratio\",\"to_node_id\":\"B\","
    "\"relationship_type\":\"PREREQUISITE\",\"explanation\":\"ratios come first\"}]}";

static int open_with_ratios(void **state)
{
    fixture_open(state);
    import_text(*state, ratios, sizeof ratios - 1);
    return 0;
}

#define REPLACE(more) "[{'op':'replace_text','find':'ratio','replace':'mean'" more "}]"

static void all_words_are_replaced_and_nothing_else(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *before = export_json(fixture, fixture->sid), *made = NULL, *after = NULL;
    struct change_set_outcome outcome;
    json_auto_t *results = NULL;
    struct undo_state undone;
    json_t *node;

    must(fixture, apply(fixture, REPLACE(), false, false, &outcome));
    made = export_json(fixture, fixture->sid);
    node = node_of(made, "ratio");
    assert_string_equal(text_at(node, "title"), "Means");
    assert_string_equal(text_at(node, "explanation"), "A mean compares.");
    assert_string_equal(text_at(node, "Note"), "mean");
    assert_string_equal(text_at(node, "note_id"), "ratio");
    assert_string_equal(text_at(node, "components.0.parameters.term"), "mean");
    assert_string_equal(text_at(node, "components.0.parameters.definition"),
                        "A Mean of <b>two</b> rational numbers, see [mean](/ratio)");
    assert_string_equal(text_at(node, "components.1.parameters.pictures.svg1.title"), "Mean");
    assert_string_equal(text_at(node, "components.1.parameters.pictures.svg1.svgCode"),
                        "<svg><text>ratio</text></svg>");
    assert_string_equal(text_at(node, "components.1.parameters.pictures.svg2.body"), "MEAN");
    node = node_of(made, "B");
    assert_string_equal(text_at(node, "title"), "Operations");
    assert_string_equal(text_at(node, "components.0.parameters.steps.1"), "Find the mean");
    assert_string_equal(text_at(node, "components.1.parameters.text"), "mean");
    assert_string_equal(text_at(node, "components.1.content"), "mean");
    assert_string_equal(text_at(node, "components.2.parameters.body"), "one mean");
    assert_string_equal(text_at(made, "relationships.0.explanation"), "means come first");
    assert_string_equal(text_at(made, "relationships.0.from_node_id"), "ratio");
    assert_string_equal(
        outcome.lines.data,
        "- Replaced 12 places in 2 lessons: \"Ratios\" -> \"Means\" (1), \"ratio\" -> \"mean\" "
        "(7), \"Ratio\" -> \"Mean\" (2), \"RATIO\" -> \"MEAN\" (1), \"ratios\" -> \"means\" (1); "
        "in 5 components, 3 titles or texts, 1 relationship; 2 within other words stayed\n");
    results = parse(outcome.results.data);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(results, 0), "places")), 12);
    assert_false(outcome.touches_graph);
    change_set_outcome_finish(&outcome);
    must(fixture,
         store_undo(fixture->store, &test_writer, fixture->sid, NULL, &undone, &fixture->err));
    after = export_json(fixture, fixture->sid);
    if (!same_json(before, after))
        fail_msg("not undone: %s", json_dumps(after, 0));
}

static void a_dry_run_lists_each_text(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *before = export_json(fixture, fixture->sid), *after = NULL, *results = NULL;
    struct change_set_outcome outcome;
    const char *lines[] = {
        "  ratio \"Ratios\":\n    title: ",
        "    1. definition, definition: ",
        "  B \"Operations\":\n    1. step-sequence, steps.2: ",
        "[ratio -> mean]",
        "  PREREQUISITE from ratio to B:\n    explanation: ",
    };

    must(fixture, apply(fixture, REPLACE(), true, false, &outcome));
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        if (!strstr(outcome.lines.data, lines[i]))
            fail_msg("'%s' is not in: %s", lines[i], outcome.lines.data);
    results = parse(outcome.results.data);
    assert_int_equal(json_array_size(json_object_get(json_array_get(results, 0), "texts")), 11);
    assert_string_equal(text_at(results, "0.texts.0.field"), "title");
    after = export_json(fixture, fixture->sid);
    assert_true(same_json(before, after));
    change_set_outcome_finish(&outcome);
}

static size_t places_of(struct fixture *fixture, const char *text)
{
    struct change_set_outcome outcome;
    json_auto_t *results = NULL;

    must(fixture, apply(fixture, text, true, false, &outcome));
    results = parse(outcome.results.data);
    change_set_outcome_finish(&outcome);
    return (size_t)json_integer_value(json_object_get(json_array_get(results, 0), "places"));
}

static void where_it_is_replaced_can_be_chosen(void **state)
{
    struct fixture *fixture = *state;

    assert_int_equal(places_of(fixture, REPLACE(",'in':'titles'")), 1);
    assert_int_equal(places_of(fixture, REPLACE(",'in':'definition'")), 3);
    assert_int_equal(places_of(fixture, REPLACE(",'in':'steps'")), 1);
    assert_int_equal(places_of(fixture, REPLACE(",'in':'explanation'")), 2);
    assert_int_equal(places_of(fixture, REPLACE(",'node_ids':['operations']")), 3);
    assert_int_equal(places_of(fixture, REPLACE(",'plurals':false")), 10);
    assert_int_equal(places_of(fixture, REPLACE(",'match_case':'true'")), 8);
    assert_int_equal(places_of(fixture, REPLACE(",'whole_words':false")), 14);
    assert_int_equal(places_of(fixture, REPLACE(",'expected_places':12")), 12);
}

static void what_goes_wrong_changes_nothing(void **state)
{
    static const struct {
        const char *operations, *says[3];
        enum error_kind kind;
    } wrong[] = {
        {"[{'op':'replace_text','find':'','replace':'x'}]",
         {"find: send the words"},
         ERROR_INVALID},
        {"[{'op':'replace_text','find':'x','replace':'x'}]", {"same as find"}, ERROR_INVALID},
        {"[{'op':'replace_text','find':'ratio'}]", {"replace: is needed"}, ERROR_INVALID},
        {"[{'op':'replace_text','find':'nowhere','replace':'x'}]",
         {"\"nowhere\" is in no text", "expected_places 0"},
         ERROR_NOT_FOUND},
        {"[{'op':'replace_text','find':'rat','replace':'x'}]",
         {"within other words", "whole_words false"},
         ERROR_NOT_FOUND},
        {REPLACE(",'in':'titels'"), {"in is \"titles\""}, ERROR_NOT_FOUND},
        {REPLACE(",'node_ids':['nobody']"), {"node_ids.0: there is no node"}, ERROR_NOT_FOUND},
        {REPLACE(",'node_ids':['99']"), {"node_ids.0: there is no node"}, ERROR_NOT_FOUND},
        {REPLACE(",'node_ids':[]"), {"is in no text there"}, ERROR_NOT_FOUND},
        {REPLACE(",'node_ids':[99]"), {"node_ids"}, ERROR_INVALID},
        {REPLACE(",'node_ids':7"), {"node_ids: must be an array"}, ERROR_INVALID},
        {REPLACE(",'expected_places':11"),
         {"expected_places is 11, but it would be 12"},
         ERROR_STALE},
        /* A title that is left empty, after others were replaced. */
        {"[{'op':'replace_text','find':'operations','replace':''}]",
         {"B \"Operations\"", "title: must not be empty"},
         ERROR_INVALID},
    };
    struct fixture *fixture = *state;
    json_auto_t *before = export_json(fixture, fixture->sid), *after = NULL;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct change_set_outcome outcome;

        if (apply(fixture, wrong[i].operations, false, false, &outcome) == 0)
            fail_msg("taken: %s", wrong[i].operations);
        for (size_t k = 0; k < 3 && wrong[i].says[k]; k++)
            if (!strstr(fixture->err.text, wrong[i].says[k]))
                fail_msg("'%s' is not in: %s", wrong[i].says[k], fixture->err.text);
        assert_int_equal(fixture->err.kind, wrong[i].kind);
    }
    after = export_json(fixture, fixture->sid);
    assert_true(same_json(before, after));
}

static void insert_text(struct fixture *fixture, const char *words, const char *end, size_t len)
{
    json_auto_t *component = NULL;
    struct buf BUF_AUTO text = {0};

    while (text.len + strlen(words) + strlen(end) <= len)
        buf_adds(&text, words);
    buf_adds(&text, end);
    component = json_pack("{s:s, s:{s:s%}}", "type", "paragraph", "parameters", "text", text.data,
                          text.len);
    must(fixture, store_component_insert(fixture->store, &test_writer, fixture->sid, "B", 0,
                                         component, NULL, &fixture->err));
}

/* A text that grows beyond what a text may have, and a term that is nearly everywhere. */
static void what_would_be_too_much_is_named(void **state)
{
    struct fixture *fixture = *state;
    struct change_set_outcome outcome;

    insert_text(fixture, "many words ", "end", TEXT_MAX);
    must_fail(fixture, ERROR_INVALID,
              apply(fixture,
                    "[{'op':'replace_text','find':'end','replace':'a much longer end of it'}]",
                    false, false, &outcome));
    assert_non_null(strstr(fixture->err.text, "B \"Operations\", component 4 (paragraph): "));
    assert_non_null(strstr(fixture->err.text, "text"));
    must_fail(fixture, ERROR_INVALID,
              apply(fixture, "[{'op':'replace_text','find':'many','replace':'few'}]", false, false,
                    &outcome));
    assert_non_null(strstr(fixture->err.text, "more than 20000 places"));
}

static void many_texts_are_one_change(void **state)
{
    struct fixture *fixture = *state;
    json_auto_t *components = json_array(), *before = NULL, *after = NULL, *results = NULL;
    struct change_set_outcome outcome;
    struct undo_state undone;

    for (int i = 0; i < 358; i++)
        json_array_append_new(components,
                              json_pack("{s:s, s:{s:s}}", "type", "paragraph", "parameters", "text",
                                        "Polynomials and a "
                                        "polynomial, not polynomially."));
    must(fixture, store_components_append(fixture->store, &test_writer, fixture->sid, "B",
                                          components, NULL, &fixture->err));
    before = export_json(fixture, fixture->sid);
    must(fixture, apply(fixture, "[{'op':'replace_text','find':'polynomial','replace':'sum'}]",
                        true, false, &outcome));
    results = parse(outcome.results.data);
    assert_int_equal(json_array_size(json_object_get(json_array_get(results, 0), "texts")), 100);
    assert_non_null(strstr(outcome.lines.data, "… and 318 texts more"));
    change_set_outcome_finish(&outcome);
    must(fixture, apply(fixture,
                        "[{'op':'replace_text','find':'polynomial','replace':'sum',"
                        "'expected_places':716}]",
                        false, false, &outcome));
    assert_in_range(outcome.lines.len, 1, 300);
    change_set_outcome_finish(&outcome);
    must(fixture,
         store_undo(fixture->store, &test_writer, fixture->sid, NULL, &undone, &fixture->err));
    assert_int_equal(undone.entries, 358);
    after = export_json(fixture, fixture->sid);
    assert_true(same_json(before, after));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_with_ratios, fixture_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_text_is_as_a_person_would_have_it),
        cmocka_unit_test(what_is_found_is_counted),
        cmocka_unit_test(what_cannot_be_replaced_is_said),
        TEST(all_words_are_replaced_and_nothing_else),
        TEST(a_dry_run_lists_each_text),
        TEST(where_it_is_replaced_can_be_chosen),
        TEST(what_goes_wrong_changes_nothing),
        TEST(what_would_be_too_much_is_named),
        TEST(many_texts_are_one_change),
    };

    return cmocka_run_group_tests_name("replacing a term", tests, NULL, NULL);
}
