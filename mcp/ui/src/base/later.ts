// SPDX-License-Identifier: GPL-3.0-or-later
// A part of the page that is loaded when it is first wanted. Who needs it reads `module` (a signal: it is drawn again once it is
// there); `failed` is true from a failure until the next attempt.
import { signal, type Signal } from "@preact/signals";
import { load } from "./lazy";

export interface LaterPart<T> {
  module: Signal<T | null>;
  failed: Signal<boolean>;
  want: () => void; // loads it, once; after a failure, again
}

// part: its source file, as load() wants it.
export function laterPart<T>(part: string, importer: () => Promise<T>): LaterPart<T> {
  const module = signal<T | null>(null), failed = signal(false);
  let loading = false;
  const want = () => {
    if (loading) return;
    loading = true;
    failed.value = false;
    load(part, importer).then(
      found => {
        module.value = found;
      },
      error => {
        console.error(error);
        loading = false;
        failed.value = true;
      },
    );
  };
  return { module, failed, want };
}
