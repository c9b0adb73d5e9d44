/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * prompt_driver PROFILE TITLE: the chat's system prompt on standard output, for test_prompt.py.
 */
#include <stdio.h>

#include "mcp/chat/prompt.h"

int main(int argc, char **argv)
{
    struct server server = {.analyses.timeout_seconds = 5};
    struct buf BUF_AUTO text = {0};

    server.analyses.profile = argc == 3 ? validator_profile_find(argv[1]) : NULL;
    if (!server.analyses.profile) {
        fputs("usage: prompt_driver PROFILE TITLE\n", stderr);
        return 2;
    }
    prompt_write(&server.analyses, argv[2], &text);
    return text.failed || fwrite(text.data, 1, text.len, stdout) != text.len;
}
