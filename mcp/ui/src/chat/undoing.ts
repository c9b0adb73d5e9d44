// SPDX-License-Identifier: GPL-3.0-or-later
// The edits of the model that the conversation shows: the result of a call says which change set it has made.
import { computed } from "@preact/signals";
import { followChanges } from "../base/undo";
import { items } from "./conversation";

const sets = computed(() => items.value.flatMap(item => (item.kind === "call" && item.changeSet !== null ? [item.changeSet] : [])));

// For as long as the region is there.
export const followEdits = () => followChanges(() => sets.value);
