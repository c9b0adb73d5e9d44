// SPDX-License-Identifier: GPL-3.0-or-later
// Drawn on 2D canvases above sigma's: titles below their nodes, and rings around the open node, highlighted nodes and those that others
// have just changed.
import type Sigma from "sigma";
import { LINE_PX, type Measure, type Title } from "./labels";
import type { Palette } from "./palette";

interface Label { x: number; y: number; size: number; label: string | null }
interface Face { labelSize: number; labelFont: string }
type Draw = (context: CanvasRenderingContext2D, data: Label, face: Face) => void;

const RING_FONT = "600 12px system-ui, sans-serif";
const WIDEST_PX = 150;

function cut(context: CanvasRenderingContext2D, text: string, width: number): string {
  if (context.measureText(text).width <= width) return text;
  let least = 0;
  let most = text.length;
  while (least < most) {
    const middle = (least + most + 1) >> 1;
    if (context.measureText(`${text.slice(0, middle)}…`).width <= width) least = middle;
    else most = middle - 1;
  }
  return `${text.slice(0, least).trimEnd()}…`;
}

export function lines(context: CanvasRenderingContext2D, text: string, width: number, most: number): string[] {
  const found: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line === "" || context.measureText(longer).width <= width) {
      line = longer;
    } else if (found.length === most - 1) {
      return [...found, cut(context, `${longer}…`, width)];
    } else {
      found.push(cut(context, line, width));
      line = word;
    }
  }
  return [...found, cut(context, line, width)];
}

// While the graph moves the same words are measured in each frame.
const MEASURED_MAX = 8000;
export function measureBy(context: CanvasRenderingContext2D): Measure {
  const cut = new Map<string, string[]>(), widths = new Map<string, number>();
  function kept<T>(cache: Map<string, T>, key: string, make: () => T): T {
    const known = cache.get(key);
    if (known !== undefined) return known;
    if (cache.size >= MEASURED_MAX) cache.clear();
    const made = make();
    cache.set(key, made);
    return made;
  }
  return {
    lines: (text, width, most) => kept(cut, `${width} ${most} ${text}`, () => lines(context, text, width, most)),
    width: line => kept(widths, line, () => context.measureText(line).width),
  };
}

function write(context: CanvasRenderingContext2D, { ink, halo }: Palette, text: string, x: number, y: number): void {
  context.lineJoin = "round";
  context.lineWidth = 3.5;
  context.strokeStyle = halo;
  context.fillStyle = ink;
  context.strokeText(text, x, y);
  context.fillText(text, x, y);
}

export function drawTitles(context: CanvasRenderingContext2D, colours: Palette, titles: readonly Title[]): void {
  for (const { lines: all, x, y, align } of titles) {
    context.textAlign = align;
    all.forEach((line, i) => write(context, colours, line, x, y + LINE_PX * (i + 0.8)));
  }
  context.textAlign = "left";
}

export const NAME_FONT_PX = 12;
const LEAST_NAME_PX = 30;
const EDGE_PX = 4;

// The names of chapters, at the left of their place; the boxes that they take.
export function drawNames(context: CanvasRenderingContext2D, colours: Palette, names: readonly { name: string; x: number; y: number; width: number }[]) {
  return names.filter(({ width }) => width >= LEAST_NAME_PX).map(({ name, x, y, width }) => {
    const text = cut(context, name, width);
    const left = x < 0 && x > -width / 2 ? EDGE_PX : x; // one at the edge moves in
    write(context, colours, text, left, y - 3);
    return { left, top: y - LINE_PX, right: left + context.measureText(text).width, bottom: y };
  });
}

// The node under the pointer: its whole title on a background.
export function hoverDrawing(colours: () => Palette): Draw {
  return (context, data, face) => {
    const { ink, ground, accent } = colours();
    context.font = `600 ${face.labelSize + 1}px ${face.labelFont}`;
    const text = lines(context, data.label ?? "", 240, 4);
    const width = Math.max(...text.map(line => context.measureText(line).width)) + 18;
    const height = text.length * (LINE_PX + 3) + 10;
    const x = Math.max(4, Math.min(context.canvas.clientWidth - width - 4, data.x - width / 2));
    const under = data.y + data.size + 6;
    const y = under + height > context.canvas.clientHeight ? data.y - data.size - 6 - height : under;
    context.beginPath();
    context.arc(data.x, data.y, data.size + 3, 0, 2 * Math.PI);
    context.strokeStyle = accent;
    context.lineWidth = 2;
    context.stroke();
    context.beginPath();
    context.roundRect(x, y, width, height, 6);
    context.fillStyle = ground;
    context.shadowColor = "rgb(0 0 0 / 35%)";
    context.shadowBlur = 10;
    context.fill();
    context.shadowBlur = 0;
    context.lineWidth = 1;
    context.stroke();
    context.fillStyle = ink;
    text.forEach((line, i) => context.fillText(line, x + 9, y + (LINE_PX + 3) * (i + 1)));
  };
}

export interface Ring { node: string; colour: string; width: number; gap: number; alpha: number; text?: string }

export function drawRings(sigma: Sigma, context: CanvasRenderingContext2D, rings: Ring[]): void {
  const { width, height } = sigma.getDimensions();
  context.clearRect(0, 0, width, height);
  for (const ring of rings) {
    const data = sigma.getNodeDisplayData(ring.node);
    if (!data) continue;
    const { x, y } = sigma.framedGraphToViewport(data);
    if (x < -40 || y < -40 || x > width + 40 || y > height + 40) continue;
    context.globalAlpha = ring.alpha;
    context.strokeStyle = ring.colour;
    context.lineWidth = ring.width;
    context.beginPath();
    const radius = sigma.scaleSize(data.size) + ring.gap;
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.stroke();
    if (!ring.text) continue;
    context.font = RING_FONT;
    context.fillStyle = ring.colour;
    context.fillText(cut(context, ring.text, WIDEST_PX), x + radius + 4, y + 4);
  }
  context.globalAlpha = 1;
}
