// SPDX-License-Identifier: GPL-3.0-or-later
// The icons of the page, drawn as lines in the colour of the text. Each has a label beside it, visible or for screen readers.
const PATHS = {
  search: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13Zm4.6-1.9L20 20",
  undo: "M8 5 4 9l4 4M4.5 9H14a5.5 5.5 0 0 1 0 11h-4",
  sun: "M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1.1 1.1M17.3 17.3l1.1 1.1M5.6 18.4l1.1-1.1M17.3 6.7l1.1-1.1",
  moon: "M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10Z",
  system: "M4 5.5h16v10.5H4zM9 20h6M12 16v4",
  person: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm-7 8c.6-3.6 3.4-5.5 7-5.5s6.4 1.9 7 5.5",
  help: "M9.3 9a2.8 2.8 0 1 1 4 2.7c-.9.5-1.3 1-1.3 2.1M12 17.2v.1M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Z",
  close: "M6 6l12 12M18 6 6 18",
  graph: "M6.5 8.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Zm11 0a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM12 20.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM7.7 8.2l3.2 7.4M16.3 8.2l-3.2 7.4",
  node: "M5 4h14v16H5zM8.5 8.5h7M8.5 12h7M8.5 15.5h4",
  chat: "M4 5h16v11h-9l-4.5 4v-4H4z",
  more: "M5.5 12h.1M12 12h.1M18.5 12h.1",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  list: "M9 6h11M9 12h11M9 18h11M4.5 6h.1M4.5 12h.1M4.5 18h.1",
  needs: "M12 20V6M6.5 11.5 12 6l5.5 5.5",
  neededBy: "M12 4v14M6.5 12.5 12 18l5.5-5.5",
};

// An icon by its path; regions have additional ones.
export function drawSign(path: string, { size = 18, stroke = 1.8, style = "" } = {}) {
  return (
    <svg class={`icon ${style}`} viewBox="0 0 24 24" width={size} height={size} aria-hidden="true" focusable="false">
      <path d={path} fill="none" stroke="currentColor" stroke-width={stroke} stroke-linecap="round" stroke-linejoin="round" />
    </svg>
  );
}

export const Icon = ({ name }: { name: keyof typeof PATHS }) => drawSign(PATHS[name]);
