// SPDX-License-Identifier: GPL-3.0-or-later
// Drawings and images. A drawing is sanitised, and then shown in an <img>, where nothing runs and nothing loads, and its names and styles
// cannot affect the page.
import { useEffect, useMemo, useState } from "preact/hooks";
import { renderer, wantRenderer, type Renderer } from "../base/markdown_later";
import { sourceOf } from "./address";
import { isObject } from "./kinds";
import { Rich, RichLine } from "./rich";

const SHOWN_ADDRESS = 200; // characters

interface Drawing { address: string; name: string; removed: string[] }

const SUSPICIOUS = /<\s*(script|foreignObject|iframe|image|use|style|animate|set|a)\b|\b(on[a-z]+)\s*=|((?:xlink:)?href)\s*=\s*["']?\s*(?!#)/gi;

// Null if it contains no drawing.
function drawingOf(code: string, renderer: Renderer): Drawing | null {
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

export function Svg({ code, name }: { code: string; name: string }) {
  const sanitiser = renderer.value;
  const drawing = useMemo(() => sanitiser && drawingOf(code, sanitiser), [code, sanitiser]);
  useEffect(wantRenderer, []);
  if (!sanitiser) return null;
  if (!drawing) return <p class="n-hint">There is no drawing in this SVG code.</p>;
  return (
    <>
      <img class="n-drawing" src={drawing.address} alt={drawing.name || name || "Drawing"} />
      {drawing.removed.length > 0 && <p class="n-hint">Left out of this drawing, as it could run code or load from elsewhere:{" "}
        <code>{drawing.removed.join(", ")}</code></p>}
    </>
  );
}

export function Picture({ address, name }: { address: string; name: string }) {
  const [broken, setBroken] = useState("");
  const source = sourceOf(address, location.href);
  if (source.kind === "load" && broken !== address)
    return <img class="n-image" src={source.address} alt={name ? `Picture: ${name}` : "Picture without a title"} onError={() => setBroken(address)} />;
  const why = source.kind === "load" ? "This picture cannot be shown:" : source.kind === "link" ? "Picture, not loaded:" : "This is not the address of a picture:";
  return (
    <div class="n-nopicture">
      <p>{why}</p>
      {source.kind === "link" ? <a href={source.address} target="_blank" rel="noopener noreferrer">{address}</a> : <code>{address.slice(0, SHOWN_ADDRESS)}</code>}
    </div>
  );
}

// The pictures 1..count of an object with svg1 or image1, …
export function Pictures({ given: pictures, count }: { given: Record<string, unknown>; count: number }) {
  return (
    <div class={`n-pictures n-pictures-${count}`}>
      {Array.from({ length: count }, (_, i) => {
        const picture = pictures[`svg${i + 1}`] ?? pictures[`image${i + 1}`];
        const value = isObject(picture) ? picture as Record<string, string | null | undefined> : {};
        // Of two addresses the one that can be shown at once.
        const given = [value.imagePath, value.imageUrl].filter(each => typeof each === "string" && each !== "") as string[];
        const address = given.find(each => sourceOf(each, location.href).kind === "load") ?? given[0];
        return (
          <figure key={i}>
            <div class="n-frame">
              {value.svgCode ? <Svg code={value.svgCode} name={value.title ?? ""} />
                : address ? <Picture address={address} name={value.title ?? ""} /> : <p class="n-hint">No picture yet.</p>}
            </div>
            {(value.title || value.body) && <figcaption>
              {value.title && <strong><RichLine text={value.title} /></strong>}
              {value.body && <Rich text={value.body} />}
            </figcaption>}
          </figure>
        );
      })}
    </div>
  );
}
