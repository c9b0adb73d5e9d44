// SPDX-License-Identifier: GPL-3.0-or-later
// The state of the graph region: the structure of the curriculum, which nodes are highlighted and why, hidden types, marks of recent edits.
import { computed, effect, signal } from "@preact/signals";
import { landed, lit, nodes, nodesById, openNode, relationships, session } from "../base/state";
import { person, plural } from "../base/words";
import { reached, structureOf } from "./reach";

export const PADDING = 24; // pixels around the graph
export const SHAPE = signal(0.85); // of the place for the canvas: width by height
export const structure = computed(() => structureOf(nodes.value, relationships.value, SHAPE.value));

// Groups in teaching order, with their numbers of nodes.
export const groups = computed(() => {
  const { layout, group } = structure.value;
  const counts = new Map<string, number>();
  for (const node of layout.order) counts.set(group[node], (counts.get(group[node]) ?? 0) + 1);
  const all = [...counts].map(([name, count]) => ({ name, count }));
  return layout.blocks.length > 0 ? all : all.sort((a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }));
});
export const groupIndex = computed(() => new Map(groups.value.map((group, i) => [group.name, i])));

export const hiddenTypes = signal<ReadonlySet<string>>(new Set());
export const chosenGroup = signal<string | null>(null);

// The question of the user about the open node.
type Focus = "needs" | "neededBy" | null;
export const focus = signal<Focus>(null);
effect(() => {
  if (openNode.value === null) focus.value = null;
});
const opened = computed(() => session.value?.session_id); // not its title or size, which change under it
effect(() => {
  void opened.value;
  hiddenTypes.value = new Set();
  chosenGroup.value = null;
});

const standing = (inOrder: string[], words: string, clear: () => void) => ({ nodes: new Set(inOrder) as ReadonlySet<string>, inOrder, words, clear });

function titleOf(id: string): string {
  return nodesById.value.get(id)?.title ?? id;
}

// Only one reason counts at a time: the newest asked for (a focus or a group puts out the light, and a light puts out both).
export const standout = computed<ReturnType<typeof standing> | null>(() => {
  const open = openNode.value;
  if (focus.value && open) {
    const found = reached(open, structure.value, focus.value === "needs" ? "before" : "after");
    const words = focus.value === "needs" ? `“${titleOf(open)}” needs ${plural(found.length - 1, "node")}`
      : `${plural(found.length - 1, "node")} need${found.length === 2 ? "s" : ""} “${titleOf(open)}”`;
    return standing(found, words, () => { focus.value = null; });
  }
  const name = chosenGroup.value;
  if (name !== null) {
    const { group, nodes: all } = structure.value;
    const found = all.filter((_, i) => group[i] === name).map(node => node.node_id);
    return standing(found, `${name}: ${plural(found.length, "node")}`, () => { chosenGroup.value = null; });
  }
  const light = lit.value;
  if (light) {
    const found = light.nodes.filter(id => nodesById.value.has(id));
    if (found.length === 0) return null;
    const words = { answer: `The answer mentions ${plural(found.length, "node")}`, search: `Found: ${plural(found.length, "node")}`,
      path: `A path of ${plural(found.length, "node")}` }[light.why];
    return standing(found, words, () => { lit.value = null; });
  }
  return null;
});
effect(() => {
  if (lit.value) {
    focus.value = null;
    chosenGroup.value = null;
  }
});
export function ask(what: Focus): void {
  chosenGroup.value = null;
  lit.value = null;
  focus.value = focus.value === what ? null : what;
}
export function chooseGroup(name: string): void {
  focus.value = null;
  lit.value = null;
  chosenGroup.value = chosenGroup.value === name ? null : name;
}

// Edits by others: a ring in the graph for some seconds, a word in the list for longer.
export const RING_MS = 8000;
const WORD_MS = 120_000;
export interface Trace { who: string; at: number }
export const traces = signal<ReadonlyMap<string, Trace>>(new Map());
export const traceWords = signal("");
let seen = 0;
effect(() => {
  const newest = landed.value;
  if (!newest || newest.serial <= seen) return;
  seen = newest.serial;
  const { node_id: id, target, who } = newest.change;
  if (newest.own) return;
  const name = person(who);
  const now = Date.now();
  if (id) {
    const kept = [...traces.peek()].filter(([, trace]) => now - trace.at < WORD_MS);
    traces.value = new Map([...kept, [id, { who: name, at: now }]]);
    traceWords.value = `${name} has changed “${nodesById.peek().get(id)?.title ?? id}”.`;
    setTimeout(() => { traces.value = new Map([...traces.peek()].filter(([, trace]) => Date.now() - trace.at < WORD_MS)); }, WORD_MS + 50);
  } else {
    traceWords.value = `${name} has changed the ${target === "session" ? "curriculum" : target}.`;
  }
});
