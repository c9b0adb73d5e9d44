/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The cache: folders that are made once and used by all servers, such as the pinned Python. Each
 * has the name KIND-HASH (python-HASH, share-HASH), where HASH stands for its content, so that a
 * folder that is there is complete and right. It is made under another name, which contains
 * CACHE_UNFINISHED, and renamed at the end. Only one process at a time makes or removes folders.
 */
#ifndef LECTERN_EXECUTOR_CACHE_H
#define LECTERN_EXECUTOR_CACHE_H

#include <stddef.h>

#include "helpers/base/error.h"

#define CACHE_HASH_DIGITS 16 /* hexadecimal digits of HASH */
#define CACHE_UNFINISHED  ".tmp-"
#define CACHE_DAYS_KEPT   7 /* days since the last use, after which a folder is removed */

/* The path of the cache: `given`, or if that is NULL, /var/cache/lectern for root, which the user
 * of a sandbox can read, else $XDG_CACHE_HOME/lectern or ~/.cache/lectern. */
int cache_find(const char *given, char *path, size_t size, struct error *err);

/* Makes the cache if it is not there, waits until no other process makes a folder in it, and
 * removes unfinished folders. Returns a descriptor that keeps others waiting until it is closed, or
 * -1. */
int cache_take_turn(const char *cache, struct error *err);

/* Makes a folder, and those above it that are missing, with mode 0755. */
int cache_make_folder(const char *path, struct error *err);
/* Writes everything to the disk and gives the finished folder its name, below the cache. */
int cache_finish(const char *unfinished, const char *path, const char *cache, struct error *err);
/* Removes a folder with its content. */
void cache_remove(const char *path);

/* Removes the folders that no process uses and none has used for CACHE_DAYS_KEPT, except `kept`.
 * Does nothing while another process makes a folder. */
void cache_remove_old(const char *cache, const char *kept);

/* Returns a descriptor; while it is open, the folder is not removed. -1 with an error. */
int cache_use(const char *path, struct error *err);

#endif
