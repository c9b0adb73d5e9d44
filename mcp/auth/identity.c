/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/auth/identity.h"

#include <stdio.h>
#include <string.h>

#include <openssl/evp.h>

#include "helpers/base/buf.h"
#include "helpers/base/encode.h"

const struct identity identity_everyone = {.scopes = IDENTITY_READ | IDENTITY_EDIT |
                                                     IDENTITY_LEARN | IDENTITY_OPERATE};

const char *identity_scope_names(unsigned scopes)
{
    static const char *const names[] = {"", "read", "edit", "read edit"};

    return names[scopes & (IDENTITY_READ | IDENTITY_EDIT)];
}

void identity_set_name(struct identity *identity, const char *name)
{
    struct buf BUF_AUTO clean = {0};

    utf8_clean(name, strlen(name), IDENTITY_NAME_MAX, &clean);
    snprintf(identity->name, sizeof identity->name, "%s", clean.data ? clean.data : "");
    for (char *at = identity->name; *at; at++) {
        if ((unsigned char)*at < 0x20 || *at == 0x7F)
            *at = ' ';
    }
}

void identity_set_id(struct identity *identity, const struct digest *digest)
{
    hex_write(identity->id, digest->bytes, (IDENTITY_ID_SIZE - 1) / 2);
}

void digest_of(const void *bytes, size_t len, struct digest *digest)
{
    EVP_Digest(bytes, len, digest->bytes, NULL, EVP_sha256(), NULL);
}
