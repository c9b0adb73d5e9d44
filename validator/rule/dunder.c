/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What to write instead of a name in double underscores.
 */
#include <string.h>

#include "validator/rule/check.h"

#define METHODS                                                                                    \
    "A class may define methods such as __init__, __repr__, __eq__, __len__, __iter__ and call "   \
    "super().__init__(...); other names in double underscores are out of reach."
#define OPERATOR                                                                                   \
    "Use the operator or function for it, such as len(x) or x == y; in a class call "              \
    "super().__init__(...)."

static const struct {
    const char *name, *advice;
} hints[] = {
    {"__all__", "Leave it away; nothing imports this program."},
    {"__annotations__", "Write the types out."},
    {"__builtins__", "Call the function by its own name."},
    {"__class__", "Write type(x), and type(x).__name__ for its name."},
    {"__dict__", "Keep the values in a dictionary, or use dataclasses.asdict(x)."},
    {"__doc__", "Write the text itself."},
    {"__file__", "The program has no file."},
    {"__name__", "It is allowed in if __name__ == \"__main__\": and as type(x).__name__; write a "
                 "function's name as text."},
    {"__slots__", "Leave it away; it changes nothing here."},
    {"__traceback__", "Print the exception itself: print(e)."},
    {"__version__", "Leave it away."},
};

void check_refuse_dunder(struct check *check, uint32_t node, bool is_attribute)
{
    const struct word *word = check_word(check, node);
    const char *advice = METHODS;

    if (report_is_full(check->report))
        return;
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (check_is_text(check, node, hints[i].name))
            advice = hints[i].advice;
    if (is_attribute && (word->flags & WORD_METHOD))
        advice = OPERATOR;
    if (word->name && word->name->advice)
        advice = word->name->advice;
    report_add(check->report, "dunder", check_node(check, node)->at,
               "'%.*s' is not allowed here. %s", check_shown(check, node), advice);
}
