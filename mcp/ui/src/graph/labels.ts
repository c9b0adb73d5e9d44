// SPDX-License-Identifier: GPL-3.0-or-later
// Places titles by importance, each beside its node where there is free space. Pure.

export interface Candidate {
  key: string;
  x: number;
  y: number;
  size: number; // of the node, as a radius
  text: string;
  room: number; // how wide and high its title may be below it without touching the next
  tall: number;
  forced: boolean; // it may cover nodes, only not other titles
}
export interface Title { key: string; lines: string[]; x: number; y: number; align: "center" | "left" } // y: of its upper edge
interface Box { left: number; top: number; right: number; bottom: number }

export const LINE_PX = 14;
const WIDEST_PX = 150;
const LEAST_PX = 44;
const STEP_PX = 4; // widths are rounded, so that they can be cached
const BESIDE_PX = 110; // at most beside the node
const MOST_LINES = 3;
const CELL_PX = 48;
const MOST_TRIED = 1500;

// An index of the used space by cells, so that only near titles are compared.
class Taken {
  private readonly cells = new Map<number, Box[]>();

  private *near({ left, top, right, bottom }: Box): Generator<number> {
    for (let column = Math.floor(left / CELL_PX); column <= Math.floor(right / CELL_PX); column++)
      for (let row = Math.floor(top / CELL_PX); row <= Math.floor(bottom / CELL_PX); row++) yield row * 4096 + column;
  }

  add(box: Box): void {
    for (const cell of this.near(box)) {
      const there = this.cells.get(cell);
      if (there) there.push(box);
      else this.cells.set(cell, [box]);
    }
  }

  isFree(box: Box): boolean {
    for (const cell of this.near(box))
      for (const other of this.cells.get(cell) ?? [])
        if (box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom) return false;
    return true;
  }
}

export interface Measure {
  lines: (text: string, width: number, most: number) => string[]; // what does not fit ends in "…"
  width: (line: string) => number;
}

// candidates: most important first. titles: those already placed, such as of chapters.
export function placeTitles(candidates: readonly Candidate[], bounds: { width: number; height: number }, measure: Measure, titles: readonly Box[]): Title[] {
  const placed: Title[] = [];
  const others = new Taken(), nodes = new Taken();
  for (const box of titles) others.add(box);
  for (const { x, y, size } of candidates) nodes.add({ left: x - size, top: y - size, right: x + size, bottom: y + size });
  let tried = 0;
  for (const { key, x, y, size, text, room, tall, forced } of candidates) {
    if (++tried > MOST_TRIED) break;
    const put = (lines: string[], left: number, top: number, align: Title["align"]): boolean => {
      const width = Math.max(...lines.map(measure.width));
      // One at the edge moves in.
      if (align === "center") left = Math.max(width / 2 + 2, Math.min(bounds.width - width / 2 - 2, left));
      const box = { left: align === "center" ? left - width / 2 : left, top, right: align === "center" ? left + width / 2 : left + width,
        bottom: top + lines.length * LINE_PX };
      if (box.right > bounds.width || box.bottom > bounds.height || box.top < 0) return false;
      if (!others.isFree({ ...box, left: box.left - 3, right: box.right + 3 }) || (!forced && !nodes.isFree(box))) return false;
      others.add(box);
      placed.push({ key, lines, x: left, y: top, align });
      return true;
    };
    const below = Math.max(LEAST_PX, Math.min(WIDEST_PX, Math.floor((room - 4) / STEP_PX) * STEP_PX));
    const most = Math.max(1, Math.min(MOST_LINES, Math.floor((tall - 2 * size) / LINE_PX)));
    if (put(measure.lines(text, below, most), x, y + size + 1, "center")) continue;
    const beside = measure.lines(text, BESIDE_PX, 2);
    if (put(beside, x + size + 3, y - (beside.length * LINE_PX) / 2, "left")) continue;
    if (most > 1) put(measure.lines(text, below, 1), x, y + size + 1, "center");
  }
  return placed;
}
