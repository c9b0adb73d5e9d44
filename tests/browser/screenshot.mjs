// SPDX-License-Identifier: GPL-3.0-or-later
// screenshot.mjs FILE: the README's picture, of the real page with the demo curriculum behind its first question.
import { ANSWERED, lesson, QUESTION, rows } from "./demo.mjs";
import { Lectern } from "./lectern.mjs";
import { playModel } from "./model.mjs";
import { media, openBrowser, openPage, Watch } from "./page.mjs";
import { pause, Roles } from "./roles.mjs";

const SETTLED = 1500;   // milliseconds
const model = await playModel(rows);
const lectern = await new Lectern(model.environment).start();
const { browser, close } = await openBrowser();
const watch = new Watch();
try {
  const page = await openPage(browser, "wide", watch, [lectern.url]);
  await media(page, { "prefers-color-scheme": "light", "prefers-reduced-motion": "reduce" });
  const ui = new Roles(page);
  await page.goto(lectern.url, { waitUntil: "load" });
  await ui.see("Connected");
  await ui.fill("combobox", /find|search/i, lesson.id);
  await ui.press("option", new RegExp(lesson.title));
  const chat = await ui.get("region", "Chat");
  await ui.fill("textbox", /^ask about/i, QUESTION, { within: chat });
  await ui.press("button", "Send", { within: chat });
  await ui.see(ANSWERED, { within: chat, wait: 30_000 });
  await ui.fill("combobox", /find|search/i, "");
  await ui.press("button", /^analysis/i, { within: chat });
  await page.evaluate(() => document.activeElement.blur());
  await page.mouse.move(0, 0);
  await pause(SETTLED);
  await page.screenshot({ path: process.argv[2] });
  for (const fault of watch.faults) console.log(fault);
} finally {
  await close();
  await lectern.stop();
  await model.close();
}
