// SPDX-License-Identifier: GPL-3.0-or-later
// hostile.test.mjs CURRICULUM MARKUP: opens every node of the hostile curriculum, presses what can be pressed in it, has the model run
// code that prints hostile texts and answer with them. Nothing may run, call anybody or take the page over; what is said is shown.
import assert from "node:assert/strict";
import fs from "node:fs";
import { Lectern } from "./lectern.mjs";
import { playModel } from "./model.mjs";
import { openBrowser, openPage, Watch } from "./page.mjs";
import { pause, Roles } from "./roles.mjs";
import { States } from "./states.mjs";

const curriculum = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
const { texts, sid } = JSON.parse(fs.readFileSync(process.argv[3], "utf8"));

// What no text may bring into the page. Runs there; the page's own script and style sheets are files of its origin.
function intruders() {
  const found = [];
  const own = address => new URL(address, location.href).origin === location.origin;
  const all = [...document.querySelectorAll("*")];
  for (const element of all) {
    const name = element.tagName.toLowerCase();
    const told = () => element.outerHTML.slice(0, 200);
    if (["iframe", "object", "embed", "base", "foreignobject", "set", "animate", "frame", "portal"].includes(name)) found.push(told());
    if (name === "script" && !(element.src && own(element.src))) found.push(told());
    if (name === "style" && element.textContent.includes("127.0.0.2")) found.push(told());
    if (name === "link" && element.rel !== "icon" && !own(element.href)) found.push(told());
    if (name === "meta" && element.httpEquiv === "refresh") found.push(told());
    if (name === "form" && element.hasAttribute("action")) found.push(told());
    for (const { name: attribute, value } of element.attributes) {
      const bare = value.replace(/[\s\x00-\x20]/g, "").toLowerCase();
      if (/^on/.test(attribute)) found.push(told());
      if (/(^|:)(href|src|action|data|formaction)$/.test(attribute) && /^(javascript|vbscript|data:text)/.test(bare)) found.push(told());
      if (attribute === "style" && bare.includes("url(")) found.push(told());
      if (["src", "srcset", "poster", "background"].includes(attribute) && name !== "script" && !bare.startsWith("data:")) found.push(told());
    }
  }
  if ("canary" in window) found.push("window.canary is set");
  if (!(document.body.textContent.length > 0) || typeof document.getElementById !== "function") found.push("the document is clobbered");
  return [...new Set(found)];
}

// Chromium tells violations while a sanitiser parses a text, which is not yet a part of the page; whether one is in it, the scan says.
const PARSED = [/^(script-src-attr|style-src-attr|style-src-elem) inline/, /^(Executing inline event handler|Applying inline style) violates/];

const faults = [];
async function check(page, where) {
  for (const text of await page.evaluate(intruders)) faults.push(`${where}: ${text}`);
}

// Moves over and presses everything in a region that content could have made: links, and what is drawn. An honest address is not gone
// to.
async function pokeAt(page, region) {
  await region.evaluate(root => {
    for (const element of root.querySelectorAll("*")) {
      for (const kind of ["mouseover", "mouseenter", "pointerover", "focus"]) element.dispatchEvent(new Event(kind, { bubbles: true }));
      if (element.closest("svg") && !element.closest("button")) element.dispatchEvent(new MouseEvent("click", { bubbles: true }));
      if (element.tagName === "A" && !element.closest("nav")) {
        element.addEventListener("click", event => /^https?:$/.test(element.protocol) && event.preventDefault(), { once: true });
        element.click();
      }
    }
  });
}

const code = `import sys\nfor text in ${JSON.stringify(texts)}:\n    print(text)\nprint(${JSON.stringify(texts[0])}, file=sys.stderr)\n${JSON.stringify(texts[1])}`;
const model = await playModel([{ asks: "hostile", first: `Let me see. ${texts[1]}`, calls: [{ name: "execute_code", arguments: { code } }],
  says: `Found:\n\n${texts.join("\n\n")}\n\nThat was all.` }]);
const lectern = await new Lectern(model.environment).start();
const { browser, close } = await openBrowser();
const watch = new Watch();

