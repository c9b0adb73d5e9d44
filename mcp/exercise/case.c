/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/exercise/case.h"

#include <string.h>

#include "helpers/base/json.h"
#include "mcp/exercise/python_value.h"

int exercise_case_read(struct exercise_case *test, const json_t *authored, struct error *err)
{
    const char *call = json_get_string(authored, "call");
    const char *input = json_get_string(authored, "stdin");
    json_t *expect = json_object_get(authored, "expect"), *value;
    json_auto_t *none = json_array();
    const json_t *given = json_object_get(authored, "args");
    json_t *args, *kwargs;
    const char *name;

    memset(test, 0, sizeof *test);
    test->authored = authored;
    test->hidden = json_is_true(json_object_get(authored, "hidden"));
    if (!call) {
        test->sent = json_pack("{s:s}", "stdin", input ? input : "");
        return test->sent ? 0 : error_set(err, ERROR_MEMORY, "out of memory for a case");
    }
    if (expect && !(test->expect = python_value_read(expect, err)))
        return -1;
    args = python_value_read(json_is_array(given) ? given : none, err);
    if (!args)
        return -1;
    kwargs = json_object();
    json_object_foreach(json_object_get(authored, "kwargs"), name, value)
    {
        json_t *read = python_value_read(value, err);

        if (!read || json_object_set_new(kwargs, name, read) < 0) {
            json_decref(args);
            json_decref(kwargs);
            return -1;
        }
    }
    test->sent = json_pack("{s:s, s:o, s:o}", "call", call, "args", args, "kwargs", kwargs);
    return test->sent ? 0 : error_set(err, ERROR_MEMORY, "out of memory for a case");
}

void exercise_case_finish(struct exercise_case *test)
{
    json_decref(test->expect);
    json_decref(test->sent);
}

void exercise_case_show(const struct exercise_case *test, size_t cap, struct buf *to)
{
    const json_t *args = json_object_get(test->sent, "args"),
                 *kwargs = json_object_get(test->sent, "kwargs");
    const char *call = json_get_string(test->authored, "call"), *comma = "", *name;
    json_t *value;
    size_t i;

    buf_adds(to, call ? call : "the program");
    if (!call)
        return;
    buf_addc(to, '(');
    json_array_foreach((json_t *)args, i, value)
    {
        buf_adds(to, comma);
        python_value_show(value, cap, to);
        comma = ", ";
    }
    json_object_foreach((json_t *)kwargs, name, value)
    {
        buf_addf(to, "%s%s=", comma, name);
        python_value_show(value, cap, to);
        comma = ", ";
    }
    buf_addc(to, ')');
}
