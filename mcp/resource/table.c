/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/resource/resource.h"

const struct resource *const resources[] = {&resource_curriculum, &resource_node,
                                            &resource_component,  &resource_chapter,
                                            &resource_history,    NULL};
