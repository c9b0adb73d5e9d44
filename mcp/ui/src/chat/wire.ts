// SPDX-License-Identifier: GPL-3.0-or-later
// The socket to /chat: connects, and connects again for as long as it is wanted. It knows frames, not what they mean.
import { parseFrame, type Fields } from "./frame";

export const RETRY_FIRST_MS = 500;
export const RETRY_LAST_MS = 15000;

// The part of a WebSocket that is used, so that tests can play one.
export interface Socket {
  readyState: number;
  send(text: string): void;
  close(code?: number): void;
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
}

interface WireEvents {
  onOpen: () => void;
  onFrame: (frame: Fields) => void;
  onLost: (nextTry: number, reason: string) => void; // by the page's clock
}

const OPEN = 1;

// chance is random, from 0 to 1, so that pages do not all reconnect at the same moment.
export function retryDelay(attempt: number, chance: number): number {
  const full = Math.min(RETRY_LAST_MS, RETRY_FIRST_MS * 2 ** Math.min(attempt, 10));
  return Math.round(full * (1 - 0.3 * chance));
}

export function createWire(events: WireEvents, connect: (url: string) => Socket) {
  let socket: Socket | null = null;
  let url: string | null = null;
  let attempt = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function drop(): void {
    clearTimeout(timer);
    if (!socket) return;
    socket.onopen = socket.onmessage = socket.onclose = null;
    socket.close(1000);
    socket = null;
  }

  function start(): void {
    drop();
    if (url === null) return;
    const mine = connect(url);
    socket = mine;
    mine.onopen = () => {
      attempt = 0;
      events.onOpen();
    };
    mine.onmessage = event => {
      const frame = parseFrame(event.data);
      if (frame) events.onFrame(frame);
      else console.warn("A frame of the chat is not a JSON object with a type.");
    };
    mine.onclose = event => {
      socket = null;
      const delay = retryDelay(attempt++, Math.random());
      timer = setTimeout(start, delay);
      events.onLost(Date.now() + delay, event.reason);
    };
  }

  return {
    // Instead of the one before.
    open(to: string): void {
      url = to;
      attempt = 0;
      start();
    },
    // False: not connected, nothing was sent.
    send(frame: object): boolean {
      if (socket?.readyState !== OPEN) return false;
      socket.send(JSON.stringify(frame));
      return true;
    },
    retryNow(): void {
      if (socket === null && url !== null) start();
    },
    close(): void {
      url = null;
      drop();
    },
  };
}
