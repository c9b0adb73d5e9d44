// SPDX-License-Identifier: GPL-3.0-or-later
// The page's frame: the bar, three regions side by side (one at a time on a narrow screen, chosen by tabs), notices, help. All three
// regions stay in the page, so that the chat goes on while the graph is looked at.
import { NoCurriculum, TaskDialog } from "./curricula";
import { goTo, Help } from "./help";
import { Header } from "./header";
import { Icon } from "./icons";
import { ImportPlace } from "./import_later";
import { Late, laterPart } from "./lazy";
import { StatusLine } from "./notices";
import { Separator, widths } from "./separator";
import { loading, region, session, type Region } from "./state";

const PARTS = [
  { id: "graph", title: "Graph", part: laterPart("src/graph/region.tsx", () => import("../graph/region")) },
  { id: "node", title: "Node", part: laterPart("src/node/region.tsx", () => import("../node/region")) },
  { id: "chat", title: "Chat", part: laterPart("src/chat/region.tsx", () => import("../chat/region")) },
] as const;

function jump(event: Event, to: Region): void {
  event.preventDefault();
  goTo(to);
}

export function Shell() {
  const none = !loading.value && !session.value;
  return (
    <div class="shell">
      <nav class="skips" aria-label="Skip">
        {PARTS.map(part => <a key={part.id} class="skip" href={`#region-${part.id}`} onClick={event => jump(event, part.id)}>
          Skip to the {part.title.toLowerCase()}</a>)}
      </nav>
      <Header />
      {none && <NoCurriculum />}
      <main class="regions" data-region={region.value} hidden={none}
        style={{ "--graph-width": `${widths.value[0]}fr`, "--node-width": `${widths.value[1]}fr`, "--chat-width": `${widths.value[2]}fr` }}>
        {PARTS.map((part, index) => [
          index > 0 && <Separator key={`${part.id}-separator`} after={index - 1} between={[PARTS[index - 1].title, part.title]} />,
          <section key={part.id} id={`region-${part.id}`} class={`region region-${part.id}`} tabIndex={-1} aria-label={part.title}>
            <Late part={part.part} name={part.title.toLowerCase()} class="slot-note" draw={module => <module.default />} />
          </section>,
        ])}
      </main>
      <StatusLine />
      <nav class="tabs" aria-label="Regions" hidden={none}>
        {PARTS.map(part => (
          <button key={part.id} type="button" class="tab" aria-current={region.value === part.id} onClick={() => goTo(part.id)}>
            <Icon name={part.id} /><span>{part.title}</span>
          </button>
        ))}
      </nav>
      <Help />
      <TaskDialog />
      <ImportPlace />
    </div>
  );
}
