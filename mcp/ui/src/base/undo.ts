// SPDX-License-Identifier: GPL-3.0-or-later
// Undo for the whole page: knows which changes are in effect, and is the only place that undoes them. Whoever offers Undo for a change
// follows it here, so that the offer ends when it is undone elsewhere and comes back when that is undone in turn.
import { computed, effect, signal, untracked } from "@preact/signals";
import { readHistory, undo } from "./api";
import { connection, isOwn, landed, notices, readOnly, session, tell, type Notice } from "./state";
import type { HistoryEntry } from "./types";
import { errorText, person } from "./words";

interface Standing {
  state: "ready" | "busy" | "undone" | "failed";
  said: string; // by the server
  by: string | null; // the change set that has undone it: undoing that one does it again
}
// By change set, as far as the page shows them.
export const standings = signal<ReadonlyMap<string, Standing>>(new Map());

const LOOKED_AT = 50; // newest changes; what is older is undone from a lesson's history

const put = (set: string, value: Standing) => {
  standings.value = new Map(standings.value).set(set, value);
};

// ---- which changes are followed ----

type Source = () => readonly string[];
const sources = signal<readonly Source[]>([() => notices.value.flatMap(({ change }) => (change ? [change.set] : []))]);
// As one text, which is the same one while other things change.
const followed = computed(() => [...new Set(sources.value.flatMap(source => source()))].join("\n"));

// For as long as the changes that the source names are shown; the answer ends it.
export function followChanges(source: Source): () => void {
  sources.value = [...sources.peek(), source];
  return () => { sources.value = sources.peek().filter(each => each !== source); };
}

async function look(): Promise<void> {
  const sid = session.value?.session_id;
  if (!sid || followed.value === "" || connection.value === "lost") return;
  try {
    const { changes } = await readHistory(sid, `limit=${LOOKED_AT}&texts=false`);
    const shown = new Set(followed.value.split("\n"));
    for (const { change_set: set, undone_by: undone } of changes) {
      const known = standings.value.get(set);
      if (!shown.has(set) || known?.state === "busy") continue;
      if (undone) put(set, { state: "undone", said: known?.state === "undone" ? known.said : "Undone.", by: undone });
      else if (known?.state !== "failed") put(set, { state: "ready", said: "", by: null });
    }
  } catch (error) {
    console.warn("The server could not say whether the changes are still in place; you can undo them from the history.", error);
  }
}

// With each change that is displayed again, each new change, and when the connection is restored.
let looking: Promise<void> = Promise.resolve();
let due = false;
effect(() => {
  void [landed.value, connection.value];
  if (followed.value === "" || due) return;
  due = true;
  looking = looking.then(() => {
    due = false;
    return untracked(look);
  });
});

// ---- undoing ----

// again: the change set that has undone it, to do it again; null: to undo it. The answer is what went wrong, or null.
async function turn(sid: string, set: string, again: string | null): Promise<string | null> {
  if (standings.value.get(set)?.state === "busy") return null;
  put(set, { state: "busy", said: "", by: again });
  try {
    const { message, by_set: by } = await undo(sid, again ?? set);
    put(set, again ? { state: "ready", said: "", by: null } : { state: "undone", said: message, by });
    return null;
  } catch (error) {
    put(set, again ? { state: "undone", said: errorText(error), by: again } : { state: "failed", said: errorText(error), by: null });
    void look(); // it may have been undone elsewhere
    return errorText(error);
  }
}

export const undoChange = (sid: string, set: string) => turn(sid, set, null);

// For a change that is known to be undone.
export async function redoChange(sid: string, set: string): Promise<string | null> {
  const by = standings.value.get(set)?.by;
  return by ? turn(sid, set, by) : null;
}

// Like undoChange, for callers that have no other place to show the result.
export async function undoAndNotify(sid: string, set: string, what: string): Promise<void> {
  const fault = await undoChange(sid, set);
  if (fault) tell("error", `Not undone: ${fault}`);
  else tell("info", `Done again: ${what}.`, undefined, { sid, set, undone: `Undone: ${what}.` });
}

// Our own newest change, for a notice that offers to undo it. Undefined: it cannot be determined now, but the change is in the history.
export async function ownChange(sid: string): Promise<Notice["change"]> {
  try {
    const mine = (await readHistory(sid, "limit=5&texts=false")).changes.find(entry => isOwn(entry.who));
    return mine && { sid, set: mine.change_set, undone: `Undone: ${mine.what}.` };
  } catch {
    return undefined;
  }
}

// The newest change that is in effect: neither undone nor itself an undo; an undone undo counts as the change that it restored. An import
// or a creation is the beginning of the history.
function lastStanding(changes: HistoryEntry[]): HistoryEntry | undefined {
  const undone = new Map(changes.map(each => [each.undone_by, each.change_set]));
  const takesAway = (set: string): boolean => {
    const what = undone.get(set);
    return what !== undefined && !takesAway(what);
  };
  const begins = (change: HistoryEntry) => change.entries.every(each => each.entity === "session" && each.op !== "update");
  return changes.find(each => !each.undone_by && !takesAway(each.change_set) && !begins(each));
}

export async function undoLast(): Promise<void> {
  const sid = session.value?.session_id;
  if (!sid || readOnly.value) return;
  try {
    const last = lastStanding((await readHistory(sid, "limit=50")).changes);
    if (!last) {
      tell("info", "There is no change to undo.");
      return;
    }
    const { what } = last;
    const run = () => void undoAndNotify(sid, last.change_set, what);
    if (isOwn(last.who)) run();
    else tell("info", `The last change is not yours: ${what}, by ${person(last.who)}.`, { label: "Undo it anyway", run });
  } catch (error) {
    tell("error", errorText(error));
  }
}