// The policy holds alone too: a picture at an address of this server, put in past the sanitisers, is not asked for.
async function holdPolicy(page) {
  await watch.excuse([/img-src/, /past-the-sanitisers/], async () => {
    const blocked = await page.evaluate(() => new Promise(done => {
      document.addEventListener("securitypolicyviolation", event => {
        if (event.blockedURI.includes("past-the-sanitisers")) done(event.effectiveDirective);
      });
      const picture = document.createElement("img");
      picture.onload = () => done("loaded");
      picture.src = "/sessions?past-the-sanitisers";
      document.body.append(picture);
      setTimeout(() => done("nothing was said"), 10_000);
    }));
    assert.equal(blocked, "img-src");
  });
}

// policy: with the page's Content-Security-Policy; else its sanitisers must hold alone.
async function walk(policy) {
  const page = await openPage(browser, "wide", watch, [lectern.url]);
  await page.setBypassCSP(!policy);
  page.on("request", request => {
    if (request.resourceType() === "image" && !request.url().startsWith("data:")) watch.add("picture asked for", request.url());
  });
  const states = new States(page, watch, "wide", { prefix: `hostile-${policy ? "" : "without-policy-"}` });
  const roles = new Roles(page);
  await page.goto(lectern.url, { waitUntil: "load" });
  const node = await roles.get("region", /^node/i);
  await check(page, "open");
  for (const [index, { node_id: id, title }] of curriculum.nodes.entries()) {
    await roles.fill("combobox", /find|search/i, id);
    await roles.press("option", undefined, { within: await roles.get("listbox", /found|nodes/i) });
    await roles.see(id, { within: node });
    await roles.see("before ", { within: node });
    const heading = await (await roles.get("heading", undefined, { within: node })).evaluate(it =>
      it.textContent + [...it.querySelectorAll("img")].map(picture => picture.alt).join(""));
    if (heading.trim() === "") faults.push(`node ${id}: its title ${JSON.stringify(title)} is not shown`);
    await pause(50);
    await pokeAt(page, node);
    await check(page, `node ${id}`);
    if (index % 8 === 0) await states.look(`node-${index}`, { axe: true, themes: { light: { "prefers-color-scheme": "light" } } });
  }
  // An edit by somebody with a hostile name lands; its trace is shown.
  const { node_id: first } = curriculum.nodes[1];
  await lectern.ask("POST", `/session/${sid}/nodes/${encodeURIComponent(first)}/components/insert`,
    { type: "paragraph", parameters: { text: texts[1] } }, { "X-Editor": texts[1] });
  await pause(500);
  await check(page, "edit of another");

  const chat = await roles.get("region", /^chat/i);
  await roles.fill("textbox", /^ask about/i, `hostile? ${texts[0]}`, { within: chat });
  await roles.press("button", "Send", { within: chat });
  await roles.see("That was all.", { within: chat, wait: 30_000 });
  for (const button of await roles.all("button", /show|details|output|code|more/i, { within: chat })) await button.click();
  await roles.see(texts[0], { within: chat });      // of the question, of the code or of its output: as text
  await pokeAt(page, chat);
  await check(page, "chat");
  await states.look("chat", { themes: { light: { "prefers-color-scheme": "light" } } });
  await page.reload({ waitUntil: "load" });
  await roles.see("That was all.", { within: await roles.get("region", /^chat/i), wait: 30_000 });
  await pause(300);
  await check(page, "reload");
  assert.equal(new URL(page.url()).origin, lectern.url);
  if (policy) await holdPolicy(page);
  await page.leave();
}

try {
  await walk(false);
  await watch.excuse(PARSED, () => walk(true));
  assert.deepEqual([...faults, ...watch.faults], []);
  console.log(`${curriculum.nodes.length} hostile nodes, their chat and its reload: shown, and nothing ran`);
} catch (error) {
  console.log([...faults, ...watch.faults].join("\n"));
  throw error;
} finally {
  await close();
  await lectern.stop();
  await model.close();
}
