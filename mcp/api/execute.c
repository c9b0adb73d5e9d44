/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The shapes of POST /execute, which the transport serves.
 */
#include "mcp/api/rest_internal.h"

/* clang-format off */
const struct fields rest_execute_fields = {
    .name = "/execute", .schema = "Execute",
    .rows = (const struct field[]){
        FIELD("code", FIELD_TEXT, .required = true, .documentation = "{\"code\": \"print(1)\"}",
         .flags = FIELD_NUL), /* of any bytes: the validator says what is wrong */
        FIELD("profile", FIELD_TEXT),
        FIELD("session_id", FIELD_TEXT),
        FIELD("timeout_seconds", FIELD_WHOLE, .least = 1, .most = REST_EXECUTE_TIMEOUT_MAX),
        FIELD("warnings", FIELD_FLAG), {0}},
};

static const struct fields artifact = REST_ANSWER(NULL, REST_TEXT("mime"), REST_TEXT("base64"));
const struct fields rest_execute_answer =
    REST_ANSWER("Executed", REST_TEXT("stdout"), REST_TEXT("stderr"), REST_TEXT_OR_NULL("result"), REST_TEXT_OR_NULL("error"),
                REST_WHOLE("exit_code"), REST_NUMBER("execution_time"), REST_LIST("artifacts", &artifact));
/* clang-format on */
