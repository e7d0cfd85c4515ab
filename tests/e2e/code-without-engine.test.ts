/** Promise: on a machine without a Docker engine, the shipped faculty for code does no harm, and whoever wants to run code learns what is missing. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startApi } from '../support/api.ts';
import { makeSite, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { createPerson } from '../support/people.ts';

const pg = testDatabase({ anew: true });
const SANDBOX = readFileSync(new URL('../../faculties/sandbox.toml', import.meta.url), 'utf8');

it('answers 503 with the remedy, has no problem in its status, and lets submitted work wait', async () => {
  const site = makeSite({
    modelUrl: null,
    databaseUrl: pg.connectionString,
    config: '[daemon]\npoll_seconds = 0.5\nhttp = "off"\n',
    faculties: { sandbox: SANDBOX },
  });
  const daemon = await startDaemon(site, [], { DOCKER_HOST: 'unix:///nowhere.sock' });
  const api = await startApi(pg.database);
  await createPerson(pg.database, 'olga', 'operator');
  const problem = await eventually('the daemon has looked for its engine', async () => {
    const { body } = await api.call('olga', 'GET', '/faculties');
    return (body.items as { problem: string | null }[])[0]?.problem ?? null;
  });
  expect(problem).toMatch(/^cannot reach the Docker engine at unix:\/\/\/nowhere\.sock: .*; start the Docker engine/);
  const refused = await api.call('alice', 'POST', '/sandbox/executions', { body: { code: 'return 1' } });
  expect(refused).toMatchObject({ status: 503, body: { code: 'http.no_sandbox', retryable: true } });
  const [row] = await pg.database.query('select problems from animus.daemons');
  expect(row).toEqual({ problems: [] });

  const [item] = await pg.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, params) values ('sandbox', '{"code": "return 1"}') returning id`,
  );
  const waiting = await eventually('it waits', async () => {
    const [now] = await pg.database.query<{ state: string; error: { message: string }; attempts: number }>(
      'select state, error, attempts from animus.work_items where id = $1',
      [item!.id],
    );
    return now?.state === 'scheduled' ? now : null;
  });
  expect(waiting).toMatchObject({ attempts: 0 });
  expect(waiting.error.message).toContain('cannot reach the Docker engine');
  await daemon.kill('SIGTERM');
});
