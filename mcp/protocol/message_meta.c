/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A client of a revision without sessions sends the same params._meta with each request, and it is
 * most of a short one. So it is parsed once: what follows "_meta": is compared with those of
 * earlier messages, and the parser gets the message with a number in its place. This is right
 * wherever the quotes before _meta begin a string, which in JSON they do unless a backslash is
 * before them; and where the number then is, the object was. What was not found there is parsed
 * whole, by the caller.
 */
#include <stdlib.h>
#include <string.h>

#include "helpers/base/json.h"
#include "mcp/protocol/message.h"

#define KEY        "\"_meta\":"
#define KEPT_CAP   1024  /* bytes of a _meta that is kept */
#define WHOLE_CAP  16384 /* bytes of a message; in a longer one it is not worth looking for */
#define PLACE      -26072806072
#define PLACE_TEXT "-26072806072" /* written in the one way that there is */

/* The object at the beginning of text, from now on kept; NULL if there is none, or none to keep:
 * older clients send little but a number there, another one each time. */
static const struct message_meta *keep(struct message_metas *metas, const char *text, size_t len)
{
    struct message_meta *meta = &metas->kept[metas->next];
    json_error_t end;
    json_t *value = json_loadb(text, len, JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL, &end);
    char *copy = json_object_get(value, MESSAGE_VERSION_KEY) && end.position <= KEPT_CAP
                     ? malloc((size_t)end.position)
                     : NULL;

    if (!copy) {
        json_decref(value);
        return NULL;
    }
    memcpy(copy, text, (size_t)end.position);
    free(meta->text);
    json_decref(meta->value);
    *meta = (struct message_meta){copy, (size_t)end.position, value};
    metas->next = (metas->next + 1) % MESSAGE_METAS_CAP;
    return meta;
}

static const struct message_meta *find(struct message_metas *metas, const char *text, size_t len)
{
    for (size_t i = 0; i < MESSAGE_METAS_CAP; i++) {
        const struct message_meta *meta = &metas->kept[i];

        if (meta->text && meta->len <= len && memcmp(meta->text, text, meta->len) == 0)
            return meta;
    }
    return keep(metas, text, len);
}

json_t *message_metas_read(struct message_metas *metas, const char *json, size_t len)
{
    const char *end = json + len, *at = len <= WHOLE_CAP ? memmem(json, len, KEY, strlen(KEY)) : 0;
    const struct message_meta *meta;
    struct buf BUF_AUTO text = {0};
    json_t *message, *params;

    /* The parser skips a NUL behind null, true or false, so it would find another end. */
    if (!at || at == json || at[-1] == '\\' || memchr(json, '\0', len) ||
        memmem(json, len, PLACE_TEXT, strlen(PLACE_TEXT)))
        return NULL;
    at += strlen(KEY);
    while (at < end && *at == ' ')
        at++;
    meta = at < end && *at == '{' ? find(metas, at, (size_t)(end - at)) : NULL;
    if (!meta)
        return NULL;
    buf_add(&text, json, (size_t)(at - json));
    buf_adds(&text, PLACE_TEXT);
    buf_add(&text, at + meta->len, (size_t)(end - at) - meta->len);
    message = text.failed ? NULL : json_loadb(text.data, text.len, JSON_ALLOW_NUL, NULL);
    params = json_object_get(message, "params");
    if (json_integer_value(json_object_get(params, "_meta")) == PLACE &&
        json_object_set(params, "_meta", meta->value) == 0)
        return message;
    json_decref(message);
    return NULL;
}

void message_metas_finish(struct message_metas *metas)
{
    for (size_t i = 0; i < MESSAGE_METAS_CAP; i++) {
        free(metas->kept[i].text);
        json_decref(metas->kept[i].value);
    }
    memset(metas, 0, sizeof *metas);
}
