// SPDX-License-Identifier: GPL-3.0-or-later
// The meaning of lines and colours. A relationship type can be hidden, a chapter highlighted.
import { relationsOf, type Relation } from "../base/relations";
import { relationships } from "../base/state";
import { edgeColour, groupColour, palette } from "./palette";
import { chooseGroup, chosenGroup, groups, hiddenTypes } from "./view";

function toggle(type: string): void {
  const next = new Set(hiddenTypes.value);
  if (!next.delete(type)) next.add(type);
  hiddenTypes.value = next;
}

function Line({ type, width }: Relation) {
  const colour = edgeColour(palette.value, type);
  return (
    <svg class="legend-line" viewBox="0 0 26 10" width="26" height="10" aria-hidden="true" focusable="false">
      {type === "ENRICHMENT" ? <path d="M1 2.5 25 5 1 7.5Z" fill={colour} /> : <path d="M1 5H25" stroke={colour} stroke-width={width * 1.4} />}
    </svg>
  );
}

export function Legend() {
  const present = new Map<string, number>();
  for (const edge of relationships.value) present.set(edge.relationship_type, (present.get(edge.relationship_type) ?? 0) + 1);
  return (
    <div class="legend">
      <fieldset>
        <legend>Lines, from the earlier node to the later</legend>
        {relationsOf(present.keys()).map(each => (
          <label key={each.type} class="legend-row">
            <input type="checkbox" checked={!hiddenTypes.value.has(each.type)} onChange={() => toggle(each.type)} />
            <Line {...each} />
            <span>{each.forward} <span class="legend-about">{each.type}, {each.line} line, {present.get(each.type)}</span></span>
          </label>
        ))}
      </fieldset>
      <div role="group" aria-label="Chapters">
        <p class="legend-title" aria-hidden="true">Colours</p>
        {groups.value.map((group, i) => (
          <button key={group.name} type="button" class="legend-row legend-group" aria-pressed={chosenGroup.value === group.name}
            onClick={() => chooseGroup(group.name)}>
            <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true" focusable="false">
              <circle cx="6" cy="6" r="5" fill={groupColour(palette.value, i)} />
            </svg>
            <span>{group.name} <span class="legend-about">{group.count}</span></span>
          </button>
        ))}
      </div>
    </div>
  );
}
