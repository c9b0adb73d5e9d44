// SPDX-License-Identifier: GPL-3.0-or-later
// Counts, chapters, people and errors in words. Pure.
import type { CourseNode } from "./types";

export function plural(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}

export const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

export function chapterOf(node: CourseNode): string | null {
  return node.chapter || (node.chapter_id != null && node.chapter_id !== "" ? `Chapter ${node.chapter_id}` : null);
}

export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));

// Without crypto.randomUUID, which plain HTTP from another machine does not have.
export function randomHex(bytes: number): string {
  return [...crypto.getRandomValues(new Uint8Array(bytes))].map(byte => byte.toString(16).padStart(2, "0")).join("");
}

const PEOPLE: Record<string, string> = { page: "an editor", chat: "the chat", rest: "a program", mcp: "a model", import: "an import",
  demo: "the demo", outside: "the other service" };

// The change log's "who": "page:Ann/k3x9" is Ann, "chat:Ann/k3x9" is the chat for Ann, "mcp" a model's client, and "rest:NAME" and
// "mcp:NAME" are programs that gave a name. first: at the beginning of a sentence.
export function person(who: string | null | undefined, first = false): string {
  const [, kind = "", rest] = /^([a-z]+)(?::(.*))?$/s.exec(who ?? "") ?? [];
  const name = rest?.replace(/\/[^/]*$/, "");
  if (name && (kind === "page" || kind === "rest" || kind === "mcp")) return name;
  const words = !who ? "somebody" : name && kind === "chat" ? `the chat for ${name}` : PEOPLE[kind];
  return words ? (first ? capital(words) : words) : who!;
}
