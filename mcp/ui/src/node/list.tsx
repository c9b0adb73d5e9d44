// SPDX-License-Identifier: GPL-3.0-or-later
// A node's components in order, each with its handle, its mark of edits by others, and its form while it is edited; and the places in
// between, for new ones.
import { signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Icon } from "../base/icons";
import { readOnly } from "../base/state";
import type { Component } from "../base/types";
import { person } from "../base/words";
import { ago } from "./ago";
import { Confirm } from "./confirm";
import { drag, pencil, bin } from "./signs";
import { dragPointer, drop, grab, grabKeys, leave, moveTo, stepTo } from "./drag";
import { draftOver, NEW, type Draft } from "./drafts";
import { Drawn, outline } from "./drawn";
import { Later } from "./later";
import { emptyParameters, type Kind } from "./kinds";
import { moved } from "./order";
import { deleteComponent, drafts, lost, said, traces, type Shown } from "./store";

// The open forms, by component id or NEW, and the place for which a type is being chosen.
export const open = signal<ReadonlySet<string>>(new Set());
const choosing = signal<string | null | false>(false); // behind which component; null: first
// What takes the focus as soon as it is there: something in the item of that id.
const focusOn = signal<{ id: string; what?: string } | null>(null);
// The item that was touched last: without a mouse its tools stay in view.
const touched = signal<string | null>(null);
const clock = signal(Date.now());

const opened = (id: string, is: boolean) => {
  const next = new Set(open.value);
  if (is) next.add(id);
  else next.delete(id);
  open.value = next;
};

// Opens the drafts of an earlier visit.
export function openDrafts(sid: string, nid: string): void {
  for (const id of drafts.of(sid, nid)) drafts.dropUntouched(sid, nid, id);
  open.value = new Set(drafts.of(sid, nid));
  choosing.value = false;
  grab.value = null;
}

function useFocus<T extends HTMLElement>(id: string, what: string) {
  const place = useRef<T>(null);
  useEffect(() => {
    const wanted = focusOn.value;
    if (wanted?.id !== id) return;
    focusOn.value = null;
    place.current?.querySelector<HTMLElement>(wanted.what ?? what)?.focus({ preventScroll: true });
    place.current?.scrollIntoView({ block: "nearest" });
  });
  return place;
}

function TraceOf({ id }: { id: string }) {
  const trace = traces.value.get(id);
  useEffect(() => {
    if (!trace) return;
    const timer = setInterval(() => { clock.value = Date.now(); }, 20_000);
    return () => clearInterval(timer);
  }, [trace]);
  if (!trace) return null;
  return <p class="n-trace">{person(trace.who, true)} {trace.what} this {ago(trace.at, Math.max(clock.value, trace.at))}</p>;
}

interface ItemProps { at: Shown; component: Component; index: number; place: number; mark: "before" | "after" | null; last: boolean }

