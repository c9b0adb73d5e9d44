/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/chat/model_service.h"

#include <stdio.h>
#include <string.h>


const char *model_service_credential(const struct model_service *service)
{
    return service->config.key          ? "ANTHROPIC_API_KEY"
           : service->config.auth_token ? "ANTHROPIC_AUTH_TOKEN"
                                        : NULL;
}

/* The address of POST, and the one for people: no user and password, no slash at the end. */
static int set_address(struct model_service *service, struct error *err)
{
    const char *url = service->config.url;
    const char *host = strstr(url, "://"), *at;
    size_t len = strlen(url);

    while (len > 0 && url[len - 1] == '/')
        len--;
    if (len >= 3 && strncmp(url + len - 3, "/v1", 3) == 0)
        len -= 3;
    if (len >= sizeof service->address)
        return error_set(err, ERROR_INVALID, "--llm-url is longer than %u bytes",
                         MODEL_ADDRESS_CAP - 1);
    snprintf(service->url, sizeof service->url, "%.*s/v1/messages", (int)len, url);
    host = host ? host + 3 : url;
    at = memchr(host, '@', strcspn(host, "/"));
    snprintf(service->address, sizeof service->address, "%.*s%.*s", (int)(at ? host - url : 0), url,
             (int)(url + len - (at ? at + 1 : url)), at ? at + 1 : url);
    return 0;
}

/* A line end within would begin another header. */
static bool is_header_text(const char *text)
{
    for (; *text; text++) {
        if (*text <= ' ' || *text > '~')
            return false;
    }
    return true;
}

static void set_headers(struct model_service *service)
{
    const char *credential = model_service_credential(service);
    const char *secret = service->config.key ? service->config.key : service->config.auth_token;
    size_t count = 0;

    service->headers[count++] = "Content-Type: application/json";
    service->headers[count++] = "Accept: text/event-stream";
    service->headers[count++] = "User-Agent: lectern/" LECTERN_VERSION;
    service->headers[count++] = "anthropic-version: " MODEL_VERSION;
    if (!secret)
        return;
    if (!is_header_text(secret) ||
        snprintf(service->key_header, sizeof service->key_header, "%s %s",
                 service->config.key ? "x-api-key:" : "Authorization: Bearer",
                 secret) >= (int)sizeof service->key_header)
        snprintf(service->unready, sizeof service->unready,
                 "%s holds what no key does (a space, a line end, or too much). Set it anew and "
                 "start lectern again",
                 credential);
    service->headers[count] = service->key_header;
}

static void set_unready(struct model_service *service)
{
    if (strncmp(service->config.url, "http://", 7) != 0 &&
        strncmp(service->config.url, "https://", 8) != 0)
        snprintf(service->unready, sizeof service->unready,
                 "--llm-url (or ANTHROPIC_BASE_URL) wants http://HOST:PORT or https://HOST, not "
                 "'%.200s'",
                 service->address);
    else if (!model_service_credential(service) && !service->way.local)
        snprintf(service->unready, sizeof service->unready,
                 "Set ANTHROPIC_API_KEY to a key of the service and start lectern again; or ask a "
                 "model on this machine, as with --llm-url http://localhost:11434 --llm-model NAME "
                 "(Ollama)");
}

int model_service_init(struct model_service *service, const struct model_config *config,
                       struct loop_queue *loop_queue, struct error *err)
{
    memset(service, 0, sizeof *service);
    service->config = *config;
    if (!service->config.url)
        service->config.url = MODEL_DEFAULT_URL;
    if (!service->config.name)
        service->config.name = MODEL_DEFAULT_NAME;
    if (set_address(service, err) < 0)
        return -1;
    service->way = (struct model_way){.url = service->url,
                                      .headers = service->headers,
                                      .local = http_is_loopback(service->config.url),
                                      .loop_queue = loop_queue};
    set_headers(service);
    set_unready(service);
    return 0;
}
