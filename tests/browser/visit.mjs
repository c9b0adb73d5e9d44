// SPDX-License-Identifier: GPL-3.0-or-later
// One visit of the page for a script that is called with wide or narrow: a server, a browser and a page in it, and the end of all of
// them whatever happens. The visit is clean where nothing but what the script excuses went wrong in the page.
import assert from "node:assert/strict";
import { Lectern } from "./lectern.mjs";
import { openBrowser, openPage, Watch } from "./page.mjs";
import { Roles } from "./roles.mjs";
import { States } from "./states.mjs";

const LOG_SHOWN = 20;       // lines of the server's, of a visit that failed

// prefix: of the screenshots. environment and words: of the server, beside our own. model: is closed at the end. address: says where the
// page begins, if it is not "/".
export async function openVisit(prefix, { environment = {}, words = [], model, address } = {}) {
  const size = process.argv[2];
  const narrow = size === "narrow";
  const lectern = await new Lectern(environment, ...words).start();
  const { browser, close } = await openBrowser();
  const watch = new Watch();
  const page = await openPage(browser, size, watch, [lectern.url]);
  const states = new States(page, watch, size, { prefix: `${prefix}-` });
  const ui = new Roles(page, { touch: narrow });

  // The region, brought to the front where the page shows one at a time.
  async function at(name) {
    if (narrow) await ui.press("button", name, { within: await ui.get("navigation", "Regions") });
    return ui.get("region", name);
  }

  // The region of the chat, in which that was asked.
  async function ask(question) {
    const within = await at("Chat");
    await ui.fill("textbox", /^ask about/i, question, { within });
    await ui.press("button", "Send", { within });
    return within;
  }

  async function through(steps) {
    try {
      await page.goto(address ? await address(lectern) : lectern.url, { waitUntil: "load" });
      await steps();
      assert.deepEqual(watch.faults, []);
    } catch (error) {
      await states.shoot(`${prefix}-failed-${size}`).catch(() => {});
      for (const fault of watch.faults) console.log(fault);
      console.log(lectern.log.slice(-LOG_SHOWN).join("\n"));
      throw error;
    } finally {
      await close();
      await lectern.stop();
      await model?.close();
    }
  }
  return { narrow, lectern, watch, page, states, ui, at, ask, through };
}
