// SPDX-License-Identifier: GPL-3.0-or-later
// Light, dark, or as the system says; and whether things may move. Styles go by data-theme of <html>; what draws itself (the graph)
// goes by `dark`.
import { computed, effect, signal } from "@preact/signals";
import { theme, type Theme } from "./state";

function follow(query: string) {
  const media = matchMedia(query);
  const now = signal(media.matches);
  media.addEventListener("change", () => { now.value = media.matches; });
  return now;
}

const systemDark = follow("(prefers-color-scheme: dark)");
export const still = follow("(prefers-reduced-motion: reduce)");
export const moreContrast = follow("(prefers-contrast: more)");
export const forcedColors = follow("(forced-colors: active)");
export const dark = computed(() => (theme.value === "system" ? systemDark.value : theme.value === "dark"));

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };
export function nextTheme(): void {
  theme.value = NEXT[theme.value];
}

export function startTheme(): void {
  effect(() => {
    document.documentElement.dataset.theme = dark.value ? "dark" : "light";
    localStorage.setItem("lectern.theme", theme.value);
  });
}
