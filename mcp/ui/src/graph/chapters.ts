// SPDX-License-Identifier: GPL-3.0-or-later
// Layout by chapter: each chapter is a block of lessons in teaching order; the blocks are stacked in columns, with room for the chapter's
// name above each. Used if the layout by layers has no room for titles. Pure; linear except for sorting.
import type { LayeredGraph } from "./cycles";

export interface Block { name: string; x: number; y: number; width: number } // of its name: the left end of its foot, and its room
interface Placed { x: Float64Array; y: Float64Array; order: Int32Array; blocks: Block[] }

export const CELL = 1.35; // width of a lesson's place; its height is 1
const GAP = 0.7; // between columns
const FOOT = 0.32; // between a name and the lessons below it
const USUAL_PX = 730; // of the canvas' height
const NAME_PX = 24; // that a chapter's name takes
const NAME_WIDTH_PX = 110; // that makes it readable
const MOST_COLUMNS = 12;
const MOST_ACROSS = 40; // lessons side by side in a block

// The lessons of each chapter, in the curriculum's own order, or by depth where most links lead back in that order.
export function chaptersOf(of: Int32Array, count: number, depth: Int32Array, { from, to }: LayeredGraph): number[][] {
  const chapters: number[][] = Array.from({ length: count }, () => []);
  of.forEach((chapter, node) => chapters[chapter].push(node));
  const back = new Int32Array(count), all = new Int32Array(count);
  from.forEach((a, i) => {
    if (of[a] !== of[to[i]]) return;
    all[of[a]]++;
    if (a > to[i]) back[of[a]]++;
  });
  chapters.forEach((nodes, i) => {
    if (back[i] * 2 > all[i]) nodes.sort((a, b) => depth[a] - depth[b] || a - b);
  });
  return chapters;
}

interface Plan { columns: number[]; heights: number[]; across: number; name: number }

// Chapters one below the other, in as many columns; which chapter is in which, and how high each column is.
function fill(heights: number[], columns: number): { of: number[]; high: number[] } {
  const total = heights.reduce((sum, height) => sum + height, 0);
  const of: number[] = [], high: number[] = new Array<number>(columns).fill(0);
  let column = 0, before = 0;
  for (const height of heights) {
    // The middle of what is placed decides on the column.
    const wanted = Math.min(columns - 1, Math.floor(((before + height / 2) / total) * columns));
    column = Math.max(column, Math.min(wanted, column + 1));
    of.push(column);
    high[column] += height;
    before += height;
  }
  return { of, high };
}

// The plan with the largest nodes in a space of this shape, with legible chapter names.
function plan(sizes: number[], shape: number): Plan {
  let best: Plan | null = null, most = 0;
  const nodes = sizes.reduce((sum, size) => sum + size, 0);
  const guess = Math.sqrt((USUAL_PX * USUAL_PX * shape) / (nodes * CELL));
  const name = Math.max(0.5, Math.min(3, NAME_PX / guess));
  for (let columns = 1; columns <= Math.min(MOST_COLUMNS, sizes.length); columns++)
    for (let across = 1; across <= MOST_ACROSS; across++) {
      const heights = sizes.map(size => Math.ceil(size / across) + name);
      const { of, high } = fill(heights, columns);
      const width = columns * (across * CELL + GAP) - GAP, height = Math.max(...high);
      const scale = Math.min((USUAL_PX * shape) / width, USUAL_PX / height);
      const readable = Math.min(1, (scale * across * CELL) / NAME_WIDTH_PX);
      if (scale * readable > most) {
        most = scale * readable;
        best = { columns: of, heights, across, name };
      }
    }
  return best!;
}

export function placeChapters(chapters: number[][], names: string[], shape: number): Placed {
  const count = chapters.reduce((sum, nodes) => sum + nodes.length, 0);
  const x = new Float64Array(count), y = new Float64Array(count), order = new Int32Array(count);
  const blocks: Block[] = [];
  const { columns, heights, across, name } = plan(chapters.map(nodes => nodes.length), shape);
  let placed = 0, top = 0, column = 0;
  chapters.forEach((nodes, i) => {
    if (columns[i] !== column) top = 0;
    column = columns[i];
    const left = column * (across * CELL + GAP);
    if (names[i] !== "") blocks.push({ name: names[i], x: left - CELL / 2, y: -(top + name - FOOT), width: across * CELL + GAP / 2 });
    nodes.forEach((node, k) => {
      x[node] = left + (k % across) * CELL;
      y[node] = -(top + name + Math.floor(k / across));
      order[placed++] = node;
    });
    top += heights[i];
  });
  return { x, y, order, blocks };
}
