/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a Docker daemon's answers mean: refusals in words that say what to do, and images.
 */
#include "executor/docker/docker_api.h"

#include <stdio.h>
#include <string.h>

/* What fixes it, where the daemon's words tell; "" where they do not. */
static const char *advice(const char *message)
{
    static const struct {
        const char *words, *advice;
    } known[] = {
        {"no space left on device",
         ". The disk of Docker's data folder is full: docker system prune, or make room"},
        {"runtime specified", ". Install that runtime and name it under \"runtimes\" in "
                              "/etc/docker/daemon.json, or leave out --runtime"},
        {"runtime name", ". Install that runtime and name it under \"runtimes\" in "
                         "/etc/docker/daemon.json, or leave out --runtime"},
        {"no such image", ": make image"},
        {"HTTP request to an HTTPS server", ". Set DOCKER_TLS_VERIFY=1 and DOCKER_CERT_PATH"},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcasestr(message, known[i].words))
            return known[i].advice;
    }
    return "";
}

int docker_refused(long status, const json_t *answer, const char *what, struct error *err)
{
    const char *message = json_get_string(answer, "message");

    return error_set(err, ERROR_UNAVAILABLE, "%s: the Docker daemon answered %ld: %.1000s%s", what,
                     status, message ? message : "(no message)", message ? advice(message) : "");
}

static int read_image(const json_t *answer, const char *name, struct docker_image *image,
                      struct error *err)
{
    const char *id = json_get_string(answer, "Id");
    const char *created = json_get_string(answer, "Created");

    if (!id || strlen(id) >= sizeof image->id)
        return error_set(err, ERROR_IO, "the Docker daemon does not say what image %s is", name);
    snprintf(image->id, sizeof image->id, "%s", id);
    snprintf(image->created, sizeof image->created, "%s", created ? created : "");
    return 0;
}

int docker_find_image(struct docker_api *api, const char *name, struct docker_image *image,
                      struct error *err)
{
    struct docker_request request = {.method = "GET", .ms = DOCKER_LOOK_MS};
    BUF_AUTO struct buf path = {0};
    json_t *answer = NULL;
    long status;
    int rc;

    buf_init(&path, DOCKER_PATH_CAP);
    buf_adds(&path, "/images/");
    http_add_escaped(&path, name);
    buf_adds(&path, "/json");
    if (buf_check(&path, "the image's name", err) < 0)
        return -1;
    request.path = path.data;
    status = docker_call(api, &request, &answer, err);
    if (status < 0)
        rc = error_wrap(err, "look for the image");
    else if (status == 404)
        rc =
            error_set(err, ERROR_UNAVAILABLE, "the Docker daemon at %s has no image %s: make image",
                      docker_api_host(api)->address, name);
    else if (status != 200)
        rc = docker_refused(status, answer, "look for the image", err);
    else
        rc = read_image(answer, name, image, err);
    json_decref(answer);
    return rc;
}
