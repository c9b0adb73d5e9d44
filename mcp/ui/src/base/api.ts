// SPDX-License-Identifier: GPL-3.0-or-later
// The session API of the server that the page came from. Every failure is an ApiError whose text a person can act on.
import { isObject, readExact } from "./json";
import { editor, scope } from "./state";
import type { Answer, Component, CourseNode, Imported, Relationship } from "./types";

export class ApiError extends Error {
  constructor(readonly status: number, message: string, readonly body: unknown) {
    super(message);
  }
  // Somebody else has written in between: If-Match or expected_revision no longer holds.
  get stale(): boolean {
    return this.status === 412 || this.status === 409;
  }
}

// FastAPI's shape: {"detail": text} or {"detail": [{"msg", "loc"}]}.
function reason(status: number, body: unknown): string {
  const detail = (body as { detail?: unknown } | null)?.detail;
  if (typeof detail === "string") return detail;
  if (Array.isArray(detail)) return detail.map(fault => (fault as { msg?: string }).msg ?? "").join("; ");
  return `The server answered ${status}.`;
}

export async function call<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {},
  read: (text: string) => unknown = JSON.parse): Promise<{ value: T; etag: string | null }> {
  const init: RequestInit = { method, headers: { ...headers } };
  const given = init.headers as Record<string, string>;
  if (method !== "GET") given["X-Editor"] = `page:${encodeURIComponent(editor.value)}`; // headers hold no other letters
  if (body !== undefined) {
    given["Content-Type"] = "application/json";
    init.body = JSON.stringify(body);
  }
  let response: Response;
  try {
    response = await fetch(`.${path}`, init); // a proxy may serve the page under a path
  } catch {
    throw new ApiError(0, "The server does not answer. Your text is kept here; try again when it is back.", null);
  }
  const text = await response.text();
  let parsed: unknown = null;
  try {
    parsed = text === "" ? null : read(text);
  } catch {
    throw new ApiError(response.status, `The server's answer to ${method} ${path} is not JSON.`, text);
  }
  if (!response.ok) throw new ApiError(response.status, reason(response.status, parsed), parsed);
  scope.value = response.headers.get("Lectern-Scope");
  return { value: parsed as T, etag: response.headers.get("ETag") };
}

const at = (sid: string) => `/session/${encodeURIComponent(sid)}`;
const node = (sid: string, nid: string) => `${at(sid)}/nodes/${encodeURIComponent(nid)}`;

export const readSessions = async () => (await call<Answer<"Sessions">>("GET", "/sessions")).value.sessions;
export const createSession = async (title: string) => (await call<Answer<"SessionCreated">>("POST", "/session/create", { title })).value.session_id;
interface ImportBody {
  files: { name: string; base64: string }[];
  title?: string; // of a new one
  untyped?: string;
  delete_missing?: boolean; // of an update
  dry_run?: boolean;
}
// into: the session to update; null: a new one.
export const importFiles = async (into: string | null, body: ImportBody) =>
  (await call<Imported>("POST", into === null ? "/session/import" : `${at(into)}/import`, body)).value;
export const renameSession = (sid: string, title: string) => call("PUT", at(sid), { title });
export const deleteSession = (sid: string) => call("DELETE", at(sid));
export async function readNodes(sid: string): Promise<CourseNode[]> {
  const { value } = await call<{ nodes: (CourseNode & Answer<"Node">)[] }>("GET", `${at(sid)}/nodes`);
  return value.nodes.map(each => ({ ...each, title: each.title ?? "" }));
}
export const readRelationships = async (sid: string) =>
  (await call<{ relationships: Relationship[] }>("GET", `${at(sid)}/relationships`)).value.relationships;

// Numbers in the cases of an exercise are values of Python.
function readWithCases(text: string): unknown {
  const value = JSON.parse(text) as { components?: Component[] }, exact = readExact(text) as typeof value;
  value.components?.forEach(({ parameters }, i) => {
    if (isObject(parameters) && parameters.cases !== undefined) parameters.cases = exact.components![i].parameters.cases;
  });
  return value;
}

export const readComponents = (sid: string, nid: string) =>
  call<Answer<"Components"> & { components: Component[] }>("GET", `${node(sid, nid)}/components`, undefined, {}, readWithCases);
export const readHistory = async (sid: string, query: string) =>
  (await call<Answer<"History">>("GET", `${at(sid)}/history?${query}`)).value;
export const undo = async (sid: string, changeSet: string) =>
  (await call<Answer<"Undone">>("POST", `${at(sid)}/undo`, { change_set: changeSet })).value;
export const ask = async (sid: string, query: string, parameters: Record<string, string> = {}) =>
  (await call<Record<string, unknown>>("GET", `${at(sid)}/graph/${query}?${new URLSearchParams(parameters)}`)).value;
export const nodePath = node;
export const sessionPath = at;
