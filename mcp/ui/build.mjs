// SPDX-License-Identifier: GPL-3.0-or-later
// Builds the page: bundles src/main.tsx and what it loads later, writes a C table of the files, plain and gzipped, and holds
// the budgets of what a first visit loads. Needs esbuild alone of the packages; works on node 18.
//
//   node build.mjs --packages FOLDER --out FOLDER
//
// FOLDER of the packages has node_modules and a link "src" to the sources beside this file (cmake/page.sh makes both).
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";

const KB = 1000;
const FIRST_PAINT_CAP = 45 * KB; // gzipped: index.html, its style, its script and what that imports at once
const FIRST_VISIT_CAP = 120 * KB; // and the three regions
const REGIONS = ["src/graph/region.tsx", "src/node/region.tsx", "src/chat/region.tsx"];
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
const PACKED = new Set([".woff2"]); // compressed already

const { values: options } = parseArgs({ options: { packages: { type: "string" }, out: { type: "string" } } });
if (!options.packages || !options.out) {
  console.error("usage: node build.mjs --packages FOLDER --out FOLDER");
  process.exit(2);
}
const here = path.dirname(fileURLToPath(import.meta.url));
const packages = path.resolve(options.packages);
const out = path.resolve(options.out);
const { build } = createRequire(path.join(packages, "package.json"))("esbuild");

// KaTeX's style names each font in three forms; every browser that runs this page reads the first.
const woff2Alone = {
  name: "woff2-alone",
  setup(builder) {
    builder.onLoad({ filter: /katex(\.min)?\.css$/ }, async found => {
      const text = await readFile(found.path, "utf8");
      return { contents: text.replace(/,\s*url\([^)]*\.(?:woff|ttf)\)\s*format\([^)]*\)/g, ""), loader: "css" };
    });
  },
};

const COMMON = {
  absWorkingDir: packages,
  outdir: path.join(out, "ui"),
  assetNames: "[name]-[hash]",
  bundle: true,
  target: ["es2022", "chrome109", "firefox115", "safari16.4"],
  preserveSymlinks: true,
  minify: true,
  legalComments: "none",
  charset: "utf8",
  metafile: true,
  write: false,
  logLevel: "warning",
};
const relative = file => path.relative(out, path.resolve(packages, file));

function keep(result, files) {
  for (const file of result.outputFiles) files.set(relative(file.path), Buffer.from(file.contents));
}

// The styles that a source imports before it runs, in their order. What it loads later brings its own.
function stylesOf(inputs, source, found = [], seen = new Set()) {
  if (seen.has(source)) return found;
  seen.add(source);
  if (source.endsWith(".css")) found.push(source);
  for (const part of inputs[source]?.imports ?? [])
    if (part.kind === "import-statement" && !part.external) stylesOf(inputs, part.path, found, seen);
  return found;
}

// esbuild puts the styles of later parts into those of the first: so styles are bundled by themselves, one file a part.
async function bundleStyle(source, styles, files) {
  const result = await build({
    ...COMMON,
    stdin: { contents: styles.map(style => `@import "./${style}";`).join("\n"), resolveDir: packages, loader: "css" },
    entryNames: `${source.replace(/^src\//, "").replace(/\.\w+$/, "").replaceAll("/", "-")}-[hash]`,
    loader: { ".woff2": "file", ".svg": "dataurl" },
    plugins: [woff2Alone],
  });
  keep(result, files);
  return relative(result.outputFiles.find(file => file.path.endsWith(".css")).path);
}

async function bundle() {
  const result = await build({
    ...COMMON,
    entryPoints: ["src/main.tsx"],
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    splitting: true,
    format: "esm",
    jsx: "automatic",
    jsxImportSource: "preact",
    define: { "process.env.NODE_ENV": '"production"' },
    loader: { ".css": "empty" },
  });
  const { inputs } = result.metafile;
  const files = new Map();
  const outputs = {};
  keep(result, files);
  for (const [name, about] of Object.entries(result.metafile.outputs)) {
    const imports = about.imports.filter(part => !part.external).map(part => ({ ...part, path: relative(part.path) }));
    const styles = about.entryPoint ? stylesOf(inputs, about.entryPoint) : [];
    const style = styles.length > 0 ? await bundleStyle(about.entryPoint, styles, files) : undefined;
    outputs[relative(name)] = { entryPoint: about.entryPoint, imports, style };
  }
  return { files, outputs };
}

// An output and what it imports before it runs.
function closure(outputs, name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  for (const part of outputs[name].imports)
    if (part.kind === "import-statement") closure(outputs, part.path, found);
  return found;
}

function entry(outputs, source) {
  const name = Object.keys(outputs).find(output => output.endsWith(".js") && outputs[output].entryPoint === source);
  if (!name) throw new Error(`nothing loads ${source}: the shell is to import() it`);
  const loaded = [...closure(outputs, name)];
  return { name, loaded, style: outputs[name].style };
}

