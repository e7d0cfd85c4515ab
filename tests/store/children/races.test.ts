/** Promise: whatever ends at once, a parent is woken exactly once, by the last end, and nobody deadlocks. */
import { beforeAll, expect, test } from 'vitest';
import { isAnimusError } from '../../../src/core/errors/errors.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { askPerson } from '../../../src/store/transcript/approvals.ts';
import { openWait, parkWork, resolveDueWaits, resolveWait } from '../../../src/store/transcript/waits.ts';
import { completeBatch } from '../../../src/store/work/claimed/complete-batch.ts';
import { answerQuestion } from '../../../src/store/work/decide.ts';
import { completeWork, endCancelled, failWork } from '../../../src/store/work/work.ts';
import { beginFocus, type FocusedWork } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { await_, parkedParent, runningParent, spawn, stateOf } from './family.ts';

const pg = testDatabase();
const ROUNDS = 15;
let many: Database;

/** Counts how often an item leaves the state `waiting`. */
beforeAll(async () => {
  many = pg.open({ poolSize: 12 });
  await pg.database.query(`
    create table public.wakes (id uuid);
    create function public.note_wake() returns trigger language plpgsql as $$ begin insert into public.wakes values (new.id); return null; end $$;
    create trigger note_wake after update on animus.work_items for each row when (old.state = 'waiting' and new.state <> 'waiting')
      execute function public.note_wake()`);
});

const wakes = async (id: string) => (await pg.database.query('select from public.wakes where id = $1', [id])).length;

/** As a daemon does, which tries again what is locked. */
async function untilUnlocked<T>(write: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await write();
    } catch (error) {
      if (!isAnimusError(error, 'work.locked') || tries === 100) throw error;
    }
  }
}

const complete = (work: FocusedWork) => untilUnlocked(() => completeWork(many, work, {}, null));
const die = (work: FocusedWork) => untilUnlocked(() => failWork(many, work, { code: 'test', message: 'dead' }, null));
const cancel = (id: string) => untilUnlocked(() => many.query('select animus.cancel_work($1)', [id]));
const begin = (ids: readonly string[]) => Promise.all(ids.map((id) => beginFocus(many, { id })));

test('the last children end at once, each in another way', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { parent, children } = await parkedParent(pg.database, 5);
    const [first, second, third, fourth] = await begin(children.slice(0, 4));
    const batch = [{ id: fourth!.id, leaseToken: fourth!.leaseToken, outcome: {}, summary: null }];
    await Promise.all([
      complete(first!),
      complete(second!),
      die(third!),
      untilUnlocked(async () => {
        if ((await completeBatch(many, batch))[0] === 'locked') await complete(fourth!);
      }),
      cancel(children[4]!),
    ]);
    expect(await stateOf(pg.database, parent.id)).toBe('queued');
    expect(await wakes(parent.id)).toBe(1);
  }
});

test('the last child ends while the parent begins to wait, and while it parks', async () => {
  for (let round = 0; round < 2 * ROUNDS; round++) {
    const parent = await runningParent(pg.database);
    const { id } = await spawn(pg.database, parent);
    const child = await beginFocus(pg.database, { id });
    const waitAndPark = async () => {
      if (!(await untilUnlocked(() => await_(many, parent)))) return 'done';
      return untilUnlocked(() => parkWork(many, parent));
    };
    const [parked] = await Promise.all([waitAndPark(), complete(child)]);
    if (parked === 'done') continue;
    expect(await stateOf(pg.database, parent.id)).toBe('queued');
    expect(await wakes(parent.id)).toBe(parked === 'waiting' ? 1 : 0);
  }
});

test('a cancel of the tree meets the completion of a child', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { parent, children } = await parkedParent(pg.database, 2);
    const [child] = await begin(children.slice(0, 1));
    await Promise.all([cancel(parent.id), complete(child!).catch(ignoreLost)]);
    expect(await stateOf(pg.database, parent.id)).toBe('cancelled');
    const state = await stateOf(pg.database, child!.id);
    expect(['completed', 'running']).toContain(state);
    if (state === 'running') await endCancelled(pg.database, child!);
    expect(await stateOf(pg.database, children[1]!)).toBe('cancelled');
    expect(await wakes(parent.id)).toBe(1);
  }
});

test('a child dies, and is retried, while its brother ends', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { parent, children } = await parkedParent(pg.database, 2);
    const [first, second] = await begin(children);
    await die(first!);
    await Promise.all([
      untilUnlocked(() => many.query('select animus.retry_work($1)', [first!.id])),
      complete(second!),
    ]);
    if ((await stateOf(pg.database, parent.id)) === 'waiting')
      await complete(await beginFocus(pg.database, { id: first!.id }));
    expect(await stateOf(pg.database, parent.id)).toBe('queued');
    expect(await wakes(parent.id)).toBe(1);
  }
});

test('the deadline of the wait meets the end of the child', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const parent = await runningParent(pg.database);
    const child = await beginFocus(pg.database, { id: (await spawn(pg.database, parent)).id });
    await await_(pg.database, parent, { deadline: new Date(Date.now() - 1000) });
    await parkWork(pg.database, parent);
    await Promise.all([resolveDueWaits(many, 100), complete(child)]);
    await resolveDueWaits(many, 100);
    expect(await stateOf(pg.database, parent.id)).toBe('queued');
    expect(await wakes(parent.id)).toBe(1);
  }
});

test('three kinds of wait of one turn end at once', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const parent = await runningParent(pg.database, ['await', 'timer', 'ask']);
    const child = await beginFocus(pg.database, { id: (await spawn(pg.database, parent)).id });
    await await_(pg.database, parent);
    await openWait(pg.database, parent.key, 1, 'timer', { kind: 'timer', deadline: new Date(Date.now() - 1000) });
    const asks = { subject: 'question', request: { question: 'which?' }, seconds: null } as const;
    await askPerson(pg.database, parent.key, 1, 'ask', 'human', asks);
    expect(await parkWork(pg.database, parent)).toBe('waiting');
    const answer = () => answerQuestion(many, parent.id, 'this one');
    await Promise.all([
      complete(child),
      untilUnlocked(answer),
      resolveDueWaits(many, 100),
      resolveWait(many, parent.id, 'timer', {}).catch(() => null),
    ]);
    await resolveDueWaits(many, 100);
    expect(await stateOf(pg.database, parent.id)).toBe('queued');
    expect(await wakes(parent.id)).toBe(1);
  }
});

function ignoreLost(error: unknown): void {
  if (!isAnimusError(error, 'work.lease_lost')) throw error;
}
