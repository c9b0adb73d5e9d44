// SPDX-License-Identifier: GPL-3.0-or-later
// Parts that are loaded when they are needed, each with its own style. A part is named by its source file, as build.mjs names it.
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";

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

// A part that is loaded when it is first wanted. Who needs it reads `module` and is drawn again once it is there; `failed` is true from
// a failure until the next attempt. want: loads it, once; after a failure, again.
export function laterPart<T>(part: string, importer: () => Promise<T>) {
  const module = signal<T | null>(null), failed = signal(false);
  let loading = false;
  const want = async () => {
    if (loading) return;
    loading = true;
    failed.value = false;
    try {
      module.value = await load(part, importer);
    } catch (error) {
      console.error(error);
      loading = false;
      failed.value = true;
    }
  };
  return { module, failed, want: () => void want() };
}
type LaterPart<T> = ReturnType<typeof laterPart<T>>;

interface LateProps<T> { part: LaterPart<T>; name: string; class: string; draw: (module: T) => JSX.Element }

// Says that a part is loading, then draws it; or says that it could not be loaded, and tries again on request.
export function Late<T>({ part, name, class: style, draw }: LateProps<T>) {
  useEffect(part.want, []);
  if (part.module.value) return draw(part.module.value);
  if (!part.failed.value) return <p class={style} role="status">The {name} is loading…</p>;
  return (
    <div class={style} role="alert">
      <p>The {name} could not be loaded. Is the server still there? If it was updated, reload the page.</p>
      <button type="button" class="button button-small" onClick={part.want}>Try again</button>{" "}
      <button type="button" class="button button-small" onClick={() => location.reload()}>Reload the page</button>
    </div>
  );
}
