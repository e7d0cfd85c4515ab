/** Promise: an upgrade to exact amounts rewrites no table, keeps the views and rights of others, and counts what was lost before. */
import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { claimWork } from '../../../src/store/work/work.ts';
import { claimable } from '../../support/begun-focus.ts';
import { asAdmin, testDatabase } from '../../support/database.ts';
import { migrateFirstSchema } from '../../support/first-schema.ts';
import { startFocus } from '../work/queue-driver.ts';

/** The newest migration before amounts became exact. */
const BEFORE = 64;
const target = testDatabase({ empty: true });

test('an upgrade of amounts', async () => {
  const { database: db } = target;
  const reader = `money_reader_${randomUUID().slice(-12)}`;
  await migrateFirstSchema(db);
  await migrateFirstSchema(db, BEFORE);
  await asAdmin((admin) => admin.query(`create role ${reader}`));
  try {
    const [kept, packed] = [await lostWork(db, '0.25'), await lostWork(db, '0.125')];
    await pack(db, packed);
    await db.query(
      `create view public.dear with (security_barrier) as select id, cost_usd + 0.5 as more from animus.work_items`,
    );
    await db.query(`create view public.dearest as select max(more) as most from public.dear`);
    await db.query(`comment on view public.dear is 'Mine'`);
    await db.query(`grant select on public.dear, public.dearest to ${reader}`);
    await db.query(`grant select (faculty, usd) on animus.spend to ${reader}`);
    await db.query(`comment on column public.dear.more is 'Half a dollar more'`);
    await db.query(`create function public.refuse() returns trigger language plpgsql as 'begin return null; end'`);
    await db.query(
      `create trigger refuse instead of insert on public.dear for each row execute function public.refuse()`,
    );
    await db.query(`alter view public.dear alter column more set default 7`);
    const filesBefore = await filesOf(db);

    await migrate(db);
    expect(await filesOf(db)).toEqual(filesBefore);
    const scaled = await db.query(
      `select c.relname || '.' || a.attname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
        where c.relnamespace = 'animus'::regnamespace and c.relkind in ('r', 'v') and a.atttypid = 'numeric'::regtype and a.atttypmod <> -1 and not a.attisdropped`,
    );
    expect(scaled).toEqual([]);
    expect(await db.query(`select most::float8 from public.dearest`)).toEqual([{ most: 0.5 }]);
    const [rights] = await db.query(
      `select has_table_privilege($1, 'public.dear', 'select') and has_table_privilege($1, 'public.dearest', 'select') as read, obj_description('public.dear'::regclass) as said,
              (select reloptions from pg_class where oid = 'public.dear'::regclass) as options,
              has_column_privilege($1, 'animus.spend', 'usd', 'select') as column, has_table_privilege($1, 'animus.spend', 'select') as whole,
              col_description('public.dear'::regclass, 2) as column_said,
              (select array_agg(tgname::text) from pg_trigger where tgrelid = 'public.dear'::regclass) as triggers,
              (select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = 'public.dear'::regclass) as default`,
      [reader],
    );
    expect(rights).toEqual({
      read: true,
      said: 'Mine',
      options: ['security_barrier=true'],
      column: true,
      whole: false,
      column_said: 'Half a dollar more',
      triggers: ['refuse'],
      default: '7',
    });

    for (const [id, lost] of [
      [kept, '0.25'],
      [packed, '0.125'],
    ] as const) {
      const [costs] = await db.query(
        `select trim_scale(usd)::text as usd, trim_scale(lost_usd)::text as lost from animus.costs('item', $1)`,
        [id],
      );
      expect(costs, lost).toEqual({ usd: lost, lost });
    }
    const [all] = await db.query(`select trim_scale(usd)::text as usd, calls::int from animus.costs('appliance')`);
    expect(all).toEqual({ usd: '0.375', calls: 0 });
    // What is written now keeps every digit.
    await db.query(
      `update animus.turns set lost_usd = lost_usd + 0.00000045 from animus.foci f where f.id = focus_id and f.work_item_id = $1`,
      [kept],
    );
    const [more] = await db.query(`select trim_scale(usd)::text as usd from animus.costs('appliance')`);
    expect(more).toEqual({ usd: '0.37500045' });
  } finally {
    await asAdmin(async (admin) => {
      await db.query(`drop owned by ${reader}`);
      await admin.query(`drop role ${reader}`);
    });
  }
});

