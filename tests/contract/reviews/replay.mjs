// SPDX-License-Identifier: GPL-3.0-or-later
// A line of standard input is a history {"reviews": [[grade, seconds since 1970], ...]}; the line of standard output has
// [stability, difficulty, days, due] after each review.
import { createInterface } from "node:readline";
import { createEmptyCard, fsrs } from "ts-fsrs";

const scheduler = fsrs({ request_retention: 0.9, enable_fuzz: false, enable_short_term: false });
for await (const line of createInterface({ input: process.stdin })) {
  const { reviews } = JSON.parse(line);
  let card = createEmptyCard(new Date(reviews[0][1] * 1000));
  const rows = reviews.map(([grade, time]) => {
    ({ card } = scheduler.next(card, new Date(time * 1000), grade));
    return [card.stability, card.difficulty, card.scheduled_days, card.due.getTime() / 1000];
  });
  console.log(JSON.stringify(rows));
}
