// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of what people see share: another editor, and what is left of a lesson.
import assert from "node:assert/strict";

export const components = (place) => place.curriculum().nodes.find((node) => node.node_id === "N002").components.length;

export async function edit(place, node, text) {
  const answer = await fetch(`http://127.0.0.1:${place.port}/session/${place.session}/nodes/${node}/components/insert`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ type: "paragraph", parameters: { text } }),
  });
  assert.equal(answer.status, 200);
}