function Item({ at, component, index, place, mark, last }: ItemProps) {
  const id = component.component_id, name = outline(component.component_type, component.parameters);
  const [deleting, setDeleting] = useState(false), [byHand, setByHand] = useState(false);
  const grabbed = grab.value?.id === id ? grab.value : null;
  const ref = useFocus<HTMLLIElement>(id, deleting ? ".n-confirm button" : ".n-edit");
  const handle = useRef<HTMLButtonElement>(null);
  const editing = open.value.has(id) && !readOnly.value;
  // Moving an element in the page removes its focus: restores it before the next key.
  useLayoutEffect(() => {
    if (grabbed?.by === "keys") {
      handle.current?.focus({ preventScroll: true });
      ref.current?.scrollIntoView({ block: "nearest" });
    }
  }, [grabbed?.to]);

  const keys = (event: KeyboardEvent) => {
    // The current value: keys can arrive faster than the list is drawn.
    const held = grab.peek()?.id === id ? grab.peek() : null, here = held?.to ?? place;
    const steps: Record<string, number> = { ArrowUp: here - 1, ArrowDown: here + 1, Home: 0, End: at.components.length - 1 };
    if (event.key === " " || event.key === "Enter") {
      if (held) void drop(at).then(() => handle.current?.focus());
      else grabKeys(at, component, index);
    } else if (held && event.key === "Escape") {
      leave();
      event.stopPropagation();
      requestAnimationFrame(() => handle.current?.focus());
    } else if (held && event.key in steps) stepTo(at, steps[event.key]);
    else return;
    event.preventDefault();
  };
  const step = (to: number, what: string) => {
    focusOn.value = { id, what };
    void moveTo(at, component, index, to).then(() => { focusOn.value = { id, what }; });
  };
  const edit = () => {
    if (readOnly.value) return;
    setByHand(true);
    opened(id, true);
  };
  const trace = traces.value.get(id);
  return (
    <li class={`n-item${grabbed ? ` n-grabbed n-by-${grabbed.by}` : ""}${trace ? " n-traced" : ""}${editing ? " n-editing" : ""}${mark ? ` n-mark-${mark}` : ""}${touched.value === id ? " n-touched" : ""}`} ref={ref} data-component={id}
      onClick={() => { touched.value = id; }}
      style={grabbed?.by === "pointer" ? { transform: `translateY(${grabbed.shift}px)` } : { transform: "" }}>
      <div class="n-row">
      {readOnly.value ? <span /> : <button type="button" class="n-handle" ref={handle} aria-label={`Move ${name}, place ${place + 1} of ${at.components.length}`} aria-pressed={!!grabbed}
        aria-describedby="n-drag-help" onKeyDown={keys} onPointerDown={event => dragPointer(event, at, component, index)}
        onBlur={() => setTimeout(() => { if (grab.value?.by === "keys" && grab.value.id === id && document.activeElement !== handle.current) leave(); }, 100)}>{drag}</button>}
      <div class="n-body">
        <TraceOf id={id} />
        {editing ? <Later of={parts => <parts.Form at={at} component={component} id={id} focus={byHand} draft={drafts.read(at.sid, at.nid, id) ?? draftOver(component)}
          done={() => { opened(id, false); focusOn.value = { id }; }} />} />
          : <div class="n-drawn" onDblClick={edit}><Drawn type={component.component_type} parameters={component.parameters} /></div>}
        {!editing && !readOnly.value && drafts.read(at.sid, at.nid, id) && <p class="n-draftnote">You have an unsaved draft of this.{" "}
          <button type="button" class="button button-small" onClick={edit}>Continue it</button></p>}
        {deleting && !readOnly.value && <Confirm label="Delete this component?" remove={() => deleteComponent(at, component)} close={done => {
          setDeleting(false);
          const next = at.components[index + 1] ?? at.components[index - 1];
          focusOn.value = { id: !done ? id : next ? next.component_id : "add:null" };
        }}>Delete <strong>{name}</strong>? The lesson loses it; "Undo" brings it back.</Confirm>}
      </div>
      {!editing && !readOnly.value && <div class="n-tools">
        <button type="button" class="icon-button n-up" disabled={index === 0} aria-label={`Move up ${name}`} title="Move up" onClick={() => step(index - 1, ".n-up")}>
          <Icon name="needs" /></button>
        <button type="button" class="icon-button n-down" disabled={index === at.components.length - 1} aria-label={`Move down ${name}`} title="Move down"
          onClick={() => step(index + 1, ".n-down")}><Icon name="neededBy" /></button>
        <button type="button" class="icon-button" aria-label={`Delete ${name}`} title="Delete" onClick={() => setDeleting(true)}>{bin}</button>
        <button type="button" class="icon-button n-edit" aria-label={`Edit ${name}`} title="Edit" onClick={edit}>{pencil}</button>
      </div>}
      </div>
      {!last && !readOnly.value && <Place at={at} after={id} last={false} />}
    </li>
  );
}

