/** Renders what is recorded of a focus into the messages of the next request. Pure: the same rows give the same bytes. */
import type { ContentBlock, Message, ToolResultBlock } from '../llm/client.ts';
import type { RecordedCall, Transcript } from '../store/transcript.ts';

/**
 * The messages of the next request. Roles alternate; every tool call is followed by its result, first in the next user
 * message, in call order; engine messages stand after them. The newest message and the one before it are marked for
 * the cache, so that parallel calls do not overrun the provider's look-back.
 */
export function renderMessages(transcript: Transcript): Message[] {
  const messages: { role: Message['role']; content: ContentBlock[] }[] = [];
  const append = (role: Message['role'], content: readonly ContentBlock[]) => {
    if (content.length === 0) return;
    const last = messages.at(-1);
    // Two neighbours of one role occur: an empty or paused answer leaves nothing between them.
    if (last?.role === role) last.content.push(...content);
    else messages.push({ role, content: [...content] });
  };

  append('user', engineMessages(transcript, 0));
  for (const turn of transcript.turns) {
    append('assistant', turn.content);
    append('user', turn.calls.map(resultBlock));
    append('user', engineMessages(transcript, turn.turn));
  }
  return messages.map((message, index) =>
    index < messages.length - 2 ? message : { ...message, cacheBreakpoint: true },
  );
}

function engineMessages(transcript: Transcript, afterTurn: number): ContentBlock[] {
  return transcript.messages
    .filter((message) => message.afterTurn === afterTurn)
    .map((message) => ({ type: 'text', text: message.content }));
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
