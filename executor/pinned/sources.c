/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "executor/pinned/sources.h"

#include <stdio.h>
#include <string.h>

#include "helpers/base/cleanup.h"

/* No TLS: the lock file has the SHA-256 of each package, and caches may keep them. */
#define PUBLIC   "http://deb.debian.org/"
#define SNAPSHOT "http://snapshot.debian.org/archive/"

#define SECURITY_FOLDER "pool/updates/"

static void add(struct sources *sources, const char *url, bool security, const char *proxy)
{
    struct package_source *source = &sources->list[sources->count];
    size_t len = strlen(url);

    while (len > 0 && url[len - 1] == '/')
        len--;
    if (sources->count == SOURCES_CAP || len == 0 || len >= SOURCE_URL_CAP ||
        strncmp(url, "http", 4) != 0)
        return;
    snprintf(source->url, sizeof source->url, "%.*s", (int)len, url);
    snprintf(source->proxy, sizeof source->proxy, "%s", proxy);
    source->security = security;
    for (size_t i = 0; i < sources->count; i++) {
        if (strcmp(sources->list[i].url, source->url) == 0 && sources->list[i].security == security)
            return;
    }
    sources->count++;
}

/* What a line of /etc/os-release gives to a name; "" if it is not there. */
static void os_release(const char *name, char *value, size_t size)
{
    cleanup_file FILE *file = fopen("/etc/os-release", "re");
    char line[256];
    size_t len = strlen(name);

    *value = '\0';
    while (file && fgets(line, sizeof line, file)) {
        const char *from = line + len + 1;

        if (strncmp(line, name, len) != 0 || line[len] != '=')
            continue;
        from += *from == '"';
        snprintf(value, size, "%.*s", (int)strcspn(from, "\"\n"), from);
    }
}

/* The proxy that apt uses for http, or "". */
static void apt_proxy(char *proxy, size_t size)
{
    /* NOLINTNEXTLINE(cert-env33-c): a constant command */
    FILE *apt = popen("apt-config shell proxy Acquire::http::Proxy 2>/dev/null", "re");
    char line[SOURCE_URL_CAP];

    *proxy = '\0';
    while (apt && fgets(line, sizeof line, apt)) {
        const char *from = strchr(line, '\'');

        if (from && strncmp(from + 1, "DIRECT", 6) != 0)
            snprintf(proxy, size, "%.*s", (int)strcspn(from + 1, "'\n"), from + 1);
    }
    if (apt)
        pclose(apt);
}

/* The mirrors of apt for the main part of the release that this machine has: no third party's. */
static void add_apt(struct sources *sources)
{
    char id[64], codename[64], proxy[SOURCE_URL_CAP], line[SOURCE_URL_CAP];
    FILE *apt;

    os_release("ID", id, sizeof id);
    os_release("VERSION_CODENAME", codename, sizeof codename);
    if (strcmp(id, "debian") != 0 || !*codename)
        return;
    apt_proxy(proxy, sizeof proxy);
    /* NOLINTNEXTLINE(cert-env33-c): a constant command */
    apt = popen("apt-get indextargets --format '$(RELEASE) $(REPO_URI)' 'Created-By: Packages' "
                "'Component: main' 2>/dev/null",
                "re");
    while (apt && fgets(line, sizeof line, apt)) {
        char *url = strchr(line, ' ');

        if (!url || strncmp(line, codename, strlen(codename)) != 0)
            continue;
        *url++ = '\0';
        url[strcspn(url, "\n")] = '\0';
        add(sources, url, strstr(line, "-security") != NULL, proxy);
    }
    if (apt)
        pclose(apt);
}

void sources_find(struct sources *sources, const struct pinned_lock *lock,
                  const char *const *mirrors)
{
    char url[SOURCE_URL_CAP];

    sources->count = 0;
    for (size_t i = 0; mirrors[i]; i++) { /* whether it is one of security updates is unknown */
        add(sources, mirrors[i], true, "");
        add(sources, mirrors[i], false, "");
    }
    add_apt(sources);
    add(sources, PUBLIC "debian-security", true, "");
    add(sources, PUBLIC "debian", false, "");
    for (size_t i = 0; i < sizeof lock->snapshots / sizeof *lock->snapshots; i++) {
        if (!*lock->snapshots[i])
            continue;
        snprintf(url, sizeof url, SNAPSHOT "debian-security/%s", lock->snapshots[i]);
        add(sources, url, true, "");
        snprintf(url, sizeof url, SNAPSHOT "debian/%s", lock->snapshots[i]);
        add(sources, url, false, "");
    }
}

bool source_url(const struct package_source *source, const struct pinned_package *package,
                char *url, size_t size)
{
    size_t len = strlen(SECURITY_FOLDER);
    bool updated = strncmp(package->path, SECURITY_FOLDER, len) == 0;

    if (source->security && !updated)
        return false;
    if (updated && !source->security)
        snprintf(url, size, "%s/pool/%s", source->url, package->path + len);
    else
        snprintf(url, size, "%s/%s", source->url, package->path);
    return true;
}
