// SPDX-License-Identifier: GPL-3.0-or-later
// The open node: what the server says it holds, what others have changed under our eyes, and every way to change it. The
// components are read whole with their ETag; every write names the state that it was made for.
import { signal } from "@preact/signals";
import { ApiError, call, nodePath, readComponents, readHistory, sessionPath } from "../base/api";
import { readGraph } from "../base/curriculum";
import { dismiss, isOwn, tell, type Notice } from "../base/state";
import type { Answer, Component, CourseNode } from "../base/types";
import { ownChange } from "../base/undo";
import { errorText } from "../base/words";
import { Drafts } from "./drafts";
import type { Parameters } from "./kinds";
import { carriedOver, orderOf } from "./order";

export interface Trace { who: string; at: number; what: "changed" | "added" | "moved" }
export interface Shown { sid: string; nid: string; title: string; components: Component[]; etag: string }

// The node's title and summary, which have one draft.
export const HEAD = "head";
export type Texts = { title: string; raw_content: string };

export const textsOf = (node: CourseNode | undefined, at: Shown): Texts => ({ title: node?.title ?? at.title,
  raw_content: node?.raw_content ?? "" });

export const shown = signal<Shown | null>(null);
export const failure = signal<string | null>(null);
export const traces = signal<ReadonlyMap<string, Trace>>(new Map());
// What others took away while it was open here.
export const lost = signal<readonly { component: Component; who: string }[]>([]);
export const said = signal(""); // for screen readers
export const drafts = new Drafts(storage());

function storage(): Storage | null {
  try {
    return window.localStorage;
  } catch {
    return null; // forbidden by the browser's settings
  }
}

let reading = 0;

// Reads the node again. who: whose edit is the reason; its trace is then left on what is otherwise than before.
export async function load(sid: string, nid: string, who: string | null = null): Promise<void> {
  const mine = ++reading;
  const before = shown.value?.sid === sid && shown.value.nid === nid ? shown.value : null;
  if (!before) {
    shown.value = null;
    traces.value = new Map();
    lost.value = [];
  }
  try {
    const { value, etag } = await readComponents(sid, nid);
    if (mine !== reading) return;
    failure.value = null;
    const now: Shown = { sid, nid, title: value.title ?? "", components: value.components, etag: etag ?? "" };
    if (before && who !== null && !isOwn(who)) trace(before, now, who);
    else if (before) forget(before, now);
    shown.value = now;
  } catch (error) {
    if (mine === reading) failure.value = errorText(error);
  }
}

export const again = (who: string | null = null) =>
  shown.value ? load(shown.value.sid, shown.value.nid, who) : Promise.resolve();

// What we have written ourselves is no longer somebody else's.
function forget(before: Shown, now: Shown): void {
  const old = new Map(before.components.map(each => [each.component_id, each.revision])), left = new Map(traces.value);
  for (const { component_id, revision } of now.components) if (old.get(component_id) !== revision) left.delete(component_id);
  if (left.size !== traces.value.size) traces.value = left;
}

// After a refusal as stale, which does not say whose edit came between.
export async function readOthers(at: Shown): Promise<void> {
  let who = "";
  try {
    const query = `node_id=${encodeURIComponent(at.nid)}&limit=10&texts=false`;
    who = (await readHistory(at.sid, query)).changes.find(entry => !isOwn(entry.who))?.who ?? "";
  } catch {
    who = ""; // "Somebody" will do
  }
  await again(who);
}

function trace(before: Shown, now: Shown, who: string): void {
  const at = Date.now(), old = new Map(before.components.map(each => [each.component_id, each]));
  const made = new Map(traces.value), names: string[] = [];
  const stayed = before.components.filter(each => now.components.some(other => other.component_id === each.component_id));
  const places = new Map(stayed.map((each, i) => [each.component_id, i]));
  let place = 0;
  for (const component of now.components) {
    const was = old.get(component.component_id);
    const what = !was ? "added" : was.revision !== component.revision && JSON.stringify(was.parameters) !== JSON.stringify(component.parameters)
      || was && was.component_type !== component.component_type ? "changed"
      : places.get(component.component_id) !== place ? "moved" : null;
    if (was) place++;
    if (!what) continue;
    made.set(component.component_id, { who, at, what });
    names.push(`component ${component.order} ${what}`);
  }
  const gone = before.components.filter(each => !now.components.some(other => other.component_id === each.component_id));
  if (gone.length) {
    lost.value = [...lost.value, ...gone.map(component => ({ component, who }))];
    names.push(gone.length === 1 ? "one component deleted" : `${gone.length} components deleted`);
  }
  traces.value = made;
  if (names.length) said.value = `Edited by someone else: ${names.slice(0, 3).join(", ")}${names.length > 3 ? " and more" : ""}.`;
}

export interface Fault { loc: string[]; text: string }

