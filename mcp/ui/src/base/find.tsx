// SPDX-License-Identifier: GPL-3.0-or-later
// Finding nodes by what a person types: ids and titles, whatever their case and accents; and the text field that offers what is found.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { isComposing } from "./keys";
import type { CourseNode } from "./types";

export function plain(text: string): string {
  return text.normalize("NFKD").replace(/\p{Mn}/gu, "").toLowerCase();
}

// 0: no match; higher is better. Matches of ids and of the beginnings of words rank first.
function fit(node: CourseNode, words: string[]): number {
  const id = plain(node.node_id);
  const title = plain(node.title);
  let sum = 0;
  for (const word of words) {
    if (id === word) sum += 100;
    else if (title.startsWith(word)) sum += 20;
    else if (` ${title}`.includes(` ${word}`)) sum += 10;
    else if (id.startsWith(word)) sum += 8;
    else if (title.includes(word) || id.includes(word)) sum += 2;
    else return 0;
  }
  return sum;
}

export function findNodes(nodes: CourseNode[], typed: string): CourseNode[] {
  const words = plain(typed).split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const found = nodes.map(node => ({ node, fit: fit(node, words) })).filter(each => each.fit > 0);
  return found.sort((a, b) => b.fit - a.fit).map(each => each.node);
}

interface Props {
  id: string;
  typed: string;
  found: readonly CourseNode[]; // that are offered
  open: boolean; // its owner opens it with the first letter
  setOpen: (open: boolean) => void;
  type: (text: string) => void;
  choose: (node: CourseNode) => void;
  escape?: () => void; // while nothing is open
  input: JSX.IntrinsicElements["input"]; // what else the field has: its name, what it says while it is empty
}

// A combobox, with its list below it.
export function NodeBox({ id, typed, found, open, setOpen, type, choose, escape, input }: Props) {
  const [at, setAt] = useState(0);
  const shows = open && found.length > 0, option = (index: number) => `${id}-option-${index}`;
  const take = (node: CourseNode | undefined) => {
    if (!node) return;
    setOpen(false);
    choose(node);
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      if (!open) setOpen(true);
      else if (shows) setAt((at + (event.key === "ArrowDown" ? 1 : found.length - 1)) % found.length);
    } else if (event.key === "Enter" && open && !isComposing(event)) take(found[at]);
    else if (event.key === "Escape" && open) {
      setOpen(false);
      event.stopPropagation();
    } else if (event.key === "Escape" && escape) escape();
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input {...input} id={id} type="text" role="combobox" aria-autocomplete="list" aria-expanded={shows} aria-controls={`${id}-list`} autocomplete="off"
        spellcheck={false} aria-activedescendant={shows ? option(at) : undefined} value={typed} onKeyDown={onKey} onBlur={() => setOpen(false)}
        onInput={event => { setAt(0); type(event.currentTarget.value); }} />
      <ul id={`${id}-list`} class="node-box" role="listbox" aria-label="Nodes found" hidden={!shows}>
        {found.map((node, index) => (
          <li key={node.node_id} id={option(index)} role="option" aria-selected={index === at}
            onMouseDown={event => event.preventDefault()} onMouseMove={() => setAt(index)} onClick={() => take(node)}>
            <span class="node-box-title">{node.title}</span> <span class="node-box-id">{node.node_id}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
