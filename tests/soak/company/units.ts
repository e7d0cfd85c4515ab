/** What an application does in sessions as the server makes them. Each unit is one transaction with a row of the application's own. */
import { randomUUID } from 'node:crypto';
import type { AppSession, Query, Tally } from './session.ts';

export interface Application {
  readonly shop: AppSession;
  readonly boss: AppSession;
  readonly viewer: AppSession;
  readonly tally: Tally;
  /** Units that were rolled back, of which nothing may be there. */
  readonly undone: string[];
  /** Units that were committed, of which all must be there. */
  readonly made: string[];
  /** Items of its own that were submitted last. */
  readonly recent: string[];
  /** The database's clock when it began, in seconds. */
  readonly beganAt: number;
}

/** Text that literals and encodings once spoilt. */
const NOTE = `Grüße \\s+ 'quoted' "twice" \\'`;
const ORDER = 'insert into shop.orders (id, kind, works, note) values ($1, $2, $3, $4)';
const WORK = `insert into animus.own_work (faculty, description, params) values ('worker', 'mark ' || $1::text, jsonb_build_object('order', $1::text, 'note', $2::text)) returning id`;

const WORK_OF = (faculty: string) => WORK.replace("'worker'", `'${faculty}'`);
const READ_COMMITTED = 'begin isolation level read committed';

const isThere = async (query: Query, id: string): Promise<boolean> =>
  (await query('select from shop.orders where id = $1', [id])).length > 0;

/** An order with its items in one transaction; returns the ids that `submit` gave. */
async function order(
  app: Application,
  kind: string,
  works: number,
  submit: (query: Query, id: string) => Promise<readonly Record<string, unknown>[]>,
  begin = 'begin',
): Promise<readonly string[]> {
  const id = randomUUID();
  let items: string[] = [];
  await app.shop.transaction(
    begin,
    async (query) => {
      await query(ORDER, [id, kind, works, NOTE]);
      items = (await submit(query, id)).flatMap((row) => (typeof row['id'] === 'string' ? [row['id']] : []));
    },
    (query) => isThere(query, id),
  );
  app.made.push(id);
  app.recent.unshift(...items);
  app.recent.splice(40);
  return items;
}

/** By name; each is one thing that an application does. */
export const UNITS = {
  insert: (app) => order(app, 'insert', 1, (query, id) => query(WORK, [id, NOTE])),
  function: (app) =>
    order(app, 'function', 1, (query, id) =>
      query(
        `select id from animus.submit_work('worker', 'flaky ' || $1::text, jsonb_build_object('order', $1::text, 'note', $2::text))`,
        [id, NOTE],
      ),
    ),
  bulk: (app) =>
    order(app, 'bulk', 8, (query, id) =>
      query(
        `insert into animus.own_work (faculty, description, params, concurrency_key)
         select 'worker', 'mark ' || $1::text || '-' || n, jsonb_build_object('order', $1::text, 'note', $2::text), 'bulk ' || n % 2 from generate_series(1, 8) n returning id`,
        [id, NOTE],
      ),
    ),
  trigger: (app) =>
    order(app, 'trigger', 1, async (query, id) => {
      await query('insert into shop.shelf (id, changes) values ($1, 0)', [id]);
      return query('update shop.shelf set changes = changes + 1 where id = $1', [id]);
    }),
  inbox: (app) =>
    order(app, 'inbox', 1, (query, id) =>
      query(
        `select pgmq.send('animus_inbox', jsonb_build_object('faculty', 'worker', 'description', 'mark ' || $1::text, 'params', jsonb_build_object('order', $1::text, 'note', $2::text)))`,
        [id, NOTE],
      ),
    ),
  keyed: (app) =>
    order(app, 'keyed', 1, (query, id) =>
      query(
        `insert into animus.own_work (faculty, description, params, dedup_key)
         values ('worker', 'wait ' || $1::text, jsonb_build_object('order', $1::text, 'note', $2::text), 'key ' || floor(random() * 6)) returning state`,
        [id, NOTE],
      ),
    ),
  approved: (app) => order(app, 'approved', 1, (query, id) => query(WORK_OF('careful'), [id, NOTE])),
  batch: (app) => order(app, 'batch', 1, (query, id) => query(WORK_OF('nightly'), [id, NOTE])),
  /** Its first turn may cost more, so that a person has to decide. A limit is a decision. */
  limited: (app) =>
    order(
      app,
      'limited',
      1,
      async (query, id) => {
        const [item] = await query(WORK_OF('thrifty'), [id, NOTE]);
        await query(`select animus.set_budget('item', $1, 'none', 'usd', 0.0155)`, [item!['id']]);
        return [item!];
      },
      READ_COMMITTED,
    ),
  /** Two-phase commit. An attempt that was cut off may have prepared it. */
  async prepared(app) {
    const id = randomUUID();
    await app.shop.again(async (query) => {
      if (await isThere(query, id)) return;
      if ((await query('select from pg_prepared_xacts where gid = $1', [id])).length === 0) {
        await query('begin');
        await query('set local animus.notify = off');
        await query(ORDER, [id, 'prepared', 1, NOTE]);
        await query(WORK, [id, NOTE]);
        await query(`prepare transaction '${id}'`);
      }
      await query(`commit prepared '${id}'`);
    });
    app.made.push(id);
  },
  async rollback(app) {
    const id = randomUUID();
    const work = async (query: Query) => {
      await query(ORDER, [id, 'rollback', 1, NOTE]);
      await query(WORK, [id, NOTE]);
      await query(`select animus.store_memory('Never kept: ' || $1)`, [id]);
    };
    await app.shop.transaction('begin', work, async () => true, 'rollback');
    app.undone.push(id);
  },
  async savepoint(app) {
    const lost = randomUUID();
    await order(app, 'savepoint', 2, async (query, id) => {
      await query(WORK, [id, NOTE]);
      await query('savepoint before');
      await query(WORK, [lost, NOTE]);
      await query('rollback to savepoint before');
      await query('savepoint refused');
      // A refusal of animus ends the savepoint only.
      const refused = await query(`insert into animus.own_work (faculty) values ('Not a name')`).then(
        () => 'taken',
        ({ code }: { code: string }) => code,
      );
      await query('rollback to savepoint refused');
      if (refused !== 'WA004' && refused !== '23514') throw new Error(`a wrong faculty was ${refused}`);
      return query(WORK, [id, NOTE]);
    });
    app.undone.push(lost);
  },
  async cancel(app) {
    const ids = await order(app, 'cancelled', 3, (query, self) =>
      query(
        `insert into animus.own_work (faculty, description, params, run_at)
         select 'worker', 'mark ' || $1::text, jsonb_build_object('order', $1::text, 'note', $2::text), now() + interval '1 hour' from generate_series(1, 3)
         returning id`,
        [self, NOTE],
      ),
    );
    await app.shop.transaction(
      READ_COMMITTED,
      async (query) => {
        const rows = await query('select state from animus.cancel_works($1::uuid[], $2)', [ids, NOTE]);
        if (rows.length !== 3 || rows.some(({ state }) => state !== 'cancelled'))
          throw new Error(`cancel_works of 3 waiting items said ${JSON.stringify(rows)}`);
      },
      async (query) =>
        (await query(`select from animus.own_work where id = any ($1) and state = 'cancelled'`, [ids])).length === 3,
    );
  },
} satisfies Record<string, (app: Application) => Promise<unknown>>;
