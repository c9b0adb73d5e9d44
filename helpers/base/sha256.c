/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/base/sha256.h"

#include <stdlib.h>

#include <openssl/evp.h>

#include "helpers/base/encode.h"

struct sha256 {
    EVP_MD_CTX *context;
};

struct sha256 *sha256_create(void)
{
    struct sha256 *state = calloc(1, sizeof *state);

    if (!state || !(state->context = EVP_MD_CTX_new()) ||
        EVP_DigestInit_ex(state->context, EVP_sha256(), NULL) != 1)
        abort();
    return state;
}

void sha256_destroy(struct sha256 *state)
{
    if (state)
        EVP_MD_CTX_free(state->context);
    free(state);
}

void sha256_add(struct sha256 *state, const void *bytes, size_t len)
{
    EVP_DigestUpdate(state->context, bytes, len);
}

void sha256_end(struct sha256 *state, char text[SHA256_TEXT_SIZE])
{
    unsigned char digest[(SHA256_TEXT_SIZE - 1) / 2];

    EVP_DigestFinal_ex(state->context, digest, NULL);
    hex_write(text, digest, sizeof digest);
    EVP_DigestInit_ex(state->context, EVP_sha256(), NULL);
}
