/** Decides whether the loop continues after an answer: the guards that end a failing run, with a reason for people. */
import type { EngineMessage } from '../../store/transcript/messages.ts';
import type { Transcript } from '../../store/transcript/transcript.ts';
import type { RecordedTurn } from '../../store/transcript/turns.ts';
import { cutAnswerNotice, EMPTY_ANSWER_NUDGE, FULL_WINDOW_NOTICE, stallNotice } from '../prompt/prompt.ts';
import type { Limits } from '../turn/loop-state.ts';
import { textOf } from '../turn/text-of.ts';
import { newestAttempt } from './attempt.ts';
import type { EngageDone, EngageEnd, EngageFailure } from './engage-end.ts';
import {
  closingNotice,
  isClosingNotice,
  isRepairNotice,
  type OutcomeReading,
  readOutcome,
  repairNotice,
} from './outcome.ts';
import { measureStall, type Stall } from './progress.ts';

/** The consequence of the newest answer: the loop ends, or continues after these messages have been added. */
export type Verdict =
  | { readonly kind: 'end'; readonly end: EngageEnd }
  | { readonly kind: 'go_on'; readonly say: readonly Saying[] };

/** A message to the model, placed after the newest turn. */
export type Saying = Pick<EngineMessage, 'kind' | 'content'>;

/** Number of turns with the same call and the same result, without anything new between them. */
const REPEATS = { warn: 3, end: 5 } as const;
/** Number of turns in a row in which every call repeats an earlier one with the same result: a cycle of several calls. */
const WITHOUT_NEWS = { warn: 6, end: 10 } as const;
const NO_TURN_LEFT = 'no turn was left (max_turns)';
/** Number of answers in a row that were cut at max_tokens before a call was complete. */
const CUT_ANSWERS = 3;

/**
 * Judges the newest turn, whose calls have all ended. A resumed focus comes to the same verdict, without messages that
 * were added already. What a stub or a summary stands for is not a known result any more; an answer to which a person has replied is not the end. It waits only for an outcome to be read.
 */
export async function judge(turn: RecordedTurn, whole: Transcript, limits: Limits): Promise<Verdict> {
  return verdictOn(turn, whole, limits, isFinal(turn) ? await readOutcome(textOf(turn), limits.outcomeSchema) : null);
}

/** The verdict on a turn that is not final. Null for a final one, whose outcome has to be read first. */
export function judgeUnended(turn: RecordedTurn, whole: Transcript, limits: Limits): Verdict | null {
  return isFinal(turn) ? null : verdictOn(turn, whole, limits, null);
}

/** `reading`: the outcome in a final answer; null for any other turn. */
function verdictOn(turn: RecordedTurn, whole: Transcript, limits: Limits, reading: OutcomeReading | null): Verdict {
  const transcript = newestAttempt(whole);
  // The reason that ended the previous attempt does not apply to the new one.
  if (transcript.turns.length === 0) return { kind: 'go_on', say: [] };
  const stall = measureStall(transcript.turns, transcript.messages);
  const ended =
    reading === null ? endOf(turn, transcript, stall, limits) : endOfFinal(turn, transcript, limits, reading);
  if (ended && !(ended.kind === 'done' && goesOnWithMail(ended, turn, transcript))) return { kind: 'end', end: ended };
  return { kind: 'go_on', say: notYetSaid(sayings(turn, transcript, stall, limits, reading), turn, transcript) };
}

/** The number of turns that the attempt may still take after its newest one. */
export function turnsLeft(transcript: Transcript, { maxTurns }: Pick<Limits, 'maxTurns'>): number {
  return Math.max(0, maxTurns - newestAttempt(transcript).turns.length);
}

function endOf(turn: RecordedTurn, transcript: Transcript, stall: Stall | null, limits: Limits): EngageEnd | null {
  if (turn.stopReason === 'refusal')
    return failed('refused', `the model refused: ${textOf(turn) || 'no reason given'}`);
  return (
    emptyAgain(turn, transcript) ??
    overflowed(turn, transcript) ??
    cutTooOften(turn, transcript) ??
    stalled(stall) ??
    outOfTurns(transcript, limits)
  );
}

/** The end, unless the outcome is invalid and may still be repaired. */
function endOfFinal(
  turn: RecordedTurn,
  transcript: Transcript,
  limits: Limits,
  reading: OutcomeReading,
): EngageEnd | null {
  if (reading.kind === 'outcome') {
    const unread = transcript.turns.length >= limits.maxTurns && { unread: NO_TURN_LEFT };
    return { kind: 'done', finalText: textOf(turn), outcome: reading.outcome, ...unread };
  }
  if (closes(turn, transcript, limits)) return null;
  const repaired = transcript.messages.some(
    (message) => message.afterTurn < turn.turn && isRepairNotice(message.content),
  );
  if (!repaired && transcript.turns.length < limits.maxTurns) return null;
  const when = repaired ? ', also after a repair' : '';
  return failed(
    'outcome_invalid',
    `the outcome does not conform to outcome_schema${when}: ${reading.problems.join('; ')}`,
  );
}

