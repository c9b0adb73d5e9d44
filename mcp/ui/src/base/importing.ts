// SPDX-License-Identifier: GPL-3.0-or-later
// The content of the import dialog: files to choose, with those that were dropped on the page, or the report of an import that is done.
// The dialog is a part that is loaded when it is opened; this is the little that the rest of the page needs of it.
import { signal } from "@preact/signals";
import { readOnly } from "./state";
import type { Imported } from "./types";

// The dropped entries, taken during the event: after it the browser answers nothing.
export type Dropped = (FileSystemEntry | File)[];
type Asked = { dropped: Dropped | null } | { done: Imported; title: string };
export const asked = signal<Asked | null>(null);

// While the import is written the dialog stays open, and nothing else can be dropped.
export const writing = signal(false);

// Whether files are held over the page.
export const hovering = signal(false);

const LEFT_MS = 600; // browsers repeat dragover at least every 350 ms while files are held over the page

function takeDropped(from: DataTransfer): Dropped {
  return [...from.items].filter(item => item.kind === "file").flatMap(item => item.webkitGetAsEntry() ?? item.getAsFile() ?? []);
}

const isTaken = () => !readOnly.peek() && !writing.peek() && !document.querySelector("dialog[open]:not(.import)");

// Files that are dropped anywhere on the page; the answer ends it.
export function takeDrops(): () => void {
  let inner = false; // the drag began in the page: a picture in it is a file as well
  let timer: ReturnType<typeof setTimeout> | undefined;
  const show = (on: boolean) => {
    clearTimeout(timer);
    hovering.value = on;
    if (on) timer = setTimeout(() => show(false), LEFT_MS);
  };
  const has = (event: DragEvent) => !inner && event.dataTransfer?.types.includes("Files");
  const begin = () => { inner = true; };
  const end = () => { inner = false; };
  const over = (event: DragEvent) => {
    if (!has(event)) return;
    event.preventDefault(); // otherwise the browser shows the file in the place of the page
    event.dataTransfer!.dropEffect = isTaken() ? "copy" : "none";
    show(isTaken());
  };
  const drop = (event: DragEvent) => {
    show(false);
    if (!has(event)) return;
    event.preventDefault();
    if (isTaken()) asked.value = { dropped: takeDropped(event.dataTransfer!) };
  };
  const listeners = { dragstart: begin, dragend: end, dragover: over, drop } as const;
  for (const [name, run] of Object.entries(listeners)) addEventListener(name, run as EventListener);
  return () => {
    for (const [name, run] of Object.entries(listeners)) removeEventListener(name, run as EventListener);
  };
}
