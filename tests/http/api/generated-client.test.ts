/** A client that a public generator makes of the OpenAPI document: it compiles, and completes a work item on a running daemon. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import generateSource from 'oazapfts';
import { expect, onTestFinished, test } from 'vitest';
import { serveApi } from '../../../src/http/api/serve-api.ts';
import { openHealthServer } from '../../../src/http/health-server.ts';
import { startTestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { freePort } from '../../support/free-port.ts';
import { createToken } from '../../support/people.ts';

const target = testDatabase();
const run = promisify(execFile);

const FACULTY = `[faculty]
name = "engineer"
description = "Works."
[faculty.engage]
model = "play/any"
system_prompt = "Work."
`;
const SCRIPT = `[[answer]]
text = "I note it."
[[answer.call]]
tool = "ledger_append"
input = { type = "finding", content = "It was the time zone." }
[[answer]]
text = "Fixed."
`;

/** What a user of the generated client writes. */
const PROGRAM = `import { defaults, listToolCalls, listTurns, readLedger, showWork, submitWork, type WorkItem } from './client.ts';

defaults.baseUrl = process.argv[2] ?? '';
defaults.headers = { authorization: \`Bearer \${process.argv[3]}\` };

const submitted = await submitWork({ faculty: 'engineer', description: 'Fix it' }, { idempotencyKey: 'one' });
if (submitted.status !== 201) throw new Error(JSON.stringify(submitted.data));
const { id } = submitted.data;

async function ended(): Promise<WorkItem> {
  for (;;) {
    const shown = await showWork(id);
    if (shown.status !== 200) throw new Error(JSON.stringify(shown.data));
    const item: WorkItem = shown.data;
    if (item.resolved_at !== null) return item;
    await new Promise((done) => setTimeout(done, 50));
  }
}

const { state, outcome_summary: summary } = await ended();
const [ledger, turns, calls] = await Promise.all([readLedger(id), listTurns(id), listToolCalls(id)]);
if (ledger.status !== 200 || turns.status !== 200 || calls.status !== 200) throw new Error('not readable');
const missing = await showWork('01900000-0000-7000-8000-000000000000');
if (missing.status !== 404) throw new Error('somebody else has that id');
console.log(JSON.stringify({
  state,
  summary,
  ledger: ledger.data.items.map(({ type, content }) => [type, content]),
  turns: turns.data.items.length,
  calls: calls.data.items.map(({ name, state }) => [name, state]),
  code: missing.data.code,
}));
`;

test('compiles, and completes a work item', { timeout: 60_000 }, async () => {
  const port = await freePort();
  await startTestDaemon({
    databaseUrl: target.connectionString,
    files: { 'faculties/engineer.toml': FACULTY },
    script: SCRIPT,
    config: `[daemon]\nhttp = "127.0.0.1:${port}"\n[http]\napi = true`,
    http: { openHealth: openHealthServer, openApi: serveApi },
  });
  const url = `http://127.0.0.1:${port}/api/v1`;
  const directory = mkdtempSync(join(tmpdir(), 'animus-client-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  symlinkSync(resolve('node_modules'), join(directory, 'node_modules'));
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(directory, 'client.ts'), await generateSource(`${url}/openapi.json`));
  writeFileSync(join(directory, 'program.ts'), PROGRAM);
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'esnext',
    '--allowImportingTsExtensions',
  ];
  await run(resolve('node_modules/.bin/tsc'), [...options, '--types', 'node', '--skipLibCheck', 'program.ts'], {
    cwd: directory,
  }).catch((error: { stdout: string }) => expect.unreachable(error.stdout));

  const { secret } = await createToken(target.database, 'alice');
  const { stdout } = await run(process.execPath, ['program.ts', url, secret], { cwd: directory });
  expect(JSON.parse(stdout)).toEqual({
    state: 'completed',
    summary: 'Fixed.',
    ledger: [['finding', 'It was the time zone.']],
    turns: 2,
    calls: [['ledger_append', 'done']],
    code: 'work.not_found',
  });
});
