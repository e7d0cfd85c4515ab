/**
 * A daemon that stands still between the claim of what it sends and the sending of it sends nothing, once another one may have sent it. Its
 * machine sleeps: for two minutes nothing of it runs, nor does its monotonic clock.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { webhookReceiver } from '../features/webhooks/fixtures.ts';
import { type DaemonProcess, makeSite, runAnimus, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { text } from '../support/model-server/anthropic.ts';
import { startBatchServer } from '../support/model-server/batch-server.ts';
import { MODEL } from '../support/model-server/either-wire.ts';
import { stateOf } from './work-state.ts';

const pg = testDatabase({ anew: true });

/** Loaded in the daemon before anything else: its wall clock has gone on for two minutes once the file is there. */
const SLEEPER = `
import { existsSync } from 'node:fs';
const now = Date.now;
Date.now = () => now() + (existsSync(process.env.SLEPT) ? 120_000 : 0);
`;

describe('a daemon whose machine sleeps', () => {
  it('between the claim of a webhook and its delivery leaves it to the other one', async () => {
    const receiver = await webhookReceiver();
    receiver.answer = (_request, response) => void response.writeHead(200).end();
    const site = makeSite({
      modelUrl: null,
      databaseUrl: pg.connectionString,
      config: `[daemon]\nhttp = "off"\n[webhooks]\nallow = ["127.0.0.1:${receiver.port}"]\n`,
      faculties: { f: '[faculty]\nname = "f"\n[faculty.engage]\nmode = "external"\ncommand = "true"\n' },
    });
    const withKey = { ...site, env: { ...site.env, ANIMUS_WEBHOOK_KEY: 'k'.repeat(64) } };
    receiver.secret = (
      await runAnimus(withKey, ['webhook', 'add', receiver.url, '--events', 'work.queued'])
    ).stdout.trim();
    await waitsWhenItWrites('webhook_deliveries', 'update');
    const sleeper = await startSleeper(withKey);
    await pg.database.query(`insert into animus.work_items (faculty, description) values ('nobody', 'd')`);
    await fallsAsleep(sleeper);
    await startDaemon(withKey);
    await eventually('it is delivered', () => (receiver.received.length > 0 ? true : null), 30);
    await wakesUp(sleeper);
    await pg.database.query(`insert into animus.work_items (faculty, description) values ('nobody', 'd')`);
    await eventually('both are delivered', async () => {
      const states = await pg.database.query<{ state: string }>('select state from animus.webhook_deliveries');
      return states.length === 2 && states.every(({ state }) => state === 'delivered') ? true : null;
    });
    expect(receiver.received).toHaveLength(2);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(2);
  }, 180_000);

  it('between the mark of a batch and its submit leaves it to the other one', async () => {
    const server = await startBatchServer(() => ({ content: [text('Written.')] }));
    onTestFinished(() => server.close());
    const site = makeSite({
      modelUrl: server.url,
      databaseUrl: pg.connectionString,
      config:
        '[daemon]\nhttp = "off"\nlease_seconds = 5\npoll_seconds = 0.5\n[batch]\ngather_seconds = 0.5\npoll_seconds = 0.5\nsubmit_timeout_seconds = 50\n',
      faculties: {
        scribe: `[faculty]\nname = "scribe"\n[faculty.engage]\nmodel = "${MODEL}"\nsystem_prompt = "You write."\nbatch = true\n`,
      },
    });
    await waitsWhenItWrites('batches', 'insert');
    const sleeper = await startSleeper(site);
    const [item] = await pg.database.query<{ id: string }>(
      `insert into animus.work_items (faculty, description) values ('scribe', 'Write.') returning id`,
    );
    await fallsAsleep(sleeper);
    await startDaemon(site);
    await stateOf(pg.database, item!.id, 'completed');
    const posts = () => server.requests.filter(({ method }) => method === 'POST').length;
    const sent = posts();
    await wakesUp(sleeper);
    await sleeper.kill('SIGTERM');
    expect(posts()).toBe(sent);
    expect(server.state.batches).toHaveLength(1);
    expect(await pg.database.query('select ended_as from animus.batches order by created_at')).toEqual([
      { ended_as: 'lost' },
      { ended_as: 'collected' },
    ]);
  }, 180_000);
});

type Sleeper = DaemonProcess & { readonly slept: string };

async function startSleeper(site: Site): Promise<Sleeper> {
  const slept = join(site.directory, 'slept');
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(SLEEPER)}`, SLEPT: slept };
  return { ...(await startDaemon(site, [], env)), slept };
}

/** The commit of the next transaction that writes to the table takes two seconds. */
async function waitsWhenItWrites(table: string, event: string): Promise<void> {
  await pg.database.query(`
    create function public.wait_a_while() returns trigger language plpgsql as $$
    begin
      perform pg_sleep(2);
      return null;
    end $$;
    create constraint trigger wait_a_while after ${event} on animus.${table} deferrable initially deferred
      for each row execute function public.wait_a_while();`);
  onTestFinished(async () => {
    await pg.database.query('drop function if exists public.wait_a_while() cascade');
  });
}

/** Stops the daemon while it waits for that commit, for two minutes by the clocks of the database and of its machine. */
async function fallsAsleep(daemon: Sleeper): Promise<void> {
  await eventually(
    'it waits for the commit',
    async () => {
      const [row] = await pg.database.query(
        `select from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`,
      );
      return row ?? null;
    },
    30,
  );
  await daemon.kill('SIGSTOP');
  await pg.database.query('drop function public.wait_a_while() cascade');
  writeFileSync(daemon.slept, '');
  await databaseIsAhead(120);
  onTestFinished(() => databaseIsAhead(0));
}

/** Lets it go on, until it has sent a heartbeat and so has handled what waited in its sockets. */
async function wakesUp(daemon: Sleeper): Promise<void> {
  await daemon.kill('SIGCONT');
  const seen = `select from animus.daemons where pid = $1 and seen_at > animus.now() - interval '5 seconds'`;
  await eventually(
    'it sends a heartbeat',
    async () => ((await pg.database.query(seen, [daemon.pid])).length > 0 ? true : null),
    60,
  );
}

async function databaseIsAhead(seconds: number): Promise<void> {
  await pg.database.query(
    `create or replace function animus.now() returns timestamptz language sql volatile parallel safe
     as $$ select clock_timestamp() + interval '${seconds} seconds' $$`,
  );
}