function Place({ at, after, last }: { at: Shown; after: string | null; last: boolean }) {
  const ref = useFocus<HTMLDivElement>(`add:${after}`, "button");
  const draft = drafts.read(at.sid, at.nid, NEW);
  const known = draft && at.components.some(each => each.component_id === draft.after);
  const here = draft && open.value.has(NEW) && (draft.after === after || last && draft.after !== null && !known);
  const number = at.components.findIndex(each => each.component_id === after) + 2;
  const choose = (kind: Kind) => {
    const made: Draft = { type: kind.name, parameters: emptyParameters(kind), base: null, revision: 0, after };
    drafts.keep(at.sid, at.nid, NEW, made);
    choosing.value = false;
    opened(NEW, true);
  };
  const close = () => {
    choosing.value = false;
    focusOn.value = { id: `add:${after}` };
  };
  const add = () => {
    if (!draft) choosing.value = after;
    else {
      drafts.keep(at.sid, at.nid, NEW, { ...draft, after });
      opened(NEW, true);
      said.value = "Your draft of a new component is here now.";
    }
  };
  return (
    <div class={`n-place${last ? " n-last" : ""}`} ref={ref}>
      {here ? <Later of={parts => <parts.Form key={draft.type} at={at} component={null} id={NEW} draft={draft} focus={document.activeElement !== document.body}
        done={id => { opened(NEW, false); focusOn.value = { id: id ?? `add:${after}` }; }} />} />
        : choosing.value === after ? <Later of={parts => <parts.Chooser choose={choose} close={close} />} />
          : <button type="button" class="n-add" onClick={add} aria-label={last ? undefined : `Add a component at place ${number || 1}`}>
            <Icon name="plus" />{last && <span>{draft && !open.value.has(NEW) ? "Continue your new component" : "Add a component"}</span>}</button>}
    </div>
  );
}

// Drafts whose component somebody has deleted: the words stay.
function Orphans({ at }: { at: Shown }) {
  const ids = [...open.value].filter(id => id !== NEW && !at.components.some(each => each.component_id === id) && drafts.read(at.sid, at.nid, id));
  return (
    <>
      {ids.map(id => {
        const draft = drafts.read(at.sid, at.nid, id)!, gone = lost.value.find(each => each.component.component_id === id);
        return (
          <div class="n-item n-orphan" key={id}>
            <div class="n-body">
              <p class="n-trace">{person(gone?.who, true)} deleted this while you were writing. Your text is kept: add it again, or throw it away.</p>
              <Later of={parts => <parts.Form at={at} component={null} id={id} focus={false} draft={{ ...draft, after: draft.after ?? at.components[(gone?.component.order ?? 0) - 2]?.component_id ?? null }}
                done={made => { opened(id, false); if (made) focusOn.value = { id: made }; }} />} />
            </div>
          </div>
        );
      })}
    </>
  );
}

export function List({ at }: { at: Shown }) {
  const now = grab.value;
  const components = now?.by === "keys" ? moved(at.components, now.from, now.to) : at.components;
  const others = now?.by === "pointer" && now.to !== now.from ? at.components.filter(each => each.component_id !== now.id) : [];
  const markOf = (id: string) => now && others[now.to]?.component_id === id ? "before"
    : now && now.to === others.length && others[others.length - 1]?.component_id === id ? "after" : null;
  const gone = lost.value.filter(each => !open.value.has(each.component.component_id));
  return (
    <>
      <p id="n-drag-help" class="hidden">Space grabs, arrow keys move, Space drops, Escape leaves it where it was.</p>
      {gone.map(({ component, who }) => (
        <p class="n-trace n-gone" key={component.component_id}>
          <span>{person(who, true)} deleted <strong>{outline(component.component_type, component.parameters)}</strong>.{!readOnly.value && " You can restore it from the history."}</span>
          <button type="button" class="icon-button" aria-label="Close this note"
            onClick={() => { lost.value = lost.value.filter(each => each.component !== component); }}><Icon name="close" /></button>
        </p>
      ))}
      {!readOnly.value && <Orphans at={at} />}
      {components.length === 0 ? <p class="n-hint">This node has no components yet.</p> : !readOnly.value && <Place key="first" at={at} after={null} last={false} />}
      <ol class={`n-list${now ? " n-moving" : ""}`}>
        {components.map((component, i) => <Item key={component.component_id} at={at} component={component} index={at.components.indexOf(component)} place={i}
          mark={markOf(component.component_id)} last={i === components.length - 1} />)}
      </ol>
      {!readOnly.value && <Place key="last" at={at} after={components[components.length - 1]?.component_id ?? null} last />}
      <p class="hidden" role="status">{said.value}</p>
    </>
  );
}