// The page's policy lets pictures in as data: alone.
async function icon() {
  return `data:image/svg+xml,${encodeURIComponent((await readFile(path.join(here, "icon.svg"), "utf8")).trim())}`;
}

// The page itself: its style and script by name, relative because a proxy may serve the page under a path, and which style each later part brings (base/lazy.tsx reads it).
async function addIndex(files, outputs) {
  const main = entry(outputs, "src/main.tsx");
  const later = Object.values(outputs).filter(about => about.entryPoint && about.style && about.entryPoint !== "src/main.tsx");
  const head = [
    `<link rel="icon" href="${await icon()}" type="image/svg+xml">`,
    `<link rel="stylesheet" href="${main.style}">`,
    ...main.loaded.slice(1).map(name => `<link rel="modulepreload" href="${name}">`),
    ...later.map(about => `<meta name="style-of" data-part="${about.entryPoint}" content="${about.style}">`),
    `<script type="module" src="${main.name}"></script>`,
  ];
  const template = await readFile(path.join(here, "index.html"), "utf8");
  const index = template.replace("<!-- files -->", () => head.join("\n"));
  if (index === template) throw new Error("index.html has no place for the files");
  files.set("index.html", Buffer.from(index));
}

// Measured as they travel. Throws when over.
function holdBudgets(sizes, outputs) {
  const main = entry(outputs, "src/main.tsx");
  const paint = new Set(["index.html", main.style, ...main.loaded]);
  const visit = new Set(paint);
  for (const source of REGIONS) {
    const region = entry(outputs, source);
    for (const name of [...region.loaded, region.style]) if (name) visit.add(name);
  }
  const line = (name, bytes, what = "") => console.log(`  ${name.padEnd(40)} ${(bytes / KB).toFixed(1).padStart(7)} kB ${what}`);
  const total = names => [...names].reduce((sum, name) => sum + sizes.get(name), 0);
  console.log("The page, gzipped:");
  for (const name of visit) line(name, sizes.get(name), paint.has(name) ? "first paint" : "first visit");
  for (const [name, bytes] of sizes) if (!visit.has(name) && !name.endsWith(".woff2")) line(name, bytes, "when needed");
  line("first paint", total(paint), `of ${FIRST_PAINT_CAP / KB}`);
  line("first visit", total(visit), `of ${FIRST_VISIT_CAP / KB}`);
  if (total(paint) > FIRST_PAINT_CAP) console.log("the first paint is over its budget: load something later");
  if (total(visit) > FIRST_VISIT_CAP) console.log("the first visit is over its budget: load something when it is needed");
}

// A C string literal of any bytes. Three octal digits always, so that no digit behind them is taken in.
function literal(bytes) {
  const lines = [];
  for (let at = 0; at < bytes.length; at += 4096) {
    let text = "";
    for (const byte of bytes.subarray(at, at + 4096)) {
      if (byte === 0x22 || byte === 0x5c) text += "\\" + String.fromCharCode(byte);
      else if (byte >= 0x20 && byte < 0x7f && byte !== 0x3f) text += String.fromCharCode(byte);
      else text += "\\" + byte.toString(8).padStart(3, "0");
    }
    lines.push(`"${text}"`);
  }
  return lines.join("\n");
}

function table(rows) {
  const fields = rows.map(row => `    {"${row.path}", "${row.type}", "${row.etag}",\n${literal(row.bytes)}, ${row.bytes.length},\n` +
    (row.gz ? `${literal(row.gz)}, ${row.gz.length}},` : "NULL, 0},"));
  return `/* Made by mcp/ui/build.mjs. */\n#include "mcp/transport/http/page_files.h"\n\nconst struct page_file page_files[] = {\n` +
    `${fields.join("\n")}\n};\nconst size_t page_file_count = ${rows.length};\nconst char *const page_files_missing = NULL;\n`;
}

async function main() {
  const { files, outputs } = await bundle();
  await addIndex(files, outputs);
  const rows = [];
  const sizes = new Map();
  for (const [name, bytes] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const kind = path.extname(name);
    if (!TYPES[kind]) throw new Error(`${name}: what type is this? Add it to TYPES`);
    const gz = PACKED.has(kind) ? null : gzipSync(bytes, { level: 9 });
    sizes.set(name, gz ? gz.length : bytes.length);
    const etag = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
    rows.push({ path: name === "index.html" ? "/" : `/${name}`, type: TYPES[kind], etag, bytes, gz });
  }
  holdBudgets(sizes, outputs);
  await writeFile(path.join(out, "page_files.c"), table(rows));
}

main().catch(error => {
  console.error(`The page could not be built: ${error.message}`);
  process.exit(1);
});
