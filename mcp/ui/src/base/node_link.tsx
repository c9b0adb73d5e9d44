// SPDX-License-Identifier: GPL-3.0-or-later
// Links to nodes of the open curriculum: by the address that base/curriculum.ts keeps.
import type { ComponentChildren } from "preact";
import { openNode, region, session } from "./state";

export const nodeAddress = (id: string) => `#${new URLSearchParams({ session: session.peek()?.session_id ?? "", node: id })}`;

// A click opens the node here; with a modifier key it opens a new window, as for other links.
export function openHere(event: MouseEvent, id: string): void {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0) return;
  event.preventDefault();
  openNode.value = id;
  region.value = "node";
}

export function NodeLink({ id, title, class: style, children }: { id: string; title?: string; class?: string; children: ComponentChildren }) {
  return <a class={style} href={nodeAddress(id)} title={title} onClick={event => openHere(event, id)}>{children}</a>;
}
