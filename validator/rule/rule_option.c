/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * pandas' options by text: set_option("display.width", 100). The text is a pattern that pandas
 * searches in the names of all options; those of plotting import a module by its name.
 */
#include "validator/rule/check_internal.h"

#include <string.h>

static const char *const plotting[] = {"plotting.backend",
                                       "plotting.matplotlib.register_converters"};

static bool is_pattern_byte(char byte)
{
    return byte == '_' || byte == '.' || (byte >= '0' && byte <= '9') ||
           (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

/* The pattern at the name's first bytes; case is nothing to pandas, '.' is any byte. */
static bool matches(const char *pattern, size_t len, const char *name)
{
    for (size_t i = 0; i < len; i++)
        if (!name[i] || (pattern[i] != '.' && (pattern[i] | 0x20) != (name[i] | 0x20)))
            return false;
    return true;
}

static bool is_good(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (!is_pattern_byte(text[i]))
            return false;
    for (size_t i = 0; i < sizeof plotting / sizeof *plotting; i++)
        for (const char *at = plotting[i]; *at; at++)
            if (matches(text, len, at))
                return false;
    return true;
}

static void check_option(struct check *check, uint32_t value)
{
    size_t len;
    const char *text = check_text(check, value, &len, NULL);

    if (text && !is_good(text, len))
        report_add(check->report, "text-method", check_node(check, value)->at,
                   "This option is not allowed. Those of output are, by their own names: "
                   "\"display.max_rows\", \"display.width\", \"mode.chained_assignment\".");
}

static void check_call(struct check *check, uint32_t function)
{
    bool is_name = true; /* names and values by turns */

    for (uint32_t argument = check_first_argument(check, function); argument;
         argument = check_node(check, argument)->next, is_name = !is_name) {
        const struct node *row = check_node(check, argument);

        if (row->kind == NODE_KEYWORD && check_is_text(check, argument, "pat"))
            check_option(check, row->child);
        else if (is_name)
            check_option(check, argument);
    }
}

static void check_list(struct check *check, const struct site_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        if ((check_word(check, list->rows[i].node)->roles & ROLE_OPTION) &&
            check_is_called(check, &list->rows[i]))
            check_call(check, list->rows[i].node);
}

void rule_option(struct check *check)
{
    if (!(check->roles & ROLE_OPTION))
        return;
    check_list(check, &check->facts->names);
    check_list(check, &check->facts->attributes);
}
