/** Turns, and the verdict on them. */
import type { Limits } from '../../../src/engage/turn/loop-state.ts';
import { judge, type Verdict } from '../../../src/engage/verdict/verdict.ts';
import type { RecordedCall } from '../../../src/store/transcript/calls.ts';
import type { EngineMessage } from '../../../src/store/transcript/messages.ts';
import type { Transcript } from '../../../src/store/transcript/transcript.ts';
import type { RecordedTurn } from '../../../src/store/transcript/turns.ts';

/** Limits that no test reaches by chance. */
export const LIMITS: Limits = { maxTurns: 50, outcomeSchema: null };

/** The verdict on the last of these turns. */
export async function verdictOf(
  turns: readonly RecordedTurn[],
  messages: readonly EngineMessage[] = [],
  limits = LIMITS,
): Promise<Verdict> {
  const transcript = transcriptOf(turns, messages);
  return judge(transcript.turns.at(-1)!, transcript, limits);
}

/** How the run ends; an error if it goes on. */
export async function endOf(...given: Parameters<typeof verdictOf>): Promise<object> {
  const verdict = await verdictOf(...given);
  if (verdict.kind !== 'end') throw new Error('it went on');
  return verdict.end;
}

/** What the verdict says to the model. */
export function textSaid(verdict: Verdict): string {
  return verdict.kind === 'go_on' ? verdict.say.map((saying) => saying.content).join('\n') : '';
}

/** A transcript of these turns, numbered from 1. */
export function transcriptOf(turns: readonly RecordedTurn[], messages: readonly EngineMessage[] = []): Transcript {
  return { turns: turns.map((turn, index) => ({ ...turn, turn: index + 1 })), messages };
}

/** A turn with only text. */
export function said(text: string): RecordedTurn {
  return {
    turn: 0,
    provider: 'test',
    model: 'test',
    content: [{ type: 'text', text }],
    stopReason: 'end_turn',
    cutToolCalls: [],
    inputTokens: null,
    calls: [],
  };
}

/** A turn with one call. */
export function called(made: RecordedCall, text = ''): RecordedTurn {
  return { ...said(text), stopReason: 'tool_use', calls: [made] };
}

/** A turn that does and learns the same each time. */
export function same(): RecordedTurn {
  return called(call('read_file', { path: 'a', from: 1 }, 'no such file'));
}

/** A call that is done. */
export function call(name: string, input: Readonly<Record<string, unknown>> = {}, output = 'the result'): RecordedCall {
  return { callId: 'c', name, input, finalInput: null, state: 'done', output, isError: false };
}