/** Messages came before the end was written (docs/steering.md). */
function goesOnWithMail({ unread }: EngageDone, { turn }: RecordedTurn, { messages }: Transcript): boolean {
  return unread === undefined && messages.some(({ kind, afterTurn }) => kind === 'operator' && afterTurn === turn);
}

/** An answer with text and without calls. */
function isFinal(turn: RecordedTurn): boolean {
  const goesOn = ['pause_turn', 'max_tokens', 'context_overflow', 'refusal'].includes(turn.stopReason);
  return turn.calls.length === 0 && !goesOn && textOf(turn) !== '';
}

function isEmpty(turn: RecordedTurn): boolean {
  return turn.calls.length === 0 && !isCut(turn) && turn.stopReason !== 'pause_turn' && textOf(turn) === '';
}

function isCut(turn: RecordedTurn): boolean {
  return turn.stopReason === 'max_tokens' || turn.stopReason === 'context_overflow';
}

function emptyAgain(turn: RecordedTurn, { turns }: Transcript): EngageEnd | null {
  const before = turns.at(-2);
  if (!isEmpty(turn) || !before || !isEmpty(before)) return null;
  return failed('empty_answer', 'the model answered nothing, twice in a row');
}

/** The first time, the context is compacted and the model continues; if that did not help, the run ends. */
function overflowed(turn: RecordedTurn, { turns }: Transcript): EngageEnd | null {
  if (turn.stopReason !== 'context_overflow' || turns.at(-2)?.stopReason !== 'context_overflow') return null;
  return failed('context_overflow', "the model's context window is full, and compacting the context did not help");
}

function cutTooOften(turn: RecordedTurn, { turns }: Transcript): EngageEnd | null {
  const last = turns.slice(-CUT_ANSWERS);
  const cut = last.length === CUT_ANSWERS && last.every((each) => isCut(each) && each.calls.length === 0);
  if (!isCut(turn) || !cut) return null;
  return failed(
    'cut_answers',
    `${CUT_ANSWERS} answers in a row were cut at max_tokens; raise max_tokens of the faculty`,
  );
}

function stalled(stall: Stall | null): EngageEnd | null {
  if (!stall) return null;
  const { tool, repeats, turnsWithoutNews } = stall;
  if (repeats >= REPEATS.end) {
    return failed(
      'repeated_call',
      `the same call of ${tool} gave the same result ${repeats} times, also after a warning`,
    );
  }
  if (turnsWithoutNews < WITHOUT_NEWS.end) return null;
  return failed(
    'no_progress',
    `for ${turnsWithoutNews} turns every call only repeated an earlier one with the same result`,
  );
}

function outOfTurns({ turns }: Transcript, { maxTurns }: Limits): EngageEnd | null {
  return turns.length >= maxTurns ? failed('max_turns', `not done after ${maxTurns} turns (max_turns)`) : null;
}

function failed(code: EngageFailure, message: string): EngageEnd {
  return { kind: 'failed', code, message };
}

function sayings(
  turn: RecordedTurn,
  transcript: Transcript,
  stall: Stall | null,
  limits: Limits,
  reading: OutcomeReading | null,
): Saying[] {
  if (reading !== null) {
    if (reading.kind === 'outcome') return [];
    const ask = closes(turn, transcript, limits) ? closingNotice : repairNotice;
    return [{ kind: 'notice', content: ask(reading.problems) }];
  }
  // A paused answer is sent back unchanged.
  if (turn.stopReason === 'pause_turn') return [];
  if (turn.stopReason === 'max_tokens') return [{ kind: 'notice', content: cutAnswerNotice(turn.cutToolCalls) }];
  if (turn.stopReason === 'context_overflow') return [{ kind: 'notice', content: FULL_WINDOW_NOTICE }];
  if (isEmpty(turn)) return [{ kind: 'nudge', content: EMPTY_ANSWER_NUDGE }];
  if (stall?.repeats === REPEATS.warn || stall?.turnsWithoutNews === WITHOUT_NEWS.warn) {
    return [{ kind: 'notice', content: stallNotice(stall) }];
  }
  return [];
}

/**
 * A closing turn comes once in an attempt, as long as turns are left. Messages after the turn do not count: a resumed focus
 * finds the notice there that it said before the crash.
 */
function closes(
  turn: RecordedTurn,
  { messages, turns }: Transcript,
  { closingTurn = false, maxTurns }: Limits,
): boolean {
  const before = messages.filter(({ afterTurn }) => afterTurn < turn.turn);
  return closingTurn && turns.length < maxTurns && !before.some(({ content }) => isClosingNotice(content));
}

function notYetSaid(say: readonly Saying[], turn: RecordedTurn, { messages }: Transcript): Saying[] {
  const said = messages.filter((message) => message.afterTurn === turn.turn);
  return say.filter(({ kind, content }) => !said.some((old) => old.kind === kind && old.content === content));
}