describe('what the upgrade cannot keep', () => {
  const other = testDatabase({ empty: true });

  test('is named, with what to do', async () => {
    const { database: db } = other;
    await migrateFirstSchema(db);
    await migrateFirstSchema(db, BEFORE);
    const refused = async (words: RegExp) => {
      const error = await migrate(db).then(
        () => null,
        (caught: unknown) => caught,
      );
      expect(String((error as Error | null)?.message)).toMatch(words);
      expect(hintOf(error)).toMatch(/^drop (it|these), migrate, and create (it|them) again$/);
    };
    await db.query('create materialized view public.kept as select cost_usd from animus.work_items');
    await refused(/the materialized view kept reads amounts/);
    await db.query('drop materialized view public.kept');
    await db.query('create view public.dear as select cost_usd from animus.work_items');
    await db.query(
      `create function public.dear_ones() returns setof public.dear language sql as 'select * from public.dear'`,
    );
    await refused(/the view dear reads amounts whose type changes, and other objects depend on it/);
    await db.query('drop function public.dear_ones()');
    await db.query(`create function public.look() returns trigger language plpgsql as 'begin return null; end'`);
    await db.query(
      'create trigger look after update of cost_usd on animus.work_items for each row execute function public.look()',
    );
    await refused(/cannot alter type of a column used in a trigger definition: column animus\.work_items\.cost_usd/);
    await db.query('drop trigger look on animus.work_items');
    await migrate(db);
  });
});

/** The hint of an error of the server, wherever it is in the chain of causes. */
function hintOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null) return null;
  const { hint, cause, details } = error as { hint?: string; cause?: unknown; details?: { hint?: string } };
  return hint ?? details?.hint ?? hintOf(cause);
}

/** An item with a turn that was lost under a limit, as earlier versions recorded it. */
async function lostWork(db: Queryable, usd: string): Promise<string> {
  const [item] = await db.query<{ id: string; faculty: string }>(
    `insert into animus.work_items (faculty) values ($1) returning id, faculty`,
    [`f${usd.replace('.', '-')}`],
  );
  const [work] = await claimWork(db, '00000000-0000-0000-0000-000000000001', claimable(item!.faculty), 1, 60);
  const focus = await startFocus(db, work!);
  await db.query('insert into animus.turns (focus_id, turn, lost_usd, begun_at) values ($1, 1, $2, now())', [
    focus,
    usd,
  ]);
  return item!.id;
}

/** Puts a transcript into the history, as retention does. */
async function pack(db: Queryable, id: string): Promise<void> {
  const month = `date_trunc('month', now() at time zone 'UTC')::date`;
  await db.query(
    `create table animus.history_2000_01 partition of animus.history for values from ('2000-01-01') to ('2100-01-01')`,
  );
  await db.query(
    `insert into animus.history (month, work_item_id, turns)
     select ${month}, $1, (select json_agg(row_to_json(r)) from (select t.* from animus.turns t join animus.foci f on f.id = t.focus_id where f.work_item_id = $1) r)`,
    [id],
  );
  await db.query('delete from animus.turns using animus.foci f where f.id = focus_id and f.work_item_id = $1', [id]);
}

/** A table that is rewritten gets another file. */
async function filesOf(db: Queryable): Promise<readonly Record<string, unknown>[]> {
  return db.query(
    `select relname, pg_relation_filenode(oid)::text as file from pg_class
      where relnamespace = 'animus'::regnamespace and relname in ('work_items', 'turns', 'spend_calls', 'budget_limits', 'budget_accounts', 'skill_outcomes') order by 1`,
  );
}
