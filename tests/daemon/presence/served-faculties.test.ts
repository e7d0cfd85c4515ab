/** What clients learn of the faculties of a real daemon: what each is for, its inputs and its outcome. */
import { expect, test } from 'vitest';
import { serveApi } from '../../../src/http/api/serve-api.ts';
import { openHealthServer } from '../../../src/http/health-server.ts';
import { startTestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { freePort } from '../../support/free-port.ts';
import { createToken } from '../../support/people.ts';

const target = testDatabase();
const SCHEMA = { type: 'object', properties: { severity: { enum: ['low', 'high'] } }, required: ['severity'] };
const files = {
  'faculties/triage.toml': `[faculty]
name = "triage"
description = "Sorts tickets"
[faculty.engage]
model = "play/any"
system_prompt = "The secret of the house."
outcome_schema = "ticket.json"
`,
  'faculties/ticket.json': JSON.stringify(SCHEMA),
  'faculties/runner.toml': '[faculty]\nname = "runner"\n[faculty.engage]\nmode = "code"\n',
};

test('what a faculty is for, its inputs and its outcome, without its files and prompts', async () => {
  const port = await freePort();
  const config = `[daemon]\nhttp = "127.0.0.1:${port}"\n[http]\napi = true`;
  const http = { openHealth: openHealthServer, openApi: serveApi };
  await startTestDaemon({
    databaseUrl: target.connectionString,
    files,
    script: '[[answer]]\ntext = "x"\n',
    config,
    http,
  });
  const { secret } = await createToken(target.database, 'alice');
  const ask = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
      headers: { authorization: `Bearer ${secret}` },
    });
    return (await response.json()) as ReturnType<typeof JSON.parse>;
  };
  const { items } = await ask('/faculties');
  expect(items).toMatchObject([
    {
      name: 'runner',
      description: '',
      mode: 'code',
      params_schema: {
        type: 'object',
        properties: { code: { type: 'string' }, command: {} },
        additionalProperties: false,
      },
      outcome_schema: null,
    },
    { name: 'triage', description: 'Sorts tickets', mode: 'builtin', params_schema: null, outcome_schema: SCHEMA },
  ]);
  const one = await ask('/faculties/triage');
  expect(one).toMatchObject({
    description: 'Sorts tickets',
    outcome_schema: SCHEMA,
    daemons: [{ host: null, settings: { max_attempts: expect.any(Number) } }],
  });
  expect(Object.keys(one.daemons[0].settings)).not.toContain('outcome_schema');
  for (const hidden of ['secret of the house', '.toml', 'ticket.json', '/']) {
    expect(JSON.stringify([items[1], { ...one, daemons: [] }])).not.toContain(hidden);
  }
});
