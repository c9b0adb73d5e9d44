// SPDX-License-Identifier: GPL-3.0-or-later
export function plural(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}
