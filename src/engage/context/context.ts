/** Renders the recorded rows of a focus into the messages of the next request. Pure: the same rows give the same bytes. */
import type { ContentBlock, Message, ToolResultBlock } from '../../llm/client.ts';
import type { RecordedCall } from '../../store/transcript/calls.ts';
import type { EngineMessage } from '../../store/transcript/messages.ts';
import type { Transcript } from '../../store/transcript/transcript.ts';
import { isFold, keptFrom, liveFolds, outlivesItsBlock } from './context-folds.ts';

/**
 * The messages of the next request: one user message with the first messages of the focus and the stubs of finished blocks, then the
 * open block. Roles alternate; every tool call is followed by its result, first in the next user message, in call order;
 * engine messages come after them.
 *
 * Cache breakpoints: the first message (its end is the last stub), the newest, and the user message before it. That one was
 * the newest one in the previous request, so its end is in the cache: however many calls an answer has, no look-back is needed.
 */
export function renderMessages(transcript: Transcript): Message[] {
  const messages: { role: Message['role']; content: ContentBlock[] }[] = [];
  const append = (role: Message['role'], content: readonly ContentBlock[]) => {
    if (content.length === 0) return;
    const last = messages.at(-1);
    // Two neighbours can have the same role: an empty or paused answer leaves nothing between them.
    if (last?.role === role) last.content.push(...content);
    else messages.push({ role, content: [...content] });
  };

  append('user', opening(transcript));
  const from = keptFrom(transcript);
  for (const turn of transcript.turns) {
    if (turn.turn < from) continue;
    append('assistant', turn.content);
    append('user', turn.calls.map(resultBlock));
    append('user', messagesAfter(transcript, turn.turn).flatMap(blocksOf));
  }
  const newest = messages.length - 1;
  const before = messages.findLastIndex(({ role }, index) => role === 'user' && index < newest);
  const marked = new Set([0, before, newest]);
  return messages.map((message, index) => (marked.has(index) ? { ...message, cacheBreakpoint: true } : message));
}

/**
 * The messages before the open block: the first messages of the focus, then each fold, preceded by the messages that outlive
 * its block.
 */
function opening(transcript: Transcript): ContentBlock[] {
  const begun = messagesAfter(transcript, 0);
  let from = 1;
  const folded = liveFolds(transcript).flatMap((fold) => {
    const kept = transcript.messages.filter(
      (message) => outlivesItsBlock(message) && message.afterTurn >= from && message.afterTurn < fold.keepsFrom,
    );
    from = fold.keepsFrom;
    return [...kept, fold];
  });
  return [...begun, ...folded].flatMap(blocksOf);
}

function messagesAfter(transcript: Transcript, turn: number): EngineMessage[] {
  return transcript.messages.filter((message) => message.afterTurn === turn && !isFold(message));
}

/** The words of a message, then the file that it shows. */
function blocksOf({ content, media }: EngineMessage): ContentBlock[] {
  return [{ type: 'text', text: content }, ...(media === undefined ? [] : [media])];
}

function resultBlock(call: RecordedCall): ToolResultBlock {
  if (call.output === null) throw new Error(`call ${call.callId} has no result yet`);
  return {
    type: 'tool_result',
    callId: call.callId,
    content: [{ type: 'text', text: call.output }],
    isError: call.isError,
  };
}
