// SPDX-License-Identifier: GPL-3.0-or-later
// The servers of the OpenAI Agents SDK, and the tools that it makes of theirs, also with strict schemas.
import assert from "node:assert/strict";
import { test } from "node:test";
import { getAllMcpTools, MCPServerStdio, MCPServerStreamableHttp, RunContext } from "@openai/agents";
import { Ajv2020 } from "ajv/dist/2020.js";
import { callAll, LECTERN, Place, textOf, walk } from "./walk.mjs";

async function open({ url, command, args, env }) {
  const server = url ? new MCPServerStreamableHttp({ url, name: "lectern" }) : new MCPServerStdio({ command, args, env, name: "lectern" });
  await server.connect();
  return {
    tools: async () => (await server.listTools()).map((tool) => tool.name),
    call: async (name, args, { signal }) => textOf(await server.callToolResult(name, args, null, { signal })),
    read: async (uri) => (await server.readResource(uri)).contents[0].text,
    close: () => server.close(),
  };
}

walk("OpenAI Agents", { eras: { stdio: "modern", http: "modern" }, lacks: { progress: "its calls take no listener", prompts: "it knows none" }, open });

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/* What strict mode makes of a schema: of every object only the members that are named, all of them, null for those that may be left out. */
function closed(schema) {
  if (schema.anyOf) return { ...schema, anyOf: schema.anyOf.map(closed) };
  if (schema.type === "array") return { ...schema, items: closed(schema.items) };
  if (schema.type !== "object") return schema;
  const properties = Object.entries(schema.properties ?? {}).map(([name, value]) =>
    [name, schema.required?.includes(name) ? closed(value) : { anyOf: [closed(value), { type: "null" }] }]);
  return { ...schema, properties: Object.fromEntries(properties), required: properties.map(([name]) => name), additionalProperties: false };
}

/* Arguments as a model sends them that is held to such a schema: null for what is left out, JSON text for objects with others than the named members. */
function held(schema, value) {
  if (value === undefined || value === null) return null;
  const branches = schema.anyOf ?? [schema];
  if (Array.isArray(value)) return value.map((one) => held(branches.find((branch) => branch.type === "array").items, one));
  if (!isObject(value)) return value;
  const each = branches.flatMap((branch) => (branch.anyOf ?? [branch]));
  const named = each.find((branch) => branch.type === "object");
  if (each.some((branch) => branch.type === "string") && Object.keys(value).some((name) => !(name in named.properties))) return JSON.stringify(value);
  return Object.fromEntries(Object.keys({ ...named.properties, ...value }).map((name) => [name, held(named.properties[name] ?? {}, value[name])]));
}

const ajv = new Ajv2020({ strict: false });

async function withTools(use) {
  const place = new Place();
  const server = new MCPServerStdio({ command: LECTERN, args: ["stdio"], env: place.environment, name: "lectern" });
  try {
    await server.connect();
    const tools = await getAllMcpTools({ mcpServers: [server], convertSchemasToStrict: true });
    await use(place, new Map(tools.map((tool) => [tool.name, tool])));
  } finally {
    await server.close();
    await place.close();
  }
}

const send = (schema, args, tool) => {
  assert.ok(ajv.validate(schema, args), `${tool.name}: ${ajv.errorsText()} in ${JSON.stringify(args)}`);
  return tool.invoke(new RunContext(), JSON.stringify(args));
};

test("OpenAI Agents sends everything with convertSchemasToStrict", { timeout: 120_000 }, () => withTools(async (place, tools) => {
  await callAll(place, async (name, args) => {
    const tool = tools.get(name);
    return send(tool.parameters, tool.strict ? held(tool.parameters, args) : args, tool);
  });
}));

test("every operation can be sent where only named members may be", { timeout: 120_000 }, () => withTools(async (place, tools) => {
  const schemas = new Map(place.tools().map((tool) => [tool.name, closed(tool.inputSchema)]));
  await callAll(place, async (name, args) => {
    const sent = held(schemas.get(name), args);
    return { text: (await send(schemas.get(name), sent, tools.get(name))).text };
  });
}));
