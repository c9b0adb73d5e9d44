// SPDX-License-Identifier: GPL-3.0-or-later
// The server as a process of the script: started, killed and started again at the same port; and another client of its session API.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import readline from "node:readline";

const COMPLAINT = /Sanitizer: |: runtime error: |open handles/;

export class Lectern {
  log = [];
  port = 0;

  // environment: beside our own, which names the data folder.
  constructor(environment = {}, ...words) {
    this.environment = { ...process.env, ...environment };
    this.words = words;
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  async start() {
    this.process = spawn(process.env.LECTERN, ["serve", "--port", String(this.port), ...this.words],
      { env: this.environment, stdio: ["ignore", "ignore", "pipe"] });
    this.ended = new Promise(done => this.process.once("close", (status, signal) => done(status ?? signal)));
    const lines = readline.createInterface({ input: this.process.stderr });
    this.port = await new Promise((done, failed) => {
      lines.on("line", line => {
        this.log.push(line);
        const port = line.match(/Lectern serves http:\/\/[^ ]*:(\d+)/);
        if (port) done(Number(port[1]));
      });
      this.ended.then(status => failed(new Error(`lectern ended with ${status}: ${this.log.join("\n")}`)));
    });
    return this;
  }

  async kill() {
    this.process.kill("SIGKILL");
    await this.ended;
  }

  // Ends it as a user does.
  async stop() {
    this.process.kill("SIGTERM");
    const status = await this.ended;
    assert.equal(COMPLAINT.exec(this.log.join("\n")), null, this.log.join("\n"));
    assert.equal(status, 0, this.log.slice(-20).join("\n"));
  }

  // One request of another client; its answer, which must be a good one.
  async ask(method, path, body, headers = {}) {
    const response = await fetch(this.url + path, { method, body: body && JSON.stringify(body),
      headers: { ...(body && { "Content-Type": "application/json" }), ...headers } });
    const text = await response.text();
    assert.ok(response.ok, `${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  }
}
