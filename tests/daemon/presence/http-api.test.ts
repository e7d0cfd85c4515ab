import { expect, test } from 'vitest';
import type { OpenApi } from '../../../src/daemon/daemon-options.ts';
import { serveApi } from '../../../src/http/api/serve-api.ts';
import { openHealthServer } from '../../../src/http/health-server.ts';
import { startTestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { createToken } from '../../support/people.ts';

const target = testDatabase();
const faculty =
  '[faculty]\nname = "engineer"\ndescription = "x"\n[faculty.engage]\nmodel = "play/any"\nsystem_prompt = "Work."\n';
const files = { 'faculties/engineer.toml': faculty };
const script = '[[answer]]\ntext = "Done."\n';

test('the daemon serves the API where it serves health, if http.api is on', async () => {
  const port = await freePort();
  let opened = 0;
  const openApi: OpenApi = (parts) => {
    opened++;
    return serveApi(parts);
  };
  const http = { openHealth: openHealthServer, openApi };
  const config = `[daemon]\nhttp = "127.0.0.1:${port}"\n[http]\napi = true`;
  const daemon = await startTestDaemon({ databaseUrl: target.connectionString, files, script, config, http });
  const url = `http://127.0.0.1:${port}`;
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  const document = await fetch(`${url}/api/v1/openapi.json`);
  expect([document.status, await document.json()]).toMatchObject([200, { openapi: '3.1.0' }]);
  expect((await fetch(`${url}/api/v1/work`, { method: 'POST' })).status).toBe(401);
  await daemon.stop();
  await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  expect(opened).toBe(1);
});

test('a daemon that ends answers the request under way, and then closes', async () => {
  const port = await freePort();
  const http = { openHealth: openHealthServer, openApi: serveApi };
  const config = `[daemon]\nhttp = "127.0.0.1:${port}"\n[http]\napi = true`;
  const daemon = await startTestDaemon({ databaseUrl: target.connectionString, files, script, config, http });
  const { secret } = await createToken(target.database, 'alice');
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
  const ask = (path: string, body: string) =>
    fetch(`http://127.0.0.1:${port}/api/v1${path}`, { method: 'POST', headers, body });
  const { id } = (await (await ask('/work', '{"faculty":"nobody"}')).json()) as { id: string };
  const { asked, ended } = await target.database.transaction(async (tx) => {
    await tx.query('select from animus.work_items where id = $1 for update', [id]);
    const cancelled = ask(`/work/${id}/cancel`, '{}');
    await eventually('it waits for the item', async () => {
      const rows = await target.database.query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and query ~ 'cancel_work'`,
      );
      return rows.length > 0 ? true : null;
    });
    // In an object: awaiting it here would wait for ever.
    return { asked: cancelled, ended: daemon.stop() };
  });
  expect(await (await asked).json()).toEqual({ id, state: 'cancelled' });
  await ended;
});

test('without http.api, nothing below /api/ is there, and its code is not loaded', async () => {
  const port = await freePort();
  const http = { openHealth: openHealthServer, openApi: () => expect.unreachable() };
  const config = `[daemon]\nhttp = "127.0.0.1:${port}"`;
  await startTestDaemon({ databaseUrl: target.connectionString, files, script, config, http });
  const answer = await fetch(`http://127.0.0.1:${port}/api/v1/openapi.json`);
  expect([answer.status, await answer.json()]).toMatchObject([404, { error: expect.stringContaining('/healthz') }]);
});
