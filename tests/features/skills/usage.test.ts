/** Promise: how a skill was used and what became of the work is known after the work was deleted. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type SkillUse, skillStats, staleSkills } from '../../../src/features/skills/usage.ts';
import { activateSkills } from '../../../src/store/skills/activations.ts';
import { reportSkills } from '../../../src/store/skills/written-skills.ts';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { storePackage } from '../../store/skills/written-skills.ts';
import { beginFocus } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();

/** Work of a faculty that used these skills and ended as `state`, at a cost of 1 USD. */
async function ended(
  db: Queryable,
  faculty: string,
  state: 'completed' | 'dead',
  skills: readonly string[],
): Promise<string> {
  const [row] = await db.query<{ id: string }>('insert into animus.work_items (faculty) values ($1) returning id', [
    faculty,
  ]);
  const work = await beginFocus(db, { id: row!.id });
  for (const name of skills)
    await activateSkills(db, work.key, [
      { name, version: null, hash: await storePackage(db, name, name), reason: 'test' },
    ]);
  await db.query('update animus.work_items set cost_usd = 1, turns = 2 where id = $1', [work.id]);
  if (state === 'completed') await db.query(`select animus.complete_work($1, $2, '{}')`, [work.id, work.leaseToken]);
  else await db.query(`select animus.fail_work($1, $2, '{"message": "no"}', null)`, [work.id, work.leaseToken]);
  return work.id;
}

const since = () => new Date(Date.now() - 86_400_000 * 7);

describe('the statistics of a skill', () => {
  test('say that what work has cost is not known, or only in part', async () => {
    const db = target.database;
    const [faculty, notes] = [`f${randomUUID()}`, `n${randomUUID().slice(0, 8)}`];
    const ids = [await ended(db, faculty, 'completed', [notes]), await ended(db, faculty, 'completed', [notes])];
    const cost = async () =>
      (await skillStats(db, since(), notes)).map(({ with_it: used }) => [used.cost_usd, used.unpriced_calls]);
    await db.query('update animus.work_items set unpriced_calls = 2 where id = $1', [ids[0]]);
    expect(await cost()).toEqual([[2, 2]]);
    await db.query('update animus.work_items set cost_usd = 0 where id = any ($1)', [ids]);
    expect(await cost()).toEqual([[null, 2]]);
    await db.query('delete from animus.work_items where id = any ($1)', [ids]);
    expect(await cost()).toEqual([[null, 2]]);
  });

  test('compare work with it and without it, and do not change when the work is deleted', async () => {
    const db = target.database;
    const [faculty, notes, mail] = [`f${randomUUID()}`, `n${randomUUID().slice(0, 8)}`, `m${randomUUID().slice(0, 8)}`];
    await ended(db, `g${faculty}`, 'completed', []);
    const ids = [
      await ended(db, faculty, 'completed', [notes, mail]),
      await ended(db, faculty, 'completed', [notes]),
      await ended(db, faculty, 'dead', [notes]),
      await ended(db, faculty, 'dead', []),
      await ended(db, faculty, 'completed', []),
      await ended(db, faculty, 'dead', []),
    ];
    const expected = [
      {
        skill: notes,
        activations: 3,
        last_used_at: expect.any(Date),
        with_it: { items: 3, completed: 2, cost_usd: 3, unpriced_calls: 0, turns: 6 },
        without: { items: 3, completed: 1, cost_usd: 3, unpriced_calls: 0, turns: 6 },
      },
      {
        skill: mail,
        activations: 1,
        last_used_at: expect.any(Date),
        with_it: { items: 1, completed: 1, cost_usd: 1, unpriced_calls: 0, turns: 2 },
        without: { items: 5, completed: 2, cost_usd: 5, unpriced_calls: 0, turns: 10 },
      },
    ];
    const stats = async (): Promise<readonly SkillUse[]> =>
      (await skillStats(db, since())).filter(({ skill }) => [notes, mail].includes(skill));
    const before = await stats();
    expect(before).toEqual(expected);
    await db.query('delete from animus.work_items where id = any ($1)', [ids.slice(0, 4)]);
    expect(await stats()).toEqual(before);
    await db.query('delete from animus.work_items where id = any ($1)', [ids.slice(4)]);
    expect(await stats()).toEqual(before);
    expect(await skillStats(db, since(), mail)).toEqual([before[1]]);
    expect(await skillStats(db, new Date(Date.now() + 86_400_000), mail)).toEqual([]);
    expect(await db.query('select from animus.skill_activations where work_item_id = any ($1)', [ids])).toEqual([]);
  });
});

describe('a stale skill', () => {
  test('has been known for long and not been used since', async () => {
    const db = target.database;
    const [fresh, unused, old, used, gone] = ['fresh', 'unused', 'old', 'used', 'gone'].map(
      (name) => `${name}-${randomUUID().slice(0, 8)}`,
    ) as [string, string, string, string, string];
    const names = [fresh, unused, old, used, gone];
    const reported = (list: readonly string[]) => list.map((name) => ({ name, origin: 'person' as const, hash: 'h' }));
    await reportSkills(db, 'here', reported(names));
    await db.query(`update animus.skill_names set first_seen_at = now() - interval '90 days' where name = any ($1)`, [
      names.slice(1),
    ]);
    await ended(db, 'f', 'completed', [used]);
    const id = await ended(db, 'f', 'completed', [old]);
    await db.query(
      `update animus.skill_activations set activated_at = now() - interval '31 days' where work_item_id = $1`,
      [id],
    );
    await db.query('delete from animus.work_items where id = $1', [id]);
    await reportSkills(db, 'here', reported(names.slice(0, 4)));
    const stale = (await staleSkills(db)).filter(({ name }) => names.includes(name));
    expect(stale.map(({ name, origin, last_used_at: last }) => [name, origin, last !== null])).toEqual([
      [unused, 'person', false],
      [old, 'person', true],
    ]);
    expect((await staleSkills(db, 32)).map(({ name }) => name)).not.toContain(old);
  });
});
