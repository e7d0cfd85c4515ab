/** A writer on an item, and all ways to lose its lease. */
import { randomUUID } from 'node:crypto';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { finishToolCalls } from '../../../src/store/transcript/calls.ts';
import type { FocusKey } from '../../../src/store/transcript/focus-row.ts';
import { openWait, parkWork, resolveWait } from '../../../src/store/transcript/waits.ts';
import { claimWork, completeWork, endCancelled, failWork, releaseWork } from '../../../src/store/work/work.ts';
import { beginFocus, claimable, recordCalls } from '../begun-focus.ts';
import type { Writer } from './fenced-calls.ts';

/** The writer, with the data that a later owner needs to claim the item. */
export interface Begun extends Writer {
  readonly faculty: string;
  readonly key: FocusKey;
}

/** An item with a running focus: turn 1 with `c1` started and `c2` done, turn 2 begun. */
export async function beginWriter(db: Queryable): Promise<Begun> {
  const work = await beginFocus(db);
  await recordCalls(db, work, 1, ['c1', 'c2']);
  const ended = {
    turn: 1,
    callId: 'c2',
    state: 'done',
    output: 'out',
    isError: false,
    details: null,
    durationMs: 1,
  } as const;
  await finishToolCalls(db, work.key, [ended]);
  await db.query(`select animus.begin_turn($1, $2, 2, 0)`, [work.key.focusId, work.leaseToken]);
  const [row] = await db.query<{ owner: string }>('select lease_owner as owner from animus.work_items where id = $1', [
    work.id,
  ]);
  return {
    id: work.id,
    leaseToken: work.leaseToken,
    focusId: work.key.focusId,
    daemonId: row!.owner,
    faculty: work.faculty,
    key: work.key,
  };
}

/** A claimed item without a focus. */
export async function claimWriter(db: Queryable): Promise<Begun> {
  const faculty = `f${randomUUID()}`;
  const daemonId = randomUUID();
  await db.query(`select animus.keep_focus_settings('\\x01', '{}', 'You test.', '[]')`);
  await db.query('insert into animus.work_items (faculty) values ($1)', [faculty]);
  const [work] = await claimWork(db, daemonId, claimable(faculty), 1, 60);
  const { id, leaseToken } = work!;
  const focusId = randomUUID();
  return { id, leaseToken, focusId, daemonId, faculty, key: { workItemId: id, leaseToken, focusId } };
}

/** Claims for the faculty as another daemon and returns the item with its token; takes over expired leases. */
export function claimAgain(db: Queryable, { faculty }: Begun): Promise<{ id: string; leaseToken: string }[]> {
  return db.query(`select id, lease_token as "leaseToken" from animus.claim_work($1, $2::jsonb, 1, '1 minute')`, [
    randomUUID(),
    JSON.stringify(claimable(faculty)),
  ]);
}

/** The lease expires, and nobody has noticed yet. */
export async function expire(db: Queryable, { id }: Begun): Promise<void> {
  await db.query(`update animus.work_items set lease_expires_at = animus.now() - interval '1 hour' where id = $1`, [
    id,
  ]);
}

const ERROR = { code: 'x', message: 'x' };

/** Takes over and resumes the focus, as the next daemon does. */
async function takeOver(db: Queryable, writer: Begun) {
  await expire(db, writer);
  const [next] = await claimAgain(db, writer);
  await db.query(`select animus.start_focus($1, $2, 'next', '/next', '{}', 'p', '[]')`, [next!.id, next!.leaseToken]);
  return next!;
}

/** By name; after each, the writer's token is void. */
export const LEASE_LOSSES: Readonly<Record<string, (db: Queryable, writer: Begun) => Promise<unknown>>> = {
  'taken over': takeOver,
  'taken over, and a cancel was asked for': async (db, writer) => {
    await takeOver(db, writer);
    await db.query('select animus.cancel_work($1)', [writer.id]);
  },
  'taken over and completed by the other': async (db, writer) =>
    completeWork(db, await takeOver(db, writer), { by: 'b' }, null),
  released: (db, writer) => releaseWork(db, writer, { delaySeconds: 0, reason: 'x', cause: 'test' }),
  'released and claimed': async (db, writer) => {
    await releaseWork(db, writer, { delaySeconds: 0, reason: 'x', cause: 'test' });
    await claimAgain(db, writer);
  },
  'failed and claimed again': async (db, writer) => {
    await failWork(db, writer, ERROR, 0);
    await claimAgain(db, writer);
  },
  dead: (db, writer) => failWork(db, writer, ERROR, null),
  cancelled: async (db, writer) => {
    await db.query('select animus.cancel_work($1)', [writer.id]);
    await endCancelled(db, writer);
  },
  parked: async (db, writer) => {
    await openWait(db, writer.key, 1, 'c1', { kind: 'human', deadline: null });
    await parkWork(db, writer);
  },
  'parked, woken and claimed again': async (db, writer) => {
    await openWait(db, writer.key, 1, 'c1', { kind: 'human', deadline: null });
    await parkWork(db, writer);
    await resolveWait(db, writer.id, 'c1', {});
    await claimAgain(db, writer);
  },
};
