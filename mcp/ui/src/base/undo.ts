// SPDX-License-Identifier: GPL-3.0-or-later
// "Undo last change": says whose change and what it was, before and after, and can itself be undone.
import { ApiError, readHistory, undo } from "./api";
import { isOwn, session, tell } from "./state";
import type { HistoryEntry } from "./types";
import { readableWho } from "./who";

function fail(error: unknown): void {
  tell("error", error instanceof ApiError ? error.message : String(error));
}

// The set that the undoing wrote undoes it in turn: the same thing again, both ways.
async function take(sid: string, changeSet: string, said: string, saidAgain: string): Promise<void> {
  try {
    const { by_set: by } = (await undo(sid, changeSet)).value as { by_set?: string };
    tell("info", said, by ? { label: "Take that back", run: () => void take(sid, by, saidAgain, said) } : undefined);
  } catch (error) {
    fail(error);
  }
}

// The newest change whose effect still stands: not undone, and not itself what undid another; an undone undoing counts as the change
// that it brought back. An import or a creation is where a history begins.
export function lastStanding(changes: HistoryEntry[]): HistoryEntry | undefined {
  const undone = new Map(changes.filter(each => each.undone_by).map(each => [each.undone_by as string, each.change_set]));
  const takesAway = (set: string): boolean => {
    const what = undone.get(set);
    return what !== undefined && !takesAway(what);
  };
  const begins = (change: HistoryEntry) =>
    Array.isArray(change.entries) && change.entries.every(each => (each as { entity?: string }).entity === "session");
  return changes.find(each => !each.undone_by && !takesAway(each.change_set) && !begins(each));
}

export async function undoLast(): Promise<void> {
  const sid = session.value?.session_id;
  if (!sid) return;
  try {
    const last = lastStanding((await readHistory(sid, "limit=50")).changes);
    if (!last) {
      tell("info", "There is no change to undo.");
      return;
    }
    const what = String(last.what ?? "the last change");
    const run = () => void take(sid, last.change_set, `Undone: ${what}.`, `There again: ${what}.`);
    if (isOwn(last.who)) run();
    else tell("info", `The last change is not yours: ${what}, by ${readableWho(last.who)}.`, { label: "Undo it all the same", run });
  } catch (error) {
    fail(error);
  }
}
