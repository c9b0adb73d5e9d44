// SPDX-License-Identifier: GPL-3.0-or-later
// The model of played.py, from a script's side.
import { until } from "./roles.mjs";

const { LECTERN_MODEL: url, LECTERN_MODEL_KEY: key } = process.env;
export const environment = { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url };

// [{asked: [text, …], closed}], a request each
export const journal = async () => (await fetch(`${url}/journal`)).json();

// The client has left that request (from 0) before its answer was through.
export const left = number => until(async () => (await journal())[number]?.closed, 30_000, () => `Request ${number} of the model goes on.`);
