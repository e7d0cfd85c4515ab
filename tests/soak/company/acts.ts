/** What people and programs of a company do beside submitting: they tell, remember, schedule and read. */
import { randomUUID } from 'node:crypto';
import { pause } from '../trouble.ts';
import type { Application } from './units.ts';

const STATES = /^(queued|scheduled|claimed|running|waiting|completed|dead|cancelled|merged)$/;

export const ACTS = {
  /** Says something to an item of its own, unless it has ended. */
  async tell(app: Application) {
    const id = randomUUID();
    await app.shop.transaction(
      'begin',
      async (query) => {
        const [item] = await query(
          `select id from animus.own_work where id = any ($1) and state in ('queued', 'running', 'waiting') limit 1`,
          [app.recent],
        );
        if (item === undefined) return;
        await query('savepoint told');
        const said = await query(`select animus.say($1, 'told ' || $2::text)`, [item['id'], id]).then(
          () => true,
          (error: { code: string }) => {
            if (error.code !== 'WA002') throw error;
            return false;
          },
        );
        if (said) await query('insert into shop.told (id, item) values ($1, $2)', [id, item['id']]);
        else await query('rollback to savepoint told');
      },
      async (query) => (await query('select from shop.told where id = $1', [id])).length > 0,
    );
  },
  /** The second text differs from the first in white space only, the third in one letter. */
  async remember(app: Application) {
    const id = randomUUID();
    const texts = [`Order  the\nwidget ${id}`, `Order the widget ${id}`, `Order the widgets ${id}`];
    const merged: unknown[] = [];
    await app.shop.transaction(
      'begin',
      async (query) => {
        merged.length = 0;
        for (const text of texts)
          merged.push((await query('select merged from animus.store_memory($1)', [text]))[0]!['merged']);
        for (const [n, text] of texts.entries())
          if (n !== 1)
            await query('insert into shop.notes (id, content) values ($1, $2)', [n === 0 ? id : randomUUID(), text]);
      },
      async (query) => (await query('select from shop.notes where id = $1', [id])).length > 0,
    );
    if (merged.join() !== 'false,true,false') app.tally.wrong.push(`the memories ${id} were merged: ${merged.join()}`);
    await app.shop.again(async (query) => {
      const found = await query(`select content from animus.search_memories($1)`, [`"${id}"`]);
      const contents = found.map(({ content }) => String(content)).sort();
      if (contents.join('|') !== [texts[0], texts[2]].sort().join('|'))
        app.tally.wrong.push(`a search of the memories ${id} found ${JSON.stringify(contents)}`);
    });
  },
  async readOwn(app: Application) {
    await app.shop.again(async (query) => {
      const rows = await query(
        `select id, state, extract(epoch from created_at)::numeric as at, extract(epoch from clock_timestamp())::numeric as now
           from animus.own_work where id = any ($1)`,
        [app.recent],
      );
      for (const row of rows)
        if (
          !STATES.test(String(row['state'])) ||
          !(Number(row['at']) >= app.beganAt && Number(row['at']) <= Number(row['now']))
        )
          app.tally.wrong.push(`own_work says ${JSON.stringify(row)}`);
      await query('select * from animus.own_ledger where work_item_id = any ($1)', [app.recent]);
      await query('select * from animus.waiting_work limit 5');
    });
  },
  async readPages(app: Application) {
    await app.viewer.again(async (query) => {
      const [row] = await query(`select animus.status()::text as status, animus.now()::text as now`);
      if (/NaN|Invalid|null\.|internal/.test(String(row!['status'])))
        app.tally.wrong.push(`status() says ${String(row!['status'])}`);
      for (const sql of PAGES) await query(sql);
    });
  },
};

/** Of an operator; its schedules submit work. */
export const SUBMITTING = {
  /** A schedule of every second, for three seconds. */
  async schedule(app: Application) {
    const id = randomUUID();
    const there = (column: string) => async (query: (sql: string, p: unknown[]) => Promise<unknown[]>) =>
      (await query(`select from shop.plans where id = $1 and ${column} is not null`, [id])).length > 0;
    await app.boss.transaction(
      'begin',
      async (query) => {
        await query('insert into shop.plans (id, added_at) values ($1, clock_timestamp())', [id]);
        await query(`select animus.add_schedule($1, '* * * * * *', 'worker', 'Asia/Kolkata', 'mark ' || $1)`, [
          `s${id}`,
        ]);
      },
      there('added_at'),
    );
    await pause(3000);
    await app.boss.transaction(
      'begin',
      async (query) => {
        await query(`delete from animus.schedules where name = $1`, [`s${id}`]);
        await query('update shop.plans set removed_at = clock_timestamp() where id = $1', [id]);
      },
      there('removed_at'),
    );
  },
};

/** Of docs/sql-api.md. */
const PAGES = [
  `select queue ->> 'faculty' as faculty, queue ->> 'queued' as queued, queue ->> 'oldest_at' as oldest from jsonb_array_elements(animus.status() -> 'queue') queue order by 1`,
  `select faculty, count(*) as active, min(created_at) as oldest from animus.work_items where state in ('claimed', 'running') group by faculty order by faculty`,
  `select w.id, w.description, l.seq, l.entry_type, l.content from animus.work_items w
    cross join lateral (select * from animus.work_ledger e where e.work_item_id = w.id order by e.seq desc limit 3) l
    where w.state in ('claimed', 'running') order by l.created_at desc limit 20`,
  `select faculty, model, usd, calls from animus.spend where day = (now() at time zone 'UTC')::date`,
  `select submitter, operation, sum(usd) as usd from animus.spend_details where day >= (now() at time zone 'UTC')::date - 30 group by submitter, operation`,
  `select state, count(*) from animus.work_items where resolved_at > now() - interval '1 day' group by state`,
  `select usd, lost_usd, held_usd, calls from animus.costs('appliance', '', (now() at time zone 'UTC')::date)`,
];
