/** What must be true of a company's load afterwards, beside that nothing is lost and nothing done twice. */
import type { Database } from '../../../src/store/sql/database.ts';
import type { DaemonProcess } from '../../support/daemon-process.ts';
import { caughtUp, tablesOf } from '../../support/subscriber.ts';
import type { Load } from './application.ts';
import type { Company } from './company-server.ts';
import { wrongTexts } from './wrong-texts.ts';

/** Each query finds ids with a violation. */
const WRONG: Readonly<Record<string, string>> = {
  'has not as many items as the order submitted': `select o.id::text as id from shop.orders o
     left join animus.work_items w on w.params ->> 'order' = o.id::text group by o.id having count(w.id) <> o.works`,
  'is of no order': `select id::text from animus.work_items w where params ? 'order'
     and not exists (select from shop.orders o where o.id::text = w.params ->> 'order')`,
  'has not the note of its order': `select w.id::text from animus.work_items w join shop.orders o on o.id::text = w.params ->> 'order'
     where w.source is distinct from 'trigger' and w.params ? 'note' and w.params ->> 'note' <> o.note`,
  'was to be cancelled before it ran': `select w.id::text from animus.work_items w join shop.orders o on o.id::text = w.params ->> 'order'
     where o.kind = 'cancelled' and (w.state <> 'cancelled' or exists (select from animus.foci f where f.work_item_id = w.id))`,
  'merged into one of another key, or of none': `select w.id::text from animus.work_items w
     left join animus.work_items t on t.id = w.merged_into
     where w.state = 'merged' and (t.dedup_key is distinct from w.dedup_key or t.state = 'merged' or w.dedup_key is null)`,
  'ran at the same time as another of its key': `with lives as (
       select w.id, w.dedup_key, min(s.at) filter (where s.after = 'claimed') as began, max(s.at) filter (where s.after in ('completed', 'dead', 'cancelled')) as ended
         from animus.work_items w join story s on s.item = w.id where w.dedup_key like 'key %' and w.state <> 'merged'
          and not exists (select from animus.decisions d where d.work_item_id = w.id and d.action = 'retry') group by w.id)
     select a.id::text from lives a join lives b on a.dedup_key = b.dedup_key and a.id <> b.id and a.began < b.began and a.ended > b.began`,
  'was decided twice': `select work_item_id::text as id from animus.decisions where action in ('approve', 'deny') and ask_id is not null
     group by work_item_id, ask_id having count(*) > 1`,
  'acted without an approval': `select w.id::text from animus.work_items w where w.faculty = 'careful'
     and exists (select from effects e where e.item = w.id::text)
     and not exists (select from animus.decisions d where d.work_item_id = w.id and d.action = 'approve')`,
  'ran beyond its limit without asking': `select w.id::text from animus.work_items w where w.faculty = 'thrifty' and w.turns > 0
     and not exists (select from animus.decisions d where d.work_item_id = w.id and d.action = 'approve' and d.subject = 'budget')`,
  'was asked live': `select f.work_item_id::text as id from animus.foci f join animus.work_items w on w.id = f.work_item_id join animus.turns t on t.focus_id = f.id
     where w.faculty = 'nightly' and t.recorded_at is not null and not exists (select from animus.batch_requests b where b.focus_id = f.id and b.turn = t.turn)`,
  'costs another sum than its items': `select c.usd || ' ' || s.usd as id
     from animus.costs('appliance', '') c, (select sum(cost_usd + lost_usd) as usd from animus.work_items) s where c.usd <> s.usd or c.held_usd <> 0`,
  'was told once, and not once': `select t.item::text as id from shop.told t
     left join animus.mailbox m on m.text = 'told ' || t.id::text and m.work_item_id = t.item group by t.id, t.item having count(m.id) <> 1`,
  'completed without having been told': `select t.item::text as id from shop.told t join animus.mailbox m on m.text = 'told ' || t.id::text
     join animus.work_items w on w.id = t.item where w.state = 'completed' and m.delivered_at is null and m.not_delivered is null`,
  'was said and not recorded': `select m.work_item_id::text as id from animus.mailbox m where m.text like 'told %'
     and not exists (select from shop.told t where 'told ' || t.id::text = m.text)`,
  'was due while its schedule was not there': `select w.id::text from animus.work_items w
     join shop.plans p on w.trigger_info ->> 'schedule' = 's' || p.id::text
     where (w.trigger_info ->> 'due_at')::timestamptz not between p.added_at - interval '2 seconds' and p.removed_at + interval '1 second'`,
  'is a plan that was not removed': `select id::text from shop.plans where removed_at is null or exists (select from animus.schedules s where s.name = 's' || id::text)`,
  'is a memory that nobody stored, or twice': `select m.id::text from animus.memories m left join shop.notes n on n.content = m.content
     where n.id is null or (select count(*) from animus.memories o where o.content = m.content) > 1`,
  'is a memory that is lost': `select n.id::text from shop.notes n where not exists (select from animus.memories m where m.content = n.content)`,
};

