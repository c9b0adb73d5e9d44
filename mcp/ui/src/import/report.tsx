// SPDX-License-Identifier: GPL-3.0-or-later
// What an import has found, or would: its report in four parts, the first lessons, and how it changes a curriculum.
import type { Finding, Imported } from "../base/types";
import { plural } from "../base/words";
import { CHANGES, PARTS, placeWords, readOf, unlisted } from "./summary";

const NEEDS_SHOWN = 5;

function Reason({ of }: { of: Finding }) {
  const more = unlisted(of);
  return (
    <li>
      <span dir="auto">{of.reason}</span>{of.count > 1 && <> <span class="chip">{of.count} times</span></>}
      {of.places.length > 0 && <ul class="import-places" aria-label="Where">
        {of.places.map((place, i) => <li key={i} dir="auto">{placeWords(place)}</li>)}
        {more > 0 && <li>{more} more</li>}
      </ul>}
    </li>
  );
}

export function Report({ of }: { of: Imported }) {
  return (
    <section class="import-report" aria-label="Report">
      {PARTS.map(({ part, words, none }) => {
        const reasons = of.report[part];
        return (
          <section key={part} class={`import-part${reasons.length > 0 ? ` import-${part}` : ""}`}>
            <h3>{words}{reasons.length === 0 ? `: ${none}` : ` (${reasons.length})`}</h3>
            {reasons.length > 0 && <ul>{reasons.map(each => <Reason key={each.reason} of={each} />)}</ul>}
          </section>
        );
      })}
    </section>
  );
}

// A lesson that is listed itself is needed by its title.
export function Lessons({ of }: { of: Imported }) {
  const lessons = of.lessons ?? [], all = readOf(of).lessons;
  if (lessons.length === 0) return null;
  const titles = new Map(lessons.map(each => [each.node_id, each.title]));
  return (
    <details class="import-lessons" open>
      <summary>{lessons.length < all ? `The first ${lessons.length} of ${all} lessons` : plural(all, "lesson")}</summary>
      <ol>{lessons.map((each, i) => (
        <li key={i}>
          <span dir="auto">{each.title || "(no title)"}</span> <code>{each.node_id ?? "(no id)"}</code>
          <span class="import-about"> {plural(each.components, "component")}{each.needs.length > 0 && <>, needs{" "}
            <span dir="auto">{each.needs.slice(0, NEEDS_SHOWN).map(id => titles.get(id) || id).join(", ")}</span>
            {each.needs.length > NEEDS_SHOWN && ` and ${each.needs.length - NEEDS_SHOWN} more`}</>}</span>
        </li>
      ))}</ol>
    </details>
  );
}

// deletes: what the files do not have goes.
export function Changes({ of, deletes }: { of: NonNullable<Imported["changes"]>; deletes: boolean }) {
  return (
    <dl class="import-changes" aria-label="What the update changes">
      {CHANGES.map(({ kind, words }) => {
        const { nodes, relationships, first } = of[kind];
        const named = kind === "unchanged" ? [] : first;
        return (
          <div key={kind}>
            <dt>{kind === "missing" ? `${words}, ${deletes ? "deleted" : "kept"}` : words}</dt>
            <dd>{plural(nodes, "lesson")}, {plural(relationships, "link")}
              {named.length > 0 && <span class="import-about" dir="auto">: {named.map(each => each.title || each.node_id).join(", ")}
                {nodes > named.length && ` and ${nodes - named.length} more`}</span>}</dd>
          </div>
        );
      })}
    </dl>
  );
}
