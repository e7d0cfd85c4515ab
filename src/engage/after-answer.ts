/** What happens after an answer: it is recorded, its calls are run, and the turn is judged. */
import { estimateTokens } from '../core/work/tokens.ts';
import { addMessage, type EngineMessage } from '../store/transcript/messages.ts';
import type { Transcript } from '../store/transcript/transcript.ts';
import { answeredTurn, type RecordedTurn } from '../store/transcript/turns.ts';
import { type NextBegun, prepareMessages } from './ask-turn.ts';
import { finishCalls } from './calls/finish-calls.ts';
import { withPending } from './calls/pending.ts';
import { type Reads, startReads } from './calls/reads.ts';
import { withMail } from './context/mail.ts';
import { nextTurn, nothingBetween } from './context/next-turn.ts';
import { withSkills } from './context/skills.ts';
import type { Answered } from './turn/ask-model.ts';
import type { Refusal } from './turn/begin-turn.ts';
import type { LoopFocus, LoopReach, LoopRun } from './turn/loop-state.ts';
import { leaveToEnd, recordAnswer, recordWithNext } from './turn/record-answer.ts';
import { settleStopped } from './turn/settle-stopped.ts';
import type { EngageEnd } from './verdict/engage-end.ts';
import { refusedEnd } from './verdict/refused-end.ts';
import { judge, type Verdict } from './verdict/verdict.ts';

/** Where the loop stands after a turn. */
export type Step =
  /** `begun`: the next turn was begun, or refused, when the newest one was recorded, and nothing is left to do before it. */
  | { readonly kind: 'next'; readonly transcript: Transcript; readonly begun?: NextBegun }
  | { readonly kind: 'end'; readonly transcript: Transcript; readonly end: EngageEnd };

/**
 * Records the answer to a turn of `sent` before anything acts on it, and runs its calls. Calls that only read are started while it is being recorded. Where they end at once and
 * nothing else has to be recorded, the next turn is begun with the answer: such a turn needs one statement. Other turns need two, and only the second waits for the disk. All are
 * retried while the database is unreachable and the lease lasts: an answer that was paid for is kept in memory until it can be recorded.
 */
export async function afterAnswer(
  answered: Answered,
  sent: Transcript,
  focus: LoopFocus,
  run: LoopRun,
  reach: LoopReach,
): Promise<Step> {
  const { answer, verdict } = await read(answered, sent, focus, run, reach);
  const recorded = withTurn(sent, answer);
  if (verdict?.kind === 'end' && verdict.end.kind === 'done') {
    const lastAnswer = leaveToEnd(answer, answered, focus, run, reach.db);
    return end(recorded, { ...verdict.end, lastAnswer });
  }
  // Those of a batch were asked for long ago: nobody waits for its reads.
  const reads = answered.requestId === null ? startReads(answer, run, reach) : undefined;
  try {
    const straight = reads && (await goStraightOn(reads, answered, sent, focus, run, reach));
    if (straight) return straight;
    const refused = await recordAnswer(answer, answered, focus, run, reach.db);
    if (refused) {
      await reads?.stop(new Error(`the turn was ${refused.permit}`));
      return afterRefusal(refused, sent, focus, run, reach);
    }
    return await finishTurn(recorded, answer, focus, run, reach, { reads, verdict });
  } catch (error) {
    await reads?.stop(error);
    throw error;
  }
}

/** A turn that may not begin, or whose answer may no longer be recorded: with new messages the loop goes on. */
export async function afterRefusal(
  refused: Refusal,
  sent: Transcript,
  focus: LoopFocus,
  run: LoopRun,
  { db, guard }: LoopReach,
): Promise<Step> {
  if (refused.permit === 'mail') return { kind: 'next', transcript: await withMail(sent, focus, run, db) };
  return end(sent, refusedEnd(refused, guard));
}

/**
 * The turn as it is recorded. Its verdict, where the end of the focus can record it: not where requests were lost, which would be forgotten if that failed. An answer with
 * calls never ends a run: its calls need not wait for the judgement.
 */
