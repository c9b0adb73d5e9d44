// SPDX-License-Identifier: GPL-3.0-or-later
// A text of the model: markdown, block by block, with the nodes it names as links.
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { renderer, wantRenderer } from "../base/markdown_later";
import { typeset } from "../base/maths";
import { nodeAddress, openHere } from "../base/node_link";
import { names } from "./conversation";
import { Keep } from "./keep";
import { mentions, type NodeNames } from "./mentions";

// A link within running text.
function nodeLink(words: string, id: string, title: string): HTMLAnchorElement {
  const link = document.createElement("a");
  link.href = nodeAddress(id);
  link.className = "chat-node";
  link.textContent = words;
  link.title = words === id ? title : id;
  link.setAttribute("aria-label", words === id && title !== "" ? `${id}, ${title}: open it` : `${words}: open it`);
  link.onclick = event => openHere(event, id);
  return link;
}

// Not inside links; in code, only if a node's id is all of it.
function linkNodes(root: DocumentFragment, known: NodeNames): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const text of texts) {
    const parent = text.parentElement;
    if (!parent || parent.closest("a, pre")) continue;
    const found = mentions(text.data, known, parent.localName === "code");
    if (found.length === 0) continue;
    const parts: (string | Node)[] = [];
    let at = 0;
    for (const { start, end, id } of found) {
      parts.push(text.data.slice(at, start), nodeLink(text.data.slice(start, end), id, known.ids.get(id) ?? ""));
      at = end;
    }
    text.replaceWith(...parts, text.data.slice(at));
  }
}

// The headings of an answer are below the region's, whatever level the model chose.
function levelHeadings(root: DocumentFragment): void {
  for (const old of root.querySelectorAll("h1, h2, h4, h5, h6")) {
    const heading = document.createElement("h3");
    heading.className = old.localName < "h3" ? "chat-big" : "";
    heading.append(...old.childNodes);
    old.replaceWith(heading);
  }
}

// Pictures that lie in the text itself are shown; of others, what they say. A model's words make the page load nothing.
function namePictures(root: DocumentFragment): void {
  for (const picture of root.querySelectorAll("img")) {
    if (!picture.getAttribute("src")?.startsWith("data:")) picture.replaceWith(picture.alt === "" ? "" : `[${picture.alt}]`);
    else if (!picture.hasAttribute("alt")) picture.alt = "";
  }
}

function Block({ source }: { source: string }) {
  const place = useRef<HTMLDivElement>(null);
  const drawing = renderer.value;
  const html = useMemo(() => drawing?.markdown(source) ?? null, [source, drawing]);
  const known = names.value;
  useEffect(wantRenderer, []);
  useLayoutEffect(() => {
    if (!place.current) return;
    if (html === null) {
      place.current.textContent = source;
      return;
    }
    const template = document.createElement("template"); // nothing in it loads or runs
    template.innerHTML = html; // sanitised by markdown()
    const content = template.content;
    levelHeadings(content);
    namePictures(content);
    linkNodes(content, known);
    // Wide things scroll by themselves, so they can be reached by keyboard.
    for (const wide of content.querySelectorAll<HTMLElement>("pre, table")) wide.tabIndex = 0;
    place.current.replaceChildren(content);
    void typeset(place.current);
  }, [html, known]);
  return <div ref={place} class={`chat-block${html === null ? " chat-plain" : ""}`} />;
}

const drawBlock = (source: string) => <Block source={source} />;

export function Prose({ text }: { text: string }) {
  return (
    <div class="chat-prose">
      {(renderer.value?.blocksOf(text) ?? [text]).map((block, at) => (
        <Keep key={at} value={block} draw={drawBlock} />
      ))}
    </div>
  );
}
