/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/protocol/client.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "helpers/base/json.h"

void client_init(struct client *client, unsigned toolsets, const char *bound_session,
                 const char *bound_learner)
{
    memset(client, 0, sizeof *client);
    client->identity = identity_everyone;
    snprintf(client->who, sizeof client->who, "mcp");
    snprintf(client->bound_session, sizeof client->bound_session, "%s",
             bound_session ? bound_session : "");
    client->toolsets = toolsets;
    snprintf(client->bound_learner, sizeof client->bound_learner, "%s",
             bound_learner ? bound_learner : "");
}

unsigned client_toolsets_of(const struct identity *identity)
{
    if (identity->scopes & IDENTITY_EDIT)
        return TOOLSETS_ALL;
    if (identity->scopes & IDENTITY_LEARN)
        return TOOLSET_BIT(TOOLSET_TUTOR);
    return identity->scopes & IDENTITY_READ
               ? TOOLSET_BIT(TOOLSET_EDITOR) | TOOLSET_BIT(TOOLSET_SOLVE)
               : 0;
}

struct tool_reach client_reach(const struct client *client)
{
    return (struct tool_reach){
        .toolsets = client->toolsets,
        .of_session = *client->bound_session,
        .of_learner = *client->bound_learner,
    };
}

bool client_edits(const struct client *client)
{
    return client->toolsets & TOOLSET_BIT(TOOLSET_EDITOR);
}

/* "mcp:claude-code" for the change log: the client's own name, as far as it is a plain word. */
static void set_who(struct client *client, const char *name)
{
    size_t len;

    if (!name || !*name)
        return;
    snprintf(client->who, sizeof client->who, "mcp:%s", name);
    len = strlen(client->who);
    for (size_t i = sizeof "mcp:" - 1; i < len; i++) {
        if (!isalnum((unsigned char)client->who[i]) && !strchr("._-", client->who[i]))
            client->who[i] = '-';
    }
}

void client_identify(struct client *client, const struct identity *identity)
{
    client->identity = *identity;
    if (*identity->name)
        snprintf(client->who, sizeof client->who, "mcp:%s", identity->name);
    if (*identity->curriculum)
        memcpy(client->bound_session, identity->curriculum, sizeof identity->curriculum);
    if (*identity->learner)
        memcpy(client->bound_learner, identity->learner, sizeof identity->learner);
    client->toolsets &= client_toolsets_of(identity);
}

void client_introduce(struct client *client, const json_t *info, const json_t *capabilities)
{
    const json_t *elicitation = json_object_get(capabilities, "elicitation");
    bool url = json_is_object(json_object_get(elicitation, "url"));

    if (!*client->identity.name)
        set_who(client, json_get_string(info, "name"));
    client->capabilities = 0;
    /* An elicitation object without a mode means forms. */
    if (json_is_object(elicitation) && (!url || json_object_get(elicitation, "form")))
        client->capabilities |= TOOL_ASKS_FORM;
    if (url)
        client->capabilities |= TOOL_ASKS_URL;
    if (json_is_object(json_object_get(capabilities, "sampling")))
        client->capabilities |= TOOL_ASKS_MODEL;
    if (json_is_object(json_object_get(capabilities, "roots")))
        client->capabilities |= TOOL_ASKS_ROOTS;
}