async function read(
  { turn, response, requestId }: Answered,
  sent: Transcript,
  focus: LoopFocus,
  run: LoopRun,
  reach: LoopReach,
): Promise<{ readonly answer: RecordedTurn; readonly verdict?: Verdict }> {
  const { lost = 0 } = response;
  try {
    run.signal.throwIfAborted();
    const answer = await withPending(answeredTurn(turn.number, response), run.signal, reach);
    const byEnd = requestId === null && lost === 0 && answer.calls.length === 0 && isUntouched(reach);
    return { answer, ...(byEnd && { verdict: await judge(answer, withTurn(sent, answer), focus.limits) }) };
  } catch (error) {
    // The answer is also lost. Nothing was written that would count it.
    if (requestId === null) await settleStopped(turn.number, lost + 1, focus.key, reach.db);
    throw error;
  }
}

/** Whether nothing stands between the last answer and the end of the focus: no files to look at, and no command that may still run and has to be stopped first. */
function isUntouched({ directory, callScope }: LoopReach): boolean {
  return directory !== undefined && !directory.isMade() && callScope.background.all().length === 0;
}

/** Records the answer with the ends of its calls and begins the next turn. Null if they take longer, or something has to come between. */
async function goStraightOn(
  reads: Reads,
  answered: Answered,
  sent: Transcript,
  focus: LoopFocus,
  run: LoopRun,
  reach: LoopReach,
): Promise<Step | null> {
  const whole = await run.time.elsewhere(reads.wholeTurn());
  if (whole === null) return null;
  const transcript = withTurn(sent, whole.turn);
  if (!nothingBetween(transcript, focus, run, reach)) return null;
  const next = nextTurn(transcript, focus);
  const [recorded, messages] = await Promise.all([
    recordWithNext(whole, answered, next, focus, run, reach.db),
    prepareMessages(transcript, focus),
  ]);
  if (recorded.kind === 'refused') {
    await reads.stop(new Error(`the turn was ${recorded.permit}`));
    return afterRefusal(recorded, sent, focus, run, reach);
  }
  return { kind: 'next', transcript, begun: { turn: next, permit: recorded.permit, messages } };
}

/** Runs the remaining calls of the newest turn and judges the turn, unless that was done. */
export async function finishTurn(
  transcript: Transcript,
  newest: RecordedTurn,
  focus: LoopFocus,
  run: LoopRun,
  reach: LoopReach,
  begun: { readonly reads?: Reads | undefined; readonly verdict?: Verdict | undefined } = {},
): Promise<Step> {
  let current = transcript;
  if (isUnfinished(newest)) {
    const ran = await run.time.elsewhere(finishCalls(newest, run, reach, begun.reads));
    current = withNewest(current, ran);
    if (isUnfinished(ran)) return end(current, { kind: 'parked' });
    current = await withSkills(current, focus, run, reach.db);
  }
  const verdict = begun.verdict ?? (await judge(newest, current, focus.limits));
  if (verdict.kind === 'end') return end(current, verdict.end);
  for (const message of verdict.say) current = await say(current, message, focus, reach);
  return { kind: 'next', transcript: current };
}

/** Whether calls of the turn have not ended. */
export function isUnfinished(turn: RecordedTurn): boolean {
  return turn.calls.some((call) => call.output === null);
}

/** Adds an engine message after the newest turn: recorded first, then part of the context. */
export async function say(
  transcript: Transcript,
  message: Pick<EngineMessage, 'kind' | 'content'>,
  { key }: LoopFocus,
  { db }: LoopReach,
): Promise<Transcript> {
  const placed = { ...message, afterTurn: transcript.turns.length };
  const recorded = await addMessage(db, key, placed, estimateTokens(message.content));
  return { ...transcript, messages: [...transcript.messages, recorded] };
}

/** The transcript with another form of its newest turn. */
export function withNewest(transcript: Transcript, turn: RecordedTurn): Transcript {
  return { ...transcript, turns: [...transcript.turns.slice(0, -1), turn] };
}

function withTurn(transcript: Transcript, turn: RecordedTurn): Transcript {
  return { ...transcript, turns: [...transcript.turns, turn] };
}

export function end(transcript: Transcript, ending: EngageEnd): Step {
  return { kind: 'end', transcript, end: ending };
}
