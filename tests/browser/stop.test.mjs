// SPDX-License-Identifier: GPL-3.0-or-later
// stop.test.mjs wide|narrow: presses Stop while a text streams, and while an analysis runs that would never end by itself.
import assert from "node:assert/strict";
import fs from "node:fs";
import { environment, journal, left } from "./played.mjs";
import { until } from "./roles.mjs";
import { THEMES } from "./states.mjs";
import { openVisit } from "./visit.mjs";

const WAIT = 30_000;
const WORKED = 50;      // ticks of CPU (1/100 s) that only a loop without an end has: a sandbox that waits has none
const { lectern, page, states, ui, at, ask, through } = await openVisit("stop", { environment, words: ["--timeout", "60", "--warm", "bare=1,data=0,plot=0"] });

// The run has ended, and is said to have been stopped.
async function stopped(within) {
  await ui.gone("button", /^stop/i, { within });
  await ui.see(/stopped/i, { within });
  await ui.get("button", "Try again", { within });
  assert.ok(!(await ui.has("status", /thinking|writing|working|stopping/i, { within })), "nothing is said to go on");
}

// pid -> ticks of CPU, of all processes below the server's.
function below() {
  const parents = new Map(), ticks = new Map();
  for (const name of fs.readdirSync("/proc").filter(one => /^[0-9]+$/.test(one))) {
    try {
      const fields = fs.readFileSync(`/proc/${name}/stat`, "utf8").split(") ").at(-1).split(" ");
      parents.set(Number(name), Number(fields[1]));
      ticks.set(Number(name), Number(fields[11]) + Number(fields[12]));
    } catch (error) {
      if (!["ENOENT", "ESRCH"].includes(error.code)) throw error;      // it is gone meanwhile
    }
  }
  const isBelow = pid => pid === lectern.process.pid || (parents.has(pid) && isBelow(parents.get(pid)));
  return new Map([...ticks].filter(([pid]) => pid !== lectern.process.pid && isBelow(pid)));
}

const runs = async () => Number((await (await fetch(`${lectern.url}/metrics`)).text()).match(/^lectern_runs_running (\d+)/m)[1]);

await through(async () => {
  await ui.see("Connected");

  // A text.
  let within = await ask("Tell me all of it.");
  await ui.see("This is the first half of it, and then", { within });
  await ui.press("button", "Stop", { within });
  await stopped(within);
  await left(0);
  await ui.see("This is the first half of it, and then", { within });
  await states.look("text", { themes: { light: THEMES.light } });
  await ask("Are you there?");
  await ui.see("Here I am.", { within });

  // An analysis.
  await ask("Look at it for ever.");
  await ui.see("It has begun.", { within });
  await ui.get("article", /^Analysis: running/, { within });
  let busy = [];
  await until(async () => (busy = [...below()].filter(([, ticks]) => ticks >= WORKED)).length > 0, WAIT, () => "no process of the sandbox works");
  assert.equal(await runs(), 1);
  await states.look("running", { axe: false, themes: { light: THEMES.light } });
  await ui.press("button", "Stop", { within });
  await ui.gone("button", /^stop/i, { within });
  await ui.get("article", /^Analysis: stopped/, { within });
  await ui.see("I will look.", { within });
  await until(async () => await runs() === 0, WAIT, () => "The analysis goes on.");
  await until(async () => busy.every(([pid]) => !below().has(pid)), WAIT, () => "What the sandbox ran is still there.");
  await states.look("analysis");
  await ask("And now?");
  await ui.see("Still here.", { within });

  // The history says the same.
  await page.reload({ waitUntil: "load" });
  within = await at("Chat");
  await ui.see("Still here.", { within });
  const said = await ui.text(within);
  assert.match(said, /This is the first half of it, and then[^]*stopped[^]*Are you there\?[^]*Here I am\.[^]*I will look\.[^]*stopped[^]*Still here\./i);
  assert.ok(!(await ui.has("button", /^stop/i, { within })), "nothing runs");
  await ui.get("article", /^Analysis: stopped/, { within });
  assert.ok(!(await ui.has("article", /running|waiting|writing/, { within })), "no call goes on");
  await states.look("reloaded", { themes: { light: THEMES.light } });
  await ask("Do you still answer?");
  await ui.see("And after a reload.", { within });
  assert.equal((await journal()).length, 5);
});
console.log("stopped, and gone on");
