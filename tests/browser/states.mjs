// SPDX-License-Identifier: GPL-3.0-or-later
// One state of the page, looked at in each theme: a screenshot that is kept, axe-core, nothing wider than the window.
import fs from "node:fs";
import path from "node:path";
import axe from "axe-core";
import { media } from "./page.mjs";

const PLACE = process.env.LECTERN_SCREENSHOTS;
const SETTLE = 2000;    // milliseconds that transitions get
export const THEMES = { light: { "prefers-color-scheme": "light" }, dark: { "prefers-color-scheme": "dark" } };

async function settled(page) {
  await page.evaluate(async most => {
    const passing = document.getAnimations().filter(one => one.effect?.getComputedTiming().endTime !== Infinity);
    await Promise.race([Promise.allSettled(passing.map(one => one.finished)), new Promise(done => setTimeout(done, most))]);
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  }, SETTLE);
}

async function violations(page) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  return found.violations.flatMap(rule => rule.nodes.map(node =>
    `${rule.id} (${rule.impact}): ${node.target.join(" ")} ${node.html.slice(0, 160)}: ${node.failureSummary.replace(/\s+/g, " ").slice(0, 300)}`));
}

// Runs in the page: what is wider than its place.
function layout() {
  const wider = document.scrollingElement.scrollWidth - window.innerWidth;
  const found = wider > 0 ? [`${wider} pixels wider than the window`] : [];
  for (const control of document.querySelectorAll("button, input, textarea, select, summary, [role=button]")) {
    const place = (control.closest("dialog[open], section[aria-label]") ?? document.documentElement).getBoundingClientRect();
    const box = control.getBoundingClientRect();
    if (box.width <= 1 || place.width === 0 || !control.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    let scrolls = false;        // one that lies in a part that scrolls sideways can be reached
    for (let up = control.parentElement; up && !scrolls; up = up.parentElement)
      scrolls = up.scrollWidth > up.clientWidth && ["auto", "scroll"].includes(getComputedStyle(up).overflowX);
    if (!scrolls && (box.right > place.right + 1 || box.left < place.left - 1))
      found.push(`${control.computedRole} ${JSON.stringify(control.computedName.slice(0, 60))} sticks out of its place`);
  }
  return found;
}

// Runs in the page: what can be pressed and seen, and has something else in front of its middle; and how much was looked at.
function findCovered() {
  const found = [];
  let seen = 0;
  for (const control of document.querySelectorAll("button, a[href], input, textarea, select, summary, [role=option], [role=separator]")) {
    if (control.disabled || control.closest("[inert], [aria-hidden=true]")) continue;
    if (!control.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
    const box = control.getBoundingClientRect();
    if (box.width <= 1 || box.height <= 1) continue;      // for screen readers only
    const x = box.x + box.width / 2, y = box.y + box.height / 2;
    let shown = x >= 0 && y >= 0 && x < window.innerWidth && y < window.innerHeight;
    for (let up = control.parentElement; up && shown; up = up.parentElement) {
      const place = up.getBoundingClientRect();
      if (getComputedStyle(up).overflow !== "visible") shown = x >= place.left && x < place.right && y >= place.top && y < place.bottom;
    }
    if (!shown) continue;
    seen++;
    const top = document.elementFromPoint(x, y);
    if (top && (control.contains(top) || top.contains(control) || top.closest("label")?.control === control)) continue;
    found.push(`${control.computedRole} ${JSON.stringify(control.computedName)} is covered by ${top?.computedRole} ${
      JSON.stringify((top?.computedName || top?.textContent || "").slice(0, 60))}`);
  }
  return { found, seen };
}

// The list of them, with `seen` on it.
export async function covered(page) {
  const { found, seen } = await page.evaluate(findCovered);
  return Object.assign(found, { seen });
}

export class States {
  number = 0;

  constructor(page, watch, size, { themes = THEMES, prefix = "" } = {}) {
    Object.assign(this, { page, watch, size, themes, prefix });
    fs.mkdirSync(PLACE, { recursive: true });
  }

  // NN-step-WIDTH-THEME.png
  async look(step, { axe: checked = true, themes = this.themes } = {}) {
    const number = String(++this.number).padStart(2, "0");
    for (const [theme, features] of Object.entries(themes)) {
      await media(this.page, features);
      await settled(this.page);
      if (features["prefers-reduced-motion"] === "reduce") await this.calm(step);
      await this.shoot(`${this.prefix}${number}-${step}-${this.page.viewport().width}-${theme}`);
      if (checked) for (const text of await violations(this.page)) this.watch.add("axe", `${step}, ${this.size}, ${theme}: ${text}`);
    }
    await media(this.page, Object.values(this.themes)[0]);
    for (const text of await this.page.evaluate(layout)) this.watch.add("layout", `${step}, ${this.size}: ${text}`);
  }

  // With less motion asked for nothing may move for longer than a blink.
  async calm(step) {
    const moving = await this.page.evaluate(() => document.getAnimations().filter(one => one.playState === "running")
      .map(one => `${one.animationName ?? one.transitionProperty} of ${one.effect?.target?.outerHTML.slice(0, 80)}`));
    for (const text of moving) this.watch.add("motion", `${step}: ${text}`);
  }

  shoot(name) {
    return this.page.screenshot({ path: path.join(PLACE, `${name}.png`), captureBeyondViewport: false });
  }
}
