// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the page's own tests: src/**/*.test.ts, each bundled by esbuild, all run by node.
//
//   node test.mjs OUTDIR [--packages FOLDER]
//
// FOLDER of the packages is what cmake/page.sh makes, build/page by default. What is tested here needs no browser.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const here = path.dirname(fileURLToPath(import.meta.url));
const { values: options, positionals } = parseArgs({ options: { packages: { type: "string" } }, allowPositionals: true });
if (positionals.length !== 1) {
  console.error("usage: node test.mjs OUTDIR [--packages FOLDER]");
  process.exit(2);
}
const out = path.resolve(positionals[0]);
const packages = path.resolve(options.packages ?? path.join(here, "../../build/page"));
if (!existsSync(path.join(packages, "node_modules/esbuild"))) {
  console.error(`${packages} has no esbuild: run cmake/page.sh first`);
  process.exit(1);
}

function find(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap(entry => {
    const name = path.join(folder, entry.name);
    return entry.isDirectory() ? find(name) : entry.name.endsWith(".test.ts") ? [name] : [];
  });
}

const tests = find(path.join(here, "src"));
const { build } = createRequire(path.join(packages, "package.json"))("esbuild");
rmSync(out, { recursive: true, force: true });
await build({
  entryPoints: tests,
  outdir: out,
  outbase: path.join(here, "src"),
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  target: "node18",
  format: "esm",
  sourcemap: "inline",
  // Browsers have it; node does from 20 on.
  banner: { js: 'import { webcrypto as nodeCrypto } from "node:crypto";\nglobalThis.crypto ??= nodeCrypto;' },
  loader: { ".css": "empty" },
  nodePaths: [path.join(packages, "node_modules")],
  logLevel: "warning",
});
const built = tests.map(name => path.join(out, path.relative(path.join(here, "src"), name)).replace(/\.ts$/, ".mjs"));
const { status } = spawnSync(process.execPath, ["--enable-source-maps", "--test", "--test-reporter=tap", ...built], {
  stdio: "inherit",
  cwd: path.join(here, "../.."),
}); // some read what they are held against
process.exit(status ?? 1);
