// SPDX-License-Identifier: GPL-3.0-or-later
// The part that draws a conversation: loaded with the first item, or as soon as somebody begins to write.
import { useEffect } from "preact/hooks";
import { laterPart } from "../base/later";

const part = laterPart("src/chat/talk.tsx", () => import("./talk"));
export const talk = part.module;
export const fetchTalk = part.want;

// The approvals that are open; until the part is there, that it comes.
export function Talked() {
  useEffect(fetchTalk, []);
  if (talk.value) return <talk.value.Approvals />;
  if (!part.failed.value) return <p class="chat-quiet" role="status">The conversation is loading…</p>;
  return (
    <p class="chat-note chat-note-error" role="alert">
      The conversation could not be shown. Is the server still there?{" "}
      <button type="button" class="button button-small" onClick={fetchTalk}>Try again</button>
    </p>
  );
}