// A 422's faults by field, as far as it names them.
export function faultsOf(error: unknown): Fault[] {
  const detail = error instanceof ApiError ? (error.body as { detail?: unknown } | null)?.detail : null;
  if (!Array.isArray(detail)) return [];
  return (detail as { loc?: unknown[]; msg?: string }[]).map(fault => ({
    loc: (fault.loc ?? []).map(String).filter(part => part !== "body" && part !== "parameters"),
    // The server adds what a type takes; the form already says that.
    text: (fault.msg ?? "").replace(/\. The parameters of [\s\S]*$/, "."),
  }));
}

// ---- what was done ----

// One notice of ours at a time.
let standing: number | undefined;

export function report(kind: Notice["kind"], text: string, action?: Notice["action"], change?: Notice["change"]): void {
  if (standing !== undefined) dismiss(standing);
  standing = tell(kind, text, action, change);
}

// After a change of our own: says so, with the way back.
export async function changed(sid: string, text: string): Promise<void> {
  said.value = text;
  report("info", text, undefined, await ownChange(sid));
}

// A draft, with the way back.
export function throwDraft(at: Shown, id: string): void {
  const kept = drafts.read(at.sid, at.nid, id);
  drafts.drop(at.sid, at.nid, id);
  if (kept) report("info", "Your draft is discarded.", { label: "Bring it back", run: () => {
    drafts.keep(at.sid, at.nid, id, kept);
    void again();
  } });
}

// ---- components ----

export async function saveComponent(at: Shown, component: Component, type: string, parameters: Parameters, revision: number): Promise<void> {
  await call("PUT", `${nodePath(at.sid, at.nid)}/components/${component.order}`,
    { component_id: component.component_id, expected_revision: revision, type, parameters });
  await again();
  await changed(at.sid, "Saved.");
}

export async function insertComponent(at: Shown, type: string, parameters: Parameters, position: number, key?: string): Promise<string> {
  const { value } = await call<Answer<"ComponentDone">>("POST", `${nodePath(at.sid, at.nid)}/components/insert`, { type, parameters, position },
    key ? { "Idempotency-Key": key } : {});
  await again();
  await changed(at.sid, "Added.");
  return value.component_id;
}

// A write by position, made for the displayed sequence. If that has changed, reads the current one and recomputes the write; null: no
// longer possible.
async function byPlace(at: Shown, write: (now: Shown) => Promise<unknown> | null): Promise<boolean> {
  for (let now = at, attempt = 0; ; attempt++) {
    const written = write(now);
    if (!written) return false;
    try {
      await written;
      return true;
    } catch (error) {
      if (!(error instanceof ApiError && error.stale) || attempt === 2) throw error;
      const { value, etag } = await readComponents(at.sid, at.nid);
      now = { ...now, components: value.components, etag: etag ?? "" };
    }
  }
}

export async function deleteComponent(at: Shown, component: Component): Promise<void> {
  const done = await byPlace(at, now => {
    const there = now.components.find(each => each.component_id === component.component_id);
    return there?.revision === component.revision
      ? call("DELETE", `${nodePath(at.sid, at.nid)}/components/${there.order}`, undefined, { "If-Match": now.etag }) : null;
  });
  await again();
  if (done) await changed(at.sid, "Deleted.");
  else report("error", "Not deleted: someone changed or deleted it in the meantime. Check it again.");
}

export async function moveComponent(at: Shown, id: string, wanted: readonly string[]): Promise<void> {
  let first = true;
  await byPlace(at, now => {
    const ids = now.components.map(each => each.component_id);
    const target = first ? wanted : ids.includes(id) ? carriedOver(ids, wanted, id) : null;
    first = false;
    return target && call("POST", `${nodePath(at.sid, at.nid)}/components/reorder`, { order: orderOf(ids, target) },
      { "If-Match": now.etag });
  });
  await again();
  await changed(at.sid, "Moved.");
}

// ---- the node and its relationships ----

export async function saveNode(at: Shown, fields: Record<string, unknown>, etag: string): Promise<void> {
  await call("PUT", nodePath(at.sid, at.nid), fields, etag ? { "If-Match": etag } : {});
  await Promise.all([again(), readGraph()]);
  await changed(at.sid, "Saved.");
}

export async function addRelationship(sid: string, from: string, to: string, type: string, explanation: string): Promise<void> {
  const { value } = await call<Answer<"RelationshipDone">>("POST", `${sessionPath(sid)}/relationships`,
    { from_node_id: from, to_node_id: to, relationship_type: type, ...(explanation ? { explanation } : {}) });
  await readGraph();
  await changed(sid, value.cycle ? "Linked. This creates a cycle of prerequisites." : "Linked.");
}

export async function deleteRelationship(sid: string, id: number): Promise<void> {
  await call("DELETE", `${sessionPath(sid)}/relationships/${id}`);
  await readGraph();
  await changed(sid, "Link deleted.");
}
