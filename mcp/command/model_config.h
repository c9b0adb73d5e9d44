/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The model's service out of options and environment. Keys come from the environment alone: a
 * command line is read by everybody on the machine.
 */
#ifndef LECTERN_COMMAND_MODEL_CONFIG_H
#define LECTERN_COMMAND_MODEL_CONFIG_H

#include "helpers/base/config.h"
#include "mcp/chat/model.h"

/* Before the first thread starts. Texts are borrowed from the config and the environment. */
void model_config_read(const struct config *config, struct model_config *model);

#endif
