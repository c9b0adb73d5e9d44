// SPDX-License-Identifier: GPL-3.0-or-later
// A text field that offers the nodes that fit what is typed: a combobox, with its list below it.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { CourseNode } from "./types";

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
    } else if (event.key === "Enter" && open) take(found[at]);
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
