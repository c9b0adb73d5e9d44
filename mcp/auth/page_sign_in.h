/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * How a browser signs in: a link that works once gives it a cookie, which stands for the token that
 * the link was made with. Both are kept as digests, in memory: after a restart a new link is
 * needed. On the loop's thread.
 */
#ifndef LECTERN_AUTH_PAGE_SIGN_IN_H
#define LECTERN_AUTH_PAGE_SIGN_IN_H

#include <stdbool.h>

#include "helpers/base/error.h"
#include "mcp/auth/identity.h"
#include "mcp/auth/token_file.h"

#define PAGE_LINKS_CAP   256u  /* not used yet; a power of two */
#define PAGE_COOKIES_CAP 1024u /* likewise */
#define PAGE_LINK_S      600 /* that a link works; the one printed at the start: until it is used */
#define PAGE_COOKIE_S    43200 /* 12 hours */

struct page_sign_in;

struct page_sign_in *page_sign_in_create(struct error *err);
void page_sign_in_destroy(struct page_sign_in *pages); /* takes NULL */

/* A new secret for a link. */
int page_make_code(struct page_sign_in *pages, const struct identity *identity,
                   char code[TOKEN_TEXT_SIZE], struct error *err);
/* Uses it up, and sets the identity that it was made for. false: it is unknown, used or over. */
bool page_take_code(struct page_sign_in *pages, const char *code, struct identity *identity);
/* A new cookie: for PAGE_COOKIE_S, and not for longer than the token or the cookie by which its
 * link was made. So a page cannot extend its own sign-in. */
int page_make_cookie(struct page_sign_in *pages, const struct identity *identity,
                     char cookie[TOKEN_TEXT_SIZE], struct error *err);
/* Who has the cookie; NULL: nobody. Valid until the next call. */
const struct identity *page_find_cookie(struct page_sign_in *pages, const char *cookie, size_t len);

#endif
