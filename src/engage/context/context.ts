/** Renders the recorded rows of a focus into the messages of the next request. Pure: the same rows give the same bytes. */
import type { ContentBlock, MediaBlock, Message, TextBlock, ToolResultBlock } from '../../llm/client.ts';
import type { RecordedCall } from '../../store/transcript/calls.ts';
import type { EngineMessage } from '../../store/transcript/messages.ts';
import { filesFrom, type ShownFile } from '../../store/transcript/shown-files.ts';
import type { Transcript } from '../../store/transcript/transcript.ts';
import type { RecordedTurn } from '../../store/transcript/turns.ts';
import { fileGone, fileLeftOut } from '../prompt/shown-files.ts';
import { type Piece, pieces, wordsOf } from './closed-answers.ts';
import { repeatedReads } from './repeated-reads.ts';

/**
 * The messages of the next request: one user message with the first messages of the focus and the stubs of finished blocks, then the
 * open block. Roles alternate; every tool call is followed by its result, first in the next user message, in call order;
 * engine messages come after them. In a conversation, the earlier answers come first, each with what was said and its stubs
 * (`closed-answers.ts`). A file that was read again and has not changed is shown once (`repeated-reads.ts`).
 *
 * Cache breakpoints: the message before the open block (its end is the last stub), the newest, and the user message before it. That one was
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

  const shownFrom = filesFrom(transcript.messages);
  let opening: number | null = null;
  const parts = pieces(transcript);
  const repeated = repeatedReads(wholeTurns(parts));
  for (const piece of parts) {
    if ('message' in piece) append('user', blocksOf(piece.message));
    else {
      const { turn, era, content, calls } = piece.turn;
      if (era === undefined) opening ??= messages.length - 1;
      append('assistant', piece.saidOnly ? wordsOf(content) : content);
      if (!piece.saidOnly)
        append(
          'user',
          calls.map((call) => resultBlock(call, repeated, turn >= shownFrom)),
        );
    }
  }
  const newest = messages.length - 1;
  const before = messages.findLastIndex(({ role }, index) => role === 'user' && index < newest);
  const marked = new Set([opening ?? newest, before, newest]);
  return messages.map((message, index) => (marked.has(index) ? { ...message, cacheBreakpoint: true } : message));
}

/** The words of a message, then the file that it shows. */
function blocksOf({ content, media }: EngineMessage): ContentBlock[] {
  return [{ type: 'text', text: content }, ...(media === undefined ? [] : [media])];
}

function wholeTurns(parts: readonly Piece[]): RecordedTurn[] {
  return parts.flatMap((piece) => ('turn' in piece && !piece.saidOnly ? [piece.turn] : []));
}

/** The newest turn with its results as the next request shows them. */
export function newestAsShown(transcript: Transcript): RecordedTurn {
  const newest = transcript.turns.at(-1)!;
  if (!newest.calls.some(({ name }) => name === 'read_file')) return newest;
  const repeated = repeatedReads(wholeTurns(pieces(transcript)));
  return { ...newest, calls: newest.calls.map((call) => ({ ...call, output: repeated.get(call) ?? call.output })) };
}

/** The words of a result, then its files. */
function resultBlock(
  call: RecordedCall,
  repeated: ReadonlyMap<RecordedCall, string>,
  showsFiles: boolean,
): ToolResultBlock {
  if (call.output === null) throw new Error(`call ${call.callId} has no result yet`);
  return {
    type: 'tool_result',
    callId: call.callId,
    content: [
      { type: 'text', text: repeated.get(call) ?? call.output },
      ...(call.shown ?? []).map((file) => fileBlock(file, showsFiles)),
    ],
    isError: call.isError,
  };
}

function fileBlock({ media, artifactId, gone }: ShownFile, isShown: boolean): MediaBlock | TextBlock {
  if (!isShown) return { type: 'text', text: fileLeftOut(media.name ?? '', artifactId) };
  return gone ? { type: 'text', text: fileGone(media.name ?? '') } : media;
}
