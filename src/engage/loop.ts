/** The engage loop: model turns and tool calls until the model is done, or something else ends it. */
import { readTranscriptToSend } from '../store/transcript/attachments.ts';
import type { Reservation, TurnPermit } from '../store/transcript/begin-turn.ts';
import { ownPart, type Transcript } from '../store/transcript/transcript.ts';
import { record } from '../telemetry/metrics.ts';
import { span } from '../telemetry/spans.ts';
import {
  afterAnswer,
  afterRefusal,
  end,
  finishTurn,
  isUnfinished,
  type Step,
  say,
  withNewest,
} from './after-answer.ts';
import { askTurn, type NextBegun } from './ask-turn.ts';
import { settleInterrupted } from './calls/interrupted.ts';
import { settleExecutions } from './calls/nested/settle-executions.ts';
import { openCommands } from './calls/open-commands.ts';
import { nextTurn } from './context/next-turn.ts';
import { lostCommandsNotice } from './prompt/prompt.ts';
import type { LoopFocus, LoopReach, LoopRun } from './turn/loop-state.ts';
import type { EngageEnd } from './verdict/engage-end.ts';

/** Where a loop begins. Default: at the end of the transcript, which is read. */
export interface LoopStart {
  readonly recorded?: Transcript;
  /** Turn 1, where it was begun, or refused, together with the focus; `reservation`: null, nothing is sent at once. */
  readonly begun?: { readonly permit: TurnPermit; readonly reservation: Reservation | null };
}

/** Runs a focus's loop. Rejects when `run.signal` aborts or the lease is lost. */
export async function engage(
  focus: LoopFocus,
  run: LoopRun,
  reach: LoopReach,
  start: LoopStart = {},
): Promise<EngageEnd> {
  try {
    const step = await loop(focus, run, reach, start).catch(async (error: unknown) => {
      // Whatever stops the focus, ended calls are recorded: they would be in doubt. The failure that stopped it is the one that counts.
      await run.journal.flush(run.signal).catch(() => {});
      throw error;
    });
    await run.journal.flush(run.signal);
    record('work.engage.iterations', ownPart(step.transcript).turns.length, { faculty: focus.faculty });
    return step.end;
  } finally {
    await run.unsent.giveBack();
  }
}

async function loop(
  focus: LoopFocus,
  run: LoopRun,
  reach: LoopReach,
  { recorded, begun }: LoopStart,
): Promise<Extract<Step, { kind: 'end' }>> {
  const transcript = recorded ?? (await readTranscriptToSend(reach.db, focus.key.focusId));
  let step: Step = begun
    ? { kind: 'next', transcript, begun: firstTurn(transcript, begun, focus) }
    : await goOn(transcript, focus, run, reach);
  while (step.kind === 'next') step = await takeTurn(step.transcript, step.begun, focus, run, reach);
  return step;
}

function firstTurn(
  transcript: Transcript,
  { permit, reservation }: NonNullable<LoopStart['begun']>,
  focus: LoopFocus,
): NextBegun {
  return { permit, turn: reservation ? { number: 1, reservation, mail: 0 } : nextTurn(transcript, focus) };
}

/** Finishes the newest turn that an earlier loop left incomplete. */
async function goOn(transcript: Transcript, focus: LoopFocus, run: LoopRun, reach: LoopReach): Promise<Step> {
  const newest = ownPart(transcript).turns.at(-1);
  if (!newest) return { kind: 'next', transcript };
  const told = await tellLostCommands(transcript, focus, reach);
  const settled = settleInterrupted(await settleExecutions(newest, run, reach), reach.toolset, run.journal);
  const finish = () => finishTurn(withNewest(told, settled), settled, focus, run, reach);
  if (!isUnfinished(settled)) return finish();
  return span('work.engage.iteration', { 'work.turn': newest.turn }, finish);
}

/** Nothing runs in the background when a loop begins. */
async function tellLostCommands(transcript: Transcript, focus: LoopFocus, reach: LoopReach): Promise<Transcript> {
  const lost = openCommands(transcript);
  if (lost.length === 0) return transcript;
  return say(transcript, { kind: 'notice', content: lostCommandsNotice(lost) }, focus, reach);
}

/** One turn: the model's answer, and what happens after it. */
async function takeTurn(
  transcript: Transcript,
  begun: NextBegun | undefined,
  focus: LoopFocus,
  run: LoopRun,
  reach: LoopReach,
): Promise<Step> {
  if (run.drain.aborted) return end(transcript, { kind: 'interrupted', reason: 'drained' });
  return span('work.engage.iteration', { 'work.turn': transcript.turns.length + 1 }, async (iteration) => {
    const { sent, asked } = await askTurn(transcript, begun, focus, run, reach);
    switch (asked.kind) {
      case 'refused':
        return afterRefusal(asked, sent, focus, run, reach);
      case 'blocked':
        return end(sent, { kind: 'failed', code: 'hook_blocked', message: asked.reason });
      case 'parked':
        return end(sent, { kind: 'parked' });
      case 'failed':
        return end(sent, { kind: 'model_failed', failure: asked.failure });
      case 'answered': {
        const step = await afterAnswer(asked, sent, focus, run, reach);
        const { faculty } = focus;
        const answer = step.transcript.turns.at(sent.turns.length);
        if (answer) {
          const { stopReason, calls } = answer;
          iteration.set({ 'work.stop_reason': stopReason, 'work.parallel_tools': calls.length });
          if (calls.length > 0) record('work.engage.parallel_tools', calls.length, { faculty });
          record('work.engage.overhead', run.time.takeOverheadMs(), { faculty });
        }
        return step;
      }
      default:
        return asked satisfies never;
    }
  });
}
