// SPDX-License-Identifier: GPL-3.0-or-later
// Parts that are loaded when they are needed, each with its own style. A part is named by its source file, as build.mjs names it.
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";

const styles = new Map<string, Promise<void>>();

function loadStyle(part: string): Promise<void> {
  const meta = document.querySelector<HTMLMetaElement>(`meta[name="style-of"][data-part="${CSS.escape(part)}"]`);
  if (!meta) return Promise.resolve();
  const known = styles.get(meta.content);
  if (known) return known;
  const loading = new Promise<void>((resolve, reject) => {
    const link = document.createElement("link");
    link.rel = "stylesheet";
    link.href = meta.content;
    link.onload = () => resolve();
    link.onerror = () => {
      styles.delete(meta.content);
      link.remove();
      reject(new Error(`${meta.content} could not be loaded`));
    };
    document.head.append(link);
  });
  styles.set(meta.content, loading);
  return loading;
}

// import() with the style that belongs to it: load("src/node/maths.ts", () => import("./maths")).
export async function load<T>(part: string, importer: () => Promise<T>): Promise<T> {
  const [module] = await Promise.all([importer(), loadStyle(part)]);
  return module;
}

interface SlotProps { part: string; name: string; importer: () => Promise<{ default: ComponentType }> }

// A region's place: says that it is loading, then is the region; or says that it could not be loaded and tries again when asked.
export function Slot({ part, name, importer }: SlotProps) {
  const [Region, setRegion] = useState<ComponentType | null>(null);
  const [failed, setFailed] = useState(false);
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    let current = true;
    setFailed(false);
    load(part, importer).then(module => current && setRegion(() => module.default), error => {
      console.error(error);
      if (current) setFailed(true);
    });
    return () => { current = false; };
  }, [attempt]);
  if (Region) return <Region />;
  if (!failed) return <p class="slot-note">The {name} is loading…</p>;
  return (
    <div class="slot-note">
      <p>The {name} could not be loaded. Is the server still there? If it was updated, reload the page.</p>
      <button type="button" class="button" onClick={() => setAttempt(attempt + 1)}>Try again</button>{" "}
      <button type="button" class="button" onClick={() => location.reload()}>Reload the page</button>
    </div>
  );
}
