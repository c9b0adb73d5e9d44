// SPDX-License-Identifier: GPL-3.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";

test("each answer says whether its reader may edit, a refusal does not", async () => {
  let given: [number, Record<string, string>] = [200, {}];
  Object.assign(globalThis, {
    localStorage: { getItem: () => null },
    fetch: () => Promise.resolve(new Response("{}", { status: given[0], headers: given[1] })),
  });
  const { call } = await import("./api");
  const { readOnly } = await import("./state");
  const after = async (status: number, headers: Record<string, string>) => {
    given = [status, headers];
    await call("GET", "/sessions").catch(() => undefined);
    return readOnly.value;
  };
  assert.equal(await after(200, {}), false);
  assert.equal(await after(200, { "Lectern-Scope": "read" }), true);
  assert.equal(await after(401, {}), true);
  assert.equal(await after(200, { "Lectern-Scope": "read edit" }), false);
  assert.equal(await after(403, { "Lectern-Scope": "read" }), false);
});
