/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names that mix letters of two alphabets that look alike, as no language does. Each such name is
 * reported once, at the first place of its kind.
 */
#include "validator/rule/check_internal.h"

static void check_list(struct check *check, const struct site_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t node = list->rows[i].node;
        struct word *word = &check->words[check_node(check, node)->name];

        if (check_node(check, node)->kind == NODE_MATCH_CLASS || !(word->flags & WORD_MIXED))
            continue;
        word->flags &= (uint8_t)~WORD_MIXED;
        report_add(
            check->report, "look-alike", check_node(check, node)->at,
            "The name '%.*s' mixes letters of two alphabets that look alike. Write it in one.",
            check_shown(check, node));
    }
}

/* An import's names: what is imported, and what it is called. */
static void check_imports(struct check *check)
{
    const struct site_list *imports = &check->facts->imports;

    for (uint32_t i = 0; i < imports->count; i++) {
        struct site names[2] = {{.node = imports->rows[i].node},
                                {.node = check_node(check, imports->rows[i].node)->child}};

        check_list(check, &(struct site_list){.rows = names, .count = names[1].node ? 2 : 1});
    }
}

void rule_look_alike(struct check *check)
{
    if (!(check->flags & WORD_MIXED))
        return;
    check_list(check, &check->facts->names);
    check_list(check, &check->facts->attributes);
    check_list(check, &check->facts->other);
    check_imports(check);
}
