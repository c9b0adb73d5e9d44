// SPDX-License-Identifier: GPL-3.0-or-later
// A call of every tool and of every operation of change_curriculum on the demo curriculum, one after the other: the arguments, what the
// answer says, and what the curriculum is afterwards. A tool or operation without a row here fails the tests (missing).
import assert from "node:assert/strict";

const node = (curriculum, id) => curriculum.nodes.find((one) => one.node_id === id);
const texts = (curriculum, id) => node(curriculum, id).components.map((one) => Object.values(one.parameters)[0]);
const between = (curriculum, from, to) => curriculum.relationships.filter((one) => one.from_node_id === from && one.to_node_id === to);

const call = (tool, args, says, holds = () => {}) => ({ tool, args, says, holds });
const operation = (op, members, says, holds) => call("change_curriculum", { operations: [{ op, ...members }] }, says, holds);
const paragraph = (text) => ({ component_type: "paragraph", parameters: { text } });

export const calls = [
  call("find", { text: "unit rate" }, /N018 "Unit rates"/),
  call("query_graph", { query: "counts" }, /40 nodes/),
  call("execute_code", { code: "from code_helpers import get_nodes\nprint(len(get_nodes()))" }, /^40\n/),
  call("add_component", { node_id: "N001", component_type: "heading", parameters: { text: "Added" }, position: 1 }, /N001/,
    (now) => assert.equal(texts(now, "N001")[0], "Added")),
  call("edit_component", { node_id: "N001", component_order: 1, new_parameters: { text: "Edited" } }, /revision 2/,
    (now) => assert.equal(texts(now, "N001")[0], "Edited")),
  call("delete_component", { node_id: "N001", component_order: 1 }, /Deleted/, (now) => assert.ok(!texts(now, "N001").includes("Edited"))),
  call("batch_add_components", { node_id: "N002", components: [{ type: "paragraph", parameters: { text: "one" } }] }, /N002/,
    (now) => assert.equal(texts(now, "N002").at(-1), "one")),
  call("history", { limit: 1 }, /N002/),
  call("undo", {}, /N002/, (now) => assert.ok(!texts(now, "N002").includes("one"))),
  call("create_relationship", { from_node_id: "N001", to_node_id: "N039", explanation: "a test" }, /N039/,
    (now) => assert.equal(between(now, "N001", "N039")[0].explanation, "a test")),
  operation("create_node", { node_id: "X1", title: "First", fields: { raw_content: "a source" } }, /X1/,
    (now) => assert.deepEqual([node(now, "X1").title, node(now, "X1").raw_content], ["First", "a source"])),
  operation("rename_node", { node_id: "X1", title: "Renamed" }, /Renamed/, (now) => assert.equal(node(now, "X1").title, "Renamed")),
  operation("edit_node", { node_id: "X1", fields: { raw_content: "another" } }, /X1/, (now) => assert.equal(node(now, "X1").raw_content, "another")),
  ...["one", "two ounces", "three"].map((text) =>
    operation("create_component", { node_id: "X1", ...paragraph(text) }, /X1/, (now) => assert.equal(texts(now, "X1").at(-1), text))),
  operation("edit_component", { node_id: "X1", component_order: 1, parameters: { text: "four" } }, /revision 2/,
    (now) => assert.deepEqual(texts(now, "X1"), ["four", "two ounces", "three"])),
  operation("reorder_components", { node_id: "X1", order: [3, 1, 2] }, /X1/,
    (now) => assert.deepEqual(texts(now, "X1"), ["three", "four", "two ounces"])),
  operation("replace_text", { find: "ounce", replace: "gram", node_ids: ["X1"] }, /1 place/,
    (now) => assert.deepEqual(texts(now, "X1"), ["three", "four", "two grams"])),
  operation("copy_node", { node_id: "X1", new_node_id: "X2", title: "Copy" }, /X2/,
    (now) => assert.deepEqual(texts(now, "X2"), ["three", "four", "two grams"])),
  operation("delete_component", { node_id: "X2", component_order: 2 }, /2 remain/, (now) => assert.deepEqual(texts(now, "X2"), ["three", "two grams"])),
  operation("move_components", { node_id: "X2", components: ["1"], into_node_id: "X1", position: 2 }, /X1/,
    (now) => assert.deepEqual([texts(now, "X1"), texts(now, "X2")], [["three", "three", "four", "two grams"], ["two grams"]])),
  operation("create_relationship", { from_node_id: "X1", to_node_id: "N039", relationship_type: "ENRICHMENT" }, /N039/,
    (now) => assert.equal(between(now, "X1", "N039")[0].relationship_type, "ENRICHMENT")),
  operation("edit_relationship", { from_node_id: "X1", to_node_id: "N039", relationship_type: "ENRICHMENT", new_type: "PREREQUISITE" }, /N039/,
    (now) => assert.deepEqual(between(now, "X1", "N039").map((one) => one.relationship_type), ["PREREQUISITE"])),
  operation("split_node", { node_id: "X1", new_node_id: "X3", title: "Rest", components: ["1", "2"], relationships: ["N039"] }, /X3/,
    (now) => assert.deepEqual([texts(now, "X1"), texts(now, "X3"), between(now, "X3", "N039").length], [["four", "two grams"], ["three", "three"], 1])),
  operation("merge_nodes", { node_id: "X3", into_node_id: "X1" }, /X1/,
    (now) => assert.deepEqual([texts(now, "X1"), node(now, "X3"), between(now, "X1", "N039").length],
      [["four", "two grams", "three", "three"], undefined, 1])),
  operation("delete_relationship", { from_node_id: "X1", to_node_id: "N039", relationship_type: "PREREQUISITE" }, /N039/,
    (now) => assert.equal(between(now, "X1", "N039").length, 0)),
  call("change_curriculum", { operations: [{ op: "delete_node", node_id: "X2" }], dry_run: true }, /apply_dry_run/, (now) => assert.ok(node(now, "X2"))),
  operation("apply_dry_run", { id: "the last" }, /X2/, (now) => assert.equal(node(now, "X2"), undefined)),
  operation("delete_node", { node_id: "X1" }, /X1/, (now) => assert.equal(node(now, "X1"), undefined)),
  // Deleted at once: beside a second curriculum, each later call would have to name one.
  call("import_curriculum", { text: "# Another\n\nA text.\n" }, /Another/, (_, { text }, place) => place.forget(/[0-9a-f]{8}-[0-9a-f-]{27}/.exec(text)[0])),
];

const operations = (tool) => tool.inputSchema.properties.operations?.items.properties.op.enum ?? [];

/* Names without a row, of the tools as tools/list has them and their operations; and the rows of what there is not. */
export function missing(tools) {
  const listed = new Set(tools.flatMap((tool) => [tool.name, ...operations(tool).map((op) => `${tool.name} ${op}`)]));
  const called = new Set(calls.flatMap(({ tool, args }) => [tool, ...(args.operations ?? []).map(({ op }) => `${tool} ${op}`)]));
  return [...listed.symmetricDifference(called)];
}
