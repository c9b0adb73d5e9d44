// SPDX-License-Identifier: GPL-3.0-or-later
// Runs the page's own tests: src/**/*.test.ts, each bundled by esbuild, all run by node. What is tested here needs no browser.
//
//   node test.mjs OUTDIR
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

if (process.argv.length !== 3) {
  console.error("usage: node test.mjs OUTDIR");
  process.exit(2);
}
const out = path.resolve(process.argv[2]);
const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "../..");
const packages = path.join(root, "build/page"); // which cmake/page.sh makes, with a link "src" to the sources
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

const tests = find(path.join(packages, "src"));
const { build } = createRequire(path.join(packages, "package.json"))("esbuild");
rmSync(out, { recursive: true, force: true });
await build({
  absWorkingDir: packages,
  preserveSymlinks: true,
  entryPoints: tests,
  outdir: out,
  outbase: path.join(packages, "src"),
  outExtension: { ".js": ".mjs" },
  bundle: true,
  platform: "node",
  target: "node18",
  format: "esm",
  sourcemap: "inline",
  // Browsers have it; node does from 20 on.
  banner: { js: 'import { webcrypto as nodeCrypto } from "node:crypto";\nglobalThis.crypto ??= nodeCrypto;' },
  loader: { ".css": "empty" },
  logLevel: "warning",
});
const built = tests.map(name => path.join(out, path.relative(path.join(packages, "src"), name)).replace(/\.ts$/, ".mjs"));
const { status } = spawnSync(process.execPath, ["--enable-source-maps", "--test", "--test-reporter=tap", ...built], {
  stdio: "inherit",
  cwd: root,
}); // some read what they are held against
process.exit(status ?? 1);
