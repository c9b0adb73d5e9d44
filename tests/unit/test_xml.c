/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * XML of strangers: its texts are read, and it reaches no other file and no memory beyond its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mcp/format/xml.h"

static xmlDoc *read_text(const char *text, struct error *err)
{
    return xml_read("a.xml", text, strlen(text), err);
}

static void refused(const char *text, const char *words)
{
    struct error err = {0};

    assert_null(read_text(text, &err));
    assert_non_null(strstr(err.text, words));
}

static void elements_and_attributes_by_their_local_names(void **state)
{
    struct error err = {0};
    xmlDoc *xml_auto document =
        read_text("<g:a xmlns:g='urn:g'>\n<g:b g:id='7'> one <i>two</i> <![CDATA[<three>]]> </g:b>"
                  "<c/><b id='8'/></g:a>",
                  &err);
    const xmlNode *root, *b;
    json_auto_t *id = NULL, *text = NULL;

    (void)state;
    assert_non_null(document);
    root = xmlDocGetRootElement(document);
    assert_true(xml_is(root, "a"));
    b = xml_child(root, "b");
    id = xml_attribute(b, "id");
    text = xml_text(b);
    assert_string_equal(json_string_value(id), "7");
    assert_string_equal(json_string_value(text), "one two <three>");
    assert_int_equal(xml_line(b), 2);
    assert_null(xml_attribute(b, "name"));
    assert_true(xml_is(xml_next(b, NULL), "c"));
    assert_ptr_equal(xml_next(b, "b"), xml_next(xml_next(b, NULL), NULL));
    assert_null(xml_next(xml_next(b, "b"), NULL));
}

static void every_node_once(void **state)
{
    struct error err = {0};
    xmlDoc *xml_auto document = read_text("<a><b><c/></b><d/></a>", &err);
    const xmlNode *root = xmlDocGetRootElement(document), *node = root;
    char names[8] = "";

    (void)state;
    for (; node; node = xml_walk(root, node))
        strcat(names, (const char *)node->name);
    assert_string_equal(names, "abcd");
}

static void faults_are_named_with_their_line(void **state)
{
    (void)state;
    refused("<a>\n<b></a>", "a.xml line 2: this is not XML: ");
    refused("", "this is not XML");
    refused("PK\003\004", "this is not XML");
}

static void no_entities(void **state)
{
    struct error err = {0};
    xmlDoc *xml_auto document = NULL;
    json_auto_t *text = NULL;

    (void)state;
    refused("<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>", "entities");
    refused("<!DOCTYPE a [<!ENTITY x 'y'>]><a/>", "entities");
    /* A definition elsewhere is not opened: the document is read without it. */
    document = read_text("<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a>&lt;&#228;</a>", &err);
    assert_non_null(document);
    text = xml_text(xmlDocGetRootElement(document));
    assert_string_equal(json_string_value(text), "<\xC3\xA4");
}

static void too_deep(void **state)
{
    char *text = malloc(3 * 1000 + 1);

    (void)state;
    for (size_t i = 0; i < 1000; i++)
        memcpy(text + 3 * i, "<a>", 4);
    refused(text, "this is not XML");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_and_attributes_by_their_local_names),
        cmocka_unit_test(every_node_once),
        cmocka_unit_test(faults_are_named_with_their_line),
        cmocka_unit_test(no_entities),
        cmocka_unit_test(too_deep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
