/** The HTTP API of the appliance, as clients on its host see it. */
import { expect } from 'vitest';
import type { Database } from '../../src/store/sql/database.ts';
import { eventually } from '../support/eventually.ts';
import { type Appliance, docker } from './appliance.ts';
import { completed } from './appliance-work.ts';

/** Work for a token; little rights, one secret, the loopback address only; and it ends when it is asked to. */
export async function servesTheApi(appliance: Appliance, database: Database): Promise<void> {
  const [token] = /animus_[\w-]{49}/.exec(await appliance.inAnimus('animus', 'token', 'create', 'ada'))!;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const submitted = await fetch(`${appliance.apiUrl}/work`, {
    method: 'POST',
    headers,
    body: '{"faculty":"greeter"}',
  });
  const { id } = (await submitted.json()) as { id: string };
  expect([submitted.status, id]).toEqual([201, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  await eventually('the item completes', () => completed(database, [id]), 60);
  const shown = await fetch(`${appliance.apiUrl}/work/${id}`, { headers });
  expect(await shown.json()).toMatchObject({ state: 'completed', submitted_by: 'person:ada' });
  expect((await fetch(`${appliance.apiUrl}/work/${id}`)).status).toBe(401);
  const inApi = (...command: readonly string[]) => appliance.compose('exec', '-T', 'api', ...command);
  expect(await inApi('ls', '/run/secrets')).toBe('animus_webhook_key\ndatabase_url\n');
  expect(await inApi('grep', 'CapEff', '/proc/self/status')).toMatch(/CapEff:\s+0+\n/);
  const ports = await docker(['port', (await appliance.containers('api'))[0]!]);
  expect(ports).toMatch(/^7717\/tcp -> 127\.0\.0\.1:\d+\n$/);
  const rights = await database.query(
    `select array_agg(r.rolname::text) as roles from pg_auth_members m join pg_roles r on r.oid = m.roleid where m.member = 'animus_api'::regrole`,
  );
  expect(rights).toEqual([{ roles: ['animus_gateway'] }]);
  // As after an upgrade of an appliance without the login; it may be repeated.
  await appliance.compose('exec', '-T', 'postgres', 'psql', '-U', 'postgres', '-c', 'drop role animus_api');
  for (const _ of [1, 2]) await appliance.compose('exec', '-T', 'postgres', 'animus-api-login');
  // Its connections are those of the login that is gone.
  await appliance.compose('restart', 'api');
  await appliance.compose('up', '--detach', '--wait', '--no-recreate', 'api');
  expect((await fetch(`${appliance.apiUrl}/work/${id}`, { headers })).status).toBe(200);
  // Stopped as people stop it: it ends by itself.
  await appliance.compose('stop', 'api');
  const [api] = await appliance.containers('api');
  expect(await docker(['inspect', '--format', '{{.State.ExitCode}}', api!])).toBe('0\n');
  await appliance.compose('up', '--detach', '--wait', '--no-recreate', 'api');
}
