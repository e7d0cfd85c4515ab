/** A model turn within the bounds of its context. */
import type { Transcript } from '../store/transcript.ts';
import { type CompactMeans, compactAfterOverflow, compactUnderPressure } from './compact-context.ts';
import { renderMessages } from './context.ts';
import { prepareContext } from './context-prepare.ts';
import { type ModelTurn, type TurnMeans, takeModelTurn } from './model-turn.ts';

/**
 * Prepares the context, compacts it where it is full, and takes the next turn. A request that the provider refuses as too
 * long is made smaller and sent once more. `sent` is the transcript with everything that was recorded on the way.
 */
export async function takeBoundedTurn(
  transcript: Transcript,
  means: TurnMeans & CompactMeans,
): Promise<{ readonly sent: Transcript; readonly taken: ModelTurn }> {
  const sent = await compactUnderPressure(await prepareContext(transcript, means), means);
  const taken = await take(sent, means);
  if (taken.kind !== 'failed' || taken.failure.kind !== 'context_overflow') return { sent, taken };
  const smaller = await compactAfterOverflow(sent, means);
  return smaller ? { sent: smaller, taken: await take(smaller, means) } : { sent, taken };
}

function take(transcript: Transcript, means: TurnMeans): Promise<ModelTurn> {
  return takeModelTurn(transcript.turns.length + 1, renderMessages(transcript), means);
}
