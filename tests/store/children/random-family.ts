/** One random run of two families whose children merge into each other, in which everything happens at once. */
import { randomUUID } from 'node:crypto';
import { isAnimusError } from '../../../src/core/errors/errors.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { parkWork, resolveDueWaits } from '../../../src/store/transcript/waits.ts';
import { completeBatch } from '../../../src/store/work/claimed/complete-batch.ts';
import { sayWork } from '../../../src/store/work/say-work.ts';
import { completeWork, endCancelled, extendLeases, failWork, releaseWork } from '../../../src/store/work/work.ts';
import type { FocusedWork } from '../../support/begun-focus.ts';
import { await_, runningParent, spawn } from './family.ts';
import { finishFamilies } from './finish-families.ts';

type Random = () => number;

/** Repeatable numbers from 0 to 1. */
export function generator(seed: number): Random {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** Makes the server refuse to end a wait twice. Call it once per database, before its other connections are opened. */
export async function watchRaces(db: Database): Promise<void> {
  await db.query(`
    create function public.refuse_second_end() returns trigger language plpgsql as $$
    begin
      if old.resolved_at is not null and new.resolved_at is not null then raise exception 'wait % of % ended twice', new.call_id, new.work_item_id; end if;
      return new;
    end $$;
    create trigger ends_once before update on animus.waits for each row execute function public.refuse_second_end();
    do $$ begin
      execute format('alter database %I set synchronous_commit = off', current_database());
    end $$`);
}

/** How many deadlocks the server has found in this database, also those that a function has caught. All other connections must be closed. */
export async function deadlocksIn(db: Database): Promise<number> {
  const [row] = await db.query<{ deadlocks: number }>(
    'select deadlocks::int from pg_stat_database where datname = current_database()',
  );
  return row!.deadlocks;
}

/** Runs one pair of families, brings them to an end, and throws what was wrong. */
export async function runFamilies(db: Database, random: Random): Promise<void> {
  const { parents, others } = await makeFamilies(db, random);
  const all = [...parents, ...others];
  const steps = [
    ...parents.map((parent) => () => awaitAndPark(db, parent, random)),
    ...others.map((work) => () => endSomehow(db, work, random)),
    ...some(random, 3, () => () => intervene(db, pick(all, random), random)),
    () => resolveDueWaits(db, 100),
    () => extendLeases(db, randomUUID(), all, 60),
  ];
  if (random() < 0.3) steps.push(() => endTogether(db, others));
  shuffle(steps, random);
  await Promise.all(steps.map((step) => untilDone(step)));
  await finishFamilies(db, parents);
}

/** Two roots. Some children run and have children of their own; some are duplicates of the other family's. */
async function makeFamilies(db: Database, random: Random) {
  const shared = `f${randomUUID()}`;
  const parents = [await runningParent(db), await runningParent(db)] as const;
  const others: FocusedWork[] = [];
  for (const [n, parent] of parents.entries()) {
    for (let child = 0; child < 1 + Math.floor(3 * random()); child++) {
      const chance = random();
      // The other family has the same key, and merges into whichever came first.
      const key = chance < 0.4 ? { faculty: `${shared.slice(0, 30)}${chance < 0.2 ? 'a' : 'b'}`, dedupKey: 'k' } : {};
      const spawned = await spawn(db, parent, { ...key, detached: random() < 0.1 });
      if (spawned.mergedInto !== null || random() < 0.4) continue;
      const running = await runningParent(db, ['await'], spawned.id);
      others.push(running);
      if (random() < 0.4) {
        const inherits =
          random() < 0.5 ? { faculty: `${shared.slice(0, 30)}${n === 0 ? 'b' : 'a'}`, dedupKey: 'k' } : {};
        await spawn(db, running, inherits).catch(ignoreExpected);
      }
    }
  }
  return { parents: [...parents], others };
}

/** As a focus that calls await_child_work: it parks, or ends if there is nothing to wait for. */
async function awaitAndPark(db: Database, work: FocusedWork, random: Random): Promise<void> {
  const deadline = random() < 0.2 ? new Date(Date.now() - 1000) : null;
  if (await await_(db, work, { mode: random() < 0.3 ? 'any' : 'all', deadline }))
    await untilDone(() => parkWork(db, work));
  else await untilDone(() => completeWork(db, work, {}, null));
}

function endSomehow(db: Database, work: FocusedWork, random: Random): Promise<unknown> {
  const chance = random();
  if (chance < 0.3) return completeWork(db, work, {}, null);
  if (chance < 0.5) return endTogether(db, [work]);
  if (chance < 0.6) return failWork(db, work, { code: 'test', message: 'dead' }, null);
  if (chance < 0.7) return failWork(db, work, { code: 'test', message: 'again' }, 0);
  if (chance < 0.75) return releaseWork(db, work, { delaySeconds: 0, reason: 'test', cause: 'test' });
  return awaitAndPark(db, work, random);
}

async function endTogether(db: Database, works: readonly FocusedWork[]): Promise<void> {
  if (works.length === 0) return;
  await completeBatch(
    db,
    works.map(({ id, leaseToken }) => ({ id, leaseToken, outcome: {}, summary: null })),
  );
}

/** What people do, and a focus that notices it. */
async function intervene(db: Database, work: FocusedWork, random: Random): Promise<void> {
  const chance = random();
  if (chance < 0.5) {
    await db.query('select animus.cancel_work($1)', [work.id]);
    if (random() < 0.7) await untilDone(() => endCancelled(db, work));
  } else if (chance < 0.75) {
    await db.query('select animus.retry_work($1)', [work.id]);
  } else {
    await sayWork(db, work.id, 'wake up', true);
  }
}

/** Retries what is locked, as daemons do. What somebody else has ended meanwhile is not a failure. */
async function untilDone(step: () => Promise<unknown>): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    try {
      await step();
      return;
    } catch (error) {
      if (isAnimusError(error, 'work.locked')) continue;
      return ignoreExpected(error);
    }
  }
  throw new Error('locked a hundred times');
}

function ignoreExpected(error: unknown): void {
  if (!isAnimusError(error, 'work.lease_lost', 'work.state', 'work.invalid', 'work.not_found')) throw error;
}

const pick = <T>(list: readonly T[], random: Random): T => list[Math.floor(list.length * random())]!;
const some = <T>(random: Random, most: number, make: () => T): T[] =>
  Array.from({ length: Math.floor((most + 1) * random()) }, make);

function shuffle(list: unknown[], random: Random): void {
  for (let n = list.length - 1; n > 0; n--) {
    const other = Math.floor((n + 1) * random());
    [list[n], list[other]] = [list[other]!, list[n]!];
  }
}
