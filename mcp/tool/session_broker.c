/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/tool/session_broker.h"

#include <stdlib.h>
#include <string.h>

#include "mcp/api/rest.h"

struct brokered {
    struct workq_job job;
    struct broker_request *request;
    const struct rest_route *route;
    struct graph_cache *graphs; /* on the graph work queue only */
    struct cancel *cancel;      /* there too */
};

static void refuse(struct broker_request *request, const char *body)
{
    executor_answer(request, 503, body, strlen(body));
}

static void on_work(struct workq_job *job, void *context)
{
    struct brokered *brokered = (struct brokered *)job;
    const struct rest_broker_request read = {
        .route = brokered->route,
        .sid = broker_request_session(brokered->request),
        .target = broker_request_target(brokered->request),
        .graphs = brokered->graphs,
        .cancel = brokered->cancel,
    };
    struct rest_response response = {0};

    rest_broker(context, &read, &response);
    executor_answer(brokered->request, response.status, response.body.data, response.body.len);
    rest_response_finish(&response);
}

static void finish(struct brokered *brokered)
{
    cancel_unref(brokered->cancel);
    free(brokered);
}

static void on_done(struct workq_job *job)
{
    finish((struct brokered *)job);
}

static struct workq *choose_workq(struct brokered *brokered, const struct store_queues *store)
{
    brokered->route = rest_broker_find(broker_request_target(brokered->request));
    if (rest_workq(brokered->route) != REST_GRAPH)
        return store->read;
    brokered->graphs = store->graphs;
    brokered->cancel = broker_request_cancel(brokered->request);
    return store->graph;
}

void session_broker_take(const struct store_queues *store, struct broker_request *request)
{
    struct brokered *brokered = calloc(1, sizeof *brokered);

    if (!brokered) {
        refuse(request, "{\"detail\": \"the server is out of memory; try again\"}");
        return;
    }
    brokered->request = request;
    brokered->job.work = on_work;
    brokered->job.done = on_done;
    brokered->job.key = workq_key(broker_request_session(request));
    if (workq_submit(choose_workq(brokered, store), &brokered->job, NULL) < 0) {
        refuse(request, "{\"detail\": \"the server is busy; try again\"}");
        finish(brokered);
    }
}
