/** A model turn within the bounds of its context: prepared, sent, and compacted once more where the provider says it is too long. */
import type { Transcript } from '../store/transcript.ts';
import { renderMessages } from './context.ts';
import { type ContextMeans, prepareContext } from './context-prepare.ts';
import { type ModelTurn, type TurnMeans, takeModelTurn } from './model-turn.ts';

export async function takeBoundedTurn(
  transcript: Transcript,
  means: TurnMeans & ContextMeans,
): Promise<{ readonly sent: Transcript; readonly taken: ModelTurn }> {
  const sent = await prepareContext(transcript, means);
  return { sent, taken: await takeModelTurn(sent.turns.length + 1, renderMessages(sent), means) };
}
