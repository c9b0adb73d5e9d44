// SPDX-License-Identifier: GPL-3.0-or-later
// What the page knows, as signals: one place that all three regions read and write. The regions do not import each other;
// each is one component that main.tsx (or its lazy part) puts in place.
import { computed, signal } from "@preact/signals";
import type { Change, CourseNode, Relationship, SessionInfo } from "./types";

export const sessions = signal<SessionInfo[]>([]);
export const session = signal<SessionInfo | null>(null);

// No curriculum is open because the one that was, or that the address names, is not there: its title (null: it never was open here)
// and who has deleted it (null: we did, or nobody knows).
export const gone = signal<{ title: string | null; who: string | null } | null>(null);

export const nodes = signal<CourseNode[]>([]);
export const relationships = signal<Relationship[]>([]);
export const nodesById = computed(() => new Map(nodes.value.map(node => [node.node_id, node])));

// Whether the curriculum is being read for the first time: nothing to see does not mean that there is nothing.
export const loading = signal(true);

// The node that is open in the node region; null: none.
export const openNode = signal<string | null>(null);

// Nodes that are lit up in the graph, by why: "answer" (an answer speaks of them), "search", "path" (in its order).
export interface Light { why: "answer" | "search" | "path"; nodes: string[] }
export const lit = signal<Light | null>(null);

// The region that a narrow screen shows.
export type Region = "graph" | "node" | "chat";
export const region = signal<Region>("graph");

export type Connection = "connecting" | "open" | "lost";
export const connection = signal<Connection>("connecting");

// The newest edit by anybody, our own included; regions react with an effect. serial rises by one with each.
export const landed = signal<{ change: Change; own: boolean; serial: number } | null>(null);

// What the token that the page is signed in with may do, as the server says with each answer; null: the server has no sign-in. Who may
// only read is offered no edits.
export const scope = signal<string | null>(null);
export const readOnly = computed(() => scope.value !== null && !scope.value.split(" ").includes("edit"));

// What a person is to know now; shown by the shell until closed, read out by screen readers. The newest is shown; news makes way for
// newer news.
export interface Notice {
  id: number;
  kind: "error" | "info";
  text: string;
  action?: { label: string; run: () => void };
  change?: { sid: string; set: string; undone: string }; // a change that can be undone from here, and the text once it is
}
const NOTICES_MAX = 4;
export const notices = signal<Notice[]>([]);
let lastNotice = 0;
export function tell(kind: Notice["kind"], text: string, action?: Notice["action"], change?: Notice["change"]): number {
  const others = notices.value.filter(notice => notice.text !== text && notice.kind === "error");
  notices.value = [...others, { id: ++lastNotice, kind, text, action, change }].slice(-NOTICES_MAX);
  return lastNotice;
}
export function dismiss(id: number): void {
  notices.value = notices.value.filter(notice => notice.id !== id);
}

// Our own edits carry this in the change log: "page:NAME/TAB" over REST, "chat:NAME/TAB" by the model.
const tab = Math.random().toString(36).slice(2, 6);
export const editorName = signal(localStorage.getItem("lectern.editor") || "editor");
export const editor = computed(() => `${editorName.value}/${tab}`);
export function isOwn(who: string | null): boolean {
  return who === `page:${editor.value}` || who === `chat:${editor.value}`;
}

export type Theme = "system" | "light" | "dark";
export const theme = signal<Theme>((localStorage.getItem("lectern.theme") as Theme | null) || "system");
