// SPDX-License-Identifier: GPL-3.0-or-later
// The only place that converts text of a curriculum or of a model to HTML: markdown, then a sanitiser. The result contains no script,
// style, form or frame; links open in a new tab. Pictures must be in the text as data: loading any other would send a request, to this
// server or elsewhere, for every reader of the text. Only a part that is loaded later may import this: it is not small.
import DOMPurify from "dompurify";
import { marked } from "./marked";

export { blocksOf } from "./marked";

const ALLOWED = {
  USE_PROFILES: { html: true },
  FORBID_TAGS: ["style", "form", "input", "button", "select", "option", "textarea", "label", "fieldset", "dialog", "template", "video",
    "audio", "source", "track", "picture", "map", "area", "marquee"],
  FORBID_ATTR: ["style", "id", "name", "for", "tabindex", "autofocus", "contenteditable", "draggable", "srcset", "background",
    "accesskey", "hidden", "popover", "popovertarget", "slot", "is", "role"],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  SANITIZE_NAMED_PROPS: true,
};

const DATA_PICTURE = /^data:image\/(png|jpeg|gif|webp);base64,/i;
const SHOWN_ADDRESS = 200; // characters
// url() of anything but a part of the same drawing.
const OUTER_URL = /url\(\s*["']?\s*(?!["'#\s])/i;

const purify = DOMPurify(window);
// A class could make a text look like a part of the page. Code alone says its language by one.
purify.addHook("uponSanitizeAttribute", (element, attribute) => {
  if (attribute.attrName === "class")
    attribute.keepAttr = element.nodeName === "CODE" && /^language-[\w+#-]+$/.test(attribute.attrValue);
  if (element instanceof SVGElement && OUTER_URL.test(attribute.attrValue)) attribute.keepAttr = false;
});
purify.addHook("afterSanitizeAttributes", element => {
  if (element instanceof HTMLAnchorElement && element.hasAttribute("href")) {
    element.setAttribute("rel", "noopener noreferrer");
    element.setAttribute("target", "_blank");
  }
  // Keeps its text, and shows its address.
  const source = element instanceof HTMLImageElement ? element.getAttribute("src") ?? "" : null;
  if (source !== null && !DATA_PICTURE.test(source)) {
    element.removeAttribute("src");
    element.setAttribute("alt", `${element.getAttribute("alt") ?? ""} (picture not loaded: ${source.slice(0, SHOWN_ADDRESS)})`.trim());
  }
  // Tables of GFM use this old attribute for alignment; similar ones are removed.
  for (const name of ["bgcolor", "color", "face", "size", "width", "height", "border"])
    if (element instanceof HTMLElement && !(element instanceof HTMLImageElement)) element.removeAttribute(name);
});

// HTML that may be set as innerHTML.
function sanitise(html: string): string {
  return purify.sanitize(html, ALLOWED);
}

export function markdown(text: string): string {
  return sanitise(marked.parse(text) as string);
}

// Without a paragraph around it, for titles and single lines.
export function markdownInline(text: string): string {
  return sanitise(marked.parseInline(text) as string);
}

// A drawing that a curriculum brings. Without scripts, styles, links and whatever loads from elsewhere.
export function sanitiseSvg(svg: string): string {
  return purify.sanitize(svg, {
    USE_PROFILES: { svg: true, svgFilters: true },
    FORBID_TAGS: ["style", "a", "image", "use", "foreignObject", "script", "animate", "set"],
    FORBID_ATTR: ["style", "class", "href", "xlink:href", "tabindex"],
    ALLOW_DATA_ATTR: false,
  });
}
