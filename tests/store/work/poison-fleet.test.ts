/** Promise: in a fleet whose daemons are killed at any time, the one item that ends daemons is dead in the end, and all others complete. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { reportBlock } from '../../../src/store/work/daemons.ts';
import { type ClaimedWork, completeWork, extendLeases } from '../../../src/store/work/work.ts';
import { endingDaemons } from './ending-daemons.ts';
import { emptyQueue, LEASE_SECONDS, startFocus } from './queue-driver.ts';

const DAEMONS = 3;
const ITEMS = 100;
const HELD = 10;
/** A round is five seconds; this is far more than any run needs. */
const MAX_ROUNDS = 400;

const { advance, daemon, disconnect, take, target, turn } = endingDaemons();
/** Evenly drawn: a fleet that is killed in every round completes nothing. */
const chances = fc.infiniteStream(fc.noBias(fc.nat(9_999)));

test('one poisonous item in a hundred, kills from outside, and blocked loops', { timeout: 240_000 }, () =>
  fc.assert(
    fc.asyncProperty(chances, fc.nat(ITEMS - 1), async (stream, nth) => {
      await emptyQueue(target.database);
      const chance = (p: number) => (stream.next().value as number) < p * 10_000;
      const rows = await target.database.query<{ id: string }>(
        `insert into animus.work_items (faculty) select 'engineer' from generate_series(1, $1::int) returning id`,
        [ITEMS],
      );
      const bitten = await liveFleet(rows[nth]!.id, chance);
      const ended = await target.database.query(
        `select state, error ->> 'code' as code, id = $1 as poison, count(*)::int as n from animus.work_items
          group by 1, 2, 3 order by poison`,
        [rows[nth]!.id],
      );
      expect(ended).toEqual([
        { state: 'completed', code: null, poison: false, n: ITEMS - 1 },
        { state: 'dead', code: 'work.poison', poison: true, n: 1 },
      ]);
      // The first may be in company. Alone, six without a reason, or the first one with.
      expect(bitten).toBeLessThanOrEqual(7);
    }),
    { numRuns: 4, endOnFailure: true },
  ),
);

/** Runs the fleet until nothing is open; returns how many daemons the poison ended. */
async function liveFleet(poison: string, chance: (p: number) => boolean): Promise<number> {
  const fleet = new Map<string, ClaimedWork[]>();
  const end = async (id: string) => {
    await disconnect(id);
    fleet.delete(id);
    fleet.set(await daemon(), []);
  };
  for (let n = 0; n < DAEMONS; n++) fleet.set(await daemon(), []);
  let bitten = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    for (const id of Array.from(fleet.keys())) {
      const held = fleet.get(id)!;
      const { work } = await take(id, HELD - held.length || 0.5);
      for (const each of work) await startFocus(target.database, each);
      held.push(...work);
      const bites = held.some((work) => work.id === poison) && chance(0.5);
      // A daemon that is killed while its loop is blocked is one whose watchdog had told of it.
      if (bites && chance(0.5)) await reportBlock(target.database, id, { seconds: 3, over: false });
      if (bites) bitten += 1;
      if (bites || chance(0.03)) await end(id);
      else fleet.set(id, await workOn(held, poison, chance));
    }
    const [open] = await target.database.query<{ n: number }>(
      'select count(*)::int as n from animus.work_items where resolved_at is null',
    );
    if (open!.n === 0) break;
    await advance(5);
    for (const [id, held] of fleet) await extendLeases(target.database, id, held, LEASE_SECONDS);
  }
  for (const id of fleet.keys()) await disconnect(id);
  return bitten;
}

/** Returns what is still held. */
async function workOn(held: readonly ClaimedWork[], poison: string, chance: (p: number) => boolean) {
  const left: ClaimedWork[] = [];
  for (const work of held) {
    if (work.id !== poison && chance(0.3)) {
      await completeWork(target.database, work, {}, null);
      continue;
    }
    if (work.id !== poison && chance(0.5)) await turn(work.id, 1);
    left.push(work);
  }
  return left;
}
