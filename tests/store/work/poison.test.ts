/** Promise: work that ends daemons is dead in the end, and kills from outside condemn nothing early. */
import { describe, expect, test } from 'vitest';
import { reportBlock } from '../../../src/store/work/daemons.ts';
import { extendLeases } from '../../../src/store/work/work.ts';
import { endingDaemons } from './ending-daemons.ts';
import { insertWork, LEASE_SECONDS, readWork, stateOf } from './queue-driver.ts';

const { advance, daemon, deathsOf, disconnect, kill, run, take, target, turn } = endingDaemons();

describe('work that ends daemons', () => {
  test('the item that makes the loop of the next one stand still, alone, is dead, and the others are not suspected any more', async () => {
    const [first, second, third] = [await daemon(), await daemon(), await daemon()];
    for (let n = 0; n < 5; n++) await insertWork(target.database);
    await run(await take(first));
    await kill(first, second);
    const alone = await take(second);
    await run(alone);
    await reportBlock(target.database, second, { seconds: 3, over: false });
    await disconnect(second);
    await advance(LEASE_SECONDS + 1);
    await take(third, 1);
    await advance(3);
    const rest = await take(third);
    const poison = alone.work[0]!.id;
    expect(await readWork(target.database, poison)).toMatchObject({ state: 'dead', error: { code: 'work.poison' } });
    expect(rest).toMatchObject({ alone: null });
    expect(rest.work).toHaveLength(3);
  });

  test('a loop that goes on after it was blocked is not proof', async () => {
    const [first, second, third] = [await daemon(), await daemon(), await daemon()];
    const id = await insertWork(target.database);
    await run(await take(first));
    await kill(first, second);
    await run(await take(second));
    await reportBlock(target.database, second, { seconds: 3, over: false });
    await advance(1);
    // The report of its end was lost, and a heartbeat came.
    await extendLeases(target.database, second, [], LEASE_SECONDS);
    await kill(second, third);
    await take(third);
    expect(await stateOf(target.database, id)).not.toBe('dead');
    expect(await deathsOf(id)).toBe(2);
  });

  test('ends for an unknown reason condemn at twice max_attempts, and only without progress', async () => {
    const first = await daemon();
    const id = await insertWork(target.database);
    await run(await take(first));
    let held = first;
    const killOnce = async () => {
      const next = await daemon();
      await kill(held, next);
      const claim = await take(next);
      held = next;
      await run(claim);
      return claim;
    };
    for (let n = 1; n <= 5; n++) expect(await killOnce()).toMatchObject({ alone: 'tests', work: [{ id }] });
    expect(await deathsOf(id)).toBe(5);
    await turn(id, 2);
    await killOnce();
    expect(await deathsOf(id)).toBe(1);
    for (let n = 2; n <= 5; n++) await killOnce();
    // One turn is not progress: the work may have got no further than the model's wish to do the same again.
    await turn(id, 1);
    await killOnce();
    expect(await readWork(target.database, id)).toMatchObject({ state: 'dead', error: { code: 'work.poison' } });
  });

  test('an item that ends each daemon that claims it, before its focus begins and beside others, is dead at the tenth death', async () => {
    let held = await daemon();
    const beside = await insertWork(target.database);
    await run(await take(held));
    const poison = await insertWork(target.database);
    let deaths = 0;
    while (deaths <= 10) {
      const claim = await take(held);
      if ((await stateOf(target.database, poison)) === 'dead') break;
      if (claim.alone === 'clears') {
        // As the daemon does to be empty for a test.
        await target.database.query('select animus.requeue($1, null, animus.now(), null)', [beside]);
        await take(held);
      }
      // It makes progress, until the daemon that runs it claims the poison.
      if (claim.work.some(({ id }) => id === beside)) {
        await run({ ...claim, work: claim.work.filter(({ id }) => id === beside) });
        await turn(beside, 2);
        await take(held);
      }
      expect(await stateOf(target.database, poison)).toBe('claimed');
      deaths++;
      const next = await daemon();
      await kill(held, next);
      held = next;
    }
    expect(deaths).toBe(10);
    expect(await readWork(target.database, poison)).toMatchObject({ attempts: 0, error: { code: 'work.poison' } });
    expect(await stateOf(target.database, beside)).not.toBe('dead');
  });

  test.each([
    ['done', 1],
    ['in_doubt', 2],
  ])('a turn whose call is %s leaves %i death(s)', async (state, deaths) => {
    const [first, second, third] = [await daemon(), await daemon(), await daemon()];
    const id = await insertWork(target.database);
    await run(await take(first));
    await kill(first, second);
    await run(await take(second));
    await advance(1);
    await target.database.query(
      `with t as (insert into animus.turns (focus_id, turn, response, begun_at, recorded_at)
                  select id, 1, '{}', animus.now(), animus.now() from animus.foci where work_item_id = $1 returning focus_id)
       insert into animus.tool_calls (focus_id, turn, call_id, position, name, input, state, output, ended_at)
       select focus_id, 1, 'a', 0, 'bash', '{}', $2, '', animus.now() from t`,
      [id, state],
    );
    await turn(id, 1);
    await kill(second, third);
    await take(third);
    expect(await deathsOf(id)).toBe(deaths);
  });
});

test('a person who retries poison begins anew', async () => {
  const [first, second, third] = [await daemon(), await daemon(), await daemon()];
  const id = await insertWork(target.database);
  await run(await take(first));
  await kill(first, second);
  await run(await take(second));
  await reportBlock(target.database, second, { seconds: 3, over: false });
  await kill(second, third);
  await take(third);
  expect(await stateOf(target.database, id)).toBe('dead');
  await target.database.query('select animus.retry_work($1)', [id]);
  expect(await take(third)).toMatchObject({ alone: null, work: [{ id }] });
  expect(await deathsOf(id)).toBe(0);
});
