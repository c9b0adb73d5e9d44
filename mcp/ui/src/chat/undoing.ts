// SPDX-License-Identifier: GPL-3.0-or-later
// Taking back what the model has edited. The change log says which change set a call has made: this tab's edits by the model have
// an author of their own, so the ones that no call has claimed yet belong to the calls in their order.
import { effect, signal } from "@preact/signals";
import { readHistory, undo } from "../base/api";
import { editor, session } from "../base/state";
import { items } from "./conversation";
import { fields, list, text } from "./frame";
import { parsePartial } from "./partial_json";
import { changeSetOf, isEdit, nodeOf } from "./tool_title";
import type { CallItem } from "./view";

export interface Undo {
  changeSet: string;
  state: "ready" | "busy" | "undone" | "failed";
  said: string;
}
export const undos = signal<ReadonlyMap<string, Undo>>(new Map());

const sought = new Set<string>(); // calls
let seeking: Promise<void> = Promise.resolve();

const put = (call: string, value: Undo) => {
  undos.value = new Map(undos.value).set(call, value);
};

function touches(changes: unknown, node: string): boolean {
  const nodes = list(changes)
    .map(entry => text(fields(entry).node_id))
    .filter(id => id !== "");
  return node === "" || nodes.length === 0 || nodes.includes(node);
}

async function changeSetFor(call: CallItem, sid: string): Promise<string | null> {
  const told = changeSetOf(call.result ?? "");
  if (told !== null) return told;
  const claimed = new Set([...undos.value.values()].map(one => one.changeSet));
  const node = nodeOf(parsePartial(call.args));
  const { changes } = await readHistory(sid, "limit=20&texts=false");
  const own = changes.filter(
    change =>
      change.who === `chat:${editor.value}` &&
      !change.undone_by &&
      !claimed.has(change.change_set) &&
      touches(change.entries, node),
  );
  return own[own.length - 1]?.change_set ?? null; // the oldest: the newest come first
}

async function seek(call: CallItem): Promise<void> {
  const sid = session.value?.session_id;
  if (!sid) return;
  try {
    const changeSet = await changeSetFor(call, sid);
    if (changeSet !== null) put(call.id, { changeSet, state: "ready", said: "" });
  } catch (error) {
    console.warn("Which change a call has made could not be read; it can be undone from the history.", error);
  }
}

// Looks at what has come, for as long as the region is there.
export function startUndoing(): () => void {
  return effect(() => {
    for (const item of items.value) {
      if (item.kind !== "call" || item.state !== "done" || sought.has(item.id)) continue;
      if (!isEdit(item.name, parsePartial(item.args)) || (!item.fresh && changeSetOf(item.result ?? "") === null)) continue;
      sought.add(item.id);
      seeking = seeking.then(() => seek(item)); // one after the other, in the calls' order
    }
  });
}

export async function undoCall(call: string): Promise<void> {
  const known = undos.value.get(call);
  const sid = session.value?.session_id;
  if (!known || !sid || known.state === "busy" || known.state === "undone") return;
  put(call, { ...known, state: "busy", said: "" });
  try {
    const { value } = await undo(sid, known.changeSet);
    put(call, { ...known, state: "undone", said: text(fields(value).message) || "Undone." });
  } catch (error) {
    put(call, { ...known, state: "failed", said: error instanceof Error ? error.message : String(error) });
  }
}
