// SPDX-License-Identifier: GPL-3.0-or-later
// The change log's "who" for people: "page:Ann/k3x9" is Ann, "chat:Ann/k3x9" is the chat for Ann, "mcp" a model's client, and
// "rest:NAME" and "mcp:NAME" are programs that gave a name.
const WORDS: Record<string, string> = { rest: "a program", mcp: "a model", demo: "the demo", outside: "the other service" };

export function readableWho(who: string): string {
  const [, kind, rest] = /^([a-z]+)(?::(.*))?$/s.exec(who) ?? [];
  const name = rest?.replace(/\/[^/]*$/, "");
  if ((kind === "page" || kind === "rest" || kind === "mcp") && name) return name;
  if (kind === "chat" && name) return `the chat for ${name}`;
  return (kind && WORDS[kind]) || who || "somebody";
}
