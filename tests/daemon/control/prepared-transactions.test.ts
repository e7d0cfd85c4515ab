/** Two-phase commit: whether an application may prepare its transaction does not depend on daemons and watchers, only on `animus.notify`. */
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { claimWork } from '../../../src/store/work/work.ts';
import { claimable } from '../../support/begun-focus.ts';
import { startTestDaemon } from '../../support/daemon.ts';
import { eventually } from '../../support/eventually.ts';
import { type PostgresServer, startPostgresServer } from '../../support/postgres-server.ts';

let server: PostgresServer;
let db: Database;
beforeAll(async () => {
  server = await startPostgresServer(['-c', 'max_prepared_transactions=20']);
  db = openPostgres(server.url);
  await migrate(db);
});
afterAll(async () => {
  await db?.close();
  await server?.stop();
});

/** What an application does, with the item or the conversation that is there already. */
const ACTS = {
  insert: `insert into animus.work_items (faculty) values ('engineer')`,
  'insert that is due later': `insert into animus.work_items (faculty, run_at) values ('engineer', now() + interval '1 day')`,
  submit_work: `select animus.submit_work('engineer')`,
  'message to the inbox': `select pgmq.send('animus_inbox'::text, '{"faculty": "engineer"}'::jsonb)`,
  cancel_work: 'select animus.cancel_work($item::uuid)',
  say: `select animus.say($item::uuid, 'It is urgent')`,
  append_ledger: `select animus.append_ledger($item::uuid, 'note', 'urgent')`,
  pause: `select animus.pause('nobodys')`,
  say_in_conversation: `select animus.say_in_conversation($chat::uuid, 'Hello')`,
  edit_message: `select animus.edit_message((select max(id) from animus.chat_messages), 'Hello again')`,
  store_memory: `select animus.store_memory('The sky is blue')`,
} as const;

describe.each(Object.entries(ACTS))('%s', (_name, act) => {
  test('is prepared, or refused, alike where nobody needs to know and where an idle daemon and watchers do', async () => {
    const alone = { on: await outcome(act, 'on', false), off: await outcome(act, 'off', false) };
    const beside = { on: await outcome(act, 'on', true), off: await outcome(act, 'off', true) };
    expect(beside).toEqual(alone);
    expect(alone.off).toBe('prepared');
    if (act !== ACTS.store_memory) expect(alone.on).toBe('refused');
  });
});

/** Acts in a transaction, prepares it and rolls it back. `watched`: a daemon is idle, and item and conversation run and are watched. */
async function outcome(act: string, notify: 'on' | 'off', watched: boolean): Promise<'prepared' | 'refused'> {
  const faculty = `f${randomUUID()}`;
  const daemon = randomUUID();
  const [item] = await db.query<{ id: string }>('insert into animus.work_items (faculty) values ($1) returning id', [
    faculty,
  ]);
  const [chat] = await db.query<{ id: string }>(
    `select animus.start_conversation(animus.create_workspace($1), $1) as id`,
    [faculty],
  );
  await db.query(`select animus.say_in_conversation($1, 'Good morning')`, [chat!.id]);
  if (watched) {
    await db.query(`select animus.register_daemon($1, 'host', 1, '0', 10, '{}', '[]')`, [daemon]);
    await claimWork(db, daemon, claimable(faculty), 5, 60);
    await db.query('select animus.watch_work($1)', [item!.id]);
    await db.query('select animus.watch_events($1::uuid[])', [[item!.id, chat!.id]]);
  }
  const app = await application();
  try {
    await app.query('begin');
    await app.query(`set local animus.notify = ${notify}`);
    await app.query(act.replace('$item', `'${item!.id}'`).replace('$chat', `'${chat!.id}'`));
    await app.query(`prepare transaction '${faculty}'`);
    await app.query(`rollback prepared '${faculty}'`);
    return 'prepared';
  } catch (error) {
    expect((error as Error).message).toContain('cannot PREPARE a transaction that has executed');
    return 'refused';
  } finally {
    await app.end();
    await db.query('select animus.deregister_daemon($1)', [daemon]);
  }
}

test('a running daemon takes what was prepared and committed, and other work while it is prepared', async () => {
  await startTestDaemon({
    databaseUrl: server.url,
    script: '[[answer]]\ntext = "Done."\n',
    config: '[daemon]\npoll_seconds = 0.2\n',
    files: { 'faculties/clerk.toml': CLERK },
  });
  const app = await application('&options=-c%20animus.notify%3Doff');
  onTestFinished(() => app.end());
  await app.query('begin');
  const { rows } = await app.query<{ id: string }>(
    `insert into animus.work_items (faculty, concurrency_key) values ('clerk', 'till') returning id`,
  );
  await app.query(`prepare transaction 'sale'`);
  const other = await db.query<{ id: string }>(`insert into animus.work_items (faculty) values ('clerk') returning id`);
  await ends(other[0]!.id);
  await app.query(`commit prepared 'sale'`);
  await ends(rows[0]!.id);
});

const CLERK = `[faculty]\nname = "clerk"\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"\n`;

async function ends(id: string): Promise<void> {
  await eventually('the item has completed', async () => {
    const [row] = await db.query<{ state: string }>('select state from animus.work_items where id = $1', [id]);
    return row?.state === 'completed' ? true : null;
  });
}

async function application(more = ''): Promise<Client> {
  const client = new Client({ connectionString: server.url + more });
  await client.connect();
  return client;
}
