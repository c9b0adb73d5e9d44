// SPDX-License-Identifier: GPL-3.0-or-later
// The graph region: the canvas with its controls, the list of nodes beside it, the legend. Without WebGL, only the list is shown.
import "./region.css";
import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { addShortcuts } from "../base/help";
import { Icon } from "../base/icons";
import { loading, nodes, nodesById, openNode, relationships, session, tell } from "../base/state";
import { GraphCanvas } from "./canvas";
import { Legend } from "./legend";
import { NodeList } from "./list";
import { ask, focus, PADDING, SHAPE, standout, traceWords } from "./view";

const LIST_KEPT = "lectern.list";
const listOpen = signal(localStorage.getItem(LIST_KEPT) !== "closed");
const legendOpen = signal(false);
const canvas = signal<GraphCanvas | null>(null);
const without = signal(false); // WebGL

function toggleList(): void {
  listOpen.value = !listOpen.value;
  localStorage.setItem(LIST_KEPT, listOpen.value ? "open" : "closed");
}

function giveUp(): void {
  if (without.peek()) return;
  without.value = true;
  tell("info", "This browser cannot draw the graph (WebGL is off or has failed). The list of nodes has all of it.");
}

const KEYS: Record<string, (drawn: GraphCanvas) => void> = {
  "+": drawn => drawn.zoom("in"),
  "=": drawn => drawn.zoom("in"),
  "-": drawn => drawn.zoom("out"),
  "0": drawn => drawn.fit(),
  ArrowLeft: drawn => drawn.pan(-1, 0),
  ArrowRight: drawn => drawn.pan(1, 0),
  ArrowUp: drawn => drawn.pan(0, -1),
  ArrowDown: drawn => drawn.pan(0, 1),
};

addShortcuts("Graph", [
  { keys: "+, -", does: "Nearer, farther" },
  { keys: "0", does: "All of it" },
  { keys: "←, →, ↑, ↓", does: "Move the graph; in the list: go through the nodes" },
  { keys: "Enter", does: "In the list: open the node" },
]);

// The place of the canvas. The canvas is made when the place first has a size, for a curriculum that has something to draw.
function Canvas() {
  const place = useRef<HTMLDivElement>(null);
  const some = nodes.value.length > 0 || (session.value?.nodes ?? 0) > 0;
  useEffect(() => {
    const element = place.current;
    if (!element || !some) return;
    const begin = () => {
      if (canvas.peek() || element.clientWidth === 0) return;
      SHAPE.value = Math.max(0.45, Math.min(2.5, (element.clientWidth - 2 * PADDING) / (element.clientHeight - 2 * PADDING)));
      try {
        canvas.value = new GraphCanvas(element, giveUp, () => queueMicrotask(again));
      } catch (error) {
        console.warn(error);
        giveUp();
      }
    };
    const end = () => {
      canvas.peek()?.kill();
      canvas.value = null;
    };
    const again = () => {
      end();
      begin();
    };
    const watch = new ResizeObserver(begin);
    watch.observe(element);
    begin();
    return () => {
      watch.disconnect();
      end();
    };
  }, [some]);
  const onKey = (event: KeyboardEvent) => {
    const act = KEYS[event.key];
    if (!act || !canvas.value || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    act(canvas.value);
  };
  return (
    <div ref={place} class="graph-canvas" role="application" tabIndex={0} onKeyDown={onKey}
      aria-label={`Graph of ${session.value?.title ?? "the curriculum"}: ${nodes.value.length} nodes, ${relationships.value.length} relationships`}
      aria-describedby="graph-keys">
      <p id="graph-keys" class="hidden">Plus and minus zoom, arrows move, zero shows all. The list of nodes beside it has the same nodes.</p>
    </div>
  );
}

function Controls() {
  const drawn = canvas.value;
  return (
    <div class="graph-controls" role="group" aria-label="View of the graph">
      <button type="button" class="icon-button" aria-label="Nearer" title="Nearer (+)" onClick={() => drawn?.zoom("in")}><Icon name="plus" /></button>
      <button type="button" class="icon-button" aria-label="Farther" title="Farther (-)" onClick={() => drawn?.zoom("out")}><Icon name="minus" /></button>
      <button type="button" class="icon-button" aria-label="All of it" title="All of it (0)" onClick={() => drawn?.fit()}><Icon name="fit" /></button>
    </div>
  );
}

function Questions() {
  const open = openNode.value;
  const title = open ? nodesById.value.get(open)?.title ?? open : null;
  return (
    <div class="graph-questions">
      <button type="button" class="icon-button graph-list-button" aria-expanded={listOpen.value || without.value} aria-controls="graph-list"
        aria-pressed={listOpen.value} onClick={toggleList} title="List of nodes"><Icon name="list" /><span>List</span></button>
      <button type="button" class="icon-button graph-list-button" aria-expanded={legendOpen.value} aria-controls="graph-legend"
        aria-pressed={legendOpen.value} onClick={() => { legendOpen.value = !legendOpen.value; }} title="What lines and colours mean">
        <Icon name="graph" /><span>Legend</span></button>
      {title && [
        <button key="needs" type="button" class="button button-small ask" aria-pressed={focus.value === "needs"} onClick={() => ask("needs")}
          title={`What “${title}” needs`}><Icon name="needs" /> What it needs</button>,
        <button key="neededBy" type="button" class="button button-small ask" aria-pressed={focus.value === "neededBy"}
          onClick={() => ask("neededBy")} title={`What needs “${title}”`}><Icon name="neededBy" /> What needs it</button>,
      ]}
    </div>
  );
}

function Standout() {
  const out = standout.value;
  return (
    <div class="graph-standout" role="status">
      {out && <span class="standout"><span>{out.words}</span>
        <button type="button" class="icon-button" aria-label="Clear the highlight" onClick={out.clear}><Icon name="close" /></button></span>}
    </div>
  );
}

export default function GraphRegion() {
  const empty = !loading.value && session.value && nodes.value.length === 0;
  const list = listOpen.value || without.value;
  return (
    <div class={without.value ? "graph list-alone" : "graph"}>
      <Questions />
      <div class="graph-body">
        {list && <div id="graph-list" class="graph-list"><NodeList onShow={id => {
          if (canvas.value && !canvas.value.isInView(id)) canvas.value.show([id]);
        }} /></div>}
        {!without.value && <div class="graph-place">
          <Canvas />
          <Standout />
          <Controls />
          {legendOpen.value && <div id="graph-legend" class="graph-legend"><Legend /></div>}
          {loading.value && nodes.value.length === 0 && <p class="graph-note">Loading the curriculum…</p>}
          {empty && <p class="graph-note">No nodes yet. Ask the chat to add one, or import a curriculum.</p>}
        </div>}
      </div>
      <p class="hidden" role="status">{traceWords.value}</p>
    </div>
  );
}
