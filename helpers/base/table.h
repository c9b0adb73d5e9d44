/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Hash tables: uthash, with the choices of this project. An element has a UT_hash_handle and is
 * owned by its user; a table is a pointer to its oldest element, NULL while it is empty. Elements
 * stand in the order in which they were added, so a table is also a queue by age, and one by use if
 * an element is deleted and added again when it is used. The caller bounds the number of elements.
 *
 * The memory of a table is a small part of that of its elements. Without it the program aborts; the
 * caller allocates the elements and gives the error.
 */
#ifndef LECTERN_BASE_TABLE_H
#define LECTERN_BASE_TABLE_H

#include <stdlib.h>

#define uthash_fatal(message) abort()
#include <uthash.h>

#endif
