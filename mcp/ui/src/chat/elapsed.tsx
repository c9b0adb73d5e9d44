// SPDX-License-Identifier: GPL-3.0-or-later
// Seconds since, counting; for the eye alone, a screen reader is not told each one.
import { useEffect, useState } from "preact/hooks";
import { duration } from "./output";

export function Elapsed({ since }: { since: number }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const passed = now - since;
  return passed < 1000 ? null : (
    <span class="chat-elapsed" aria-hidden="true">
      {duration(Math.floor(passed / 1000) * 1000).replace(".0", "")}
    </span>
  );
}

// Seconds until, counting down.
export function Until({ at }: { at: number }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  const left = Math.ceil((at - now) / 1000);
  return <span>{left > 0 ? `in ${left} s` : "now"}</span>;
}
