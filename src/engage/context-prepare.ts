/** What happens to a context between two requests. Everything is recorded before it is sent, so that a resumed focus renders the same. */
import { BYTES_PER_TOKEN, estimateTokens } from '../core/tokens.ts';
import type { Database } from '../store/database.ts';
import { readOpenHandles } from '../store/open-handles.ts';
import { addMessage, type EngineMessage, type FocusKey, type Transcript } from '../store/transcript.ts';
import { count } from '../telemetry/metrics.ts';
import { closedBlock, isWorthIt, stubOf } from './context-blocks.ts';
import { type ContextBounds, contextLimits } from './context-bounds.ts';
import type { FocusModel } from './model-turn.ts';

export interface ContextMeans {
  readonly db: Database;
  readonly focus: FocusKey;
  readonly model: FocusModel;
  readonly bounds: ContextBounds;
  readonly context: { readonly faculty: string };
}

/** Makes the context of the next request from where the transcript stands; every call of the newest turn has ended. */
export async function prepareContext(transcript: Transcript, means: ContextMeans): Promise<Transcript> {
  return stubClosedBlock(transcript, means);
}

/** At the moment of closing, at the tail: what lies before stays as it was, byte for byte, and in the provider's cache. */
async function stubClosedBlock(transcript: Transcript, means: ContextMeans): Promise<Transcript> {
  const block = means.bounds.truncateClosedBlocks ? closedBlock(transcript) : null;
  if (!block) return transcript;
  const labels = { faculty: means.context.faculty };
  count('work.context.blocks_closed', 1, labels);
  const open = await readOpenHandles(means.db, means.focus);
  const stub = stubOf(block, open, contextLimits(means.bounds, means.model).stub * BYTES_PER_TOKEN);
  if (!isWorthIt(block, stub)) return transcript;
  count('work.context.blocks_truncated', 1, labels);
  return put(transcript, { kind: 'stub', content: stub, keepsFrom: block.keepsFrom }, means);
}

/** Records a message after the newest turn, then makes it part of the context. */
async function put(
  transcript: Transcript,
  message: Omit<EngineMessage, 'afterTurn'>,
  means: ContextMeans,
): Promise<Transcript> {
  const placed = { ...message, afterTurn: transcript.turns.length };
  const recorded = await addMessage(means.db, means.focus, placed, estimateTokens(message.content));
  return { ...transcript, messages: [...transcript.messages, recorded] };
}
