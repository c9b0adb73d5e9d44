/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One input of fuzz_token played, for the fuzzer and for the unit test that replays what it has
 * found: as a token, as the three parts of a JWT on a line each, which are encoded here, and as a
 * file of tokens. Aborts where a promise of jwt.h or token_file.h is broken.
 */
#ifndef LECTERN_TESTS_PLAY_TOKEN_H
#define LECTERN_TESTS_PLAY_TOKEN_H

#include <stdlib.h>
#include <string.h>

#include <jose/b64.h>

#include "helpers/base/buf.h"
#include "mcp/auth/jwt.h"
#include "mcp/auth/token_file.h"

#define PLAYED_NOW INT64_C(1800000000)
/* RFC 7515, A.3: a public key of which nobody here has the other half. */
#define PLAYED_KEYS                                                                                \
    "{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"kid\":\"k\","                                  \
    "\"x\":\"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU\","                                       \
    "\"y\":\"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0\"}]}"

static inline void expect_token(bool holds)
{
    if (!holds)
        abort();
}

static inline void expect_identity(const struct identity *identity)
{
    expect_token(!(identity->scopes & IDENTITY_EDIT) || (identity->scopes & IDENTITY_READ));
    expect_token(strlen(identity->name) <= IDENTITY_NAME_MAX);
    for (const char *at = identity->name; *at; at++)
        expect_token((unsigned char)*at >= 0x20 && *at != 0x7F);
    expect_token(strlen(identity->id) == IDENTITY_ID_SIZE - 1);
}

static inline void play_jwt(const char *token, size_t len)
{
    struct error err = {0};
    struct identity identity;
    struct jwt jwt;

    if (jwt_read(token, len, &jwt, &err) == 0) {
        json_t *keys = key_set_read(PLAYED_KEYS, sizeof PLAYED_KEYS - 1, &err);
        const json_t *key = key_set_find(keys, &jwt);

        expect_token(len <= JWT_CAP && keys && jwt.alg && strcmp(jwt.alg, "none") != 0);
        expect_token(strncmp(jwt.alg, "HS", 2) != 0);
        expect_token(!key || !jwt_verify(&jwt, key));
        if (jwt_identity(&jwt, "https://i", "https://a", PLAYED_NOW, &identity, &err) == 0) {
            expect_token(identity.end > PLAYED_NOW);
            expect_identity(&identity);
        }
        json_decref(keys);
    } else {
        expect_token(err.kind != ERROR_NONE && *err.text && !strpbrk(err.text, "\"\\\r\n"));
    }
    jwt_finish(&jwt);
}

static inline void play_parts(const char *text, size_t len)
{
    struct buf BUF_AUTO token = {0};
    const char *end = text + len;

    for (int i = 0; i < 3 && text <= end; i++) {
        const char *stop = text < end ? memchr(text, '\n', (size_t)(end - text)) : NULL;
        size_t part = (size_t)((stop ? stop : end) - text);
        size_t size = jose_b64_enc_buf(NULL, part, NULL, 0);
        char *to = buf_reserve(&token, size + 2);

        if (!to)
            return;
        if (i > 0)
            *to++ = '.';
        token.len += size + (i > 0);
        jose_b64_enc_buf(text, part, to, size);
        text += part + 1;
    }
    play_jwt(token.data ? token.data : "", token.len);
}

static inline void play_token(const uint8_t *bytes, size_t len)
{
    struct identity_table *table = identity_table_create(TOKEN_FILE_LINES_CAP, NULL);
    struct error err = {0};

    expect_token(table != NULL);
    play_jwt((const char *)bytes, len);
    play_parts((const char *)bytes, len);
    if (token_file_parse((const char *)bytes, len, table, &err) < 0)
        expect_token(err.kind != ERROR_NONE && strncmp(err.text, "line ", 5) == 0);
    expect_token(identity_table_count(table) <= TOKEN_FILE_LINES_CAP);
    identity_table_destroy(table);
}

#endif