export async function wrongCompany(db: Database, { app }: Load): Promise<string[]> {
  const found = [...app.tally.wrong];
  for (const [what, query] of Object.entries(WRONG))
    for (const { id } of await db.query<{ id: string }>(query)) found.push(`${id} ${what}`);
  const there = await db.query<{ id: string }>('select id::text from shop.orders');
  const ids = new Set(there.map(({ id }) => id));
  for (const id of app.made) if (!ids.has(id)) found.push(`${id} was committed and is lost`);
  const undone = await db.query<{ id: string }>(
    `select w.id::text from animus.work_items w where w.params ->> 'order' = any ($1::text[])
     union all select m.id::text from animus.memories m where m.content like 'Never kept%'`,
    [app.undone],
  );
  for (const { id } of undone) found.push(`${id} was rolled back and is there`);
  return [...found, ...(await wrongRows(db))];
}

/** Codes of bugs in any row of animus, and times outside of the run. */
async function wrongRows(db: Database): Promise<string[]> {
  const found: string[] = [];
  for (const table of await tablesOf(db)) {
    if (!/^(animus|pgmq)\./.test(table)) continue;
    const bugs = await db.query<{ row: string }>(
      `select left(t::text, 1500) as row from ${table} t where t::text ~ '\\minternal\\.[a-z_]+|internal error|\\mNaN\\M|Invalid Date' limit 3`,
    );
    for (const { row } of bugs) found.push(`${table} has ${wrongTexts(table, row)[0] ?? row}`);
  }
  const columns = await db.query<{ table: string; name: string }>(
    `select c.oid::regclass::text as table, quote_ident(a.attname) as name from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace::regnamespace::text in ('animus', 'pgmq') and c.relkind in ('r', 'p') and not c.relispartition
        and a.attnum > 0 and not a.attisdropped and a.atttypid in ('timestamptz'::regtype, 'timestamp'::regtype)`,
  );
  for (const { table, name } of columns) {
    const rows = await db.query<{ at: string }>(
      `select ${name}::text as at from ${table} where ${name} not between now() - interval '1 day' and now() + interval '1 day' and ${name} <> 'infinity' limit 2`,
    );
    for (const { at } of rows) found.push(`${table}.${name} is ${at}`);
  }
  return found;
}

/** One sentence for each table that differs at the subscriber; the number of its rows. */
export async function compareSubscriber(
  db: Database,
  { subscriber }: Company,
): Promise<{ readonly found: string[]; readonly rows: number }> {
  await caughtUp(db, 300);
  const found: string[] = [];
  let rows = 0;
  for (const table of await tablesOf(db)) {
    const [there, here] = await Promise.all([db, subscriber].map((each) => digestOf(each, table)));
    rows += here!.rows;
    if (there!.rows !== here!.rows || there!.hash !== here!.hash)
      found.push(
        `${table} has ${there!.rows} rows and ${here!.rows} at the subscriber${there!.rows === here!.rows ? ', which differ' : ''}`,
      );
  }
  return { found, rows };
}

async function digestOf(db: Database, table: string): Promise<{ readonly rows: number; readonly hash: string }> {
  const [row] = await db.query<{ rows: number; hash: string }>(
    `select count(*)::int as rows, coalesce(sum(hashtextextended(t::text, 7)), 0)::text as hash from ${table} t`,
  );
  return row!;
}

export function wrongOutputs(daemons: readonly DaemonProcess[]): string[] {
  return daemons.flatMap((daemon, n) => wrongTexts(`the output of daemon ${n}`, daemon.output()));
}
