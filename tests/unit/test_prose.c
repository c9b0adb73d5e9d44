/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a reader reads as words: in one text, and in which members of a component.
 */
#include "tests/unit/session_fixture.h"

#include "helpers/base/buf.h"
#include "mcp/curriculum/prose.h"

#define LONG_TEXT ((size_t)1 << 20)

static const struct {
    const char *text, *words; /* the spans, with | between them */
} texts[] = {
    {"", ""},
    {"  A ratio  ", "A ratio"},
    {"a < b and c > d", "a < b and c > d"},
    {"<p>One <b class=\"ratio\">ratio</b>.</p>", "One|ratio|."},
    {"before <svg width=\"1\"><text>ratio</text></svg> after", "before|after"},
    {"x<svg/>y", "x|y"},
    {"<!-- ratio -->a", "a"},
    {"unclosed <svg><text>ratio", "unclosed"},
    {"fish &amp; chips &#8364; AT&T", "fish|chips|AT&T"},
    {"a [ratio table](http://x.org/ratio_(maths)) b", "a [ratio table|b"},
    {"see https://ratio.org/a?ratio=1, or www.ratio.org.", "see|, or|."},
    {"awww.then", "awww.then"},
    {"call `ratio(1)` or ``a`b`` now", "call|or|now"},
    {"one ` backtick", "one|backtick"},
    {"text\n```python\nratio = 1\n```\nmore", "text|more"},
    {"~~~\nratio\n~~~\nmore", "more"},
    {"about ~ 3", "about ~ 3"},
    {"$\\frac{a}{b}$ is \\(x\\)", "$|{a}{b}$ is|x"},
    {"\\begin{align}x\\end{align}", "x"},
    {"\\text{ratio}", "{ratio}"},
    {"K\\\"unneth, M{\\\"o}bius, \\v{C}ech \\`a", "K\\\"unneth, M{\\\"o}bius, \\v{C}ech \\`a"},
    {"\\v{x \\vec{C} {\\\"o", "{x|{C} {\\\"o"},
    {"caf\xC3\xA9 \xE2\x80\x93 na\xC3\xAFve", "caf\xC3\xA9 \xE2\x80\x93 na\xC3\xAFve"},
};

static void test_spans(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *text = texts[i].text;
        struct prose_span spans[16];
        struct buf BUF_AUTO found = {0};
        size_t count;

        assert_int_equal(prose_spans(text, strlen(text), spans, 16, &count), 0);
        buf_adds(&found, "");
        for (size_t j = 0; j < count; j++) {
            buf_adds(&found, j > 0 ? "|" : "");
            buf_add(&found, text + spans[j].start, spans[j].len);
        }
        assert_string_equal(found.len > 0 ? found.data : "", texts[i].words);
    }
}

/* Their number is told although they do not fit. */
static void test_more_spans_than_fit(void **state)
{
    struct prose_span one;
    size_t count;

    (void)state;
    assert_int_equal(prose_spans("a<b>c<d>e", 9, &one, 1, &count), -1);
    assert_int_equal(count, 3);
    assert_int_equal(one.len, 1);
}

/* What never closes is looked at once, not once for each place: this would take hours. */
static void test_hostile_texts(void **state)
{
    static const char *const pieces[] = {"<a", "](", "`a``", "\\", "&a", "www.", "<svg ", "<!--"};
    char *text = malloc(LONG_TEXT);
    struct prose_span span;
    size_t count;

    (void)state;
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        size_t size = strlen(pieces[i]);

        for (size_t at = 0; at < LONG_TEXT; at++)
            text[at] = pieces[i][at % size];
        prose_spans(text, LONG_TEXT, &span, 1, &count);
    }
    free(text);
}

static int note(void *user, const struct prose_text *text)
{
    buf_addf(user, "%s%s:%.*s", ((struct buf *)user)->len > 0 ? "|" : "", text->path,
             (int)text->len, text->text);
    return 0;
}

