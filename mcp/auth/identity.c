/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/auth/identity.h"

#include <stdio.h>
#include <string.h>

#include <openssl/evp.h>

#include "helpers/base/buf.h"
#include "helpers/base/encode.h"

const struct identity identity_everyone = {.scopes = IDENTITY_READ | IDENTITY_EDIT |
                                                     IDENTITY_LEARN | IDENTITY_OPERATE};

static const struct identity_scope_row {
    const char *name;
    enum identity_scope scope;
    unsigned includes;
} scopes_named[] = {
    {"read", IDENTITY_READ, 0},
    {"edit", IDENTITY_EDIT, IDENTITY_READ | IDENTITY_LEARN}, /* an author may try the tutor */
    {"learn", IDENTITY_LEARN, 0},
    {"operate", IDENTITY_OPERATE, 0},
};
#define SCOPES_COUNT (sizeof scopes_named / sizeof scopes_named[0])

unsigned identity_scopes_named(const char *name, size_t len)
{
    for (size_t i = 0; i < SCOPES_COUNT; i++) {
        if (strlen(scopes_named[i].name) == len && memcmp(scopes_named[i].name, name, len) == 0)
            return scopes_named[i].scope | scopes_named[i].includes;
    }
    return 0;
}

const char *identity_scope_names(unsigned scopes)
{
    static _Thread_local char names[sizeof "read edit learn operate"];
    size_t used = 0;

    names[0] = '\0';
    for (size_t i = 0; i < SCOPES_COUNT; i++) {
        if (scopes & scopes_named[i].scope)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? " " : "",
                                     scopes_named[i].name);
    }
    return names;
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

bool identity_set_learner(struct identity *identity, const char *learner)
{
    if (strlen(learner) != IDENTITY_LEARNER_SIZE - 1 ||
        strspn(learner, "0123456789abcdef") != IDENTITY_LEARNER_SIZE - 1)
        return false;
    memcpy(identity->learner, learner, IDENTITY_LEARNER_SIZE);
    return true;
}

void identity_set_id(struct identity *identity, const struct digest *digest)
{
    hex_write(identity->id, digest->bytes, (IDENTITY_ID_SIZE - 1) / 2);
}

void digest_of(const void *bytes, size_t len, struct digest *digest)
{
    EVP_Digest(bytes, len, digest->bytes, NULL, EVP_sha256(), NULL);
}
