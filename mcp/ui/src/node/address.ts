// SPDX-License-Identifier: GPL-3.0-or-later
// What may be done with a picture's address. Pure.

// "load": the picture itself, as data. "link": an address, which is only followed when a person does: to load it would send that
// request for everyone who looks at the lesson.
export interface Source { kind: "load" | "link" | "text"; address: string }

export function sourceOf(given: string, here: string): Source {
  const address = given.trim();
  if (/^data:image\/(png|jpeg|gif|webp|avif|svg\+xml)[;,]/i.test(address)) return { kind: "load", address };
  let url: URL;
  try {
    url = new URL(address, here);
  } catch {
    return { kind: "text", address };
  }
  return url.protocol === "https:" || url.protocol === "http:" ? { kind: "link", address: url.href } : { kind: "text", address };
}
