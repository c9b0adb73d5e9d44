/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mcp/auth/page_sign_in.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mcp/auth/identity_table.h"

struct page_sign_in {
    struct identity_table *links, *cookies;
};

struct page_sign_in *page_sign_in_create(struct error *err)
{
    struct page_sign_in *pages = calloc(1, sizeof *pages);

    if (!pages) {
        error_set(err, ERROR_MEMORY, "out of memory for signing in");
        return NULL;
    }
    pages->links = identity_table_create(PAGE_LINKS_CAP, err);
    pages->cookies = pages->links ? identity_table_create(PAGE_COOKIES_CAP, err) : NULL;
    if (!pages->cookies) {
        page_sign_in_destroy(pages);
        return NULL;
    }
    return pages;
}

void page_sign_in_destroy(struct page_sign_in *pages)
{
    if (!pages)
        return;
    identity_table_destroy(pages->links);
    identity_table_destroy(pages->cookies);
    free(pages);
}

int page_make_code(struct page_sign_in *pages, const struct identity *identity,
                   char code[TOKEN_TEXT_SIZE], struct error *err)
{
    bool waits = identity->source == IDENTITY_OF_START && identity->cookie_end == 0;
    struct digest digest;

    if (token_make(code, err) < 0)
        return -1;
    digest_of(code, strlen(code), &digest);
    return identity_table_add(pages->links, &digest, identity, waits ? 0 : time(NULL) + PAGE_LINK_S,
                              err);
}

bool page_take_code(struct page_sign_in *pages, const char *code, struct identity *identity)
{
    const struct identity *found;
    struct digest digest;

    digest_of(code, strlen(code), &digest);
    found = identity_table_find(pages->links, &digest, time(NULL));
    if (!found)
        return false;
    *identity = *found;
    identity_table_remove(pages->links, &digest);
    return true;
}

static int64_t earlier(int64_t end, int64_t other)
{
    return other != 0 && other < end ? other : end;
}

int page_make_cookie(struct page_sign_in *pages, const struct identity *identity,
                     char cookie[TOKEN_TEXT_SIZE], struct error *err)
{
    struct identity shown = *identity;
    struct digest digest;

    if (token_make(cookie, err) < 0)
        return -1;
    shown.cookie_end =
        earlier(earlier(time(NULL) + PAGE_COOKIE_S, identity->end), identity->cookie_end);
    digest_of(cookie, strlen(cookie), &digest);
    return identity_table_add(pages->cookies, &digest, &shown, shown.cookie_end, err);
}

const struct identity *page_find_cookie(struct page_sign_in *pages, const char *cookie, size_t len)
{
    struct digest digest;

    digest_of(cookie, len, &digest);
    return identity_table_find(pages->cookies, &digest, time(NULL));
}
