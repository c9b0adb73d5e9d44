/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/command/model_config.h"

#include <stdlib.h>

static const char *environment(const char *name)
{
    const char *value = getenv(name); /* NOLINT(concurrency-mt-unsafe): no thread yet */

    return value && *value ? value : NULL;
}

void model_config_read(const struct config *config, struct model_config *model)
{
    *model = (struct model_config){
        .url = config->llm_url ? config->llm_url : environment("ANTHROPIC_BASE_URL"),
        .name = config->llm_model,
        .key = environment("ANTHROPIC_API_KEY"),
        .auth_token = environment("ANTHROPIC_AUTH_TOKEN"),
    };
}
