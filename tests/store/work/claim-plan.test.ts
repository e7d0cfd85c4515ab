/** Promise: who may be claimed is asked of the rows of an index, in its order, and calls nothing for items that were never claimed. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();

test('the predicate of a claim is inlined', async () => {
  const plan = await target.database.transaction(async (tx) => {
    for (const kind of ['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin'])
      await tx.query(`set local enable_${kind} = off`);
    await tx.query(`set local plan_cache_mode = force_generic_plan`);
    await tx.query(
      `prepare heads (jsonb, uuid, timestamptz) as
       select h.id from jsonb_each($1) f (name, options) cross join lateral (
         select w.id from animus.work_items w
          where w.faculty = f.name and w.state = 'queued' and not w.key_blocked
            and animus.may_be_claimed(w, f.options, $2, w.updated_at, $3)
          order by w.priority desc, w.id limit 3) h`,
    );
    const rows = await tx.query<{ 'QUERY PLAN': string }>(
      `explain (costs off) execute heads ('{"quick": {}}', '${randomUUID()}', now())`,
    );
    await tx.query('deallocate heads');
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  });
  expect(plan).toContain('Index Scan using work_items_claimable');
  expect(plan).toContain('has_turn_under_way');
  expect(plan).not.toContain('may_be_claimed');
  expect(plan).not.toContain('Sort');
});
