// SPDX-License-Identifier: GPL-3.0-or-later
// Unsaved texts. Each is in the browser's storage from the first keystroke until it is saved or discarded, so that a reload, a lost
// connection or somebody else's edit loses nothing. An unused form stores nothing.
import type { Component } from "../base/types";
import { kindOf } from "./draw";
import { emptyParameters, isObject, tidy, type Parameters } from "./kinds";

export interface Draft {
  type: string;
  parameters: Parameters;
  base: Parameters | null; // what it was written over; null: a new component
  revision: number; // of base; 0: a new component
  after: string | null; // a new one: after which component, null: first
  key?: string; // a new one: the same over every attempt, so that it is added once
}

// Whether there is a word in it that would be lost.
export function isTouched({ type, parameters, base }: Draft): boolean {
  const kind = kindOf(type);
  const begun = base ?? (kind ? emptyParameters(kind) : {});
  const text = (of: Parameters) => JSON.stringify(kind ? tidy(kind, of) : of);
  return text(parameters) !== text(begun);
}

const PREFIX = "lectern.draft";
export const NEW = "new";

export class Drafts {
  // Where the storage is full or forbidden a draft still lives as long as the page.
  private readonly held = new Map<string, Draft>();
  full = false;

  constructor(private readonly storage: Storage | null) {}

  private key(sid: string, nid: string, id: string): string {
    return [PREFIX, sid, nid, id].map(encodeURIComponent).join("/");
  }

  read(sid: string, nid: string, id: string): Draft | null {
    const key = this.key(sid, nid, id);
    const held = this.held.get(key);
    if (held) return held;
    const text = this.storage?.getItem(key);
    if (!text) return null;
    try {
      const draft = JSON.parse(text) as Draft;
      return isObject(draft) && isObject(draft.parameters) && typeof draft.type === "string" ? draft : null;
    } catch {
      return null; // not ours
    }
  }

  // An untouched one is held for its open form alone, and is not in the storage.
  keep(sid: string, nid: string, id: string, draft: Draft): void {
    const key = this.key(sid, nid, id);
    this.held.set(key, draft);
    try {
      if (isTouched(draft)) this.storage?.setItem(key, JSON.stringify(draft));
      else this.storage?.removeItem(key);
      this.full = false;
    } catch {
      this.full = true;
    }
  }

  drop(sid: string, nid: string, id: string): void {
    const key = this.key(sid, nid, id);
    this.held.delete(key);
    this.storage?.removeItem(key);
  }

  // When a form closes or the lesson is left: what nobody has written in goes.
  dropUntouched(sid: string, nid: string, id: string): void {
    const draft = this.read(sid, nid, id);
    if (draft && !isTouched(draft)) this.drop(sid, nid, id);
  }

  // The ids of a node that have one.
  of(sid: string, nid: string): string[] {
    const start = this.key(sid, nid, "");
    const keys = new Set(this.held.keys());
    for (let i = 0; this.storage && i < this.storage.length; i++) keys.add(this.storage.key(i) ?? "");
    return [...keys].filter(key => key.startsWith(start)).map(key => decodeURIComponent(key.slice(start.length)));
  }
}

export function draftOver(component: Component): Draft {
  const parameters = isObject(component.parameters) ? component.parameters : {};
  return { type: component.component_type, parameters, base: parameters, revision: component.revision, after: null };
}
