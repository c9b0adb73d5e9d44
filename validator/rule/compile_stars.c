/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The stars of an unpacking: one at most, and not too far behind.
 */
#include "validator/rule/compile_internal.h"

void compile_unpacking(struct compile *compile, uint32_t target, bool match)
{
    const struct node *nodes = compile->nodes;
    unsigned star = match ? NODE_MATCH_STAR : NODE_STARRED;
    uint32_t before = 0, stars = 0;

    for (uint32_t child = nodes[target].child; child != NODE_NONE;
         child = nodes[child].next, before++) {
        bool skips = match && nodes[child].name == SYMBOL_NONE; /* *_ needs no place */

        if (nodes[child].kind != star)
            continue;
        if (++stars == 2)
            compile_report(compile, child,
                           "Two starred names stand in one %s. Only one may have a star.",
                           match ? "pattern" : "assignment");
        if (stars == 1 && before > VALIDATOR_TARGETS_CAP && !skips)
            compile_report(compile, child,
                           "More than %d names stand before the starred one. Take the values out "
                           "by index.",
                           VALIDATOR_TARGETS_CAP);
    }
}
