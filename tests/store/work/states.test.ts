import { describe, expect, test } from 'vitest';
import { TRANSITIONS, WORK_STATES, type WorkState } from '../../../src/core/work/work.ts';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { testDatabase } from '../../support/database.ts';
import { codeOf } from './queue-driver.ts';

const target = testDatabase();

const PAIRS = WORK_STATES.flatMap((from) => WORK_STATES.map((to) => [from, to] as const));

test('SQL allows exactly the transitions of core/work.ts', async () => {
  const rows = await target.database.query<{ from: WorkState; to: WorkState }>(
    `select f as from, t as to from unnest($1::text[]) f, unnest($1::text[]) t where animus.transition_allowed(f, t)`,
    [WORK_STATES],
  );
  const allowed = PAIRS.filter(([from, to]) => TRANSITIONS[from].includes(to)).map(([from, to]) => ({ from, to }));
  expect(rows.map(text).sort()).toEqual(allowed.map(text).sort());
});

test('SQL refuses an unknown state', async () => {
  const [row] = await target.database.query<{ allowed: boolean }>(
    `select animus.transition_allowed('queued', 'done') or animus.transition_allowed('done', 'queued') as allowed`,
  );
  expect(row!.allowed).toBe(false);
});

describe('the trigger on real rows', () => {
  test.each(PAIRS.filter(([from, to]) => from !== to))('%s → %s is what the table says', async (from, to) => {
    const id = await rowInState(target.database, from);
    const update = target.database.query(`update animus.work_items set ${columnsOf(to)} where id = $1`, [id]);
    if (TRANSITIONS[from].includes(to)) await update;
    else expect(await codeOf(update)).toBe('work.state');
  });

  test.each([
    'faculty = $$other$$',
    'dedup_key = $$k$$',
    'concurrency_key = $$k$$',
    'depth = 1',
    'root_id = gen_random_uuid()',
  ])('an item keeps its identity: %s is refused', async (change) => {
    const id = await rowInState(target.database, 'queued');
    const update = target.database.query(`update animus.work_items set ${change} where id = $1`, [id]);
    expect(await codeOf(update)).toBe('work.invalid');
  });

  test('open work cannot be deleted, ended work can', async () => {
    for (const state of WORK_STATES) {
      const id = await rowInState(target.database, state);
      const gone = target.database.query('delete from animus.work_items where id = $1 returning id', [id]);
      if (['completed', 'dead', 'merged', 'cancelled'].includes(state)) expect(await gone).toHaveLength(1);
      else expect(await codeOf(gone)).toBe('work.state');
    }
  });
});

/** Inserts a row in the state, bypassing the triggers. */
async function rowInState(db: Queryable, state: WorkState): Promise<string> {
  const [row] = await db.query<{ id: string }>(
    `insert into animus.work_items (faculty) values ('engineer') returning id`,
  );
  await target.database.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(`update animus.work_items set ${columnsOf(state)} where id = $1`, [row!.id]);
  });
  return row!.id;
}

/** What the constraints require of a row in the state. */
function columnsOf(state: WorkState): string {
  const active = state === 'claimed' || state === 'running';
  const ended = ['completed', 'dead', 'merged', 'cancelled'].includes(state);
  return [
    `state = '${state}'`,
    `merged_into = ${state === 'merged' ? 'id' : 'null'}`,
    `lease_owner = ${active ? 'id' : 'null'}`,
    `lease_expires_at = ${active ? 'now()' : 'null'}`,
    `resolved_at = ${ended ? 'now()' : 'null'}`,
  ].join(', ');
}

function text(pair: { from: string; to: string }): string {
  return `${pair.from} → ${pair.to}`;
}