static const struct {
    const char *type, *parameters, *found;
    size_t words;
} components[] = {
    {"definition", "{\"term\":\"Ratio\",\"definition\":\"Two numbers, a \\u2013 b.\"}",
     "term:Ratio|definition:Two numbers, a \xE2\x80\x93 b.", 5},
    {"step-sequence", "{\"steps\":[\"Cut.\",\"Fold it.\"]}", "steps.1:Cut.|steps.2:Fold it.", 3},
    {"callout-box", "{\"text\":\"Mind <b>this</b>\",\"style\":\"tip\"}", "text:Mind <b>this</b>",
     2},
    {"two-pictures",
     "{\"pictures\":{\"svg1\":{\"title\":\"One\",\"body\":\"b\",\"svgCode\":\"<svg>x</svg>\"},"
     "\"image2\":{\"title\":\"Two\",\"imagePath\":\"a/ratio.png\"}}}",
     "pictures.svg1.title:One|pictures.svg1.body:b|pictures.image2.title:Two", 3},
    {"three-svgs", "{\"title1\":\"T\",\"svg1\":\"<svg><text>no</text></svg>\"}", "title1:T", 1},
    {"hero-number",
     "{\"visual_type\":\"svg\",\"visual_content\":\" <svg>no</svg>\",\"caption\":\"c\"}",
     "caption:c", 1},
    {"exercise-code",
     "{\"prompt\":\"Write `area()`.\",\"cases\":[{\"name\":\"no\",\"call\":\"no\",\"expect\":"
     "\"no\"}],\"starter\":\"no\",\"hints\":[\"Draw it.\",\"Multiply.\"],\"solution\":\"no\","
     "\"compare\":\"exact\"}",
     "prompt:Write `area()`.|hints.1:Draw it.|hints.2:Multiply.", 4},
    {"question",
     "{\"prompt\":\"Why?\",\"kind\":\"choice\",\"options\":[\"It fits.\",\"No\"],\"criteria\":"
     "[\"says it\"],\"hints\":[\"Look\"],\"tolerance\":1}",
     "prompt:Why?|options.1:It fits.|options.2:No|criteria.1:says it|hints.1:Look", 7},
    /* Of a type, and with members, that the table does not know. */
    {"quiz",
     "{\"question\":\"Why so?\",\"imageUrl\":\"a b\",\"source_code\":\"x\",\"valid\":\"yes\","
     "\"options\":[{\"text\":\"no\",\"id\":\"a\"}],\"count\":3}",
     "question:Why so?|valid:yes|options.1.text:no", 4},
    {NULL,
     "{\"node_id\":\"N1\",\"title\":\"Ratios\",\"raw_content\":\"All of it\",\"chapter\":\"One\"}",
     "title:Ratios|raw_content:All of it", 4},
    /* Further fields, whatever they are called; not the contract's structure, nor values for
     * programs. */
    {NULL,
     "{\"title\":\"T\",\"Description\":\"A "
     "pizza\",\"Lernziele\":[\"Achtel\",\"Viertel\"],\"\xC3\x9C"
     "ber\":"
     "{\"kurz\":\"Kurz\",\"n\":{\"t\":{\"u\":{\"v\":{\"w\":\"deep\"}}}}},\"node_type\":\"core\","
     "\"hours\":"
     "3,\"Open\":true,"
     "\"Code\":\"6.RP.1\",\"Section\":\"1.2\",\"Type\":\"lecture\"}",
     "title:T|Description:A pizza|Lernziele.1:Achtel|Lernziele.2:Viertel|\xC3\x9C"
     "ber.kurz:Kurz|"
     "Code:6.RP.1|Section:1.2|Type:lecture",
     9},
    {NULL,
     "{\"parent_id\":\"N1\",\"Image URL\":\"a b\",\"CFItemTypeURI\":{\"title\":\"Standard\"},\"a\":"
     "\"123e4567-e89b-12d3-a456-426614174000\",\"b\":\"https://x.org/ratio\",\"c\":\"2026-03-01\","
     "\"d\":\"2025-01-15T09:00:00+00:00\",\"e\":\"1.3.2026\",\"f\":\"#a0c\",\"g\":\"rgb(1, 2, 3)\","
     "\"h\":\"52.52, 13.405\",\"i\":\"d41d8cd98f00b204e9800998ecf8427e\",\"j\":\"urn:isbn:1\","
     "\"k\":\"<svg>x</svg>\",\"l\":[\"01/03/2026\"],\"m\":\"mailto:a@b.org\"}",
     "", 0},
    {NULL,
     "{\"a\":\"1.2.3\",\"b\":\"#1\",\"c\":\"1, 2\",\"d\":\"On 2026-03-01\",\"e\":\"Note: "
     "this\",\"f\":\"see "
     "https://x.org\",\"g\":\"12\"}",
     "a:1.2.3|b:#1|c:1, 2|d:On 2026-03-01|e:Note: this|f:see https://x.org|g:12", 10},
    {"paragraph", "7", "", 0},
};

static void test_members(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof components / sizeof *components; i++) {
        json_t *parameters = json_loads(components[i].parameters, JSON_DECODE_ANY, NULL);
        struct buf BUF_AUTO found = {0};

        assert_int_equal(prose_each(components[i].type, parameters, note, &found), 0);
        assert_string_equal(found.len > 0 ? found.data : "", components[i].found);
        assert_int_equal(prose_words(components[i].type, parameters), components[i].words);
        json_decref(parameters);
    }
}

static int stop(void *user, const struct prose_text *text)
{
    (void)text;
    ++*(int *)user;
    return 7;
}

static void test_a_visit_can_stop(void **state)
{
    json_t *parameters = json_pack("{s:[s,s]}", "steps", "a", "b");
    int visits = 0;

    (void)state;
    assert_int_equal(prose_each("step-sequence", parameters, stop, &visits), 7);
    assert_int_equal(visits, 1);
    json_decref(parameters);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spans),
        cmocka_unit_test(test_more_spans_than_fit),
        cmocka_unit_test(test_hostile_texts),
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_a_visit_can_stop),
    };

    return cmocka_run_group_tests_name("prose", tests, NULL, NULL);
}
