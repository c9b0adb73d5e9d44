// SPDX-License-Identifier: GPL-3.0-or-later
// What is drawn with a pen over and beside sigma's own: titles below their nodes, rings around the open node, those that stand out and
// those that others have just changed.
import type Sigma from "sigma";
import type { Palette } from "./palette";

interface Label { x: number; y: number; size: number; label: string | null }
interface Face { labelSize: number; labelFont: string }
type Draw = (context: CanvasRenderingContext2D, data: Label, face: Face) => void;

const RING_FONT = "600 12px system-ui, sans-serif";
const LINE_PX = 14;
const MOST_LINES = 2;
const WIDEST_PX = 150;
const LEAST_PX = 44;

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

// room: how much of it a title may take now, in pixels.
export function labelDrawing(colours: () => Palette, room: (data: Label) => { width: number; height: number }): Draw {
  return (context, data, face) => {
    const { width: free, height } = room(data);
    const width = Math.min(WIDEST_PX, free);
    const most = Math.min(MOST_LINES, Math.floor((height - 2 * data.size) / LINE_PX));
    if (!data.label || width < LEAST_PX || most < 1) return;
    const { ink, halo } = colours();
    context.font = `${face.labelSize}px ${face.labelFont}`;
    context.textAlign = "center";
    context.lineJoin = "round";
    context.lineWidth = 3.5;
    context.strokeStyle = halo;
    context.fillStyle = ink;
    lines(context, data.label, width, most).forEach((line, i) => {
      const y = data.y + data.size + LINE_PX * (i + 0.9);
      context.strokeText(line, data.x, y);
      context.fillText(line, data.x, y);
    });
    context.textAlign = "left";
  };
}

// The node under the pointer: its whole title on a ground of its own.
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
