// SPDX-License-Identifier: GPL-3.0-or-later
// Finding things on a page as its user perceives them: by role and accessible name, as Chromium computes them, never by class or
// id. What is hidden, or behind aria-hidden or inert, is not there. Everything waits until it is so, or says what is there instead.
const WAIT = 30_000;    // milliseconds: it is a bound for a page that hangs, on a machine that has other work to do
const EVERY = 50;
const GONE = "is not on the page any more";

// Runs in the page. name: null, or {exact} or {pattern, flags}.
function matching(root, role, name) {
  const wanted = name?.pattern === undefined ? null : new RegExp(name.pattern, name.flags);
  const found = [];
  for (const element of (root ?? document).querySelectorAll("*")) {
    if (element.computedRole !== role || !element.checkVisibility({ visibilityProperty: true })) continue;
    if (element.closest("[aria-hidden=true], [inert]")) continue;
    const own = element.computedName.trim();
    if (wanted ? wanted.test(own) : name === null || own === name.exact) found.push(element);
  }
  return found;
}

const plain = name => name === undefined || name === null ? null
  : name instanceof RegExp ? { pattern: name.source, flags: name.flags } : { exact: name };
const said = name => name === undefined ? "" : ` ${name instanceof RegExp ? name : JSON.stringify(name)}`;

export class Roles {
  // touch: fingers instead of a mouse.
  constructor(page, { touch = false } = {}) {
    this.page = page;
    this.touch = touch;
  }

  // All of a role, by now, as handles.
  async all(role, name, { within } = {}) {
    const list = await this.page.evaluateHandle(matching, within ?? null, role, plain(name));
    const handles = [];
    for (const property of (await list.getProperties()).values()) {
      const element = property.asElement();
      if (element) handles.push(element);
    }
    return handles;
  }

  async names(role, { within } = {}) {
    return Promise.all((await this.all(role, undefined, { within })).map(nameOf));
  }

  // The first (or the nth, from 0; -1: the last) of that role and name.
  async get(role, name, { within, nth = 0, wait = WAIT } = {}) {
    const end = Date.now() + wait;
    for (;;) {
      const found = await this.all(role, name, { within }).catch(gone);
      const chosen = found?.at(nth);
      if (chosen) return chosen;
      if (Date.now() > end) {
        const there = await this.names(role, { within });
        throw new Error(`There is no ${role}${said(name)}. Of that role there are: ${JSON.stringify(there.slice(0, 60))}`);
      }
      await pause(EVERY);
    }
  }

  async has(role, name, where = {}) {
    return (await this.all(role, name, where)).length > 0;
  }

  async gone(role, name, { within, wait = WAIT } = {}) {
    await until(async () => !(await this.has(role, name, { within })), wait, () => `The ${role}${said(name)} stays.`);
  }

  // Waits until that text can be read, in an element or anywhere.
  async see(text, { within, wait = WAIT } = {}) {
    let last = "";
    await until(async () => {
      last = await this.text(within);
      return text instanceof RegExp ? text.test(last) : last.includes(text);
    }, wait, () => `It does not say ${said(text)}. It says: ${last.slice(-2500)}`);
  }

  // What can be read; the values of fields belong to it.
  async text(within) {
    return this.page.evaluate(root => {
      const element = root ?? document.body;
      const fields = [...element.querySelectorAll("input, textarea")].filter(field => field.checkVisibility());
      return [element.innerText, ...fields.map(field => field.value)].join("\n");
    }, within ?? null);
  }

  // With the mouse, or a finger, at its middle. Something else in front of it is a fault of the page.
  async press(role, name, where = {}) {
    for (let attempt = 1;; attempt++) {
      const element = await this.get(role, name, where);
      try {
        await this.pressIt(element, `${role}${said(name)}`);
        return element;
      } catch (error) { // drawn anew meanwhile: there is another in its place
        if (attempt === 3 || await element.evaluate(it => it.isConnected).catch(gone)) throw error;
      }
    }
  }

  async pressIt(element, what, wait = WAIT) {
    const end = Date.now() + wait;
    for (let before = "";;) {
      const { fault, x, y } = await element.evaluate((it, gone) => {
        it.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
        if (!it.isConnected) return { fault: gone };
        if (it.disabled) return { fault: "is disabled" };
        const box = it.getBoundingClientRect();
        const x = box.x + box.width / 2, y = box.y + box.height / 2;
        const top = document.elementFromPoint(x, y);
        if (!top) return { fault: `is outside of the window, at ${Math.round(x)}, ${Math.round(y)}` };
        if (it.contains(top) || top.contains(it) || it.control === top || top.closest("label")?.control === it) return { x, y };
        const words = JSON.stringify(top.computedName || top.textContent.slice(0, 40));
        return { fault: `is covered by ${top.computedRole} ${words} (${top.tagName} ${top.className})` };
      }, GONE);
      const place = `${x} ${y}`;
      const still = place === before; // what moves is pressed when it has come to rest, as a person does
      before = place;
      if (!fault && still) {
        if (this.touch) await this.page.touchscreen.tap(x, y);
        else await this.page.mouse.click(x, y);
        return;
      }
      if (Date.now() > end || fault === GONE) throw new Error(`The ${what} ${fault ?? "does not come to rest"}.`);
      await pause(EVERY);
    }
  }

  // Puts a text in the place of a field's own, key by key.
  async fill(role, name, text, where = {}) {
    const field = await this.press(role, name, where);
    await field.evaluate(it => it.select?.());
    await this.page.keyboard.type(text);
    return field;
  }

  async key(...keys) {
    for (const key of keys) {
      const parts = key.split("+");
      const last = parts.pop();
      for (const part of parts) await this.page.keyboard.down(part);
      await this.page.keyboard.press(last);
      for (const part of parts.reverse()) await this.page.keyboard.up(part);
    }
  }

  // What the keyboard is at.
  async focus() {
    return this.page.evaluate(() => {
      const at = document.activeElement;
      return { role: at.computedRole, name: at.computedName.trim(), value: at.value ?? "" };
    });
  }

  // Goes on with Tab (or another key) until the focus is there, as somebody without a mouse does.
  async go(role, name, { key = "Tab", most = 150, each = null } = {}) {
    const seen = [];
    for (let i = 0; i < most; i++) {
      const at = await this.focus();
      if (at.role === role && (name instanceof RegExp ? name.test(at.name) : name === undefined || at.name === name)) return;
      seen.push(`${at.role} ${at.name.slice(0, 40)}`);
      await this.key(key);
      await each?.();
    }
    throw new Error(`With ${key} the focus never comes to ${role}${said(name)}; it went by ${JSON.stringify(seen.slice(0, 80))}`);
  }
}

export const nameOf = element => element.evaluate(it => it.computedName.trim());
export const pause = milliseconds => new Promise(done => setTimeout(done, milliseconds));

export async function until(holds, wait, complaint) {
  const end = Date.now() + wait;
  while (!(await holds().catch(gone))) {
    if (Date.now() > end) throw new Error(complaint());
    await pause(EVERY);
  }
}

// A page that loads anew while it is asked has no answer yet.
function gone(error) {
  if (/context was destroyed|Cannot find context|detached|JSHandle/i.test(error.message)) return undefined;
  throw error;
}
