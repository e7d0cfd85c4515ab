/** Decides how the newest turn is kept in the context. Pure: the same rows give the same decision, before and after a crash. */
import { BYTES_PER_TOKEN } from '../../core/work/tokens.ts';
import type { OpenHandle } from '../../store/open/open-handles.ts';
import type { StoredOutput } from '../../store/transcript/artifacts.ts';
import type { EngineMessage } from '../../store/transcript/messages.ts';
import { ownPart, type Transcript } from '../../store/transcript/transcript.ts';
import { closedBlock, isWorthIt, stubOf } from './context-blocks.ts';
import type { ContextLimits } from './context-bounds.ts';
import { dueReminders, type ReminderSettings } from './nudge.ts';
import { oversizedOutputs, withShown } from './oversized.ts';

export interface ContextSettings extends ReminderSettings {
  readonly focusId: string;
  readonly truncateClosedBlocks: boolean;
  readonly limits: ContextLimits;
}

/** What must be recorded before the next request, in this order; empty if nothing changes. */
export interface ContextPlan {
  /** Outputs to store whole as artifacts, and the part of each that is shown. */
  readonly oversized: readonly StoredOutput[];
  /** Messages to add: a stub, reminders. */
  readonly messages: readonly EngineMessage[];
  /** True if the newest turn closes a block, even one that is too small for a stub. */
  readonly closes: boolean;
}

/** Plans for a transcript whose newest turn has all its results. `handles` matter only if that turn closes a block. */
export function planContext(
  transcript: Transcript,
  handles: readonly OpenHandle[],
  settings: ContextSettings,
): ContextPlan {
  const newest = ownPart(transcript).turns.at(-1);
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

/** The transcript after the plan was recorded; `messages` as they were recorded. */
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
