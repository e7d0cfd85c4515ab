/** The engage loop: model turns and tool calls until the model is done, or something else ends it. */
import { AnimusError } from '../core/errors/errors.ts';
import { estimateTokens } from '../core/work/tokens.ts';
import { readTranscriptToSend } from '../store/transcript/attachments.ts';
import type { TurnPermit } from '../store/transcript/begin-turn.ts';
import { createTurnKeeper } from '../store/transcript/budgeted-turns.ts';
import { addMessage, type EngineMessage } from '../store/transcript/messages.ts';
import { ownPart, type Transcript } from '../store/transcript/transcript.ts';
import type { RecordedTurn } from '../store/transcript/turns.ts';
import { record } from '../telemetry/metrics.ts';
import { span } from '../telemetry/spans.ts';
import { type EarlyCalls, startEarlyCalls } from './calls/early-calls.ts';
import { finishCalls } from './calls/finish-calls.ts';
import { settleInterrupted } from './calls/interrupted.ts';
import { settleExecutions } from './calls/nested/settle-executions.ts';
import { openCommands } from './calls/open-commands.ts';
import { withPending } from './calls/pending.ts';
import type { CallMeans } from './calls/run-calls.ts';
import { type EndMeans, takeBoundedTurn } from './context/bounded-turn.ts';
import type { ContextMeans } from './context/context-prepare.ts';
import { withMail } from './context/mail.ts';
import { withSkills } from './context/skills.ts';
import { lostCommandsNotice } from './prompt/prompt.ts';
import type { FocusBudget } from './turn/focus-budget.ts';
import type { BegunTurn, TurnMeans } from './turn/model-turn.ts';
import type { UnrecordedTurn } from './turn/record-answer.ts';
import { createTurnTime } from './turn/turn-time.ts';
import { createUnsentTurn, type UnsentTurn } from './turn/unsent-turn.ts';
import type { EngageEnd } from './verdict/engage-end.ts';
import { refusedEnd } from './verdict/refused-end.ts';
import { judge, type Limits } from './verdict/verdict.ts';

/** The dependencies of the loop: those of model calls, the context, tool calls and the verdict, and signals to stop. */
export interface EngageMeans
  extends Omit<
      TurnMeans,
      | 'time'
      | 'withPending'
      | 'startEarly'
      | 'takeBegun'
      | 'endsWith'
      | 'goesStraightOn'
      | 'messagesAfter'
      | 'knownMail'
      | 'payOnce'
      | 'reserves'
      | 'inBatch'
      | 'unsent'
    >,
    ContextMeans,
    CallMeans,
    Limits,
    EndMeans {
  /** The permit of turn 1, where that turn was begun together with the focus. */
  readonly firstPermit?: TurnPermit;
  /** Has turn 1, if that was begun together with the focus. Default: no turn was begun. */
  readonly unsent?: UnsentTurn;
  /** Asks the loop to stop at the next turn boundary. */
  readonly drain: AbortSignal;
}

type LoopMeans = EngageMeans &
  Pick<TurnMeans, 'time' | 'withPending' | 'startEarly' | 'takeBegun' | 'unsent'> & { readonly budget: FocusBudget };

/** Runs a focus's loop from the end of its transcript, which is read where it is not given. Rejects when `signal` aborts or the lease is lost. */
export async function engage(engageMeans: EngageMeans, recorded?: Transcript): Promise<EngageEnd> {
  const pending = (turn: RecordedTurn) => withPending(turn, engageMeans);
  const startEarly = (turn: RecordedTurn) => startEarlyCalls(turn, engageMeans);
  const takeBegun = beginsWith(engageMeans.firstPermit);
  const budget = engageMeans.budget ?? unlimited(engageMeans.db);
  const time = createTurnTime();
  const { db, focus, callScope } = engageMeans;
  const unsent = engageMeans.unsent ?? createUnsentTurn(db, focus, callScope.lease);
  const means: LoopMeans = { ...engageMeans, time, withPending: pending, startEarly, takeBegun, budget, unsent };
  try {
    const step = await loop(means, recorded).catch(async (error: unknown) => {
      await keepResults(means);
      throw error;
    });
    await means.journal.flush(means.signal);
    record('work.engage.iterations', ownPart(step.transcript).turns.length, { faculty: means.faculty });
    return step.end;
  } finally {
    await unsent.giveBack();
  }
}

/** For work that had no limits when its focus began. */
function unlimited(db: EngageMeans['db']): FocusBudget {
  return { limited: false, keepTurn: createTurnKeeper(db), onUsed: () => {} };
}

/** Gives the permit of turn 1 once: a turn that is asked again begins again. */
function beginsWith(permit: TurnPermit | null = null): TurnMeans['takeBegun'] {
  let begun = permit;
  return (turn) => {
    const mine = turn === 1 ? begun : null;
    begun = null;
    return mine;
  };
}

async function loop(means: LoopMeans, recorded?: Transcript): Promise<Extract<Step, { kind: 'end' }>> {
  let step = await goOn(recorded ?? (await readTranscriptToSend(means.db, means.focus.focusId)), means);
  while (step.kind === 'next') step = await iterate(step.transcript, means, step.begun);
  return step;
}

