// SPDX-License-Identifier: GPL-3.0-or-later
// Graphs as arrays of indices, and breaking their cycles: of the edges among nodes that reach one another, those that lead back in the
// curriculum's own order are left out. Linear.

export interface LayeredGraph { count: number; from: Int32Array; to: Int32Array } // edges as pairs of indices
export interface Adjacency { start: Int32Array; end: Int32Array } // of node i: end[start[i]] up to end[start[i + 1]]

export function adjacency(count: number, from: Int32Array, to: Int32Array): Adjacency {
  const start = new Int32Array(count + 1);
  for (const node of from) start[node + 1]++;
  for (let i = 0; i < count; i++) start[i + 1] += start[i];
  const next = start.slice();
  const end = new Int32Array(from.length);
  for (let i = 0; i < from.length; i++) end[next[from[i]]++] = to[i];
  return { start, end };
}

// For each node the number of its strongly connected component (Tarjan's algorithm, with an explicit stack).
function components({ count, from, to }: LayeredGraph): Int32Array {
  const { start, end } = adjacency(count, from, to);
  const of = new Int32Array(count).fill(-1);
  const seen = new Int32Array(count).fill(-1); // when it was first seen
  const low = new Int32Array(count); // the earliest that it leads back to
  const at = start.slice(0, count);
  const way: number[] = [];
  const open: number[] = []; // seen, and in no component yet
  let time = 0;
  let found = 0;
  const enter = (node: number) => {
    seen[node] = low[node] = time++;
    way.push(node);
    open.push(node);
  };
  const leave = (node: number) => {
    way.pop();
    const parent = way[way.length - 1];
    if (parent !== undefined) low[parent] = Math.min(low[parent], low[node]);
    if (low[node] !== seen[node]) return;
    for (let member = -1; member !== node;) {
      member = open.pop() as number;
      of[member] = found;
    }
    found++;
  };
  for (let root = 0; root < count; root++) {
    if (seen[root] < 0) enter(root);
    while (way.length > 0) {
      const node = way[way.length - 1];
      if (at[node] === start[node + 1]) {
        leave(node);
        continue;
      }
      const next = end[at[node]++];
      if (seen[next] < 0) enter(next);
      else if (of[next] < 0) low[node] = Math.min(low[node], seen[next]);
    }
  }
  return of;
}

export function withoutCycles(graph: LayeredGraph): LayeredGraph {
  const of = components(graph);
  const { count, from, to } = graph;
  const kept: number[] = [];
  for (let i = 0; i < from.length; i++) if (of[from[i]] !== of[to[i]] || from[i] < to[i]) kept.push(i);
  return { count, from: Int32Array.from(kept, i => from[i]), to: Int32Array.from(kept, i => to[i]) };
}
