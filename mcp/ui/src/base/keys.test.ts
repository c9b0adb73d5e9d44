// SPDX-License-Identifier: GPL-3.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { isComposing } from "./keys";

test("an input method's keys", () => {
  const key = (members: Partial<KeyboardEvent>) => ({ key: "Enter", keyCode: 13, isComposing: false, ...members }) as KeyboardEvent;
  assert.equal(isComposing(key({})), false);
  assert.equal(isComposing(key({ isComposing: true })), true);
  assert.equal(isComposing(key({ keyCode: 229 })), true); // Safari
});
