/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Prints the manual page lectern(1), from the tables of commands and options, in the language of
 * man(7). A program of the build, which installs its output.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "mcp/command/command.h"

/* A text of the tables: "-" and "\" mean something else to troff, and so do "." and "'" at the
 * beginning of a line. */
static void print_text(const char *text)
{
    if (*text == '.' || *text == '\'')
        fputs("\\&", stdout);
    for (; *text; text++) {
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
        if (*text == '\n' && (text[1] == '.' || text[1] == '\''))
            fputs("\\&", stdout);
    }
}

/* "For serve, stdio."; nothing for an option that all commands have. */
static void print_takers(const struct config_option *option)
{
    const char *before = "For ";
    bool all = true;

    for (size_t i = 0; commands[i]; i++)
        all = all && (option->commands & (int)commands[i]->options);
    for (size_t i = 0; commands[i] && !all; i++) {
        if (!(option->commands & (int)commands[i]->options))
            continue;
        printf("%s%s", before, commands[i]->name);
        before = ", ";
    }
    if (!all)
        puts(".");
}

static void print_option(const struct config_option *option)
{
    fputs(".TP\n\\fB\\-\\-", stdout);
    print_text(option->name);
    fputs("\\fR", stdout);
    if (option->metavar) {
        fputs(" \\fI", stdout);
        print_text(option->metavar);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    print_text(option->help);
    if (option->initial) {
        fputs(" (default: ", stdout);
        print_text(option->initial);
        putchar(')');
    }
    puts(".");
}

/* The options of single commands, which stand with these. */
static bool is_own(const struct config_option *option)
{
    return strcmp(option->group, "Options") == 0;
}

static void print_commands(void)
{
    puts(".SH COMMANDS");
    for (size_t i = 0; commands[i]; i++) {
        const struct command *command = commands[i];
        struct config_option option;

        printf(".TP\n\\fB%s\\fR ", command->name);
        print_text(command->usage);
        putchar('\n');
        print_text(command->summary);
        puts(".");
        if (command->help) {
            struct buf BUF_AUTO text = {0};

            command->help(&text);
            puts(".sp\n.nf");
            print_text(text.data ? text.data : "");
            puts(".fi");
        }
        puts(".RS");
        for (size_t next = 0; config_next_option(&next, &option);)
            if (is_own(&option) && (option.commands & (int)command->options))
                print_option(&option);
        puts(".RE");
    }
}

static void print_options(void)
{
    struct config_option option;
    const char *group = NULL;

    puts(".SH OPTIONS");
    for (size_t next = 0; config_next_option(&next, &option);) {
        if (is_own(&option))
            continue;
        if (!group || strcmp(group, option.group) != 0)
            printf(".SS %s\n", option.group);
        group = option.group;
        print_option(&option);
        print_takers(&option);
    }
}

int main(void)
{
    puts(".TH LECTERN 1 \"\" \"Lectern " LECTERN_VERSION "\" \"User Commands\"\n"
         ".SH NAME\nlectern \\- server for curricula\n"
         ".SH SYNOPSIS\n.B lectern\n.I COMMAND\n[\\fIOPTIONS\\fR] [\\fIARGUMENTS\\fR]\n"
         ".SH DESCRIPTION\n"
         "Lectern serves curricula, graphs of lessons, to models as MCP clients, to people in a\n"
         "page, and to content management systems through the session API.");
    print_commands();
    print_options();
    puts(".SH EXIT STATUS\n"
         "0 success; 1 failure; 2 wrong usage. Of exec, grade and solve also: 3 refused, 4 a\n"
         "question back, 124 out of time, 127 no engine or no model, and 128 with the number of "
         "the\n"
         "signal that ended the program.\n"
         ".SH ENVIRONMENT\n"
         ".TP\n.B LECTERN_PORT\nthe option \\-\\-port, and so on for each option.\n"
         ".TP\n.B ANTHROPIC_API_KEY\nkey of the service of the model, or "
         "\\fBANTHROPIC_AUTH_TOKEN\\fR\n"
         ".SH FILES\n"
         ".TP\n.I ~/.config/lectern/config.json\noptions as {\"port\": 8002}. The command line\n"
         "takes precedence, then the environment, then the file.\n"
         ".TP\n.I ~/.local/share/lectern/lectern.db\nthe curricula, unless \\-\\-store or "
         "\\-\\-data\nsays otherwise.\n"
         ".SH BUGS\nFaults that affect security are reported in private: SECURITY.md says how.");
    return 0;
}
