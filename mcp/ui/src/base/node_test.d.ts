// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests use of node (test.mjs), so that its types need no package.
declare module "node:test" {
  export function test(name: string, body: () => void | Promise<void>): void;
}
declare module "node:assert/strict" {
  const assert: {
    (value: unknown, message?: string): asserts value;
    equal(actual: unknown, expected: unknown, message?: string): void;
    notEqual(actual: unknown, expected: unknown, message?: string): void;
    deepEqual(actual: unknown, expected: unknown, message?: string): void;
    match(text: string, pattern: RegExp, message?: string): void;
    throws(run: () => unknown, expected: unknown): void;
  };
  export default assert;
}
