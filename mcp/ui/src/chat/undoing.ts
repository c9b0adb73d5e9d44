// SPDX-License-Identifier: GPL-3.0-or-later
// Taking back what the model has edited. The result of a call says which change set it has made; the change log, whether that still
// stands: it may be undone elsewhere, and brought back.
import { computed, effect, signal } from "@preact/signals";
import { readHistory, undo } from "../base/api";
import { landed, session } from "../base/state";
import { items } from "./conversation";
import { fields, text } from "./frame";

export interface Undo {
  state: "ready" | "busy" | "undone" | "failed";
  said: string;
}
// By change set.
export const undos = signal<ReadonlyMap<string, Undo>>(new Map());

const LOOKED_AT = 50; // newest changes; what is older is undone from the history

// As one text, which is the same one while other things in the conversation change.
const sets = computed(() =>
  items.value.flatMap(item => (item.kind === "call" && item.changeSet !== null ? [item.changeSet] : [])).join("\n"),
);

const put = (changeSet: string, value: Undo) => {
  undos.value = new Map(undos.value).set(changeSet, value);
};

async function look(): Promise<void> {
  const sid = session.value?.session_id;
  if (!sid) return;
  try {
    const { changes } = await readHistory(sid, `limit=${LOOKED_AT}&texts=false`);
    const made = new Set(sets.value.split("\n"));
    for (const { change_set: set, undone_by: undone } of changes) {
      const known = undos.value.get(set);
      if (!made.has(set) || known?.state === "busy") continue;
      if (undone && known?.state !== "undone") put(set, { state: "undone", said: "Undone." });
      else if (!undone && known?.state !== "failed") put(set, { state: "ready", said: "" });
    }
  } catch (error) {
    console.warn("Whether the edits still stand could not be read; they can be undone from the history.", error);
  }
}

let looking: Promise<void> = Promise.resolve();
let due = false;

// For as long as the region is there: with each edit of the conversation, and each that lands.
export function startUndoing(): () => void {
  return effect(() => {
    if (sets.value === "" || (landed.value, due)) return;
    due = true;
    looking = looking.then(() => {
      due = false;
      return look();
    });
  });
}

export async function undoSet(changeSet: string): Promise<void> {
  const known = undos.value.get(changeSet);
  const sid = session.value?.session_id;
  if (!known || !sid || known.state === "busy" || known.state === "undone") return;
  put(changeSet, { state: "busy", said: "" });
  try {
    const { value } = await undo(sid, changeSet);
    put(changeSet, { state: "undone", said: text(fields(value).message) || "Undone." });
  } catch (error) {
    put(changeSet, { state: "failed", said: error instanceof Error ? error.message : String(error) });
  }
}
