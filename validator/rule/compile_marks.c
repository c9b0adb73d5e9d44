/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The marks of one symbol in open scopes hang together by mark.hidden, those of inner scopes first,
 * so that none is searched for. A scope's own hang together by mark.next, to be taken off when it
 * closes.
 */
#include "validator/rule/compile_marks.h"

#include "validator/facts/scope.h"

const char *mark_name(const struct names *names, uint32_t symbol, struct compile_name *to)
{
    *to = compile_name(names->compile, symbol);
    return to->text;
}

struct level level_open(struct names *names, struct level *outer, enum level_kind kind)
{
    bool binds = kind != LEVEL_COMPREHENSION && kind != LEVEL_OTHER;

    return (struct level){.binder = binds           ? NULL
                                    : outer->binder ? outer->binder
                                                    : outer,
                          .kind = kind,
                          .number = ++names->level_count,
                          .iterable = outer ? outer->iterable : 0};
}

void level_close(struct names *names, const struct level *level)
{
    for (uint32_t i = level->marks; i; i = names->marks[i - 1].next)
        names->own[names->marks[i - 1].symbol] = names->marks[i - 1].hidden;
}

struct mark *mark_find(struct names *names, struct level *level, uint32_t symbol)
{
    uint32_t *link;

    if (!facts_grow((void **)&names->marks, names->mark_count, &names->mark_size,
                    sizeof *names->marks)) {
        names->compile->failed = true;
        return NULL;
    }
    link = &names->own[symbol];
    while (*link && names->marks[*link - 1].level > level->number)
        link = &names->marks[*link - 1].hidden;
    if (!*link || names->marks[*link - 1].level != level->number) {
        names->marks[names->mark_count] = (struct mark){
            .symbol = symbol, .level = level->number, .hidden = *link, .next = level->marks};
        *link = level->marks = ++names->mark_count;
    }
    return &names->marks[*link - 1];
}

void mark_add(struct names *names, struct level *level, uint32_t symbol, uint32_t at,
              unsigned flags)
{
    struct mark *found = symbol == SYMBOL_NONE ? NULL : mark_find(names, level, symbol);
    struct compile_name name;

    if (!found)
        return;
    found->flags |= (uint8_t)flags;
    if (!level->target)
        return;
    if (found->flags & (MARK_GLOBAL | MARK_NONLOCAL))
        compile_report(names->compile, at,
                       "This loop of the comprehension would change '%s', which ':=' sets in it. "
                       "Choose another name for one of the two.",
                       mark_name(names, symbol, &name));
    found->flags |= MARK_ITERATION;
}
