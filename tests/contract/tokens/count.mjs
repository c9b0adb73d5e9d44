// SPDX-License-Identifier: GPL-3.0-or-later
// The o200k tokens of each line of standard input, a JSON string, as a line of standard output.
import { createInterface } from "node:readline";
import { Tiktoken } from "js-tiktoken/lite";
import ranks from "js-tiktoken/ranks/o200k_base";

const encoding = new Tiktoken(ranks);
for await (const line of createInterface({ input: process.stdin })) console.log(encoding.encode(JSON.parse(line)).length);
