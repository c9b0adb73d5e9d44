/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One input of fuzz_session_id played, for the fuzzer and for the unit test that replays what it
 * has found. Aborts where a promise of session_id.h or seal.h is broken.
 */
#ifndef LECTERN_TESTS_PLAY_SESSION_ID_H
#define LECTERN_TESTS_PLAY_SESSION_ID_H

#include <stdlib.h>
#include <string.h>

#include "mcp/transport/mcp/session_id.h"

#define PLAY_NOW INT64_C(1800000000)

static inline void expect_of_id(bool holds)
{
    if (!holds)
        abort();
}

static const unsigned char play_key[SEAL_KEY_SIZE] = {7, 7, 7};

static inline void play_id_text(const char *text)
{
    struct session_id id;

    if (session_id_read(&id, play_key, text, PLAY_NOW) < 0)
        return;
    expect_of_id(id.ends > PLAY_NOW && id.client.version);
    expect_of_id(memchr(id.holder, '\0', sizeof id.holder));
    expect_of_id(memchr(id.client.who, '\0', sizeof id.client.who));
    expect_of_id(memchr(id.client.bound_session, '\0', sizeof id.client.bound_session));
}

/* The bytes as the text of a client, and as what was sealed with the key of the server. */
static inline void play_session_id(const uint8_t *bytes, size_t len)
{
    struct buf BUF_AUTO text = {0}, BUF_AUTO sealed = {0}, BUF_AUTO again = {0};

    buf_add(&text, bytes, len);
    play_id_text(len > 0 ? text.data : "");
    seal(&sealed, play_key, "mcp session", bytes, len);
    expect_of_id(!sealed.failed && sealed.len == SEAL_TEXT_LEN(len));
    expect_of_id(seal_open(&again, play_key, "mcp session", sealed.data, sealed.len) == 0);
    expect_of_id(again.len == len && (len == 0 || memcmp(again.data, bytes, len) == 0));
    play_id_text(sealed.data);
}

#endif
