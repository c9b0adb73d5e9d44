// SPDX-License-Identifier: GPL-3.0-or-later
// All nodes as a list, in teaching order: the way of the keyboard and of screen readers through the graph. Only the options in view
// are in the page, so that thousands cost nothing; each says its place in the whole.
import { computed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { plain } from "../base/find";
import { openNode, region } from "../base/state";
import { standout, structure, traces } from "./view";

const ROW_PX = 50;
const BEYOND = 6; // rendered options above and below the visible ones
const TYPED_MS = 700;

const shown = computed<Int32Array | number[]>(() => {
  const { layout, nodes, index } = structure.value;
  const out = standout.value;
  if (!out) return layout.order;
  if (out.words.startsWith("A path")) return out.inOrder.map(id => index.get(id) as number);
  return [...layout.order].filter(i => out.nodes.has(nodes[i].node_id));
});

function Option({ node, at, of, active }: { node: number; at: number; of: number; active: boolean }) {
  const { nodes, layout, before, after, group } = structure.value;
  const { node_id: id, title } = nodes[node];
  const trace = traces.value.get(id);
  return (
    <li id={`graph-option-${at}`} class={active ? "option active" : "option"} role="option" aria-selected={openNode.value === id}
      aria-setsize={of} aria-posinset={at + 1} data-at={at} style={{ top: `${at * ROW_PX}px` }}>
      <span class="option-title">{title || id}</span>
      <span class="option-about">
        {trace && <span class="option-trace">{trace.who} has changed it</span>}
        <span class={trace ? "hidden" : undefined}>{id} · depth {layout.depth[node]}
          <span aria-hidden="true"> · ↑ {before[node].length} ↓ {after[node].length}</span></span>
        <span class="hidden">, needs {before[node].length}, needed by {after[node].length}, {group[node]}</span>
      </span>
    </li>
  );
}

export function NodeList({ onShow }: { onShow: (id: string) => void }) {
  const box = useRef<HTMLUListElement>(null);
  const top = useSignal(0);
  const height = useSignal(600);
  const active = useSignal(0);
  const typed = useRef({ text: "", at: 0 });
  const { nodes } = structure.value;
  const rows = shown.value;

  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const watch = new ResizeObserver(() => { height.value = element.clientHeight; });
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  useEffect(() => { active.value = Math.max(0, Math.min(active.value, rows.length - 1)); }, [rows]);
  // Scrolls to the open node, wherever it was opened.
  const open = openNode.value;
  useEffect(() => {
    const at = rows.findIndex(i => nodes[i].node_id === open);
    if (at >= 0) go(at);
  }, [open, rows]);

  function go(to: number): void {
    const element = box.current;
    active.value = Math.max(0, Math.min(rows.length - 1, to));
    if (!element) return;
    const y = active.value * ROW_PX;
    if (y < element.scrollTop) element.scrollTop = y;
    else if (y + ROW_PX > element.scrollTop + element.clientHeight) element.scrollTop = y + ROW_PX - element.clientHeight;
    top.value = element.scrollTop;
  }
  function choose(at: number): void {
    const node = nodes[rows[at]];
    if (!node) return;
    active.value = at;
    openNode.value = node.node_id;
    onShow(node.node_id);
  }
  function jump(letter: string): void {
    const now = Date.now();
    const text = now - typed.current.at < TYPED_MS ? typed.current.text + letter : letter;
    typed.current = { text, at: now };
    const sought = plain(text);
    for (let i = text.length > 1 ? 0 : 1; i <= rows.length; i++) {
      const at = (active.value + i) % rows.length;
      if (plain(nodes[rows[at]].title).startsWith(sought)) return go(at);
    }
  }
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || rows.length === 0) return;
    const page = Math.max(1, Math.floor(height.value / ROW_PX) - 1);
    const to: Record<string, number> = { ArrowDown: active.value + 1, ArrowUp: active.value - 1, PageDown: active.value + page,
      PageUp: active.value - page, Home: 0, End: rows.length - 1 };
    if (event.key in to) go(to[event.key]);
    else if (event.key === "Enter" || (event.key === " " && Date.now() - typed.current.at > TYPED_MS)) {
      choose(active.value);
      if (event.key === "Enter") region.value = "node";
    } else if (event.key.length === 1 && event.key !== "/" && event.key !== "?") jump(event.key);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const first = Math.max(0, Math.floor(top.value / ROW_PX) - BEYOND);
  const last = Math.min(rows.length, Math.ceil((top.value + height.value) / ROW_PX) + BEYOND);
  const inPage = [];
  for (let at = first; at < last; at++) inPage.push(at);
  if (rows.length > 0 && (active.value < first || active.value >= last)) inPage.push(Math.min(active.value, rows.length - 1));
  return (
    <ul ref={box} class="node-list" role="listbox" tabIndex={0} aria-label={`Nodes in teaching order, ${rows.length}`}
      aria-activedescendant={rows.length > 0 ? `graph-option-${active.value}` : undefined} onKeyDown={onKey}
      onScroll={event => { top.value = event.currentTarget.scrollTop; }}
      onClick={event => {
        const option = (event.target as HTMLElement).closest<HTMLElement>("[data-at]");
        if (option) choose(Number(option.dataset.at));
      }} onDblClick={() => { region.value = "node"; }}>
      <li class="node-list-height" role="presentation" style={{ height: `${rows.length * ROW_PX}px` }} />
      {inPage.map(at => <Option key={nodes[rows[at]].node_id} node={rows[at]} at={at} of={rows.length} active={at === active.value} />)}
    </ul>
  );
}
