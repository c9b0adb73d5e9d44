// SPDX-License-Identifier: GPL-3.0-or-later
// The search box: a combobox over the nodes. All that fits lights up in the graph; a choice opens the node, or behind an arrow ("A > B")
// shows the path to it.
import { useRef, useState } from "preact/hooks";
import { findNodes } from "./find";
import { Icon } from "./icons";
import { showPath, sidesOf } from "./path";
import { lit, nodes, openNode, region } from "./state";
import type { CourseNode } from "./types";

const SHOWN = 12;

function option(index: number): string {
  return `search-option-${index}`;
}

export function Search() {
  const [typed, setTyped] = useState("");
  const [found, setFound] = useState<CourseNode[]>([]);
  const [chosen, setChosen] = useState(0);
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLInputElement>(null);

  const type = (text: string) => {
    const sides = sidesOf(text);
    const all = findNodes(nodes.value, sides ? sides[1] : text);
    setTyped(text);
    setFound(all);
    setChosen(0);
    setOpen(text.trim() !== "");
    if (all.length > 0 && !sides) lit.value = { why: "search", nodes: all.map(node => node.node_id) };
    else if (lit.value?.why === "search") lit.value = null;
  };
  const choose = (node: CourseNode | undefined) => {
    if (!node) return;
    const sides = sidesOf(typed);
    const from = sides && findNodes(nodes.value, sides[0])[0];
    if (from) {
      setOpen(false);
      void showPath(from, node);
      return;
    }
    openNode.value = node.node_id;
    setOpen(false);
    region.value = "node";
  };
  const onKey = (event: KeyboardEvent) => {
    const count = Math.min(found.length, SHOWN);
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (!open) setOpen(typed !== "");
      else if (count > 0) setChosen((chosen + (event.key === "ArrowDown" ? 1 : count - 1)) % count);
    } else if (event.key === "Enter") {
      event.preventDefault();
      choose(found[chosen]);
    } else if (event.key === "Escape") {
      event.preventDefault();
      if (open) setOpen(false);
      else type("");
    }
  };
  const shown = found.slice(0, SHOWN);
  return (
    <div class="search" onFocusOut={event => {
      if (!(event.currentTarget as HTMLElement).contains(event.relatedTarget as Node | null)) setOpen(false);
    }}>
      <Icon name="search" />
      <input ref={box} id="search" type="text" role="combobox" aria-label="Find nodes by id or title, or a path: A > B" aria-autocomplete="list"
        aria-expanded={open && shown.length > 0} aria-controls="search-list" autocomplete="off" spellcheck={false}
        aria-activedescendant={open && shown.length > 0 ? option(chosen) : undefined} placeholder="Find a node, or a path: A > B"
        value={typed} onInput={event => type(event.currentTarget.value)} onKeyDown={onKey} onFocus={() => setOpen(typed !== "")} />
      <kbd class="search-key" aria-hidden="true">/</kbd>
      <ul id="search-list" role="listbox" aria-label="Nodes found" hidden={!open || shown.length === 0}>
        {shown.map((node, index) => (
          <li key={node.node_id} id={option(index)} role="option" aria-selected={index === chosen}
            onMouseDown={event => event.preventDefault()} onMouseMove={() => setChosen(index)} onClick={() => choose(node)}>
            <span class="search-title">{node.title}</span> <span class="search-id">{node.node_id}</span>
          </li>
        ))}
      </ul>
      {open && <p class="search-count" role="status">
        {found.length === 0 ? "No id or title matches." : found.length > SHOWN ? `${found.length} nodes, lit in the graph` : ""}
      </p>}
    </div>
  );
}
