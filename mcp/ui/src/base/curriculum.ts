// SPDX-License-Identifier: GPL-3.0-or-later
// Loads sessions, nodes and relationships into the signals, and reads again what an edit has changed. The address names the session and the
// open node (#session=…&node=…), so that a link, a reload and "back" lead to the same place.
import { batch, effect } from "@preact/signals";
import { ApiError, readNodes, readRelationships, readSessions } from "./api";
import { connection, gone, landed, loading, lit, nodes, nodesById, openNode, relationships, session, sessions, tell } from "./state";
import type { Change, SessionInfo } from "./types";
import { errorText } from "./words";

const WAIT_MS = 150; // edits that arrive within this time are read together
const REMEMBERED = "lectern.session";

function address(): URLSearchParams {
  return new URLSearchParams(location.hash.slice(1));
}

function say(what: string, error: unknown): void {
  tell("error", `${what} ${errorText(error)}`, { label: "Try again", run: () => void readAll() });
}

let reading = 0; // the newest read; the result of an older one is discarded
let whole: Promise<void> = Promise.resolve(); // it

function readSession(of: SessionInfo): Promise<void> {
  whole = readWhole(of, ++reading);
  return whole;
}

async function readWhole(of: SessionInfo, mine: number): Promise<void> {
  loading.value = true;
  try {
    const [newNodes, newRelationships] = await Promise.all([readNodes(of.session_id), readRelationships(of.session_id)]);
    if (mine !== reading) return;
    batch(() => {
      nodes.value = newNodes;
      relationships.value = newRelationships;
    });
  } catch (error) {
    if (mine === reading) say("The curriculum could not be read.", error);
  } finally {
    if (mine === reading) loading.value = false;
  }
}

// Nothing of the one before stays. without: why none is open.
function turnTo(of: SessionInfo | null, without: typeof gone.value): void {
  batch(() => {
    gone.value = without;
    session.value = of;
    openNode.value = null;
    lit.value = null;
    nodes.value = [];
    relationships.value = [];
  });
}

export async function openSession(id: string): Promise<void> {
  const found = sessions.value.find(each => each.session_id === id);
  if (!found || session.value?.session_id === id) return;
  turnTo(found, null);
  localStorage.setItem(REMEMBERED, id);
  await readSession(found);
}

// Reads the list again, and with it the title of the open session.
export async function readSessionList(): Promise<void> {
  const list = await readSessions();
  const open = session.value && list.find(each => each.session_id === session.value?.session_id);
  batch(() => {
    sessions.value = list;
    if (open) session.value = open;
  });
}

// The open curriculum is not there any more. who: has deleted it.
export function closeDeleted(who: string | null): void {
  const was = session.value;
  if (!was) return;
  reading++;
  loading.value = false;
  turnTo(null, { title: was.title || was.session_id, who });
  localStorage.removeItem(REMEMBERED);
  history.replaceState(null, "", location.pathname);
}

const isListed = (of: SessionInfo) => sessions.value.some(each => each.session_id === of.session_id);

async function readAll(): Promise<void> {
  try {
    sessions.value = await readSessions();
  } catch (error) {
    say("The list of curricula could not be read.", error);
    return;
  }
  if (session.value && !isListed(session.value)) return closeDeleted(null);
  const wanted = [address().get("session"), session.value?.session_id, localStorage.getItem(REMEMBERED)];
  const known = (id: string | null | undefined) => sessions.value.find(each => each.session_id === id);
  const missing = wanted[0] && !known(wanted[0]) && sessions.value.length > 0;
  const found = missing ? undefined : wanted.map(known).find(Boolean) ?? sessions.value[0];
  if (!found) {
    if (missing) gone.value = { title: null, who: null };
    loading.value = false;
    return;
  }
  if (session.value?.session_id === found.session_id) {
    session.value = found;
    await readSession(found);
  } else {
    const node = address().get("node");
    await openSession(found.session_id);
    if (node && nodesById.value.has(node)) openNode.value = node;
  }
}

const due = new Set<Change["target"]>();
let timer: ReturnType<typeof setTimeout> | undefined;

async function readTargets(of: SessionInfo, targets: Set<Change["target"]>): Promise<void> {
  if (targets.has("session")) {
    await readSessionList();
    if (!isListed(of)) return closeDeleted(landed.value?.own ? null : landed.value?.change.who ?? null);
  }
  const wantsNodes = targets.has("nodes") || targets.has("session");
  const wantsEdges = targets.has("relationships") || targets.has("session");
  const [newNodes, newRelationships] = await Promise.all([
    wantsNodes ? readNodes(of.session_id) : nodes.peek(), wantsEdges ? readRelationships(of.session_id) : relationships.peek()]);
  if (session.value?.session_id !== of.session_id) return;
  batch(() => {
    nodes.value = newNodes;
    relationships.value = newRelationships;
    if (openNode.value && !nodesById.value.has(openNode.value)) {
      tell("info", `The node ${openNode.value} is no longer there.`);
      openNode.value = null;
    }
  });
}

// One read after the other, so that a late one does not restore old data.
let following = false;

async function readDue(): Promise<void> {
  if (following) return;
  following = true;
  try {
    await whole;
    while (due.size > 0 && session.value) {
      const targets = new Set(due);
      due.clear();
      await readTargets(session.value, targets);
    }
  } catch (error) {
    // Without the connection there is nothing to say beside that; all is read when it is back.
    if (connection.value === "open" || !(error instanceof ApiError) || error.status !== 0) say("What has changed could not be read.", error);
  } finally {
    following = false;
  }
}

function readSoon(target: Change["target"]): void {
  due.add(target);
  clearTimeout(timer);
  timer = setTimeout(() => void readDue(), WAIT_MS);
}

// After an edit of our own: without the connection nobody says that it has landed.
export function readGraph(): Promise<void> {
  due.add("nodes").add("relationships");
  return readDue();
}

function onLanded(): void {
  const newest = landed.value;
  if (newest) readSoon(newest.change.target);
}

// While the connection was lost nothing landed: what others did meanwhile is read when it is back.
let wasLost = false;

function onConnection(): void {
  if (connection.value === "lost" && !wasLost) {
    wasLost = true;
    readSoon("session"); // the server may be there, and the curriculum not
  }
  if (connection.value !== "open" || !wasLost) return;
  wasLost = false;
  readSoon("session");
}

function keepAddress(): void {
  const parts = new URLSearchParams();
  if (!session.value) return;
  parts.set("session", session.value.session_id);
  if (openNode.value) parts.set("node", openNode.value);
  const hash = `#${parts}`;
  if (location.hash === hash) return;
  if (address().get("session") === parts.get("session") && parts.has("node")) history.pushState(null, "", hash);
  else history.replaceState(null, "", hash);
}

async function followAddress(): Promise<void> {
  const asked = address();
  const id = asked.get("session");
  const node = asked.get("node");
  if (id && id !== session.value?.session_id) await openSession(id);
  openNode.value = node && nodesById.value.has(node) ? node : null;
}

// Once, by main.tsx.
export function startCurriculum(): void {
  effect(onLanded);
  effect(onConnection);
  addEventListener("popstate", () => void followAddress());
  void readAll().then(() => effect(keepAddress));
}
