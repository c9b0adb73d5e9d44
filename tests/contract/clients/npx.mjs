#!/usr/bin/env node
// SPDX-License-Identifier: GPL-3.0-or-later
// Stands in for npx, as a command of this name in PATH: runs the program of a package that is installed here, if it is of that version.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

const [yes, wanted, ...words] = process.argv.slice(2);
assert.equal(yes, "-y");
const [, name, version] = /^(@?[^@]+)@(.+)$/.exec(wanted);
const folder = join(dirname(realpathSync(process.argv[1])), "node_modules", name);
const description = JSON.parse(readFileSync(join(folder, "package.json")));
assert.equal(description.version, version, `${name} is installed as ${description.version}`);
const program = description.bin[name.split("/").pop()];
const child = spawn(process.execPath, [join(folder, program), ...words], { stdio: "inherit" });
for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, () => child.kill(signal));
child.on("exit", (status) => process.exit(status ?? 1));
