// SPDX-License-Identifier: GPL-3.0-or-later
import assert from "node:assert/strict";
import { test } from "node:test";
import { relationOf, RELATIONS, relationsOf } from "./relations";

test("every kind of link has words for both ways, and they differ", () => {
  const words = RELATIONS.flatMap(({ forward, back }) => [forward, back]);
  assert.equal(new Set(words).size, words.length);
  // The earlier node of an ENRICHMENT is the one that is enriched.
  assert.deepEqual([relationOf("ENRICHMENT").forward, relationOf("ENRICHMENT").back], ["is enriched by", "enriches"]);
});

test("kinds that an import brings are listed by their own names, behind the known ones", () => {
  assert.deepEqual(relationsOf(["SEE_ALSO", "ENRICHMENT", "CONTAINS", "PREREQUISITE", "CONTAINS"]).map(({ type }) => type),
    ["PREREQUISITE", "ENRICHMENT", "CONTAINS", "SEE_ALSO"]);
  assert.deepEqual([relationOf("SEE_ALSO").forward, relationOf("SEE_ALSO").line], ["see also", "grey"]);
});
