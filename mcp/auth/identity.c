/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/auth/identity.h"

const struct identity identity_everyone = {.scopes = IDENTITY_READ | IDENTITY_EDIT};

const char *identity_scope_names(unsigned scopes)
{
    static const char *const names[] = {"", "read", "edit", "read edit"};

    return names[scopes & (IDENTITY_READ | IDENTITY_EDIT)];
}
