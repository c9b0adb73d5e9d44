// SPDX-License-Identifier: GPL-3.0-or-later
// Drawings of a curriculum: sanitised, and then each shown as a picture of its own: inside <img> nothing runs and nothing loads, and
// its names and styles cannot touch the page.
import type { Renderer } from "../base/markdown_later";

export interface Drawing { address: string; name: string; removed: string[] }

const SUSPICIOUS = /<\s*(script|foreignObject|iframe|image|use|style|animate|set|a)\b|\b(on[a-z]+)\s*=|((?:xlink:)?href)\s*=\s*["']?\s*(?!#)/gi;

// Null: there is no drawing in it.
export function drawingOf(code: string, renderer: Renderer): Drawing | null {
  const holder = document.createElement("template");
  holder.innerHTML = renderer.sanitiseSvg(code);
  const svg = holder.content.querySelector("svg");
  if (!svg) return null;
  const name = svg.getAttribute("aria-label") || svg.querySelector("title")?.textContent?.trim() || "";
  if (!svg.hasAttribute("font-family")) svg.setAttribute("font-family", "system-ui, sans-serif");
  // An <img> needs a size to keep the drawing's proportions.
  const box = svg.getAttribute("viewBox")?.trim().split(/[\s,]+/).map(Number);
  if (box?.length === 4 && box.every(Number.isFinite) && box[2] > 0 && box[3] > 0 && !svg.hasAttribute("width") && !svg.hasAttribute("height")) {
    svg.setAttribute("width", String(box[2]));
    svg.setAttribute("height", String(box[3]));
  }
  const kept = svg.outerHTML;
  const removed = new Set<string>();
  for (const found of code.matchAll(SUSPICIOUS)) {
    const what = found[1] ?? found[2] ?? found[3];
    if (!kept.includes(found[0])) removed.add(what);
  }
  const address = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(svg))}`;
  return { address, name, removed: [...removed] };
}
