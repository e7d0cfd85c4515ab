/** Promise: what work has cost is the same number everywhere, to the last digit: hand-computed over random lives. */
import { test } from 'vitest';
import type { Database, Queryable } from '../../../src/store/sql/database.ts';
import { testDatabase } from '../../support/database.ts';
import { fakeDatabaseClock } from '../../support/database-clock.ts';
import { checkMetrics, checkSums } from './check-sums.ts';
import { handLedger } from './hand-ledger.ts';
import * as acts from './random-acts.ts';
import { type Embeddings, embed, sweep } from './random-embeddings.ts';
import { sideCall } from './random-side-calls.ts';
import { begin, claim, fail, record, submit, type World } from './random-work.ts';

const SEEDS = Number(process.env['ANIMUS_TEST_LIVES'] ?? 6);
const STEPS = 220;
/** Steps between two looks at everything, which take most of the time. Sums only grow, so a wrong one is still there at the next. */
const LOOK_EVERY = 10;
const target = testDatabase();

test('of random lives, each sum is what was added up by hand', async () => {
  const { database: db } = target;
  const clock = await fakeDatabaseClock(db, '2026-05-30T20:00:00Z');
  for (let seed = 1; seed <= SEEDS; seed++) {
    await clock.set(`2026-05-${29 + (seed % 2)}T20:00:00Z`);
    await forget(db);
    await live(db, clock, seed);
  }
}, 600_000);

async function live(db: Database, clock: { set(to: string): Promise<void> }, seed: number): Promise<void> {
  const random = randomOf(seed);
  let day = '';
  const look = async () => {
    const [row] = await db.query<{ day: string }>(`select (animus.now() at time zone 'UTC')::date::text as day`);
    day = row!.day;
  };
  await look();
  const world: World = { db, random, ledger: handLedger(), metrics: handLedger(), lives: [], today: () => day };
  const embeddings: Embeddings = { open: null };
  const done: string[] = [];
  for (let step = 0; step < STEPS; step++) {
    done.push(await act(world, embeddings, clock));
    await look();
    try {
      if (step % LOOK_EVERY === 0 || step === STEPS - 1) await checkSums(world, embeddings, day);
    } catch (error) {
      throw new Error(
        `seed ${seed}, after ${done.length} steps: ${done.slice(-2 * LOOK_EVERY).join(', ')}\n${String(error)}`,
        {
          cause: error,
        },
      );
    }
  }
  while ((await acts.addUp(world, 1000)) > 0);
  checkMetrics(world);
}

async function act(world: World, embeddings: Embeddings, clock: { set(to: string): Promise<void> }): Promise<string> {
  const { random, lives } = world;
  const running = lives.filter(({ state }) => state === 'running');
  const ended = lives.filter(({ state }) => state === 'ended');
  const parked = lives.filter(({ batch, state }) => batch !== null && state !== 'running' && state !== 'queued');
  const general = random.below(14);
  if (general === 0 || lives.length < 2) return named('submit', submit(world));
  if (general === 1)
    return named(
      'claim',
      claim(world).then(() => acts.afterEnd(world)),
    );
  if (general === 2) return named('limits', acts.changeLimits(world));
  if (general === 3) return named('embed', embed(embeddings, world));
  if (general === 4) return named('sweep', sweep(embeddings, world));
  if (general === 5) return named('add up', acts.addUp(world, 1 + random.below(20)));
  if (general === 6) return named('time', clock.set(`+${random.pick([1, 20, 90, 300])} minutes`));
  if (general === 7 && ended.length > 0) return named('retry', acts.retry(random.pick(ended), world));
  if (general === 8 && ended.length > 3)
    return named(
      'retain',
      sweep(embeddings, world).then(() => acts.retain(world)),
    );
  if (general === 9) return named('send', acts.sendBatch(world));
  if (general === 10 && parked.length > 0) return named('answer', acts.answer(random.pick(parked), world));
  if (running.length === 0)
    return named(
      'claim',
      claim(world).then(() => acts.afterEnd(world)),
    );
  const life = random.pick(running);
  if (life.side !== null)
    return random.below(2) === 0 ? named('side', sideCall(life, world)) : named('leave', acts.leave(life, world));
  if (life.batch !== null)
    return random.below(3) === 0 ? named('leave', acts.leave(life, world)) : named('go on', acts.goOn(life, world));
  const what = random.below(12);
  if (what === 0) return named('leave', acts.leave(life, world));
  if (what === 1)
    return named(
      'kill',
      acts
        .kill(life, world)
        .then(() => claim(world))
        .then(() => acts.afterEnd(world)),
    );
  if (what === 2) return named('park', acts.park(life, world));
  if (what === 3) return named('fail', fail(life, world));
  if (what === 4 && life.turn === null) return named('side', sideCall(life, world));
  if (life.turn === null || what === 5) return named('begin', begin(life, world));
  return named('record', record(life, world, what === 6 ? 2 : 0));
}

async function named(name: string, done: Promise<unknown>): Promise<string> {
  await done;
  return name;
}

async function forget(db: Queryable): Promise<void> {
  await db.query(
    `update animus.work_items set state = 'cancelled', resolved_at = animus.now(), lease_owner = null, lease_expires_at = null where resolved_at is null`,
  );
  await db.query('delete from animus.work_items');
  for (const table of [
    'spend_calls',
    'spend_sums',
    'spend_days',
    'budget_limits',
    'budget_accounts',
    'budget_slices',
    'budget_holds',
    'embedders',
    'batches',
    'batch_pollers',
    'history',
  ])
    await db.query(`delete from animus.${table}`);
}

/** A small random number generator with a seed (mulberry32), so that a failure can be reproduced. */
function randomOf(seed: number): World['random'] {
  let state = seed * 0x9e3779b9;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (n: number) => Math.floor(next() * n);
  return { below, pick: (list) => list[below(list.length)]! };
}
