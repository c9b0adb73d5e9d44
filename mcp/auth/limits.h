/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What one holder of tokens may use: requests in a minute, and analyses at once. Without sign-in
 * nothing is counted. On the loop's thread.
 */
#ifndef LECTERN_AUTH_LIMITS_H
#define LECTERN_AUTH_LIMITS_H

#include <stdbool.h>

#include "helpers/base/error.h"
#include "mcp/auth/identity.h"

#define LIMITS_HOLDERS_CAP 4096u /* counted at once. The one idle longest goes */

struct limits;

/* 0: no limit. */
struct limits *limits_create(unsigned requests_a_minute, unsigned analyses, struct error *err);
void limits_destroy(struct limits *limits); /* takes NULL */

/* Counts a request. false: it is over the limit; *retry_after_s is set. The count falls steadily,
 * so a whole minute's requests may come at once. limits may be NULL. */
bool limits_request(struct limits *limits, const struct identity *identity, uint64_t now_ms,
                    unsigned *retry_after_s);

/* Counts an analysis from its beginning to its end. false: there are as many as may be. limits and
 * identity may be NULL; the end must be reported with the same identity or a copy of it. */
bool limits_begin_analysis(struct limits *limits, const struct identity *identity);
void limits_end_analysis(struct limits *limits, const struct identity *identity);

#endif
