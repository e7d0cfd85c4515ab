/** Decides how the newest turn is kept in the context. Pure: the same rows give the same decision, before a crash and after it. */
import { BYTES_PER_TOKEN } from '../../core/work/tokens.ts';
import type { OpenHandle } from '../../store/open/open-handles.ts';
import type { StoredOutput } from '../../store/transcript/artifacts.ts';
import type { EngineMessage } from '../../store/transcript/messages.ts';
import type { Transcript } from '../../store/transcript/transcript.ts';
import { closedBlock, isWorthIt, stubOf } from './context-blocks.ts';
import type { ContextLimits } from './context-bounds.ts';
import { dueReminders, type ReminderSettings } from './nudge.ts';
import { oversizedOutputs, withShown } from './oversized.ts';

export interface ContextSettings extends ReminderSettings {
  readonly focusId: string;
  readonly truncateClosedBlocks: boolean;
  readonly limits: ContextLimits;
}

/** What must be recorded before the next request, in this order; empty when nothing changes. */
export interface ContextPlan {
  /** Outputs to keep whole elsewhere, and what is shown of them. */
  readonly oversized: readonly StoredOutput[];
  /** A stub, reminders. */
  readonly messages: readonly EngineMessage[];
  /** The newest turn closes a block, stubbed or too small for it. */
  readonly closes: boolean;
}

/** Plans for a transcript whose newest turn has all its results. `handles` matter only where that turn closes a block. */
export function planContext(
  transcript: Transcript,
  handles: readonly OpenHandle[],
  settings: ContextSettings,
): ContextPlan {
  const newest = transcript.turns.at(-1);
  if (!newest) return { oversized: [], messages: [], closes: false };
  const block = settings.truncateClosedBlocks ? closedBlock(transcript) : null;
  const stub = block && stubOf(block, handles, settings.limits.stub * BYTES_PER_TOKEN);
  const afterTurn = newest.turn;
  return {
    oversized: oversizedOutputs(newest, settings.limits, settings.focusId),
    messages: [
      ...(block && stub && isWorthIt(block, stub)
        ? [{ afterTurn, kind: 'stub' as const, content: stub, keepsFrom: block.keepsFrom }]
        : []),
      ...dueReminders(transcript, settings).map((reminder) => ({ ...reminder, afterTurn })),
    ],
    closes: block !== null,
  };
}

/** The transcript once the plan is recorded; `messages` as they were recorded. */
export function withPlan(
  transcript: Transcript,
  oversized: readonly StoredOutput[],
  messages: readonly EngineMessage[],
): Transcript {
  const newest = transcript.turns.at(-1);
  if (!newest) return transcript;
  return {
    turns: [...transcript.turns.slice(0, -1), withShown(newest, oversized)],
    messages: [...transcript.messages, ...messages],
  };
}
