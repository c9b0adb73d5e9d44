/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tool/session_broker.h"

#include <stdlib.h>
#include <string.h>

#include "mcp/session/rest.h"

struct brokered {
    struct lane_job job;
    struct broker_request *request;
};

static void refuse(struct broker_request *request, const char *body)
{
    executor_answer(request, 503, body, strlen(body));
}

static void on_work(struct lane_job *job, void *context)
{
    struct brokered *brokered = (struct brokered *)job;
    struct rest_response response = {0};

    rest_broker(context, broker_request_session(brokered->request),
                broker_request_target(brokered->request), &response);
    executor_answer(brokered->request, response.status, response.body.data, response.body.len);
    rest_response_finish(&response);
}

static void on_done(struct lane_job *job)
{
    free(job);
}

void session_broker_take(struct server_parts *parts, struct broker_request *request)
{
    struct brokered *brokered = calloc(1, sizeof *brokered);

    if (!brokered) {
        refuse(request, "{\"detail\": \"the server is out of memory; try again\"}");
        return;
    }
    brokered->request = request;
    brokered->job.work = on_work;
    brokered->job.done = on_done;
    if (lane_submit(parts->read, &brokered->job, NULL) < 0) {
        refuse(request, "{\"detail\": \"the server is busy; try again\"}");
        free(brokered);
    }
}
