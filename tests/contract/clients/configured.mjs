// SPDX-License-Identifier: GPL-3.0-or-later
// Connects to each server of a configuration file with mcpServers, as the programs that read such a file do, and asks it one question:
// node configured.mjs FILE. Or to a URL, which may not serve yet.
import { readFileSync } from "node:fs";
import { connect } from "./sdk_v1.mjs";

async function ask(target) {
  const client = await connect(target);
  console.log((await client.call("query_graph", { query: "counts" }, {})).text);
  await client.close();
}

async function asSoonAsItServes(url) {
  for (let tries = 0; ; tries++)
    try {
      return await ask({ url });
    } catch (refused) {
      if (tries === 300) throw refused;
      await new Promise((done) => setTimeout(done, 50));
    }
}

const [word] = process.argv.slice(2);
if (word.startsWith("http:")) await asSoonAsItServes(word);
else
  for (const { headers = {}, ...server } of Object.values(JSON.parse(readFileSync(word)).mcpServers)) {
    // As Claude Code does it.
    for (const name in headers) headers[name] = headers[name].replace(/\$\{(\w+)\}/g, (_, variable) => process.env[variable]);
    await ask({ ...server, headers, env: process.env });
  }
