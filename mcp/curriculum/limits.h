/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The sizes of the parts of a curriculum, for all who read or write one.
 */
#ifndef LECTERN_CURRICULUM_LIMITS_H
#define LECTERN_CURRICULUM_LIMITS_H

#include <stddef.h>

#define SESSION_ID_SIZE     37 /* UUID text with its NUL */
#define COMPONENT_ID_SIZE   37
#define NODE_ID_MAX         128 /* bytes of a node id in a new write */
#define TITLE_MAX           2000
#define TEXT_MAX            ((size_t)1 << 20) /* bytes of one text field in a new write */
#define BATCH_MAX           500               /* components of one batch or one sequence */
#define CURRICULUM_FILE_CAP ((size_t)256 << 20)

#endif
