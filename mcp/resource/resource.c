/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/resource/resource.h"

#include <string.h>

#include "helpers/base/encode.h"

/* Percent-decodes one value; NULL if it is no text then. */
static json_t *decode(const char *text, size_t len)
{
    char decoded[RESOURCE_URI_MAX + 1];
    size_t used;

    if (len >= sizeof decoded)
        return NULL;
    memcpy(decoded, text, len);
    decoded[len] = '\0';
    used = percent_decode(decoded, false, NULL);
    return memchr(decoded, '\0', used) ? NULL : json_stringn(decoded, used);
}

/* Puts the value of the name at *template into names, and moves both on; false if there is none. */
static bool take_name(const char **template, const char **uri, json_t *names)
{
    const char *name = *template + 1, *end = strchr(name, '}');
    size_t len = strcspn(*uri, "/?#");
    json_t *value = end && len > 0 ? decode(*uri, len) : NULL;
    char key[64];

    if (!value || (size_t)(end - name) >= sizeof key) {
        json_decref(value);
        return false;
    }
    memcpy(key, name, (size_t)(end - name));
    key[end - name] = '\0';
    *template = end + 1;
    *uri += len;
    return json_object_set_new(names, key, value) == 0;
}

static bool matches(const char *template, const char *uri, json_t *names)
{
    while (*template) {
        if (*template == '{') {
            if (!take_name(&template, &uri, names))
                return false;
        } else if (*template ++ != *uri++) {
            return false;
        }
    }
    return *uri == '\0';
}

bool resource_is_template(const struct resource *resource)
{
    return strchr(resource->uri, '{') != NULL;
}

const struct resource *resource_find(const char *uri, json_t **names)
{
    if (strlen(uri) > RESOURCE_URI_MAX)
        return NULL;
    for (size_t i = 0; resources[i]; i++) {
        json_t *found = json_object();

        if (found && matches(resources[i]->uri, uri, found)) {
            *names = found;
            return resources[i];
        }
        json_decref(found);
    }
    return NULL;
}

bool resource_is_open(const char *uri, const char *bound_session)
{
    json_auto_t *names = NULL;
    const char *sid;

    if (!*bound_session)
        return true;
    resource_find(uri, &names);
    sid = json_string_value(json_object_get(names, "session_id"));
    return !sid || strcmp(sid, bound_session) == 0;
}

const struct resource *resource_find_template(const char *uri)
{
    for (size_t i = 0; resources[i]; i++) {
        if (strcmp(resources[i]->uri, uri) == 0)
            return resources[i];
    }
    return NULL;
}
