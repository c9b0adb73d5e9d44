// SPDX-License-Identifier: GPL-3.0-or-later
// The part that draws a conversation: loaded with the first item, or as soon as somebody begins to write.
import { Late, laterPart } from "../base/lazy";

const part = laterPart("src/chat/talk.tsx", () => import("./talk"));
export const talk = part.module;
export const fetchTalk = part.want;

// The open approvals, or a note while this part is loading.
export const Talked = () => <Late part={part} name="conversation" class="chat-quiet" draw={({ Approvals }) => <Approvals />} />;
