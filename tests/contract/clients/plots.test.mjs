// SPDX-License-Identifier: GPL-3.0-or-later
// A plot arrives as an image, over both transports of the MCP SDK v1.
import assert from "node:assert/strict";
import { test } from "node:test";
import { connect } from "./sdk_v1.mjs";
import { LECTERN, Place } from "./walk.mjs";

const PNG = Buffer.from("89504e470d0a1a0a", "hex");
const PLOT = `import matplotlib.pyplot as plt
from code_helpers import get_nodes
plt.bar(["all", "some"], [len(get_nodes()), 3])
plt.title("Lessons")
plt.show()
print("drawn")`;

for (const transport of ["stdio", "http"])
  test(`a plot over ${transport}`, { timeout: 120_000 }, async () => {
    const place = new Place();
    await place.serve("--profile", "visualization");
    const stdio = { command: LECTERN, args: ["stdio", "--profile", "visualization"], env: place.environment };
    const client = await connect(transport === "http" ? { url: place.url } : stdio);
    try {
      const { content, isError } = await client.sdk.callTool({ name: "execute_code", arguments: { code: PLOT } });
      assert.ok(!isError, JSON.stringify(content));
      assert.deepEqual(content.map((part) => part.type), ["text", "image"]);
      assert.match(content[0].text, /^drawn\n\[ok, [0-9.]+ s, 1 figure\]$/);
      assert.equal(content[1].mimeType, "image/png");
      const bytes = Buffer.from(content[1].data, "base64");
      assert.deepEqual(bytes.subarray(0, PNG.length), PNG);
      assert.ok(bytes.readUInt32BE(16) >= 100 && bytes.readUInt32BE(20) >= 100, "a picture of some size");
      assert.equal(bytes.toString("base64"), content[1].data);
    } finally {
      await client.close();
      await place.close();
    }
  });
