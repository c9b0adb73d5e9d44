// SPDX-License-Identifier: GPL-3.0-or-later
// What is other in a text than in one before it, marked by words.
import { diff } from "./diff";

// Of what stays the same its ends, towards what does not.
function shorten(text: string, most: number, first: boolean, last: boolean): string {
  if (text.length <= most * 2) return text;
  return `${first ? "" : text.slice(0, most)} … ${last ? "" : text.slice(-most)}`;
}

interface Props {
  from: string;
  to: string;
  without?: "gone" | "new"; // which is left out
  most?: number; // characters of what stays the same, beside what does not; left out: all
  labels?: boolean; // for screen readers
}

export function Words({ from, to, without, most = Infinity, labels }: Props) {
  return (
    <>
      {diff(from, to).map(({ kind, text }, i, all) => kind === without ? null
        : kind === "same" ? <span key={i}>{shorten(text, most, i === 0, i === all.length - 1)}</span>
          : kind === "gone" ? <del key={i}>{labels && <span class="hidden">removed: </span>}{text}</del>
            : <ins key={i}>{labels && <span class="hidden">added: </span>}{text}</ins>)}
    </>
  );
}
