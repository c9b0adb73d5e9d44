/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/exercise/digest.h"

#include <stdlib.h>

#include "helpers/base/buf.h"
#include "helpers/base/cleanup.h"
#include "mcp/exercise/answer.h"
#include "validator/validator.h"

#define EXPLANATION_CAP ((size_t)4 << 10) /* bytes of the validator's */

int digest_code(const char *code, size_t len, char digest[SHA256_TEXT_SIZE], struct error *err)
{
    cleanup_free struct verdict *verdict = malloc(sizeof *verdict);
    struct buf BUF_AUTO why = {0};

    if (!verdict)
        return error_set(err, ERROR_MEMORY, "out of memory for the digest of a program");
    if (validator_digest(code, len, verdict, digest))
        return 0;
    buf_init(&why, EXPLANATION_CAP);
    validator_explain(verdict, code, len, &why);
    return error_set(err, ERROR_INVALID, "%s", why.data ? why.data : "the program is not Python");
}

int digest_answer(const char *text, char digest[SHA256_TEXT_SIZE], struct error *err)
{
    struct buf BUF_AUTO folded = {0};
    struct sha256 *state;

    if (answer_fold(text, &folded, err) < 0)
        return -1;
    state = sha256_create();
    sha256_add(state, folded.data, folded.len);
    sha256_end(state, digest);
    sha256_destroy(state);
    return 0;
}
