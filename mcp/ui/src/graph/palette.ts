// SPDX-License-Identifier: GPL-3.0-or-later
// The graph's colours. A canvas cannot use custom properties, so they are defined here, for both themes. Their meaning is also given in
// words: in the legend, in labels, in the list.
import { computed } from "@preact/signals";
import { dark, forcedColors, moreContrast } from "../base/theme";

const LIGHT = {
  ground: "#ffffff",
  ink: "#1a2130",
  halo: "#ffffff",
  accent: "#2855c4",
  faintNode: "#dde1e8",
  faintEdge: "#eef0f4",
  trace: "#b45309",
  groups: ["#3466c9", "#0d8a72", "#c2571a", "#8a4cc2", "#b0306e", "#5d7a16", "#0f83a8", "#a3701a", "#5a5fd6", "#2f8f3e", "#c23f3f", "#6b7280"],
  edges: { PREREQUISITE: "#7f92b8", PREREQUISITE_FOR: "#a48bc4", LEADS_TO: "#8fb5a8", ENRICHMENT: "#d3ad74" } as Record<string, string>,
  otherEdge: "#a9b0bc", // of kinds that have no colour of their own
};
export type Palette = typeof LIGHT;
const DARK: Palette = {
  ground: "#171c25",
  ink: "#e8ecf3",
  halo: "#171c25",
  accent: "#93b4ff",
  faintNode: "#333c4b",
  faintEdge: "#212834",
  trace: "#f2bd66",
  groups: ["#7ea6ff", "#46c9ae", "#f2965c", "#c196f0", "#f082b4", "#a9cb56", "#5cc6e8", "#dcb062", "#a2a6ff", "#76cf86", "#f58b8b", "#a9b2c0"],
  edges: { PREREQUISITE: "#5b6f99", PREREQUISITE_FOR: "#7f68a3", LEADS_TO: "#4f8071", ENRICHMENT: "#8d6f3d" },
  otherEdge: "#5b6473",
};

export const palette = computed<Palette>(() => {
  const usual = dark.value ? DARK : LIGHT;
  if (!moreContrast.value && !forcedColors.value) return usual;
  const otherEdge = dark.value ? "#b9c4d8" : "#4b5567";
  return { ...usual, ground: dark.value ? "#000000" : "#ffffff", ink: dark.value ? "#ffffff" : "#000000", edges: {}, otherEdge };
});

export function edgeColour(colours: Palette, type: string): string {
  return colours.edges[type] ?? colours.otherEdge;
}
export function groupColour(colours: Palette, group: number): string {
  return colours.groups[group % colours.groups.length];
}

// A colour closer to the background; unchanged if more contrast is requested.
export function softened(colour: string, { ground }: Palette, share: number): string {
  if (share >= 1 || moreContrast.peek() || forcedColors.peek()) return colour;
  const part = (hex: string, at: number) => parseInt(hex.slice(at, at + 2), 16);
  const mixed = [1, 3, 5].map(at => Math.round(part(colour, at) * share + part(ground, at) * (1 - share)).toString(16).padStart(2, "0"));
  return `#${mixed.join("")}`;
}
