/** The replacements for the older part of a history: stubs of closed blocks, and summaries, which replace earlier stubs. */
import type { MessageKind } from '../../core/work/words.ts';
import type { EngineMessage } from '../../store/transcript/messages.ts';
import type { Transcript } from '../../store/transcript/transcript.ts';

/** A recorded stub or summary. `afterTurn` is the newest turn at that time, `keepsFrom` the first that stays verbatim. */
export type Fold = EngineMessage & { readonly kind: 'stub' | 'summary'; readonly keepsFrom: number };

export function isFold(message: EngineMessage): message is Fold {
  return WHEN_FOLDED[message.kind] === 'fold';
}

/** The folds that are rendered: the newest summary, if there is one, and the stubs after it. */
export function liveFolds(transcript: Transcript): Fold[] {
  const folds = transcript.messages.filter(isFold);
  return folds.slice(
    Math.max(
      0,
      folds.findLastIndex((fold) => fold.kind === 'summary'),
    ),
  );
}

/** The newest fold; null before the first. */
export function newestFold(transcript: Transcript): Fold | null {
  return transcript.messages.findLast(isFold) ?? null;
}

/** The first turn that is rendered verbatim: 1 before the first fold. */
export function keptFrom(transcript: Transcript): number {
  return newestFold(transcript)?.keepsFrom ?? 1;
}

/**
 * What happens to a message when its block is folded: it is removed with the block, is kept verbatim beside the stub, or is a fold
 * itself.
 */
const WHEN_FOLDED: Readonly<Record<MessageKind, 'goes' | 'kept' | 'fold'>> = {
  orient: 'goes',
  digest: 'goes',
  skill: 'kept',
  nudge: 'goes',
  notice: 'goes',
  operator: 'kept',
  stub: 'fold',
  summary: 'fold',
  hook: 'goes',
  // Only before the first turn, where nothing is folded.
  attachment: 'kept',
  left_out: 'goes',
};

/**
 * Messages of people and skills are kept verbatim when their block is folded; the engine's other messages are removed
 * with it.
 */
export function outlivesItsBlock(message: EngineMessage): boolean {
  return WHEN_FOLDED[message.kind] === 'kept';
}

/**
 * The nearest turn at or before `turn` where a history may be cut: one that begins a new message. An answer that
 * continues a paused or empty one belongs to it, because its content may refer to it.
 */
export function legalCut(transcript: Transcript, turn: number): number {
  let cut = turn;
  while (cut > 1 && !endsInUserMessage(transcript, cut - 1)) cut -= 1;
  return cut;
}

function endsInUserMessage(transcript: Transcript, turn: number): boolean {
  const calls = transcript.turns.find((one) => one.turn === turn)?.calls ?? [];
  return calls.length > 0 || transcript.messages.some((message) => message.afterTurn === turn && !isFold(message));
}
