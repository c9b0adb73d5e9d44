// SPDX-License-Identifier: GPL-3.0-or-later
// What people see in a client: a resource that another editor changes, a prompt whose argument is completed, and a question before a
// deletion, which is accepted, declined, or open while the client goes away.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "./sdk_v1.mjs";
import { connectBy } from "./sdk_v2.mjs";
import { components, edit } from "./seen.mjs";
import { LECTERN, Place } from "./walk.mjs";

const DELETION = ["delete_component", { node_id: "N002", component_order: 1 }, {}];

async function seesAnEdit(open, place) {
  const uri = `lectern://curriculum/${place.session}/node/N018`;
  const said = Promise.withResolvers();
  const client = await open({ updated: said.resolve });
  assert.match(await client.read(uri), /Unit rates/);
  await client.subscribe(uri);
  await edit(place, "N001", "elsewhere");
  await edit(place, "N018", "Said by another.");
  assert.equal(await said.promise, uri);
  assert.match(await client.read(uri), /Said by another[.]/);
  await client.close();
}

async function fillsAPrompt(open) {
  const client = await open({});
  const [node] = await client.complete("gaps_before", "node_id", "unit rat");
  assert.equal(node, "N018");
  assert.match(await client.prompt("gaps_before", { node_id: node }), /the lesson N018 /);
  await client.close();
}

async function isAsked(open, place) {
  const before = components(place);
  let answer;
  const client = await open({ elicit: (question) => (assert.match(question.message, /N002/), answer()) });
  answer = () => ({ action: "decline" });
  assert.ok((await client.call(...DELETION)).isError);
  assert.equal(components(place), before);
  answer = () => ({ action: "accept", content: {} });
  assert.ok(!(await client.call(...DELETION)).isError);
  assert.equal(components(place), before - 1);
  const asked = Promise.withResolvers();
  answer = () => (asked.resolve(), new Promise(() => {}));
  client.call(...DELETION).then((given) => assert.ok(given.isError), () => {}); // some clients leave the call open
  await asked.promise;
  await client.close();
  assert.equal(components(place), before - 1);
}

const clients = { "SDK v1": connect, "SDK v2, legacy": connectBy("legacy"), "SDK v2, modern": connectBy({ pin: "2026-07-28" }) };
// A server on stdio has no other client, and is not told what another process changes in the store.
const acts = { stdio: [fillsAPrompt, isAsked], http: [seesAnEdit, fillsAPrompt, isAsked] };
for (const [name, open] of Object.entries(clients))
  for (const transport in acts)
    for (const act of acts[transport])
      test(`${name} over ${transport}: ${act.name}`, { timeout: 60_000 }, async () => {
        const place = new Place();
        try {
          await place.serve();
          const target = transport === "http" ? { url: place.url } : { command: LECTERN, args: ["stdio"], env: place.environment };
          await act((more) => open({ ...target, ...more }), place);
        } finally {
          await place.close();
        }
      });
