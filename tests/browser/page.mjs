// SPDX-License-Identifier: GPL-3.0-or-later
// Chromium with a profile of its own, and a page in it that is watched: console errors, exceptions, dialogs, violations of the
// Content-Security-Policy, and requests to anything but the server's origin are faults, and they are all told at the end.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import puppeteer from "puppeteer-core";

const FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic",
  "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
  "--enable-blink-features=ComputedAccessibilityInfo"];

export const SIZES = { wide: { width: 1440, height: 900 }, narrow: { width: 390, height: 844 } };

// The pipe ends Chromium with us, however we end.
export async function openBrowser() {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), "lectern-chromium-"));
  const browser = await puppeteer.launch({ executablePath: process.env.LECTERN_CHROMIUM, pipe: true, headless: true, args: FLAGS,
    userDataDir: profile });
  return { browser, async close() {
    await browser.close();
    fs.rmSync(profile, { recursive: true, force: true, maxRetries: 10 });
  } };
}

export class Watch {
  faults = [];
  excused = [];

  add(kind, text) {
    if (!this.excused.some(pattern => pattern.test(text))) this.faults.push(`${kind}: ${text}`);
  }

  // What is expected to go wrong while work is done: a server that is away, a refusal that is provoked.
  async excuse(patterns, work) {
    this.excused.push(...patterns);
    try {
      return await work();
    } finally {
      this.excused.splice(this.excused.length - patterns.length);
    }
  }
}

const local = url => url.startsWith("data:") || url.startsWith("blob:") || url === "about:blank";

// origins: that the page may speak to.
export async function openPage(browser, size, watch, origins) {
  const narrow = size === "narrow";
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  await page.setViewport({ ...SIZES[size], isMobile: narrow, hasTouch: narrow });
  const foreign = url => !local(url) && !origins.includes(new URL(url).origin.replace(/^ws/, "http"));

  page.on("console", message => {
    if (["error", "warn", "assert"].includes(message.type()))
      watch.add(`console ${message.type()}`, `${message.text()} (${message.location().url ?? ""})`);
  });
  page.on("pageerror", error => watch.add("exception", String(error?.stack ?? error)));
  page.on("dialog", dialog => {
    if (dialog.type() !== "beforeunload") watch.add("dialog", `${dialog.type()} ${dialog.message()}`);
    dialog.accept().catch(() => {});      // it may be gone with its page
  });
  page.on("request", request => {
    if (foreign(request.url())) watch.add("foreign request", request.url());
  });
  page.on("popup", popup => watch.add("popup", popup.url()));
  const devtools = await page.createCDPSession();
  await devtools.send("Network.enable");
  await devtools.send("Accessibility.enable");      // keeps the tree that roles.mjs asks
  devtools.on("Network.webSocketCreated", ({ url }) => {
    if (foreign(url)) watch.add("foreign socket", url);
  });
  await page.exposeFunction("lecternTestViolation", text => watch.add("policy", text));
  await page.evaluateOnNewDocument(() => {
    document.addEventListener("securitypolicyviolation", event =>
      window.lecternTestViolation(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber} ${event.sample}`));
  });
  page.devtools = devtools;
  page.leave = () => context.close();
  return page;
}

// {"prefers-color-scheme": "dark", "forced-colors": "active", …}
export function media(page, features) {
  return page.devtools.send("Emulation.setEmulatedMedia",
    { features: Object.entries(features).map(([name, value]) => ({ name, value })) });
}
