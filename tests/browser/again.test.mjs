// SPDX-License-Identifier: GPL-3.0-or-later
// again.test.mjs wide|narrow: presses Try again behind an answer that never came, and behind one that broke off.
import assert from "node:assert/strict";
import { Lectern } from "./lectern.mjs";
import { openBrowser, openPage, Watch } from "./page.mjs";
import { environment, journal } from "./played.mjs";
import { Roles } from "./roles.mjs";
import { States } from "./states.mjs";

const size = process.argv[2];
const narrow = size === "narrow";
const lectern = await new Lectern(environment).start();
const { browser, close } = await openBrowser();
const watch = new Watch();
const page = await openPage(browser, size, watch, [lectern.url]);
const states = new States(page, watch, size, { prefix: "again-" });
const ui = new Roles(page, { touch: narrow });

async function chat() {
  if (narrow) await ui.press("button", "Chat", { within: await ui.get("navigation", "Regions") });
  return ui.get("region", "Chat");
}
async function ask(question) {
  const within = await chat();
  await ui.fill("textbox", /^ask about/i, question, { within });
  await ui.press("button", "Send", { within });
  return within;
}
const questions = async within => Promise.all((await ui.all("article", "You", { within })).map(async one => (await ui.text(one)).trim()));
const asked = async () => (await journal()).map(request => request.asked);

try {
  await page.goto(lectern.url, { waitUntil: "load" });
  await ui.see("Connected");

  // Nothing had come; and once more nothing.
  let within = await ask("How many?");
  for (const times of [1, 2]) {
    await ui.get("button", "Try again", { within });
    assert.equal((await ui.all("button", "Try again", { within })).length, 1);
    if (times === 2) await states.look("failed");
    await ui.press("button", "Try again", { within });
    await ui.see(times === 1 ? /It is away[^]*It is away/ : "Four of them.", { within });
  }
  await ui.gone("button", "Stop", { within });
  assert.ok(!(await ui.has("button", "Try again", { within })));
  assert.deepEqual(await questions(within), ["How many?"]);
  // Each time the model was asked the same, with nothing in between.
  const [first, second, third] = await asked();
  assert.match(first.at(-1), /How many\?/);
  assert.deepEqual([second, third], [first, first]);
  await states.look("answered");

  // A part had come: it stays, and the model is told.
  await ask("How does it begin?");
  await ui.get("button", "Try again", { within });
  await ui.see("It begins with", { within });
  await ui.press("button", "Try again", { within });
  await ui.see("It begins with counting.", { within });
  await ui.gone("button", "Stop", { within });
  assert.match((await asked())[4].join("\n"), /asks the same question again/);
  const both = ["How many?", "How does it begin?"];
  const whole = /How many\?[^]*Four of them\.[^]*How does it begin\?[^]*It begins with[^]*Asked again\.[^]*It begins with counting\./;
  assert.deepEqual(await questions(within), both);
  assert.match(await ui.text(within), whole);
  await states.look("part");

  await page.reload({ waitUntil: "load" });
  within = await chat();
  await ui.see("It begins with counting.", { within });
  assert.deepEqual(await questions(within), both);
  assert.match(await ui.text(within), whole);
  assert.ok(!(await ui.has("button", "Try again", { within })));
  assert.deepEqual(watch.faults, []);
} catch (error) {
  await states.shoot(`failed-${size}`).catch(() => {});
  for (const fault of watch.faults) console.log(fault);
  console.log(lectern.log.slice(-20).join("\n"));
  throw error;
} finally {
  await close();
  await lectern.stop();
}
console.log("asked again, and each question once");
