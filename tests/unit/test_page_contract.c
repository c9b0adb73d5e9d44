/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * mcp/ui/src/base/contract.ts is what the server's tables say. LECTERN_WRITE=1 writes it anew:
 *
 *   LECTERN_WRITE=1 build/release/tests/unit/test_page_contract
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "helpers/base/json.h"
#include "mcp/session/component_type.h"
#include "mcp/session/component_type_row.h"

#define CONTRACT "mcp/ui/src/base/contract.ts"

static void write_text(struct buf *to, const char *text)
{
    json_write_string(to, text, strlen(text));
}

static void write_names(struct buf *to, const char *const *names)
{
    for (size_t i = 0; names[i]; i++) {
        buf_adds(to, i > 0 ? ", " : "[");
        write_text(to, names[i]);
    }
    buf_addc(to, ']');
}

static const char *type_of(const struct field *row)
{
    if (row->of)
        return !strcmp(row->of->name, "pictures") ? "pictures" : "chart";
    if (row->type == FIELD_ARRAY)
        return "text-list";
    assert_int_equal(row->type, FIELD_TEXT);
    return row->choices ? "choice" : "text";
}

static void write_parameter(struct buf *to, const struct field *row)
{
    buf_adds(to, "      { name: ");
    write_text(to, row->name);
    buf_addf(to, ", type: \"%s\", required: %s", type_of(row), row->required ? "true" : "false");
    if (row->choices) {
        buf_adds(to, ", choices: ");
        write_names(to, row->choices);
    }
    if (!strcmp(type_of(row), "pictures"))
        buf_addf(to, ", count: %.0f", row->most);
    buf_adds(to, " },\n");
}

static void write_contract(struct buf *to)
{
    buf_adds(to, "// SPDX-License-Identifier: GPL-3.0-or-later\n"
                 "// Generated from the server's tables by tests/unit/test_page_contract.c, which "
                 "says how.\n\nexport const componentTypes = [\n");
    for (size_t i = 0; i < component_type_count(); i++) {
        const struct component_type *type = component_type_at(i);

        buf_adds(to, "  {\n    name: ");
        write_text(to, type->name);
        buf_adds(to, ",\n    use: ");
        write_text(to, type->use);
        buf_adds(to, ",\n    parameters: [\n");
        for (const struct field *row = type->parameters; row->name; row++)
            write_parameter(to, row);
        buf_adds(to, "    ],\n  },\n");
    }
    buf_adds(to, "] as const;\n\nexport const pictureFields = ");
    for (const struct field *row = component_picture_rows; row->name; row++) {
        buf_adds(to, row > component_picture_rows ? ", " : "[");
        write_text(to, row->name);
    }
    buf_addc(to, ']');
    buf_adds(to, " as const;\nexport const relationshipTypes = ");
    write_names(to, relationship_types);
    buf_adds(to,
             " as const;\nexport type RelationshipType = (typeof relationshipTypes)[number];\n");
}

static void the_page_has_the_tables(void **state)
{
    struct buf BUF_AUTO wanted = {0};
    char *has = calloc(1, 1 << 16);
    FILE *file;

    (void)state;
    buf_init(&wanted, 0);
    write_contract(&wanted);
    if (getenv("LECTERN_WRITE")) {
        file = fopen(CONTRACT, "we");
        assert_non_null(file);
        fwrite(wanted.data, 1, wanted.len, file);
        fclose(file);
    }
    file = fopen(CONTRACT, "re");
    assert_non_null(file);
    assert_int_equal(fread(has, 1, (1 << 16) - 1, file), wanted.len);
    fclose(file);
    assert_string_equal(has, wanted.data);
    free(has);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_page_has_the_tables)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
