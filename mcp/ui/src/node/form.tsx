// SPDX-License-Identifier: GPL-3.0-or-later
// The form of a component, in its place: fields by its type, a preview, and a draft that is stored with every keystroke. A save names the
// revision on which the draft is based; if the component has changed since, both texts are shown.
import { useEffect, useRef, useState } from "preact/hooks";
import { isComposing } from "../base/keys";
import { ApiError } from "../base/api";
import type { Component } from "../base/types";
import { errorText, person, randomHex } from "../base/words";
import { blanksOf, problemsOf } from "./check";
import { Stale } from "./compare";
import { kindOf, kinds } from "./draw";
import { Drawn } from "./drawn";
import { isTouched, type Draft } from "./drafts";
import { FieldOf } from "./fields";
import { mergeValues, same } from "./flat";
import { emptyParameters, tidy, type Parameters } from "./kinds";
import { drafts, faultsOf, insertComponent, readOthers, saveComponent, shown, throwDraft, traces, type Fault, type Shown } from "./store";

interface Props {
  at: Shown;
  component: Component | null; // null: a new or a deleted one
  draft: Draft;
  id: string; // the draft's name
  focus: boolean;
  done: (id: string | null) => void; // null: closed without saving
}

export function Form({ at, component, draft: first, id, focus, done }: Props) {
  const [draft, setDraft] = useState(first);
  const [busy, setBusy] = useState(false);
  const [faults, setFaults] = useState<readonly Fault[]>([]);
  const [failed, setFailed] = useState<string | null>(null);
  const [comparing, setComparing] = useState(false);
  const place = useRef<HTMLFormElement>(null);
  const kind = kindOf(draft.type);
  const sent = kind ? tidy(kind, draft.parameters) : draft.parameters;
  const beneath = component && component.revision !== draft.revision;
  const stale = beneath && !same([component.parameters, component.component_type], [draft.base, draft.type]);
  const who = person(traces.value.get(id)?.who, true);

  useEffect(() => {
    if (focus) place.current?.scrollIntoView({ block: "nearest" });
  }, []);

  // What others changed leaves the text as it was (a place, a confidence): nothing to compare.
  useEffect(() => {
    if (beneath && !stale) write({ ...draft, revision: component.revision }, false);
  }, [component?.revision]);

  function write(next: Draft, keep = true) {
    next.key = undefined; // another text is another addition
    setDraft(next);
    if (keep || drafts.read(at.sid, at.nid, id)) drafts.keep(at.sid, at.nid, id, next);
    if (keep && drafts.full) setFailed("The browser does not keep drafts over a reload now. Save soon.");
  }

  function change(name: string, value: unknown) {
    setFaults(faults.filter(fault => fault.loc[0] !== name));
    write({ ...draft, parameters: { ...draft.parameters, [name]: value } });
  }

  function changeType(type: string) {
    const target = kindOf(type)!, made = emptyParameters(target);
    for (const name of Object.keys(made)) if (draft.parameters[name] !== undefined) made[name] = draft.parameters[name];
    write({ ...draft, type, parameters: made });
  }

  async function save(revision: number) {
    if (!kind || busy) return;
    if (component && same(sent, component.parameters) && draft.type === component.component_type) {
      drafts.drop(at.sid, at.nid, id);
      return done(id);
    }
    const problems = [...problemsOf(draft.type, sent), ...blanksOf(kind, sent)];
    if (problems.length) return show(problems.map(({ field, text }) => ({ loc: field.split("."), text })));
    setBusy(true);
    setFailed(null);
    try {
      const now = shown.value ?? at, key = draft.key ?? randomHex(16);
      if (!component) {
        const tried = { ...draft, key }; // an attempt whose answer is lost is made again under the same key
        setDraft(tried);
        drafts.keep(at.sid, at.nid, id, tried);
      }
      const saved = component ? (await saveComponent(at, component, draft.type, sent, revision), id)
        : await insertComponent(at, draft.type, sent, positionOf(now, draft), key);
      drafts.drop(at.sid, at.nid, id);
      done(saved);
    } catch (error) {
      setBusy(false);
      if (error instanceof ApiError && error.stale) {
        await readOthers(at);
        setComparing(true);
      } else {
        const found = faultsOf(error);
        if (found.length) show(found);
        else setFailed(errorText(error));
      }
    }
  }

  function show(found: Fault[]) {
    setFaults(found);
    requestAnimationFrame(() => place.current?.querySelector<HTMLElement>("[aria-invalid]")?.focus());
  }

  function close() {
    drafts.dropUntouched(at.sid, at.nid, id);
    done(null);
  }

  function throwAway() {
    throwDraft(at, id);
    done(null);
  }

  function keys(event: KeyboardEvent) {
    if (isComposing(event)) return;
    const inLine = event.target instanceof HTMLInputElement && !["radio", "checkbox"].includes(event.target.type);
    if (event.key === "Escape") {
      event.stopPropagation();
      event.preventDefault();
      close();
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey || inLine)) {
      event.preventDefault();
      if (!comparing) void save(draft.revision);
    }
  }

  if (comparing && component)
    return (
      <form class="n-form" ref={place} onSubmit={event => event.preventDefault()} onKeyDown={keys} aria-busy={busy}>
        <Stale type={draft.type} mine={sent} theirs={component.parameters} who={who} busy={busy}
          keepMine={() => {
            write({ ...draft, revision: component.revision, base: component.parameters });
            setComparing(false);
            void save(component.revision);
          }}
          takeTheirs={throwAway}
          mergeBoth={() => {
            const { value, clash } = mergeValues(draft.base, sent, component.parameters);
            write({ ...draft, parameters: value as Parameters, base: component.parameters, revision: component.revision });
            setComparing(false);
            setFailed(clash ? "Both of you changed the same words: your version comes first, then theirs. Combine them." : null);
            requestAnimationFrame(() => place.current?.querySelector<HTMLElement>("textarea, input")?.focus());
          }} />
        {failed && <p class="n-fault" role="alert">{failed}</p>}
      </form>
    );

  const known = new Set(kind?.fields.map(field => field.name));
  const loose = faults.filter(fault => !known.has(fault.loc[0]));
  const touched = isTouched(draft);
  return (
    <form class="n-form" ref={place} onSubmit={event => event.preventDefault()} onKeyDown={keys} aria-busy={busy}
      aria-label={component ? `Edit: ${kind?.label ?? "Component"}, place ${component.order}` : `New: ${kind?.label ?? "component"}`}>
      <p class="n-label">{component ? kind?.label ?? "Unknown type" : `New: ${kind?.label ?? ""}`}</p>
      {stale && <div class="n-beneath" role="status">
        <p>{who} has changed the text beneath this form. Your words are untouched.</p>
        <button type="button" class="button button-small" onClick={() => setComparing(true)}>Show both</button>
      </div>}
      {!kind && <div class="n-field">
        <label>Its type "{draft.type}" is not known. Make it a{" "}
          <select class="field" value="" onChange={event => changeType(event.currentTarget.value)}>
            <option value="" disabled>choose a type</option>
            {kinds.map(each => <option key={each.name} value={each.name}>{each.label}</option>)}
          </select></label>
      </div>}
      {kind?.fields.map((field, i) => <FieldOf key={field.name} field={field} parameters={draft.parameters} faults={faults} first={focus && i === 0}
        change={value => change(field.name, value)} />)}
      {loose.map(fault => <p class="n-fault" key={fault.text}>{fault.loc.join(".")} {fault.text}</p>)}
      {kind && problemsOf(draft.type, sent).length === 0 && <details class="n-preview" open>
        <summary>Preview</summary><Drawn type={draft.type} parameters={sent} />
      </details>}
      {failed && <p class="n-fault" role="alert">{failed}</p>}
      <div class="n-actions">
        <button type="button" class="button button-main" disabled={busy || !kind} onClick={() => void save(draft.revision)}>{busy ? "Saving…" : component ? "Save" : "Add"}</button>
        <button type="button" class="button" disabled={busy} onClick={close}>{touched ? "Close" : "Cancel"}</button>
        {touched && <button type="button" class="button n-throw" disabled={busy} onClick={throwAway}>Throw draft away</button>}
        <span class="n-hint n-keys"><kbd>Ctrl</kbd> <kbd>Enter</kbd> saves, <kbd>Esc</kbd> {touched ? "closes; your draft is kept." : "cancels."}</span>
      </div>
    </form>
  );
}

// After the component at which the draft was begun, at its current position.
function positionOf(at: Shown, draft: Draft): number {
  if (draft.after === null) return 1;
  const found = at.components.findIndex(each => each.component_id === draft.after);
  return found < 0 ? at.components.length + 1 : found + 2;
}
