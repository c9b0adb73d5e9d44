// SPDX-License-Identifier: GPL-3.0-or-later
// Sign-in against an issuer that nobody here wrote, oidc-provider, by the client-credentials provider of the MCP SDK v2: the answer 401,
// the metadata, a token, a call. Its keys change meanwhile, and it goes away.
// Environment: LECTERN, the binary; LECTERN_SANDBOX, the engine.
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { test } from "node:test";
import { Client, ClientCredentialsProvider, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Provider } from "oidc-provider";
import { Place } from "./walk.mjs";

const AUDIENCE = "https://lectern.example.org/mcp";

function key(kid, alg) {
  const { privateKey } = alg === "ES256" ? generateKeyPairSync("ec", { namedCurve: "P-256" }) : generateKeyPairSync("rsa", { modulusLength: 2048 });
  return { ...privateKey.export({ format: "jwk" }), kid, alg, use: "sig" };
}

/* The issuer on a port of its own; with() gives it its keys. */
class Issuer {
  async start(keys, alg) {
    this.server = createServer((request, response) => this.handle(request, response));
    this.server.listen(0, "127.0.0.1");
    await once(this.server, "listening");
    this.url = `http://127.0.0.1:${this.server.address().port}`;
    this.with(keys, alg);
  }

  with(keys, alg) {
    const client = (client_id, scope) => ({ client_id, client_secret: client_id + "-secret", grant_types: ["client_credentials"], redirect_uris: [],
      response_types: [], scope, id_token_signed_response_alg: alg });
    const provider = new Provider(this.url, {
      clients: [client("editor", "read edit"), client("reader", "read")],
      scopes: ["read", "edit"],
      jwks: { keys },
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => this.audience ?? AUDIENCE,
          getResourceServerInfo: (_, resource) => ({ scope: "read edit", audience: resource, accessTokenFormat: "jwt", accessTokenTTL: 300, jwt: { sign: { alg } } }),
        },
      },
    });
    this.callback = provider.callback();
  }

  handle(request, response) {
    this.callback(request, response);
  }

  close() {
    this.server.close();
    this.server.closeAllConnections();
  }
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/* A client that asks for its own scopes alone. */
class Credentials extends ClientCredentialsProvider {
  constructor(issuer, name, scope) {
    super({ clientId: name, clientSecret: name + "-secret", expectedIssuer: issuer.url });
    this.scope = scope;
  }

  prepareTokenRequest() {
    return new URLSearchParams({ grant_type: "client_credentials", scope: this.scope });
  }
}

async function connect(place, authProvider, mode) {
  const client = new Client({ name: "sdk-v2", version: "1.0.0" }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(place.url), { authProvider }));
  return client;
}

const counts = async (client) => (await client.callTool({ name: "query_graph", arguments: { query: "counts" } })).content[0].text;
const heading = { name: "add_component", arguments: { node_id: "N001", component_type: "heading", parameters: { text: "Added" }, position: 1 } };

for (const mode of ["legacy", "auto"]) {
  test(`signs in, ${mode}`, async () => {
    const issuer = new Issuer();
    const place = new Place();
    await issuer.start([key("first", "RS256")], "RS256");
    /* The resource that a client asks a token for must be the server's own address, or its beginning. */
    place.port = await freePort();
    issuer.audience = `http://127.0.0.1:${place.port}/mcp`;
    await place.serve("--issuer", issuer.url, "--audience", issuer.audience);
    try {
      const editing = new Credentials(issuer, "editor", "read edit");
      const editor = await connect(place, editing, mode);
      assert.match(await counts(editor), /40 nodes/);
      assert.equal((await editor.callTool(heading)).isError ?? false, false);
      const everything = (await editor.listTools()).tools.map((tool) => tool.name);

      const reader = await connect(place, new Credentials(issuer, "reader", "read"), mode);
      assert.match(await counts(reader), /40 nodes/);
      const listed = (await reader.listTools()).tools.map((tool) => tool.name);
      assert.ok(listed.includes("execute_code") && !listed.includes("add_component") && listed.length < everything.length, listed);
      await assert.rejects(reader.callTool(heading));

      issuer.with([key("second", "ES256")], "ES256");
      const later = await connect(place, new Credentials(issuer, "editor", "read edit"), mode);
      assert.match(await counts(later), /40 nodes/);
      assert.match(await counts(editor), /40 nodes/); // its token was good, and has not ended
      const claims = JSON.parse(Buffer.from(editing.tokens().access_token.split(".")[1], "base64url"));
      assert.deepEqual([claims.iss, claims.aud, claims.client_id], [issuer.url, issuer.audience, "editor"]);

      issuer.close();
      assert.match(await counts(editor), /40 nodes/);
      await assert.rejects(connect(place, new Credentials(issuer, "editor", "read edit"), mode));
      assert.ok(!place.log.includes(editing.tokens().access_token));
      for (const client of [editor, reader, later]) await client.close();
    } finally {
      issuer.close();
      await place.close();
    }
  });
}

test("wrong credentials", async () => {
  const issuer = new Issuer();
  const place = new Place();
  await issuer.start([key("first", "RS256")], "RS256");
  await place.serve("--issuer", issuer.url, "--audience", AUDIENCE);
  try {
    const wrong = new ClientCredentialsProvider({ clientId: "editor", clientSecret: "wrong", expectedIssuer: issuer.url });
    await assert.rejects(connect(place, wrong, "auto"));
  } finally {
    issuer.close();
    await place.close();
  }
});