/** Records ended calls, whatever stops the focus; unrecorded ones would be in doubt. Rethrows the failure that stopped it. */
async function keepResults({ journal, signal }: LoopMeans): Promise<void> {
  await journal.flush(signal).catch(() => {});
}

type Step =
  /** `begun`: the next turn was begun, or refused, when the newest one was recorded, and nothing is left to do before it. */
  | { readonly kind: 'next'; readonly transcript: Transcript; readonly begun?: BegunTurn }
  | { readonly kind: 'end'; readonly transcript: Transcript; readonly end: EngageEnd };

/** Finishes the newest turn that an earlier loop left incomplete. */
async function goOn(transcript: Transcript, means: LoopMeans): Promise<Step> {
  const newest = ownPart(transcript).turns.at(-1);
  if (!newest) return { kind: 'next', transcript };
  const told = await tellLostCommands(transcript, means);
  const settled = settleInterrupted(await settleExecutions(newest, means), means.toolset, means.journal);
  const finish = () => finishTurn(replaceLast(told, settled), settled, means);
  if (!isUnfinished(settled)) return finish();
  return span('work.engage.iteration', { 'work.turn': newest.turn }, finish);
}

/** Nothing runs in the background when a loop begins. */
async function tellLostCommands(transcript: Transcript, means: LoopMeans): Promise<Transcript> {
  const lost = openCommands(transcript);
  return lost.length === 0 ? transcript : say(transcript, { kind: 'notice', content: lostCommandsNotice(lost) }, means);
}

/** One turn: the model's answer, and the calls it asks for. */
async function iterate(transcript: Transcript, means: LoopMeans, begun?: BegunTurn): Promise<Step> {
  if (means.drain.aborted) return end(transcript, { kind: 'interrupted', reason: 'drained' });
  return span('work.engage.iteration', { 'work.turn': transcript.turns.length + 1 }, async (iteration) => {
    const { sent, taken } = await takeBoundedTurn(transcript, means, begun);
    switch (taken.kind) {
      case 'refused':
        if (taken.permit === 'mail') return { kind: 'next', transcript: await withMail(sent, means) };
        return end(sent, refusedEnd(taken, means));
      case 'blocked':
        return end(sent, { kind: 'failed', code: 'hook_blocked', message: taken.reason });
      case 'parked':
        return end(sent, { kind: 'parked' });
      case 'failed':
        return end(sent, { kind: 'model_failed', failure: taken.failure });
      case 'recorded':
      case 'recorded_whole': {
        const { turn } = taken;
        iteration.set({ 'work.stop_reason': turn.stopReason, 'work.parallel_tools': turn.calls.length });
        const recorded = { ...sent, turns: [...sent.turns, turn] };
        const step: Step =
          taken.kind === 'recorded_whole'
            ? { kind: 'next', transcript: recorded, begun: taken.next }
            : withUnrecorded(await finishTurn(recorded, turn, means, taken.early), taken.unrecorded);
        const { faculty } = means;
        if (turn.calls.length > 0) record('work.engage.parallel_tools', turn.calls.length, { faculty });
        record('work.engage.overhead', means.time.takeOverheadMs(), { faculty });
        return step;
      }
    }
  });
}

/** Runs the remaining calls of the newest turn and judges the turn. */
async function finishTurn(
  transcript: Transcript,
  newest: RecordedTurn,
  means: LoopMeans,
  early?: EarlyCalls,
): Promise<Step> {
  let current = transcript;
  if (isUnfinished(newest)) {
    const ran = await means.time.elsewhere(finishCalls(newest, means, early));
    current = replaceLast(current, ran);
    if (isUnfinished(ran)) return end(current, { kind: 'parked' });
    current = await withSkills(current, means);
  }
  const verdict = await judge(newest, current, means);
  if (verdict.kind === 'end') return end(current, verdict.end);
  for (const message of verdict.say) current = await say(current, message, means);
  return { kind: 'next', transcript: current };
}

/** The answer is recorded with the end that it leads to. */
function withUnrecorded(step: Step, unrecorded: UnrecordedTurn | undefined): Step {
  if (unrecorded === undefined) return step;
  if (step.kind === 'end' && step.end.kind === 'done') return { ...step, end: { ...step.end, unrecorded } };
  throw new AnimusError('internal.bug', {
    detail: `turn ${unrecorded.turn} was left unrecorded and did not end the run`,
  });
}

function isUnfinished(turn: RecordedTurn): boolean {
  return turn.calls.some((call) => call.output === null);
}

/** Adds an engine message after the newest turn: recorded first, then part of the context. */
async function say(
  transcript: Transcript,
  message: Pick<EngineMessage, 'kind' | 'content'>,
  means: EngageMeans,
): Promise<Transcript> {
  const placed = { ...message, afterTurn: transcript.turns.length };
  const recorded = await addMessage(means.db, means.focus, placed, estimateTokens(message.content));
  return { ...transcript, messages: [...transcript.messages, recorded] };
}

function end(transcript: Transcript, ending: EngageEnd): Step {
  return { kind: 'end', transcript, end: ending };
}

function replaceLast(transcript: Transcript, turn: RecordedTurn): Transcript {
  return { ...transcript, turns: [...transcript.turns.slice(0, -1), turn] };
}
