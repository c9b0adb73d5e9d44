// SPDX-License-Identifier: GPL-3.0-or-later
// Making, importing, renaming and deleting curricula: the menu beside the curriculum's name, its dialog, and what is shown where no curriculum
// is open.
import { signal } from "@preact/signals";
import type { Schemas } from "contract";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { createSession, deleteSession, renameSession } from "./api";
import { closeDeleted, openSession, readSessionList } from "./curriculum";
import { Icon } from "./icons";
import { asked } from "./importing";
import { gone, nodes, readOnly, relationships, session, sessions, tell } from "./state";
import { ownChange } from "./undo";
import { errorText, person, plural } from "./words";

type Task = "new" | "rename" | "delete";
const task = signal<Task | null>(null);

async function create(title: string): Promise<void> {
  const id = await createSession(title);
  await readSessionList();
  await openSession(id);
}

async function rename(sid: string, title: string): Promise<void> {
  await renameSession(sid, title);
  await readSessionList();
  tell("info", "Renamed.", undefined, await ownChange(sid));
}

async function remove(sid: string): Promise<void> {
  await deleteSession(sid);
  await readSessionList();
  closeDeleted(null);
}

const WORDS: Record<Task, { item: string; head: string; act: string; busy: string }> = {
  new: { item: "New curriculum…", head: "New curriculum", act: "Create", busy: "Creating…" },
  rename: { item: "Rename…", head: "Rename the curriculum", act: "Rename", busy: "Renaming…" },
  delete: { item: "Delete…", head: "Delete the curriculum?", act: "Delete", busy: "Deleting…" },
};
const IMPORT = "Import…";
const openImport = () => { asked.value = { dropped: null }; };
export const TITLE_MAX: Schemas["SessionNew"]["properties"]["title"]["maxLength"] = 2000;

function Form({ of, close }: { of: Task; close: () => void }) {
  const now = session.value;
  const [title, setTitle] = useState(of === "rename" ? now?.title ?? "" : "");
  const [busy, setBusy] = useState(false), [fault, setFault] = useState<string | null>(null);
  const first = useRef<HTMLElement>(null);
  useEffect(() => first.current?.focus(), []);
  const { head, act, busy: doing } = WORDS[of];
  const save = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    if (of !== "delete" && title.trim() === "") return setFault("Give it a title.");
    setBusy(true);
    try {
      if (of === "new") await create(title.trim());
      else if (now && of === "rename") await rename(now.session_id, title.trim());
      else if (now) await remove(now.session_id);
      close();
    } catch (error) {
      setFault(errorText(error));
      setBusy(false);
    }
  };
  const lessons = plural(nodes.value.length, "lesson");
  return (
    <form class="task" onSubmit={event => void save(event)} aria-labelledby="task-title" aria-busy={busy}>
      <h2 id="task-title">{head}</h2>
      {of === "delete" ? (
        <p><strong>{now?.title}</strong> goes with its {lessons}, {plural(relationships.value.length, "link")}, its history and its
          conversations. This cannot be undone. To keep a copy, run <code>lectern export {now?.session_id}</code> first.</p>
      ) : (
        <label>Title
          <input class="field" ref={first as { current: HTMLInputElement | null }} value={title} maxLength={TITLE_MAX} aria-invalid={fault ? true : undefined}
            onInput={event => { setTitle(event.currentTarget.value); setFault(null); }} /></label>
      )}
      {fault && <p class="task-fault" role="alert">{fault}</p>}
      <div class="task-actions">
        <button type="submit" class={`button ${of === "delete" ? "button-bad" : "button-main"}`} disabled={busy}>
          {busy ? doing : of === "delete" ? `Delete ${lessons}` : act}</button>
        <button type="button" class="button" disabled={busy} ref={of === "delete" ? first as { current: HTMLButtonElement | null } : undefined} onClick={close}>Cancel</button>
      </div>
    </form>
  );
}

export function TaskDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const of = task.value;
  // At once: the event of a close may come later, when the dialog has been opened again.
  useLayoutEffect(() => {
    if (of) dialog.current?.showModal();
    else dialog.current?.close();
  }, [of]);
  return (
    <dialog ref={dialog} aria-labelledby="task-title" onClose={() => { if (!dialog.current?.open) task.value = null; }}>
      {of && <Form key={of} of={of} close={() => { task.value = null; }} />}
    </dialog>
  );
}

export function CurriculumMenu() {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null), list = useRef<HTMLDivElement>(null);
  const begin = (of: Task) => ({ item: WORDS[of].item, run: () => { task.value = of; } });
  const items = [begin("new"), { item: IMPORT, run: openImport }, ...(session.value ? [begin("rename"), begin("delete")] : [])];
  useEffect(() => {
    if (open) list.current?.querySelector("button")?.focus();
  }, [open]);
  const shut = () => {
    setOpen(false);
    button.current?.focus();
  };
  const keys = (event: KeyboardEvent) => {
    const all = [...list.current!.querySelectorAll("button")];
    const at = all.indexOf(document.activeElement as HTMLButtonElement);
    const to = ({ ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 } as Record<string, number | undefined>)[event.key];
    if (to !== undefined) all.at(to % all.length)?.focus();
    else if (event.key === "Escape") shut();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="menu-place" onFocusOut={event => {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOpen(false);
    }}>
      <button type="button" ref={button} class="icon-button" aria-haspopup="menu" aria-expanded={open} aria-label="New, import, rename or delete curriculum"
        title="New, import, rename, delete" onClick={() => setOpen(!open)}><Icon name="more" /></button>
      {open && <div ref={list} class="menu" role="menu" aria-label="Curriculum" onKeyDown={keys}>
        {items.map(({ item, run }) => (
          <button key={item} type="button" role="menuitem" tabIndex={-1} onClick={() => { shut(); run(); }}>{item}</button>
        ))}
      </div>}
    </div>
  );
}

// In the place of the regions.
export function NoCurriculum() {
  const lost = gone.value;
  const others = sessions.value;
  return (
    <main class="empty">
      <h2>{lost ? (lost.title === null ? "Curriculum not found" : `“${lost.title}” was deleted`) : "No curriculum yet"}</h2>
      {lost && <p>{lost.title === null ? "The address names a curriculum that is not in this store; it may have been deleted."
        : lost.who === null ? "Its lessons, history and conversations are gone." : `${person(lost.who, true)} deleted it. Its lessons, history and conversations are gone.`}</p>}
      {others.length > 0 && <>
        <p>{others.length === 1 ? "There is one other:" : "There are others:"}</p>
        <ul class="others">{others.map(each => (
          <li key={each.session_id}><button type="button" class="button" onClick={() => void openSession(each.session_id)}>{each.title || each.session_id}</button></li>
        ))}</ul>
      </>}
      {!readOnly.value && <>
        <p class="empty-actions"><button type="button" class="button button-main" onClick={() => { task.value = "new"; }}>New curriculum</button>
          <button type="button" class="button" onClick={openImport}>{IMPORT}</button></p>
        <p>Files and folders can also be dropped on this page.</p>
      </>}
      {others.length === 0 && !readOnly.value && <p>For the demo, run <code>lectern demo</code> and load this page again.</p>}
    </main>
  );
}
