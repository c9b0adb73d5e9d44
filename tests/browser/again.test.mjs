// SPDX-License-Identifier: GPL-3.0-or-later
// again.test.mjs wide|narrow: presses Try again behind an answer that never came, and behind one that broke off.
import assert from "node:assert/strict";
import { environment, journal } from "./played.mjs";
import { openVisit } from "./visit.mjs";

const { page, states, ui, at, ask, through } = await openVisit("again", { environment });

const questions = async within => Promise.all((await ui.all("article", "You", { within })).map(async one => (await ui.text(one)).trim()));
const asked = async () => (await journal()).map(request => request.asked);

await through(async () => {
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
  within = await at("Chat");
  await ui.see("It begins with counting.", { within });
  assert.deepEqual(await questions(within), both);
  assert.match(await ui.text(within), whole);
  assert.ok(!(await ui.has("button", "Try again", { within })));
});
console.log("asked again, and each question once");
