/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/docker/docker_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_socket(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISSOCK(status.st_mode);
}

static const char *environment(const char *name)
{
    const char *value =
        getenv(name); // NOLINT(concurrency-mt-unsafe): nothing here changes the environment

    return value && value[0] ? value : NULL;
}

/* The system's daemon, else one of the user's own: rootless, Docker Desktop, Podman; else Podman's
 * for the system. */
static void find_default(char address[DOCKER_HOST_CAP])
{
    static const struct {
        const char *variable, *behind;
    } places[] = {
        {"XDG_RUNTIME_DIR", "/docker.sock"},      {"HOME", "/.docker/run/docker.sock"},
        {"HOME", "/.docker/desktop/docker.sock"}, {"XDG_RUNTIME_DIR", "/podman/podman.sock"},
        {NULL, "/run/podman/podman.sock"},
    };
    char path[DOCKER_HOST_CAP];

    snprintf(address, DOCKER_HOST_CAP, "unix:///var/run/docker.sock");
    for (size_t i = 0;
         i < sizeof places / sizeof *places && !is_socket(address + strlen("unix://")); i++) {
        const char *folder = places[i].variable ? environment(places[i].variable) : "";

        if (!folder)
            continue;
        snprintf(path, sizeof path, "%.400s%s", folder, places[i].behind);
        if (is_socket(path))
            snprintf(address, DOCKER_HOST_CAP, "unix://%.500s", path);
    }
}

/* Those files of the folder that are there: without a certificate of our own, one that asks for
 * none can still be spoken to. */
static void use_certificates(struct docker_host *host, const char *folder, const char *below)
{
    const struct {
        const char *name;
        char *path;
        const char **used;
    } files[] = {
        {"ca.pem", host->ca, &host->tls.ca},
        {"cert.pem", host->cert, &host->tls.cert},
        {"key.pem", host->key, &host->tls.key},
    };

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(files[i].path, DOCKER_PATH_CAP, "%.900s%s/%s", folder, below, files[i].name);
        *files[i].used = files[i].path;
    }
}

/* As the docker command: DOCKER_CERT_PATH, else ~/.docker where it holds an authority. */
static void set_tls(struct docker_host *host, bool secure)
{
    const char *folder = environment("DOCKER_CERT_PATH"), *home = environment("HOME");

    host->secure = secure || environment("DOCKER_TLS_VERIFY") != NULL;
    if (!host->secure)
        return;
    if (folder) {
        use_certificates(host, folder, "");
    } else if (home) {
        use_certificates(host, home, "/.docker");
        if (access(host->ca, R_OK) < 0)
            memset(&host->tls, 0, sizeof host->tls); /* the system's authorities */
    }
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

int docker_host_find(struct docker_host *host, const char *given, struct error *err)
{
    char found[DOCKER_HOST_CAP];

    memset(host, 0, sizeof *host);
    if (!given)
        given = environment("DOCKER_HOST");
    if (!given) {
        find_default(found);
        given = found;
    }
    if (strlen(given) >= DOCKER_HOST_CAP - 16)
        return error_set(err, ERROR_INVALID, "the Docker daemon's address is too long");
    snprintf(host->address, sizeof host->address, "%s", given);
    if (begins(given, "unix://") || given[0] == '/') {
        snprintf(host->unix_socket, sizeof host->unix_socket, "%s",
                 given[0] == '/' ? given : given + strlen("unix://"));
        snprintf(host->base, sizeof host->base, "http://localhost");
    } else if (begins(given, "tcp://")) {
        set_tls(host, false);
        snprintf(host->base, sizeof host->base, "%s://%.490s", host->secure ? "https" : "http",
                 given + strlen("tcp://"));
    } else if (begins(given, "http://") || begins(given, "https://")) {
        set_tls(host, begins(given, "https://"));
        snprintf(host->base, sizeof host->base, "%s", given);
    } else {
        return error_set(err, ERROR_INVALID,
                         "'%s' is not the address of a Docker daemon: unix:///PATH "
                         "or tcp://HOST:PORT",
                         given);
    }
    return 0;
}

const char *docker_host_advice(const struct docker_host *host)
{
    if (host->unix_socket[0] && access(host->unix_socket, F_OK) == 0 &&
        access(host->unix_socket, R_OK | W_OK) < 0)
        return "this user may not use it: usermod -aG docker USER, and log in again";
    if (strstr(host->unix_socket, "podman"))
        return "start it: systemctl start podman.socket";
    if (host->unix_socket[0])
        return "start it: systemctl start docker, or point DOCKER_HOST to one";
    if (host->secure)
        return "start it, or see whether DOCKER_CERT_PATH holds the ca.pem, cert.pem and key.pem "
               "it was set up with";
    return "start it, and where it wants TLS set DOCKER_TLS_VERIFY=1 and DOCKER_CERT_PATH";
}
