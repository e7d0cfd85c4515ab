/** Takes a model turn within the limits of the context. */
import type { Transcript } from '../../store/transcript/transcript.ts';
import { type FocusModel, type ModelTurn, type TurnMeans, takeModelTurn } from '../turn/model-turn.ts';
import { asksForOutcome } from '../verdict/closing.ts';
import { type CompactMeans, compactAfterOverflow, compactUnderPressure } from './compact-context.ts';
import { renderMessages } from './context.ts';
import { newestFold } from './context-folds.ts';
import { prepareContext } from './context-prepare.ts';

/**
 * Prepares the context, compacts it if it is full, and takes the next turn. If the window cut off the last answer, the context is
 * compacted in any case; a request that the provider refuses as too long is compacted and sent once more. `sent` is
 * the transcript including everything that was recorded on the way.
 */
export async function takeBoundedTurn(
  transcript: Transcript,
  means: TurnMeans & CompactMeans,
): Promise<{ readonly sent: Transcript; readonly taken: ModelTurn }> {
  const prepared = await prepareContext(transcript, means);
  const sent = wasCutByWindow(prepared)
    ? ((await compactAfterOverflow(prepared, means)) ?? prepared)
    : await compactUnderPressure(prepared, means);
  const taken = await take(sent, means);
  if (taken.kind !== 'failed' || taken.failure.kind !== 'context_overflow') return { sent, taken };
  const smaller = await compactAfterOverflow(sent, means);
  return smaller ? { sent: smaller, taken: await take(smaller, means) } : { sent, taken };
}

/** False if a resumed focus finds that the summary for this answer was already made. */
function wasCutByWindow(transcript: Transcript): boolean {
  const newest = transcript.turns.at(-1);
  return newest?.stopReason === 'context_overflow' && newestFold(transcript)?.afterTurn !== newest.turn;
}

function take(transcript: Transcript, means: TurnMeans): Promise<ModelTurn> {
  return takeModelTurn(transcript.turns.length + 1, renderMessages(transcript), {
    ...means,
    model: modelFor(transcript, means),
  });
}

/** The model with the settings of the next request, which may ask for the outcome alone. */
function modelFor(transcript: Transcript, { model }: TurnMeans): FocusModel {
  const { settings } = model;
  if (settings.outputSchema === undefined || !asksForOutcome(transcript)) return model;
  return { ...model, settings: { ...settings, closing: true } };
}
