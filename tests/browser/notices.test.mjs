// SPDX-License-Identifier: GPL-3.0-or-later
// notices.test.mjs wide|narrow: while notices are shown, nothing lies over the middle of anything that can be pressed and seen.
import assert from "node:assert/strict";
import { lesson, path } from "./demo.mjs";
import { Lectern } from "./lectern.mjs";
import { openBrowser, openPage, Watch } from "./page.mjs";
import { Roles } from "./roles.mjs";
import { covered, States } from "./states.mjs";

const size = process.argv[2];
const narrow = size === "narrow";
const lectern = await new Lectern().start();
const { browser, close } = await openBrowser();
const watch = new Watch();
const page = await openPage(browser, size, watch, [lectern.url]);
const states = new States(page, watch, size, { prefix: "notices-" });
const ui = new Roles(page, { touch: narrow });

async function at(name) {
  if (narrow) await ui.press("button", name, { within: await ui.get("navigation", "Regions") });
  return ui.get("region", name);
}

// A piece of news stays as long as it has the focus; on a slow machine it may be gone before, then it is asked for again.
async function news() {
  for (;;) {
    if (!(await ui.has("button", "Undo it all the same"))) await ui.press("button", /^undo (the )?last change/i);
    const action = await ui.get("button", "Undo it all the same");
    await action.focus();
    if ((await ui.focus()).name === "Undo it all the same") return;
  }
}

try {
  await page.goto(lectern.url, { waitUntil: "load" });
  await ui.fill("combobox", /find|search/i, lesson.id);
  await ui.press("option", new RegExp(lesson.title));
  await ui.get("heading", new RegExp(lesson.title), { within: await at("Node") });
  await lectern.ask("POST", `${path}/insert`, { type: "callout-box", position: 2,
    parameters: { text: "Written by somebody else, in a text that is long enough for more than one line of a notice. ".repeat(3), style: "tip" } },
  { "X-Editor": "Beatrix" });
  let looked = 0;
  for (const name of ["Graph", "Node", "Chat"]) {
    await at(name);
    assert.deepEqual([...await covered(page)], [], `${name}, without a notice`);
    await news();
    const found = await covered(page);
    assert.ok(found.seen > 10, "there is something to press");
    assert.deepEqual([...found], [], `${name}, with a notice`);
    await ui.see("by Beatrix.");
    await states.look(name.toLowerCase());
    looked++;
  }
  // It goes when it is put away, and gives its place back.
  const room = async () => (await (await ui.get("region", "Chat")).boundingBox()).height;
  await news();
  const less = await room();
  await ui.press("button", "Close this notice");
  await ui.gone("button", "Close this notice");
  assert.ok(await room() > less);
  assert.deepEqual(watch.faults, []);
  console.log(`notices in ${looked} regions`);
} catch (error) {
  await states.shoot(`failed-${size}`).catch(() => {});
  for (const fault of watch.faults) console.log(fault);
  throw error;
} finally {
  await close();
  await lectern.stop();
}
