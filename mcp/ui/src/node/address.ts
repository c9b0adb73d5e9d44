// SPDX-License-Identifier: GPL-3.0-or-later
// What may be done with a picture's address. Pure.

// "ask": on this server, where a picture may be or not: it is fetched when a person asks for it.
export interface Source { kind: "load" | "ask" | "link" | "text"; address: string }

export function sourceOf(given: string, here: string): Source {
  const address = given.trim();
  if (/^data:image\/(png|jpeg|gif|webp|avif|svg\+xml)[;,]/i.test(address)) return { kind: "load", address };
  let url: URL;
  try {
    url = new URL(address, here);
  } catch {
    return { kind: "text", address };
  }
  if (url.origin === new URL(here).origin) return { kind: "ask", address: url.href };
  return { kind: url.protocol === "https:" || url.protocol === "http:" ? "link" : "text", address };
}
