// SPDX-License-Identifier: GPL-3.0-or-later
// Times that count.
import { useEffect, useState } from "preact/hooks";
import { duration } from "./output";

function useNow(every: number): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), every);
    return () => clearInterval(timer);
  }, []);
  return now;
}

// Elapsed seconds, only visible: a screen reader does not announce each one.
export function Elapsed({ since }: { since: number }) {
  const passed = useNow(1000) - since;
  return passed < 1000 ? null : (
    <span class="chat-elapsed" aria-hidden="true">
      {duration(Math.floor(passed / 1000) * 1000).replace(".0", "")}
    </span>
  );
}

// Seconds until, counting down.
export function Until({ at }: { at: number }) {
  const left = Math.ceil((at - useNow(500)) / 1000);
  return <span>{left > 0 ? `in ${left} s` : "now"}</span>;
}
