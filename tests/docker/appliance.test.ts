/** docker compose up, work from outside, kills, a second daemon, down: on a real engine, with the shipped files. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { eventually } from '../support/eventually.ts';
import { API_KEY, type Appliance, DATABASE_PASSWORD, docker, missingDocker, prepareAppliance } from './appliance.ts';
import { firesWebhooks, servesTheApi } from './appliance-api.ts';
import { restores } from './appliance-backup.ts';
import { writesTheFirstFile } from './appliance-first-task.ts';
import { hasMinimalRights, SERVICES } from './appliance-rights.ts';
import { completed, FILES, insert, nullWhileAway } from './appliance-work.ts';

const missing = missingDocker();

describe.skipIf(missing !== null)(`the appliance${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  let appliance: Appliance;
  /** May see everything, like `docker compose exec animus animus`. */
  let database: Database;
  /** An application next to it, which may insert. */
  let shop: Database;

  beforeAll(async () => {
    appliance = await prepareAppliance(FILES);
    await appliance.compose('up', '--detach', '--wait', '--quiet-pull');
    database = openPostgres(appliance.databaseUrl('animus', DATABASE_PASSWORD), { poolSize: 2 });
    const role = `create role shop login password 'shop' in role animus_submitter`;
    await appliance.compose('exec', '-T', 'postgres', 'psql', '-U', 'postgres', '-c', role);
    shop = openPostgres(appliance.databaseUrl('shop', 'shop'), { poolSize: 2 });
  }, 480_000);

  afterAll(async () => {
    await Promise.all([database?.close(), shop?.close()]);
    expect(await appliance.remove()).toEqual([]);
  }, 120_000);

  it('accepts work by SQL from outside and completes it; the command line inside agrees', async () => {
    const id = await insert(shop, 'greeter');
    await eventually('the item completes', () => completed(database, [id]), 60);
    const status = await appliance.inAnimus('animus', 'status');
    expect(status).toMatch(/postgres at postgres:5432\/animus/);
    expect(status).toMatch(/animus:\d+ +up +4/);
    expect(await appliance.inAnimus('animus', 'work', 'show', id)).toContain('Done.');
    expect(await appliance.inAnimus('animus', 'health')).toContain('ready');
    expect(await appliance.inAnimus('animus', 'work', 'submit', 'greeter', 'from inside', '--wait')).toContain(
      'completed',
    );
    expect(await appliance.inAnimus('animus', 'doctor')).not.toContain('problem');
  }, 90_000);

  it('serves the API with the rights of a token, by a service without keys that anybody else has', async () => {
    await servesTheApi(appliance, database);
  }, 120_000);

  it('runs with minimal rights: no root, no superuser, no capability, nothing writable but its volume', async () => {
    await hasMinimalRights(appliance, database, shop);
  }, 90_000);

  it('shows its secrets to nobody: not to docker inspect, not in logs, not to the commands of a model', async () => {
    const id = await insert(shop, 'thief');
    await eventually('the thief is done', () => completed(database, [id]), 60);
    const [looked] = await database.query<{ output: string }>(
      `select t.output::text as output from animus.tool_calls t join animus.foci f on f.id = t.focus_id where f.work_item_id = $1`,
      [id],
    );
    // Both show that the check works: it is the daemon's own user, and it was refused.
    expect(looked?.output).toMatch(/1000[^]*looked/);
    expect(looked?.output).toMatch(/ls: cannot open directory '\/run\/secrets': Permission denied/);
    const containers = (await Promise.all(SERVICES.map(appliance.containers))).flat();
    expect(containers).toHaveLength(SERVICES.length);
    const shown = {
      toTheThief: looked?.output,
      byInspect: await docker(['inspect', ...containers]),
      inLogs: await appliance.compose('logs', '--no-color'),
      inImages: await docker(['history', '--no-trunc', appliance.project]),
    };
    for (const secret of [API_KEY, DATABASE_PASSWORD, encodeURIComponent(DATABASE_PASSWORD)]) {
      for (const [where, text] of Object.entries(shown))
        expect([where, text?.includes(secret)]).toEqual([where, false]);
    }
    // The daemon itself has them.
    expect(await appliance.inAnimus('cat', '/run/secrets/anthropic_api_key')).toBe(API_KEY);
    expect(await appliance.inAnimus('animus', 'config')).toMatch(
      /anthropic\.api_key +\*\*\* +environment ANTHROPIC_API/,
    );
  }, 90_000);

  it('does the first task of the page: the shipped engineer writes a file that is there afterwards', async () => {
    await writesTheFirstFile(appliance);
  }, 90_000);

  it('sends signed webhooks, whether they were added by command or by HTTP', async () => {
    await firesWebhooks(appliance);
  }, 120_000);

  it('logs one JSON object per line, from the first step of the start to a failed one', async () => {
    await appliance.compose('run', '--rm', '-T', '--no-deps', 'animus', 'serve', '--faculties', '/none').catch(String);
    const text = await appliance.compose(
      'logs',
      '--no-color',
      '--no-log-prefix',
      'secrets',
      'migrate',
      'animus',
      'api',
    );
    const lines = text.split('\n').flatMap((line) => line.replace(/^\u001b\[2K/, '').trim() || []);
    expect(lines.length).toBeGreaterThan(40);
    for (const line of lines) {
      expect([line, line.startsWith('{') && typeof JSON.parse(line).message]).toEqual([line, 'string']);
    }
    const failed = await appliance
      .compose('run', '--rm', '-T', '--no-deps', 'animus', 'serve', '--faculties', '/none')
      .catch((error: Error) => error.message);
    expect(failed).toMatch(/^\{"level":"error",.*"code":"faculty.none"/m);
  }, 90_000);

  it("loses nothing when the daemon's container is killed, nor when the daemon crashes and Docker restarts it", async () => {
    const [container] = await appliance.containers('animus');
    const killed = await inFlight(4);
    await docker(['kill', '--signal', 'KILL', container!]);
    await docker(['start', container!]); // Docker treats a manual kill as a stop
    await openGate(killed);
    const crashed = await inFlight(4);
    await appliance.inAnimus('pkill', '-KILL', '--parent', '1');
    await eventually(
      'Docker has restarted it',
      async () => {
        const running = await docker(['inspect', '--format', '{{.RestartCount}} {{.State.Health.Status}}', container!]);
        return running === '1 healthy\n' ? running : null;
      },
      60,
    );
    await openGate(crashed);
    const calls = await database.query<{ turn: number; state: string; n: number }>(
      `select t.turn, t.state, count(*)::int as n from animus.tool_calls t join animus.foci f on f.id = t.focus_id
        where f.work_item_id = any($1::uuid[]) group by 1, 2 order by 1`,
      [[...killed, ...crashed]],
    );
    expect(calls).toEqual([
      { turn: 1, state: 'done', n: 8 },
      { turn: 2, state: 'in_doubt', n: 8 },
    ]);
    const marks = (await appliance.inAnimus('cat', '/srv/shared/marks')).trim().split('\n');
    expect(marks.toSorted()).toEqual([...killed, ...crashed].toSorted());
  }, 180_000);

  it('loses nothing when Postgres is killed during running work', async () => {
    const ids = await inFlight(4);
    const [postgres] = await appliance.containers('postgres');
    await docker(['kill', '--signal', 'KILL', postgres!]);
    await docker(['start', postgres!]);
    await openGate(ids);
    const marks = (await appliance.inAnimus('cat', '/srv/shared/marks')).trim().split('\n');
    expect(marks.filter((mark) => ids.includes(mark)).toSorted()).toEqual(ids.toSorted());
  }, 120_000);

  it('shares the work between two daemons, and stopping one of them drains it', async () => {
    appliance.set('ANIMUS_DAEMONS', '2');
    // As the page says it; the second one changes nothing, and keeps both.
    for (const _ of [1, 2]) await appliance.compose('up', '--detach', '--wait', '--no-recreate');
    expect(await appliance.containers('animus')).toHaveLength(2);
    const ids = await inFlight(8);
    const [daemons] = await database.query<{ n: number }>(
      `select count(distinct daemon_id)::int as n from animus.foci where work_item_id = any($1::uuid[])`,
      [ids],
    );
    expect(daemons?.n).toBe(2);
    // The command line uses the first one.
    const one = `${appliance.project}-animus-2`;
    const stopped = docker(['stop', '--time', '60', one]);
    await eventually('it is ending', async () => {
      const health = await docker(['exec', one, 'animus', 'health']).catch(String);
      return health.includes('not ready  ending') ? true : null;
    });
    await openGate(ids);
    await stopped;
    // It exited by itself, as requested. 137 would mean that Docker killed it after the grace time.
    expect(await docker(['inspect', '--format', '{{.State.ExitCode}}', one])).toBe('0\n');
    const doubts = await database.query(
      `select t.name from animus.tool_calls t join animus.foci f on f.id = t.focus_id
        where f.work_item_id = any($1::uuid[]) and t.state = 'in_doubt'`,
      [ids],
    );
    expect(doubts).toEqual([]);
    appliance.set('ANIMUS_DAEMONS', '1');
  }, 180_000);

  it('keeps data and passwords across down and up, and applies a changed secret', async () => {
    const before = await insert(shop, 'greeter');
    await eventually('the item completes', () => completed(database, [before]), 60);
    await appliance.compose('down');
    appliance.writeSecret('openai_api_key', 'another key');
    await appliance.compose('up', '--detach', '--wait');
    expect(await completed(database, [before])).toBe(true);
    expect(await appliance.inAnimus('animus', 'config')).toMatch(/openai\.api_key +\*\*\* +environment OPENAI_API/);
    const id = await insert(shop, 'greeter');
    await eventually('the item completes', () => completed(database, [id]), 60);
  }, 180_000);

  it('is restored into a new appliance as the page says: data, logins with their passwords, and the files of agents', async () => {
    await shop.close();
    await database.close();
    await restores(appliance);
    shop = openPostgres(appliance.databaseUrl('shop', 'shop'), { poolSize: 2 });
    database = openPostgres(appliance.databaseUrl('animus', DATABASE_PASSWORD), { poolSize: 2 });
    const id = await insert(shop, 'greeter');
    await eventually('the item completes', () => completed(database, [id]), 60);
  }, 240_000);

  it('refuses a file that is not a secret, with its name and advice, and does not disturb running services', async () => {
    appliance.writeSecret('Anthropic-Key', API_KEY);
    const refused = appliance.compose('run', '--rm', '--no-deps', 'secrets');
    await expect(refused).rejects.toThrow('docker/secrets/Anthropic-Key: name it like anthropic_api_key');
    await expect(refused).rejects.not.toThrow(API_KEY);
    expect(await appliance.inAnimus('animus', 'health')).toContain('ready');
  }, 60_000);

  /** This many items, each after its effect and in its second call. */
  async function inFlight(count: number): Promise<string[]> {
    const ids = await Promise.all(Array.from({ length: count }, () => insert(shop, 'marker')));
    await eventually(
      'all items are in their second call',
      async () => {
        const [row] = await database.query<{ n: number }>(
          `select count(*)::int as n from animus.tool_calls t join animus.foci f on f.id = t.focus_id
            where f.work_item_id = any($1::uuid[]) and t.turn = 2 and t.state = 'started'`,
          [ids],
        );
        return row?.n === count ? true : null;
      },
      60,
    ).catch(tellWhy);
    return ids;
  }

  async function tellWhy(cause: unknown): Promise<never> {
    const status = await appliance.inAnimus('animus', 'status').catch(String);
    const log = await appliance.compose('logs', '--no-color', '--tail', '60', 'animus').catch(String);
    throw new Error(`${String(cause)}\n${status}\n${log}`, { cause });
  }

  /** Lets the waiting commands end, and waits for the items. */
  async function openGate(ids: readonly string[]): Promise<void> {
    await appliance.inAnimus('touch', '/srv/shared/gate');
    await eventually('all items complete', () => completed(database, ids).catch(nullWhileAway), 90).catch(tellWhy);
    await appliance.inAnimus('rm', '/srv/shared/gate');
  }
});
