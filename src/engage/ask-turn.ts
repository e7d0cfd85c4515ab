/** Gets the answer of the next turn: its context prepared, the turn begun, the model asked. */
import { systemClock } from '../core/lifecycle/clock.ts';
import type { FailureKind, LlmFailure, Message } from '../llm/client.ts';
import { MAX_LOST } from '../llm/failure-costs.ts';
import type { TurnPermit } from '../store/transcript/begin-turn.ts';
import type { Transcript } from '../store/transcript/transcript.ts';
import { compactAfterOverflow } from './context/compact-context.ts';
import { renderMessages } from './context/context.ts';
import { askedNext, nextTurn } from './context/next-turn.ts';
import { type Blocked, prepareRequest } from './context/prepare-request.ts';
import { type Asked, askModel } from './turn/ask-model.ts';
import { type Begun, beginTurn, type OpenTurn, type Refusal } from './turn/begin-turn.ts';
import { requestOf } from './turn/call-model.ts';
import type { LoopFocus, LoopReach, LoopRun } from './turn/loop-state.ts';
import { settleFailed } from './turn/settle-failed.ts';

/** A turn that was begun, or refused, with the focus or with the record of the turn before it. */
export interface NextBegun {
  readonly turn: OpenTurn;
  readonly permit: TurnPermit;
  /** Of its request, where they are rendered already. */
  readonly messages?: readonly Message[];
}

/** What was asked, and the transcript including everything that was recorded on the way. */
export interface TurnAsked {
  readonly sent: Transcript;
  readonly asked: Asked | Blocked;
}

/**
 * Asks for the next answer. The context of a turn that was begun needs no change. A request that the provider refuses as too long is compacted and sent once more. The results
 * of the turn before are committed before they are sent.
 */
export async function askTurn(
  transcript: Transcript,
  begun: NextBegun | undefined,
  focus: LoopFocus,
  run: LoopRun,
  reach: LoopReach,
): Promise<TurnAsked> {
  const { db } = reach;
  const { sent, blocked } = begun ? { sent: transcript } : await prepareRequest(transcript, focus, run, reach);
  if (blocked) return { sent, asked: blocked };
  const first = await ask(sent, begun, focus, run, reach);
  if (first.asked.kind !== 'failed' || first.asked.failure.kind !== 'context_overflow') return first;
  const smaller = await compactAfterOverflow(first.sent, focus, run, db);
  return smaller ? ask(smaller, undefined, focus, run, reach) : first;
}

/** Writes the next request while what comes before it is on its way to the disk. It is sent after that, if it still is the next one. */
export async function prepareMessages(transcript: Transcript, focus: LoopFocus): Promise<readonly Message[]> {
  // The record is sent in the meantime.
  await new Promise(setImmediate);
  const messages = renderMessages(transcript);
  const next = askedNext(transcript, focus);
  if (!focus.model.batch) focus.model.client.prepare?.(requestOf(transcript.turns.length + 1, messages, next));
  return messages;
}

/** Without limits, it asks once: the client sends a request again by itself. Under limits, that needs a new hold. */
async function ask(
  transcript: Transcript,
  begun: NextBegun | undefined,
  focus: LoopFocus,
  run: LoopRun,
  { db }: LoopReach,
): Promise<TurnAsked> {
  let sent = transcript;
  let known = begun?.permit === 'reserve' ? undefined : begun;
  for (let lost = 0; ; known = undefined) {
    const turn = known?.turn ?? nextTurn(sent, focus);
    const [opened, prepared] = await Promise.all([
      open(turn, known, focus, run, db),
      known ? (known.messages ?? renderMessages(sent)) : prepareMessages(sent, focus),
    ]);
    if (opened.kind === 'refused') return { sent, asked: opened };
    sent = withNotices(sent, opened.notices);
    const messages = opened.notices.length === 0 ? prepared : renderMessages(sent);
    const asked = await askModel(turn, messages, askedNext(sent, focus), run, db);
    if (asked.kind !== 'failed') return { sent, asked };
    const { failure } = asked;
    await settleFailed(turn.number, failure, focus, run, db);
    lost += failure.lost;
    if (!run.budget.limited || !mayAskAgain(failure, lost)) {
      return { sent, asked: { kind: 'failed', failure: { ...failure, lost } } };
    }
    await systemClock.sleep(1000 * 2 ** (lost - 1) * Math.random(), run.signal);
  }
}

async function open(
  turn: OpenTurn,
  known: NextBegun | undefined,
  focus: LoopFocus,
  run: LoopRun,
  db: LoopReach['db'],
): Promise<Begun | Refusal> {
  // Said before it is begun: if that fails, it may have been.
  if (!focus.model.batch) run.unsent.begins(turn.number);
  const begun = known ? asBegun(known.permit) : await beginTurn(turn, focus, run, db);
  if (begun.kind === 'refused') run.unsent.isOver();
  return begun;
}

function asBegun(permit: TurnPermit): Begun | Refusal {
  return permit === 'go' ? { kind: 'begun', notices: [] } : { kind: 'refused', permit };
}

/** Under limits, a request that broke is sent again only with a new hold. */
const BROKEN: ReadonlySet<FailureKind> = new Set(['connection', 'timeout', 'protocol', 'overloaded']);

/** `lost`: by all requests of the turn. */
function mayAskAgain(failure: LlmFailure, lost: number): boolean {
  return failure.lost > 0 && lost < MAX_LOST && BROKEN.has(failure.kind);
}

/** As the function in SQL has recorded them. */
function withNotices(transcript: Transcript, notices: readonly string[]): Transcript {
  if (notices.length === 0) return transcript;
  const afterTurn = transcript.turns.length;
  const added = notices.map((content) => ({ afterTurn, kind: 'notice' as const, content }));
  return { ...transcript, messages: [...transcript.messages, ...added] };
}
