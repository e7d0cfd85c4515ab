import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../src/catalog/config/load-config.ts';
import { listedVariables } from '../../../src/daemon/guard/listed-variables.ts';
import { startTestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const target = testDatabase();

const ENVIRONMENT = {
  HOME: '/home/ada',
  DATABASE_URL: 'postgres://a:b@host/db',
  DATA_DIR: '/data',
  ANTHROPIC_API_KEY: 'key',
  OPENAI_API_KEY_FILE: undefined,
  GATEWAY_KEY: 'gateway',
  GATEWAY_REGION: 'eu',
  ANIMUS_HOME: '/home/ada/.animus',
  TOKEN: 't',
};

test.each<[string[], object]>([
  [[], {}],
  [['TOKEN', 'UNSET'], { TOKEN: 't' }],
  [['*'], null as never],
  [['DATA*'], { DATA_DIR: '/data' }],
  [['GATEWAY_*', 'A*'], { GATEWAY_REGION: 'eu' }],
  [['DATABASE_URL'], { DATABASE_URL: 'postgres://a:b@host/db' }],
  [['GATEWAY_KEY'], { GATEWAY_KEY: 'gateway' }],
])('%j passes on %j: a secret of animus only by its very name', (environment, expected) => {
  const load = () => configWith(`[hooks]\nenvironment = ${JSON.stringify(environment)}`);
  if (expected === null) {
    expect(load).toThrow('hooks.environment[0]: expected the name of an environment variable');
    return;
  }
  expect(listedVariables(environment, load(), ENVIRONMENT)).toEqual(expected);
});

test('a hook of a real daemon gets the listed variables, and bash does not', async () => {
  process.env['TICKETS_TOKEN'] = 'listed';
  process.env['OTHER_TOKEN'] = 'not-listed';
  onTestFinished(() => {
    delete process.env['TICKETS_TOKEN'];
    delete process.env['OTHER_TOKEN'];
  });
  const daemon = await startTestDaemon({
    databaseUrl: target.connectionString,
    config: '[daemon]\npoll_seconds = 0.2\n[hooks]\nenvironment = ["TICKETS_*", "ANIMUS_PHASE"]',
    script:
      '[[answer]]\nturn = 1\n[[answer.call]]\ntool = "bash"\ninput = { command = "env" }\n[[answer]]\nturn = 2\ntext = "done"\n',
    files: {
      'faculties/f.toml':
        '[faculty]\nname = "f"\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"\ntools = ["bash"]\n[faculty.orient]\ncommand = "../env.sh"\n',
      'env.sh': '#!/bin/sh\nenv\n',
    },
  });
  const [row] = await daemon.db.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ('f', 'x') returning id`,
  );
  await eventually('it ends', async () => {
    const [done] = await daemon.db.query('select from animus.work_items where id = $1 and resolved_at is not null', [
      row!.id,
    ]);
    return done ?? null;
  });
  const [told] = await daemon.db.query<{ content: string }>(
    `select content from animus.focus_messages where kind = 'orient'`,
  );
  expect(told!.content).toContain('TICKETS_TOKEN=listed');
  expect(told!.content).toContain('ANIMUS_PHASE=orient');
  expect(told!.content).not.toContain('not-listed');
  expect(told!.content).not.toContain('DATABASE_URL');
  const [call] = await daemon.db.query<{ output: string }>('select output from animus.tool_calls');
  expect(call!.output).toContain('ANIMUS_WORK_ID');
  expect(call!.output).not.toMatch(/TOKEN/);
});

function configWith(toml: string) {
  const cwd = mkdtempSync(join(tmpdir(), 'animus-config-'));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  const gateway =
    '[providers.gateway]\nkind = "openai"\nbase_url = "http://127.0.0.1:1/v1"\napi_key_env = "GATEWAY_KEY"\n';
  writeFileSync(join(cwd, 'animus.toml'), `${gateway}${toml}\n`);
  return loadConfig({ env: { HOME: cwd }, cwd });
}
