// SPDX-License-Identifier: GPL-3.0-or-later
// The icons of the chat, in the style of the page's. Each has a label beside it.
import { drawSign } from "../base/icons";

const PATHS = {
  code: "M9 8l-4.5 4L9 16M15 8l4.5 4-4.5 4",
  ask: "M7 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Zm10 10a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM8.8 8.8l6.4 6.4",
  edit: "M5 19l.8-3.6L16 5.2l2.8 2.8L8.6 18.2 5 19ZM13.8 7.4l2.8 2.8",
  history: "M4.5 12a7.5 7.5 0 1 0 2.4-5.5M4 4.5V8h3.5M12 8v4.5l3 1.5",
  done: "M5 12.5l4.5 4.5L19 7.5",
  failed: "M12 4 21 19.5H3L12 4Zm0 6v4.2M12 16.8v.1",
  declined: "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17ZM6.2 6.2l11.6 11.6",
  waiting: "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17ZM12 7.5V12l3 2",
  stopped: "M7 7h10v10H7z",
  send: "M12 19V5.5M6 11l6-6 6 6",
  down: "M12 5v13.5M6 13l6 6 6-6",
  open: "M8 10l4 4 4-4",
  plus: "M12 5v14M5 12h14",
};
export type Sign = keyof typeof PATHS;

export const isSign = (name: string): name is Sign => Object.hasOwn(PATHS, name);

export const Sign = ({ name, size }: { name: Sign; size?: number }) => drawSign(PATHS[name], { size, style: `chat-sign chat-sign-${name}` });
