// SPDX-License-Identifier: GPL-3.0-or-later
// What the graph of a large curriculum costs in software GL: graph.test.mjs ROUNDS prints a line of JSON for each: from navigation to
// the first frame with all of it, and the longest gap between two frames while it is dragged about and zoomed.
import assert from "node:assert/strict";
import { Lectern } from "./lectern.mjs";
import { openBrowser, openPage, Watch } from "./page.mjs";
import { pause, Roles } from "./roles.mjs";
import { States } from "./states.mjs";

const rounds = Number(process.argv[2] ?? 1);
const MOVES = 60;       // of the mouse, one a frame
const FRAME = 16;       // milliseconds

// Runs in the page: notes the gaps between frames until stopGaps.
function startGaps() {
  const gaps = [];
  let last = performance.now();
  let on = true;
  const frame = now => {
    gaps.push(now - last);
    last = now;
    if (on) requestAnimationFrame(frame);
  };
  requestAnimationFrame(now => {
    last = now;
    requestAnimationFrame(frame);
  });
  window.stopGaps = () => {
    on = false;
    return gaps;
  };
}

async function drag(page, { x, y, width, height }) {
  const middle = [x + width / 2, y + height / 2];
  await page.mouse.move(...middle);
  await page.mouse.down();
  for (let i = 1; i <= MOVES; i++) {
    await page.mouse.move(middle[0] + width * 0.3 * Math.sin(i / 10), middle[1] + height * 0.3 * Math.sin(i / 7));
    await pause(FRAME);
  }
  await page.mouse.up();
  for (let i = 0; i < 10; i++) {
    await page.mouse.wheel({ deltaY: i < 5 ? -120 : 120 });
    await pause(5 * FRAME);
  }
}

const lectern = await new Lectern().start();
const { browser, close } = await openBrowser();
try {
  for (let round = 0; round < rounds; round++) {
    const watch = new Watch();
    const page = await openPage(browser, "wide", watch, [lectern.url]);
    await page.goto(lectern.url, { waitUntil: "domcontentloaded" });
    await page.waitForFunction(() => performance.getEntriesByName("lectern.graph").length > 0, { timeout: 60_000, polling: 50 });
    const { drawn, nodes, edges } = await page.evaluate(() => {
      const [{ startTime, detail }] = performance.getEntriesByName("lectern.graph");
      return { drawn: startTime, ...detail };
    });
    const roles = new Roles(page);
    const region = await roles.get("region", /graph/i);
    const canvas = await region.$("canvas");
    assert.ok(canvas, "the graph is drawn on a canvas");
    await pause(500);
    await page.evaluate(startGaps);
    await drag(page, await canvas.boundingBox());
    const gaps = await page.evaluate(() => window.stopGaps());
    await new States(page, watch, "wide", { prefix: "large-" }).look("graph", { axe: round === 0 });
    assert.deepEqual(watch.faults, []);
    const middle = gaps.toSorted((a, b) => a - b)[gaps.length >> 1];
    console.log(JSON.stringify({ nodes, edges, drawn: Math.round(drawn), gap: Math.round(Math.max(...gaps)),
      usual: Math.round(middle), frames: gaps.length }));
    await page.leave();
  }
} finally {
  await close();
  await lectern.stop();
}
