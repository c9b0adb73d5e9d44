// SPDX-License-Identifier: GPL-3.0-or-later
// The position of each node: its row is its prerequisite depth (the longest chain that leads to it), its place in the row is the mean of
// its neighbours, so that few edges cross; if that leaves no room for titles, by chapter. Pure; linear in nodes and edges except for
// sorting rows.
import { CELL, chaptersOf, placeChapters, type Block } from "./chapters";
import { adjacency, withoutCycles, type Adjacency, type LayeredGraph } from "./cycles";

export interface Layout {
  x: Float64Array;
  y: Float64Array;
  room: Float64Array; // how far it is to the next in the row
  tall: Float64Array; // and to the next row
  depth: Int32Array;
  order: Int32Array; // by depth, then from left; or by chapter
  blocks: Block[]; // of chapters; none where depth decides
}

// The chapter of each node, by number; a name is "" if there is none.
export interface Chapters { of: Int32Array; names: string[] }

const SWEEPS = 6;
const ROW_GAP = 0.62; // between the rows of one wrapped layer; between layers it is 1
const SPREAD = 0.75; // of the whole width, that a short row takes at most
const STRETCH = [0.7, 2.4]; // least and most that the whole is widened by to have its shape
const USUAL_PX = 730; // height of the canvas
const TITLE_PX = [44, 40]; // width and height that a title takes with its node
const SLIM = 0.5; // a whole that is slimmer than this part of its place is a pole

function depths(count: number, down: Adjacency, to: Int32Array): Int32Array {
  const depth = new Int32Array(count);
  const waits = new Int32Array(count);
  for (const node of to) waits[node]++;
  const queue = new Int32Array(count);
  let filled = 0;
  for (let i = 0; i < count; i++) if (waits[i] === 0) queue[filled++] = i;
  for (let taken = 0; taken < filled; taken++) {
    const node = queue[taken];
    for (let e = down.start[node]; e < down.start[node + 1]; e++) {
      const next = down.end[e];
      if (depth[next] <= depth[node]) depth[next] = depth[node] + 1;
      if (--waits[next] === 0) queue[filled++] = next;
    }
  }
  return depth;
}

// The layers, each in its order: swept down and up, every node drawn to the middle of its neighbours on that side.
function orderLayers(layers: number[][], down: Adjacency, up: Adjacency, count: number): Float64Array {
  const place = new Float64Array(count); // 0 to 1 across its layer
  const pull = new Float64Array(count);
  const setPlaces = (layer: number[]) => layer.forEach((node, i) => { place[node] = (i + 0.5) / layer.length; });
  layers.forEach(setPlaces);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const side = sweep % 2 === 0 ? up : down;
    for (let k = 0; k < layers.length; k++) {
      const layer = layers[sweep % 2 === 0 ? k : layers.length - 1 - k];
      for (const node of layer) {
        let sum = 0;
        for (let e = side.start[node]; e < side.start[node + 1]; e++) sum += place[side.end[e]];
        const degree = side.start[node + 1] - side.start[node];
        pull[node] = degree > 0 ? sum / degree : place[node];
      }
      layer.sort((a, b) => pull[a] - pull[b]);
      setPlaces(layer);
    }
  }
  return pull;
}

// How many nodes a row may have, so that the whole has about this shape (width by height).
function rowCap(layers: number[][], shape: number): number {
  const longest = Math.max(1, ...layers.map(layer => layer.length));
  let best = longest;
  let least = Infinity;
  for (let cap = 1; cap <= longest; cap = Math.max(cap + 1, Math.floor(cap * 1.15))) {
    const height = layers.reduce((sum, layer) => sum + 1 + (Math.ceil(layer.length / cap) - 1) * ROW_GAP, 0);
    const off = Math.abs(Math.log(cap / height / shape));
    if (off < least) {
      least = off;
      best = cap;
    }
  }
  return best;
}

// Whether titles have their room in rows by depth; or, without chapters, the rows fill the place at least.
function isReadable(rows: number, widest: number, shape: number, chapters: number): boolean {
  const high = USUAL_PX / rows, wide = (USUAL_PX * shape) / widest;
  if (high >= TITLE_PX[1] && wide >= TITLE_PX[0]) return true;
  return chapters < 2 && widest / rows >= SLIM * shape * (TITLE_PX[1] / TITLE_PX[0]);
}

function byChapter(graph: LayeredGraph, shape: number, depth: Int32Array, chapters: Chapters): Layout {
  const { count } = graph;
  const placed = placeChapters(chaptersOf(chapters.of, chapters.names.length, depth, graph), chapters.names, shape);
  return { ...placed, room: new Float64Array(count).fill(CELL), tall: new Float64Array(count).fill(1), depth };
}

export function layOut(graph: LayeredGraph, shape: number, chapters: Chapters): Layout {
  const { count } = graph;
  const tame = withoutCycles(graph);
  const down = adjacency(count, tame.from, tame.to);
  const up = adjacency(count, tame.to, tame.from);
  const depth = depths(count, down, tame.to);
  const layers: number[][] = [];
  const alone: number[] = []; // joined with nothing: below the rest, not among those that much rests on
  for (let i = 0; i < count; i++) {
    if (down.start[i] === down.start[i + 1] && up.start[i] === up.start[i + 1]) alone.push(i);
    else (layers[depth[i]] ??= []).push(i);
  }
  const pull = orderLayers(layers, down, up, count);
  if (alone.length > 0) layers.push(alone);
  const cap = rowCap(layers, shape);
  const widest = Math.max(1, ...layers.map(layer => Math.min(cap, layer.length)));
  const high = layers.reduce((sum, layer) => sum + 1 + (Math.ceil(layer.length / cap) - 1) * ROW_GAP, 0);
  if (count > 0 && !isReadable(high, widest, shape, chapters.names.length)) return byChapter(graph, shape, depth, chapters);
  const x = new Float64Array(count);
  const y = new Float64Array(count);
  const room = new Float64Array(count);
  const tall = new Float64Array(count);
  const order = new Int32Array(count);
  let top = 0;
  let placed = 0;
  for (const layer of layers) {
    const rows = Math.ceil(layer.length / cap);
    const columns = Math.ceil(layer.length / rows);
    const step = Math.max(1, Math.min((widest * SPREAD) / columns, widest / 3));
    // A short row is placed near its neighbours, as far as the width allows.
    const drawn = layer.reduce((sum, node) => sum + pull[node], 0) / layer.length - 0.5;
    const free = Math.max(0, (widest - columns * step) / 2);
    const middle = Math.max(-free, Math.min(free, drawn * widest));
    layer.forEach((node, i) => {
      const row = i % rows; // column by column, so that a wrapped layer keeps its order from left to right
      x[node] = middle + (Math.floor(i / rows) - (columns - 1) / 2 + (row % 2) * 0.5) * step;
      y[node] = -(top + row * ROW_GAP);
      room[node] = step;
      tall[node] = rows > 1 ? ROW_GAP : 1;
      order[placed++] = node;
    });
    top += 1 + (rows - 1) * ROW_GAP;
  }
  const stretch = Math.max(STRETCH[0], Math.min(STRETCH[1], (shape * top) / widest));
  for (let i = 0; i < count; i++) {
    x[i] *= stretch;
    room[i] *= stretch;
  }
  return { x, y, room, tall, depth, order, blocks: [] };
}
