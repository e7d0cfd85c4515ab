/** The HTTP API of the appliance, as clients on its host see it, and what it sends to them. */

import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  const page = await fetch(new URL('/', appliance.apiUrl));
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
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

const RECEIVER = `import { createServer } from 'node:http';
createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  console.log(JSON.stringify({ url: request.url, headers: request.headers, body }));
  response.writeHead(204).end();
}).listen(8080, '0.0.0.0');
`;

interface Delivery {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One webhook is added by command, one by HTTP; both fire, signed with the secret that was shown. */
export async function firesWebhooks(appliance: Appliance): Promise<void> {
  writeFileSync(join(appliance.directory, 'receiver.mjs'), RECEIVER);
  await appliance.compose('--profile', 'receiver', 'up', '--detach', '--no-deps', 'receiver');
  const added = ['animus', 'webhook', 'add', 'http://receiver:8080/command', '--events', 'work.completed'];
  const [byCommand] = /whsec_\S+/.exec(await appliance.inAnimus(...added))!;
  const [token] = /animus_[\w-]{49}/.exec(await appliance.inAnimus('animus', 'token', 'create', 'grace'))!;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ url: 'http://receiver:8080/http', events: ['work.completed'] });
  const answer = await fetch(`${appliance.apiUrl}/webhooks`, { method: 'POST', headers, body });
  const { secret: byHttp } = (await answer.json()) as { secret: string };
  expect([answer.status, byHttp]).toEqual([201, expect.stringMatching(/^whsec_/)]);
  const work = await fetch(`${appliance.apiUrl}/work`, { method: 'POST', headers, body: '{"faculty":"greeter"}' });
  const { id } = (await work.json()) as { id: string };
  const secrets = { '/command': byCommand, '/http': byHttp } as const;
  const delivered = await eventually(
    'both have fired',
    async () => {
      const all = received(
        await appliance.compose('--profile', 'receiver', 'logs', '--no-color', '--no-log-prefix', 'receiver'),
      );
      const own = all.filter((one) => one.body.includes(id));
      return own.length >= 2 ? own : null;
    },
    60,
  );
  expect(delivered.map(({ url }) => url).toSorted()).toEqual(['/command', '/http']);
  for (const one of delivered)
    expect(signatureOf(one, secrets[one.url as keyof typeof secrets])).toBe(one.headers['webhook-signature']);
  expect(await appliance.inAnimus('animus', 'doctor')).toMatch(
    /ok +webhooks +2 webhooks; ANIMUS_WEBHOOK_KEY is set and matches/,
  );
  await appliance.compose('--profile', 'receiver', 'rm', '--stop', '--force', 'receiver');
}

function received(log: string): Delivery[] {
  return log.split('\n').flatMap((line) => {
    const at = line.indexOf('{');
    return at < 0 ? [] : [JSON.parse(line.slice(at)) as Delivery];
  });
}

function signatureOf({ headers, body }: Delivery, secret: string): string {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}
