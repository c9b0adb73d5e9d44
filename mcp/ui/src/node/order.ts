// SPDX-License-Identifier: GPL-3.0-or-later
// Places in a sequence. Pure.

export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const made = [...list];
  const [item] = made.splice(from, 1);
  made.splice(to, 0, item);
  return made;
}

// What the session API takes: the old places (from 1) in their new sequence.
export function orderOf(before: readonly string[], after: readonly string[]): number[] {
  const place = new Map(before.map((id, i) => [id, i + 1]));
  return after.map(id => place.get(id) ?? 0);
}

// Applies the wanted sequence to one that has changed since: id is after the same neighbour again.
export function carriedOver(now: readonly string[], wanted: readonly string[], id: string): string[] {
  const rest = now.filter(each => each !== id);
  let at = 0;
  for (let i = wanted.indexOf(id) - 1; i >= 0; i--) {
    const found = rest.indexOf(wanted[i]);
    if (found >= 0) {
      at = found + 1;
      break;
    }
  }
  return [...rest.slice(0, at), id, ...rest.slice(at)];
}

// Where a thing would be dropped: how many of the others' middles lie above y.
export function dropPlace(middles: readonly number[], y: number): number {
  return middles.filter(middle => middle < y).length;
}
