import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createInterrupts } from '../../../src/core/lifecycle/interrupts.ts';
import { serveApi } from '../../../src/http/api/serve-api.ts';
import { openHealthServer } from '../../../src/http/health-server.ts';
import { openEmbedded } from '../../../src/store/embedded/embedded.ts';
import { embeddedHome, temporaryHome, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { createToken } from '../../support/people.ts';
import { run } from '../run-cli.ts';

const target = testDatabase();
const home = embeddedHome();
const http = { loadHealth: async () => openHealthServer, openApi: serveApi };

test('serves the API without a daemon, until it is interrupted', async () => {
  const listen = `127.0.0.1:${await freePort()}`;
  const interrupts = createInterrupts(systemClock);
  const env = { DATABASE_URL: target.connectionString };
  const running = run(['http', '--listen', listen, '--json'], { env, interrupts, http });
  const { secret } = await createToken(target.database, 'alice');
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const url = `http://${listen}/api/v1`;
  await answered(`http://${listen}/readyz`, 200);
  const submitted = await fetch(`${url}/work`, { method: 'POST', headers, body: '{"faculty":"engineer"}' });
  expect(submitted.status).toBe(201);
  interrupts.receive('SIGTERM');
  const { code, stdout } = await running;
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ url, database: { kind: 'postgres' } });
});

test('a second signal does not wait for the requests under way', async () => {
  const listen = `127.0.0.1:${await freePort()}`;
  let nowMs = 0;
  const interrupts = createInterrupts({ ...systemClock, monotonicMs: () => nowMs });
  const running = run(['http', '--listen', listen], {
    env: { DATABASE_URL: target.connectionString },
    interrupts,
    http,
  });
  const { secret } = await createToken(target.database, 'alice');
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  await answered(`http://${listen}/readyz`, 200);
  const ask = (path: string, body: string) =>
    fetch(`http://${listen}/api/v1${path}`, { method: 'POST', headers, body });
  const { id } = (await (await ask('/work', '{"faculty":"nobody"}')).json()) as { id: string };
  await target.database.transaction(async (tx) => {
    await tx.query('select from animus.work_items where id = $1 for update', [id]);
    const cancelled = ask(`/work/${id}/cancel`, '{}').catch(() => 'cut');
    await eventually('it waits for the item', async () => {
      const rows = await target.database.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and query ~ 'cancel_work'`,
      );
      return rows.length > 0 ? true : null;
    });
    interrupts.receive('SIGTERM');
    nowMs += 1000;
    interrupts.receive('SIGTERM');
    expect(await cancelled).toBe('cut');
  });
  expect((await running).code).toBe(0);
});

test('opens the embedded database', async () => {
  const owned = await openEmbedded({ home });
  const { secret } = await createToken(owned, 'alice');
  await owned.close();
  const listen = `127.0.0.1:${await freePort()}`;
  const interrupts = createInterrupts(systemClock);
  const running = run(['http', '--listen', listen], { env: { ANIMUS_HOME: home }, interrupts, http });
  const url = `http://${listen}/api/v1/work`;
  await answered(url, 401);
  const headers = {
    authorization: `Bearer ${secret}`,
    'content-type': 'application/json',
    'idempotency-key': 'one',
  };
  const submit = () => fetch(url, { method: 'POST', headers, body: '{"faculty":"engineer"}' });
  const [first, second] = await Promise.all([submit(), submit()]);
  expect([first.status, await first.text()]).toEqual([201, await second.text()]);
  expect(await (await fetch(url, { headers })).json()).toMatchObject({ items: [{ faculty: 'engineer' }], next: null });
  interrupts.receive('SIGTERM');
  expect(await running).toMatchObject({ code: 0, stdout: expect.stringContaining('on the embedded database') });
});

test.each([
  [['--listen', '0.0.0.0:7718'], 'would send tokens over the network without encryption'],
  [['--listen', 'nowhere'], 'expected HOST:PORT'],
])('refuses %j', async (options, message) => {
  const refused = await run(['http', ...options], { env: { DATABASE_URL: target.connectionString }, http });
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});

test('says where to listen if the configuration does not', async () => {
  const cwd = temporaryHome();
  writeFileSync(join(cwd, 'animus.toml'), '[daemon]\nhttp = "off"\n');
  const env = { DATABASE_URL: target.connectionString };
  const message = 'daemon.http is "off": say where to listen with --listen HOST:PORT';
  expect(await run(['http'], { cwd, env, http })).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});

function answered(url: string, status: number): Promise<true> {
  return eventually(`${url} answers ${status}`, async () => {
    const response = await fetch(url).catch(() => null);
    return response?.status === status ? true : null;
  });
}
