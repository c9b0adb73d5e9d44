/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The shapes of POST /execute, which the transport serves.
 */
#include "mcp/api/rest_internal.h"

/* clang-format off */
const struct fields rest_execute_fields = {
    .name = "/execute", .schema = "Execute",
    .rows = (const struct field[]){
        {.name = "code", .type = FIELD_TEXT, .required = true, .documentation = "{\"code\": \"print(1)\"}",
         .flags = FIELD_NUL}, /* of any bytes: the validator says what is wrong */
        {.name = "profile", .type = FIELD_TEXT},
        {.name = "session_id", .type = FIELD_TEXT},
        {.name = "timeout_seconds", .type = FIELD_WHOLE, .least = 1, .most = REST_EXECUTE_TIMEOUT_MAX},
        {.name = "warnings", .type = FIELD_FLAG}, {0}},
};

static const struct fields artifact = REST_ANSWER(NULL, REST_TEXT("mime"), REST_TEXT("base64"));
const struct fields rest_execute_answer =
    REST_ANSWER("Executed", REST_TEXT("stdout"), REST_TEXT("stderr"), REST_TEXT_OR_NULL("result"), REST_TEXT_OR_NULL("error"),
                REST_WHOLE("exit_code"), REST_NUMBER("execution_time"), REST_LIST("artifacts", &artifact));
/* clang-format on */
