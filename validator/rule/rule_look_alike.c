/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names that mix letters of two alphabets that look alike, as no language does. Each such name is
 * told once, at the first place of its kind.
 */
#include "validator/rule/judge.h"

static void judge_list(struct judge *judge, const struct site_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t node = list->rows[i].node;
        struct word *word = &judge->words[judge_node(judge, node)->name];

        if (judge_node(judge, node)->kind == NODE_MATCH_CLASS || !(word->flags & WORD_MIXED))
            continue;
        word->flags &= (uint8_t)~WORD_MIXED;
        report_add(
            judge->report, "look-alike", judge_node(judge, node)->at,
            "The name '%.*s' mixes letters of two alphabets that look alike. Write it in one.",
            judge_shown(judge, node));
    }
}

/* An import's names: what is imported, and what it is called. */
static void judge_imports(struct judge *judge)
{
    const struct site_list *imports = &judge->facts->imports;

    for (uint32_t i = 0; i < imports->count; i++) {
        struct site names[2] = {{.node = imports->rows[i].node},
                                {.node = judge_node(judge, imports->rows[i].node)->child}};

        judge_list(judge, &(struct site_list){.rows = names, .count = names[1].node ? 2 : 1});
    }
}

void rule_look_alike(struct judge *judge)
{
    if (!(judge->flags & WORD_MIXED))
        return;
    judge_list(judge, &judge->facts->names);
    judge_list(judge, &judge->facts->attributes);
    judge_list(judge, &judge->facts->other);
    judge_imports(judge);
}
