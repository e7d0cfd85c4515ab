/** The engage loop: model turns and tool calls until the model is done, or something else ends it. */
import type { OutcomeSchema } from '../catalog/outcome-schema.ts';
import { estimateTokens } from '../core/tokens.ts';
import {
  addMessage,
  type EngineMessage,
  type RecordedTurn,
  readTranscript,
  type Transcript,
} from '../store/transcript.ts';
import { span } from '../telemetry/spans.ts';
import type { Tool } from '../tools/tool.ts';
import { takeBoundedTurn } from './bounded-turn.ts';
import type { ContextBounds } from './context-bounds.ts';
import type { EngageEnd } from './engage-end.ts';
import type { TurnMeans } from './model-turn.ts';
import { type CallMeans, runToolCalls, settleInterrupted } from './tool-calls.ts';
import { judge } from './verdict.ts';
import { collectWaits } from './waiting.ts';

export interface EngageMeans extends TurnMeans, Omit<CallMeans, 'tools'> {
  readonly toolset: ReadonlyMap<string, Tool>;
  readonly maxTurns: number;
  readonly outcomeSchema: OutcomeSchema | null;
  readonly bounds: ContextBounds;
  /** Asks the loop to stop at the next turn boundary. */
  readonly drain: AbortSignal;
}

/** Runs a focus's loop from wherever its transcript stands. Rejects when `signal` aborts or the lease is lost. */
export async function engage(means: EngageMeans): Promise<EngageEnd> {
  let transcript = await readTranscript(means.db, means.focus.focusId);
  const last = transcript.turns.at(-1);
  if (last) transcript = replaceLast(transcript, settleInterrupted(last, means.toolset, means.journal));

  for (;;) {
    const step = await span('work.engage.iteration', { 'work.turn': transcript.turns.length + 1 }, () =>
      iterate(transcript, means),
    );
    if (step.kind === 'end') {
      await means.journal.flush();
      return step.end;
    }
    transcript = step.transcript;
  }
}

type Step =
  | { readonly kind: 'next'; readonly transcript: Transcript }
  | { readonly kind: 'end'; readonly end: EngageEnd };

/** Runs what the newest turn still asks for, then takes the next turn, unless that turn ended it. */
async function iterate(transcript: Transcript, means: EngageMeans): Promise<Step> {
  let current = transcript;
  const newest = current.turns.at(-1);
  if (newest) {
    if (newest.calls.some((call) => call.output === null)) {
      const callMeans = { ...means, tools: means.toolset };
      const ran = await collectWaits(await runToolCalls(newest, callMeans), callMeans);
      if (ran.calls.some((call) => call.output === null)) return end({ kind: 'parked' });
      current = replaceLast(current, ran);
    }
    const verdict = judge(newest, current, means);
    if (verdict.kind === 'end') return verdict;
    for (const message of verdict.say) current = await say(current, message, means);
  }
  if (means.drain.aborted) return end({ kind: 'interrupted', reason: 'drained' });

  const { sent, taken } = await takeBoundedTurn(current, means);
  switch (taken.kind) {
    case 'recorded':
      return { kind: 'next', transcript: { ...sent, turns: [...sent.turns, taken.turn] } };
    case 'refused':
      return end(taken.permit === 'cancelled' ? { kind: 'cancelled' } : { kind: 'interrupted', reason: 'paused' });
    case 'failed':
      return end({ kind: 'model_failed', failure: taken.failure });
  }
}

/** Puts an engine message after the newest turn: recorded first, then part of the context. */
async function say(
  transcript: Transcript,
  message: Pick<EngineMessage, 'kind' | 'content'>,
  means: EngageMeans,
): Promise<Transcript> {
  const placed = { ...message, afterTurn: transcript.turns.length };
  const recorded = await addMessage(means.db, means.focus, placed, estimateTokens(message.content));
  return { ...transcript, messages: [...transcript.messages, recorded] };
}

function end(ending: EngageEnd): { readonly kind: 'end'; readonly end: EngageEnd } {
  return { kind: 'end', end: ending };
}

function replaceLast(transcript: Transcript, turn: RecordedTurn): Transcript {
  return { ...transcript, turns: [...transcript.turns.slice(0, -1), turn] };
}
