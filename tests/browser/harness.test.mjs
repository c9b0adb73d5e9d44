// SPDX-License-Identifier: GPL-3.0-or-later
// What watches the page sees what it should: a page with each fault planted once, and one without any.
import assert from "node:assert/strict";
import http from "node:http";
import { openBrowser, openPage, Watch } from "./page.mjs";
import { Roles } from "./roles.mjs";
import { covered, States } from "./states.mjs";

const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src http: ws:; img-src http:";
const page = body => `<!doctype html><html lang="en"><meta charset="utf-8"><title>Test</title>
<meta name="viewport" content="width=device-width"><script src="/script.js" defer></script><link rel="stylesheet" href="/style.css">
<main><h1>Test</h1>${body}</main></html>`;
const FILES = {
  "/good": ["text/html", page(`<button>Save</button><button hidden>Hidden</button><div aria-hidden="true"><span role="button">Aside</span></div>
    <label>Name <input></label>`)],
  "/bad": ["text/html", page(`<p class="pale">Hard to read</p><p class="wide">Wide</p><p style="color: red">x</p><img src="http://127.0.0.2:9/x.png" alt="">
    <script>window.ran = 1</script><button class="below">Covered</button><div class="above"></div>`)],
  "/favicon.ico": ["image/x-icon", ""],
  "/style.css": ["text/css", `.pale { color: #ccc } .wide { width: 3000px } .below { position: fixed; top: 0; left: 0 }
    .above { position: fixed; top: 0; left: 0; width: 99px; height: 99px }`],
  "/script.js": ["text/javascript", `if (location.pathname === "/bad") {
    console.error("planted error"); setTimeout(() => { throw new Error("planted exception") });
    new WebSocket("ws://127.0.0.2:9/socket"); alert("planted dialog"); }`],
};
// What each planted fault is told as.
const TOLD = [/^console error: planted error/, /^exception: Error: planted exception/, /^dialog: alert planted dialog/,
  /^policy: style-src-attr/, /^policy: script-src-elem inline/, /^foreign request: http:\/\/127\.0\.0\.2/,
  /^foreign socket: ws:\/\/127\.0\.0\.2/, /^axe: bad, wide, dark: color-contrast/, /^layout: bad, wide: \d+ pixels/];

const server = http.createServer((request, response) => {
  const [type, text] = FILES[request.url] ?? ["text/plain", ""];
  response.writeHead(200, { "Content-Type": type, "Content-Security-Policy": POLICY }).end(text);
});
await new Promise(done => server.listen(0, "127.0.0.1", done));
const origin = `http://127.0.0.1:${server.address().port}`;
const { browser, close } = await openBrowser();
try {
  for (const [name, told] of [["good", []], ["bad", TOLD]]) {
    const watch = new Watch();
    const shown = await openPage(browser, "wide", watch, [origin]);
    await shown.goto(`${origin}/${name}`, { waitUntil: "load" });
    await new States(shown, watch, "wide", { prefix: "harness-" }).look(name);
    const untold = told.filter(pattern => !watch.faults.some(fault => pattern.test(fault)));
    assert.deepEqual(untold, [], watch.faults.join("\n"));
    if (told.length === 0) assert.deepEqual(watch.faults, []);
    const roles = new Roles(shown);
    if (name === "good") {
      assert.deepEqual(await roles.names("button"), ["Save"]);
      await roles.fill("textbox", /^name/i, "Anna");
      await roles.see("Anna");
      assert.deepEqual([...await covered(shown)], []);
      await assert.rejects(roles.get("button", "Delete", { wait: 100 }), /Of that role there are: \["Save"\]/);
    } else {
      const button = await roles.get("button", "Covered");
      await assert.rejects(roles.pressIt(button, "button", 200), /is covered by/);
      assert.match((await covered(shown)).join("\n"), /^button "Covered" is covered by generic/);
    }
    await shown.leave();
  }
  console.log(`${TOLD.length} planted faults told, none where there is none`);
} finally {
  await close();
  server.close();
}
