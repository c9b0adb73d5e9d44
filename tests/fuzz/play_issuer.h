/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One input of fuzz_issuer played, as fuzz_token does: the metadata of an issuer, and its keys.
 */
#ifndef LECTERN_TESTS_PLAY_ISSUER_H
#define LECTERN_TESTS_PLAY_ISSUER_H

#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/auth/issuer.h"
#include "mcp/auth/jwt.h"

static inline void expect_issuer(bool holds)
{
    if (!holds)
        abort();
}

static inline void play_metadata(const char *url, const char *text, size_t len)
{
    struct error err = {0};
    char *keys = issuer_read_metadata(url, text, len, &err);
    bool local = strncmp(url, "http:", 5) == 0;

    if (keys)
        expect_issuer(strncmp(keys, "https://", 8) == 0 ||
                      (local && strncmp(keys, "http://", 7) == 0));
    else
        expect_issuer(err.kind != ERROR_NONE && *err.text);
    free(keys);
}

static inline void play_issuer(const uint8_t *bytes, size_t len)
{
    static const char *const kept[] = {"kty", "kid", "alg", "crv", "n", "e", "x", "y", NULL};
    const char *text = (const char *)bytes;
    struct error err = {0};
    json_t *keys, *key, *value;
    const char *name;
    size_t i;

    play_metadata("https://i", text, len);
    play_metadata("http://127.0.0.1:1", text, len);
    keys = key_set_read(text, len, &err);
    expect_issuer(keys ? json_array_size(keys) <= KEY_SET_KEYS_CAP : err.kind != ERROR_NONE);
    json_array_foreach(keys, i, key)
    {
        expect_issuer(json_string_is(key, "kty", "RSA") || json_string_is(key, "kty", "EC"));
        json_object_foreach(key, name, value)
        {
            size_t at = 0;

            while (kept[at] && strcmp(kept[at], name) != 0)
                at++;
            expect_issuer(kept[at] && json_is_string(value));
        }
    }
    json_decref(keys);
}

#endif
