// SPDX-License-Identifier: GPL-3.0-or-later
// Moving a component to another place: by the pointer on its handle, or by keys (Space grabs, arrows move, Space drops, Escape
// leaves all as it was). The live region says each place.
import { signal } from "@preact/signals";
import type { Component } from "../base/types";
import { errorText } from "../base/words";
import { outline } from "./drawn";
import { dropPlace, moved } from "./order";
import { again, moveComponent, report, said, shown, type Shown } from "./store";

interface Grab { id: string; from: number; to: number; by: "keys" | "pointer"; shift: number }
export const grab = signal<Grab | null>(null);

const EDGE = 56; // pixels from the edge in which a dragged thing scrolls the list
const SPEED = 14;

export function grabKeys(at: Shown, component: Component, index: number): void {
  grab.value = { id: component.component_id, from: index, to: index, by: "keys", shift: 0 };
  said.value = `Grabbed ${outline(component.component_type, component.parameters)}, place ${index + 1} of ${at.components.length}. ` +
    "Arrow keys move it, Space drops it, Escape leaves it where it was.";
}

export function stepTo(at: Shown, to: number): void {
  const now = grab.value;
  if (!now) return;
  const place = Math.max(0, Math.min(at.components.length - 1, to));
  grab.value = { ...now, to: place };
  said.value = `Place ${place + 1} of ${at.components.length}.`;
}

export function leave(): void {
  if (!grab.value) return;
  said.value = `Not moved, place ${grab.value.from + 1}.`;
  grab.value = null;
}

export function moveTo(at: Shown, component: Component, from: number, to: number): Promise<void> {
  grab.value = { id: component.component_id, from, to, by: "keys", shift: 0 };
  return drop(at);
}

export async function drop(at: Shown): Promise<void> {
  const now = grab.value;
  grab.value = null;
  if (!now) return;
  if (now.from === now.to) {
    said.value = `Not moved, place ${now.from + 1}.`;
    return;
  }
  const components = moved(at.components, now.from, now.to);
  if (shown.value === at) shown.value = { ...at, components }; // at once; what the server says follows
  said.value = `Dropped at place ${now.to + 1} of ${components.length}.`;
  try {
    await moveComponent(at, now.id, components.map(each => each.component_id));
  } catch (error) {
    report("error", `Not moved: ${errorText(error)}`);
    await again();
  }
}

function scroller(from: Element): Element {
  for (let at: Element | null = from; at; at = at.parentElement)
    if (/auto|scroll/.test(getComputedStyle(at).overflowY)) return at;
  return document.scrollingElement ?? document.documentElement;
}

// From pointerdown on a handle to its end.
export function dragPointer(event: PointerEvent, at: Shown, component: Component, index: number): void {
  if (event.button !== 0) return;
  const handle = event.currentTarget as HTMLElement, item = handle.closest("li")!, list = item.parentElement!;
  const box = scroller(list), items = [...list.children].filter(each => each.matches("[data-component]"));
  let frame = 0, y = event.clientY, begun = false;
  const start = event.clientY, scrolled = box.scrollTop;
  handle.setPointerCapture(event.pointerId);

  const place = () => {
    const middles = items.filter(each => each !== item).map(each => {
      const { top, height } = each.getBoundingClientRect();
      return top + height / 2;
    });
    grab.value = { id: component.component_id, from: index, to: dropPlace(middles, y), by: "pointer", shift: y - start + box.scrollTop - scrolled };
  };
  const roll = () => {
    const { top, bottom } = box.getBoundingClientRect();
    const by = y < top + EDGE ? -SPEED : y > bottom - EDGE ? SPEED : 0;
    if (by) {
      box.scrollTop += by;
      place();
    }
    frame = requestAnimationFrame(roll);
  };
  const move = (next: PointerEvent) => {
    y = next.clientY;
    if (!begun && Math.abs(y - start) < 4) return;
    if (!begun) frame = requestAnimationFrame(roll);
    begun = true;
    place();
  };
  const end = (keep: boolean) => {
    cancelAnimationFrame(frame);
    listening.abort();
    if (keep && begun) void drop(at);
    else grab.value = null;
  };
  const key = (pressed: KeyboardEvent) => {
    if (pressed.key !== "Escape") return;
    pressed.preventDefault();
    pressed.stopPropagation();
    end(false);
  };
  const listening = new AbortController(), { signal } = listening;
  handle.addEventListener("pointermove", move, { signal });
  handle.addEventListener("pointerup", () => end(true), { signal });
  handle.addEventListener("pointercancel", () => end(false), { signal });
  window.addEventListener("keydown", key, { capture: true, signal });
}
