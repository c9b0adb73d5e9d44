/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Reads a program into a tree, as CPython 3.11's grammar has it (Grammar/python.gram): what
 * ast.parse takes is taken, what it refuses is refused, except that validator.c's byte rules come
 * first. What only the compiler refuses is the business of validator/rule/.
 */
#ifndef LECTERN_VALIDATOR_PARSER_H
#define LECTERN_VALIDATOR_PARSER_H

#include "validator/report.h"
#include "validator/syntax/ast.h"

/* Fills the tree, which ast_init made. What is no Python is reported with the code "syntax": at
 * most one problem a statement, and after it the reading goes on with the next one. Then
 * ast->broken is set. */
void parser_parse(struct ast *ast, struct report *report);

#endif
