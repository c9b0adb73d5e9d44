// SPDX-License-Identifier: GPL-3.0-or-later
// The main points of the first minutes by the keyboard alone, each stop of the focus visible; and the same states as they look with
// less motion, with more contrast and in forced colours.
import assert from "node:assert/strict";
import { ANSWERED, answer, CHANGE, DELETED, KEPT, lesson, path, QUESTION, rows, TRICK } from "./demo.mjs";
import { Lectern } from "./lectern.mjs";
import { playModel } from "./model.mjs";
import { openBrowser, openPage, Watch } from "./page.mjs";
import { Roles, until } from "./roles.mjs";
import { States } from "./states.mjs";

const LOOKS = {
  calm: { "prefers-reduced-motion": "reduce" },
  contrast: { "prefers-contrast": "more", "prefers-color-scheme": "light" },
  "contrast-dark": { "prefers-contrast": "more", "prefers-color-scheme": "dark" },
  forced: { "forced-colors": "active", "prefers-color-scheme": "dark" },
};

const model = await playModel(rows);
const lectern = await new Lectern(model.environment).start();
const { browser, close } = await openBrowser();
const watch = new Watch();
const page = await openPage(browser, "wide", watch, [lectern.url]);
const states = new States(page, watch, "wide", { themes: LOOKS, prefix: "keyboard-" });
const ui = new Roles(page);
const components = async () => (await lectern.ask("GET", path)).components;
const holds = (what, condition) => until(async () => condition(await components()), 10_000, () => `It never came true: ${what}`);

// Where the keyboard is can be seen: by an outline or a shadow, of the element or of what it fills.
async function visible() {
  const hidden = await page.evaluate(() => {
    let element = document.activeElement;
    if (element === document.body) return null;
    const told = `${element.computedRole} ${element.computedName}`;
    for (let i = 0; i < 3 && element; i++, element = element.parentElement) {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
      if ((outlineStyle !== "none" && parseFloat(outlineWidth) > 0) || boxShadow !== "none") return null;
    }
    return told;
  });
  if (hidden) watch.add("focus", `cannot be seen at ${hidden}`);
}

async function go(role, name, key) {
  await ui.go(role, name, { key, each: visible });
  await visible();
}

try {
  await page.goto(lectern.url, { waitUntil: "load" });
  const graph = await ui.get("region", "Graph"), node = await ui.get("region", "Node"), chat = await ui.get("region", "Chat");
  await ui.see(lesson.title, { within: graph });
  await ui.see("Connected");

  // The first stop leads past the bar; a list says what the canvas shows.
  await ui.key("Tab");
  assert.match((await ui.focus()).name, /^skip to/i);
  await ui.key("Enter");
  await until(async () => (await ui.focus()).name === "Graph", 5000, () => "the skip link does not lead to the graph");

  await ui.key("/");
  await until(async () => (await ui.focus()).role === "combobox", 5000, () => "/ does not lead to the search");
  await page.keyboard.type(lesson.id);
  await ui.get("option", new RegExp(lesson.title));
  await ui.key("Enter");
  await ui.get("heading", new RegExp(lesson.title), { within: node });

  await ui.key("Alt+3");
  await until(async () => chat.evaluate(it => it.contains(document.activeElement)), 5000, () => "Alt 3 does not lead to the chat");
  await go("textbox", /^ask about/i);
  await page.keyboard.type(QUESTION);
  await ui.key("Enter");
  await ui.see(ANSWERED, { within: chat, wait: 30_000 });
  for (const id of answer) await ui.see(id, { within: chat });
  await states.look("answer");

  for (const [word, told, left] of [["Decline", KEPT, true], ["Approve", DELETED, false]]) {
    await go("textbox", /^ask about/i, "Shift+Tab");
    await page.keyboard.type(CHANGE);
    await ui.key("Enter");
    await ui.get("button", "Approve", { within: chat, wait: 30_000 });
    if (left) await states.look("approval");
    await go("button", word, "Shift+Tab");
    await ui.key("Enter");
    await ui.see(told, { within: chat, wait: 30_000 });
    assert.equal((await components()).some(component => component.parameters.text === TRICK), left);
  }

  await ui.key("Alt+U");
  await holds("Alt U brings the trick back", all => all.some(component => component.parameters.text === TRICK));

  await ui.key("Alt+2");
  await go("button", /^edit.*paragraph/i);
  await ui.key("Enter");
  await until(async () => (await ui.focus()).role === "textbox", 5000, () => "the form does not take the focus");
  await visible();
  await ui.key("Control+End");
  await page.keyboard.type(" By keys alone.");
  await states.look("editing");
  await ui.key("Control+Enter");
  await holds("the text is saved", all => all.some(component => component.parameters.text?.endsWith("By keys alone.")));

  const before = (await components()).map(component => component.component_id);
  await go("button", /^move paragraph/i, "Shift+Tab");
  const { name } = await ui.focus();
  await ui.key("Space", "ArrowDown");
  await visible();
  await ui.key("Space");
  await holds(`the order is another (${name})`, all => all.some((component, i) => component.component_id !== before[i]));
  await visible();
  await states.look("moved");
  assert.deepEqual(watch.faults, []);
  console.log("by keys alone: found, opened, asked, declined, approved, undone, edited, moved");
} catch (error) {
  await states.shoot("failed").catch(() => {});
  for (const fault of watch.faults) console.log(fault);
  throw error;
} finally {
  await close();
  await lectern.stop();
  await model.close();
}
