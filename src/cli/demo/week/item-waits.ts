/** Work that waits for a person, and what the person says. */
import { askPerson } from '../../../store/transcript/approvals.ts';
import { finishToolCalls, startCall } from '../../../store/transcript/calls.ts';
import { parkWork } from '../../../store/transcript/waits.ts';
import type { PersonKey } from './cast.ts';
import { type Life, type Move, resultOf, take, turn } from './item-life.ts';
import { as, type Stage } from './stage.ts';

/** A call that a person decides: the last one of its move, which has no output. */
export interface Ask {
  readonly move: Move;
  /** Why it is asked; of a question: none. */
  readonly reason?: string;
  readonly by: PersonKey;
  /** How long the person takes. Beyond the end of the week, it waits still. */
  readonly afterMs: number;
  readonly says: 'approve' | 'deny' | 'answer';
  readonly note: string;
  /** What the call returns once it has run. */
  readonly output: string;
  /** Also allows such calls of the faculty for a month: a pattern. */
  readonly grants?: string;
}

/** Asks, waits and goes on. Returns the life with its new lease. */
export async function* ask(stage: Stage, life: Life, asked: Ask): AsyncGenerator<number, Life> {
  const { tx, clock } = stage;
  await turn(stage, life, asked.move);
  const call = life.open!;
  if (life.results.length > 0) await finishToolCalls(tx, life, life.results);
  life.results = [];
  const question = asked.says === 'answer';
  const request = question ? call.input : { reason: asked.reason!, gate: 'permissions' };
  const asks = { subject: question ? ('question' as const) : ('tool_call' as const), request, seconds: 14 * 86_400 };
  const { refused } = await askPerson(tx, life, life.turn, call.id, question ? 'human' : 'approval', asks);
  if (refused !== null) throw new Error(refused);
  await parkWork(tx, { id: life.workItemId, leaseToken: life.leaseToken });
  yield clock.atMs + asked.afterMs;
  await as(stage, asked.by, () => decide(stage, life, asked));
  clock.atMs += stage.random.between(300, 4000);
  const resumed = await take(stage, life.workItemId, life.faculty, life);
  if (asked.says === 'approve') await startCall(tx, resumed, life.turn, call.id, null);
  clock.atMs += call.ms;
  resumed.results = [resultOf(life, call, outcomeOf(asked), asked.says === 'deny' ? 'denied' : 'done')];
  return resumed;
}

async function decide({ tx }: Stage, { workItemId: id }: Life, { says, note, grants }: Ask): Promise<void> {
  if (grants !== undefined) {
    const grant = `select animus.grant_call($1, ask_id, 'faculty', interval '30 days', $2, $3) from animus.inbox where work_item_id = $1`;
    await tx.query(grant, [id, grants, note]);
  }
  const act = {
    approve: 'animus.approve($1, p_note => $2)',
    deny: 'animus.deny($1, p_note => $2)',
    answer: 'animus.answer($1, $2)',
  };
  await tx.query(`select ${act[says]}`, [id, note]);
}

function outcomeOf({ says, note, output }: Ask): string {
  if (says === 'deny') return `A person denied this call. The reason given: ${note}`;
  return says === 'answer' ? `A person answered:\n${note}` : output;
}
