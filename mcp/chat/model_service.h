/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The service a model is asked at: its address, for requests and for people, the headers of each
 * request with the key in them, and whether it can be asked at all.
 */
#ifndef LECTERN_CHAT_MODEL_SERVICE_H
#define LECTERN_CHAT_MODEL_SERVICE_H

#include "mcp/chat/model_transfer.h"

#define MODEL_HEADER_CAP  1024u /* bytes of one header's line, the key in it included */
#define MODEL_ADDRESS_CAP 512u
#define MODEL_HEADERS     6u

/* Not to be moved: it points into itself. */
struct model_service {
    struct model_config config;      /* without NULL for url and name */
    char address[MODEL_ADDRESS_CAP]; /* without what a person or a log may not see */
    char url[MODEL_ADDRESS_CAP + 16];
    char key_header[MODEL_HEADER_CAP];
    const char *headers[MODEL_HEADERS];
    struct model_way way;
    char unready[512]; /* why no question can be asked, with what to do; or "" */
};

/* -1 with ERROR_INVALID where the address is too long. What else is wrong is told by unready. */
int model_service_init(struct model_service *service, const struct model_config *config,
                       struct loop_queue *loop_queue, struct error *err);

/* The variable the key came from; NULL: there is none. */
const char *model_service_credential(const struct model_service *service);

#endif
