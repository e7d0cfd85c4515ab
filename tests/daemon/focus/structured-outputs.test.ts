import { expect, onTestFinished, test } from 'vitest';
import { startTestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { openaiChunks } from '../../support/model-server/openai.ts';
import { type RecordedRequest, type Reply, startServer } from '../../support/model-server/server.ts';

const target = testDatabase();

const CONFIG = `
[daemon]
poll_seconds = 0.5
[providers.local]
kind = "openai"
base_url = "BASE/v1"
[models."local/m"]
context_window = 32768
structured_outputs = "HOW"
`;
const FACULTY = `[faculty]
name = "clerk"
[faculty.engage]
model = "local/m"
system_prompt = "p"
outcome_schema = "fix.json"
EXTRA
`;
const SCHEMA = { type: 'object', required: ['fixed'], properties: { fixed: { type: 'boolean' } } };

test.each([
  ['closing', '', [false, true]],
  ['with_tools', '', [true]],
  ['with_tools', 'structured_outputs = false', [false, false]],
  ['none', '', [false, false]],
])('a local model is held to the outcome as animus.toml and its faculty say: %s %s', async (how, extra, held) => {
  const server = await startServer(asGrammarServersDo);
  onTestFinished(() => server.close());
  const daemon = await startTestDaemon({
    databaseUrl: target.connectionString,
    config: CONFIG.replace('BASE', server.url).replace('HOW', how),
    script: '[[answer]]\ntext = "not asked"\n',
    files: { 'faculties/clerk.toml': FACULTY.replace('EXTRA', extra), 'faculties/fix.json': JSON.stringify(SCHEMA) },
  });
  const [work] = await target.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ('clerk', 'fix it') returning id`,
  );
  const item = await eventually(`the work has ended\n${daemon.lines.join('\n')}`, async () => {
    const [row] = await target.database.query(
      `select state, outcome from animus.work_items where id = $1 and resolved_at is not null`,
      [work!.id],
    );
    return row ?? null;
  });
  expect(item).toEqual({ state: 'completed', outcome: { fixed: true } });
  expect(server.requests.map(({ json }) => json?.['response_format'] !== undefined)).toEqual(held);
});

/** Words first, and the outcome when it is held to it or asked again. */
function asGrammarServersDo({ json }: RecordedRequest): Reply {
  const messages = json?.['messages'] as readonly unknown[];
  const text = json?.['response_format'] !== undefined || messages.length > 2 ? '{"fixed": true}' : 'It is fixed.';
  const parts = openaiChunks({ text, model: 'm' }, false).map((each) => `data: ${JSON.stringify(each)}\n\n`);
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, parts: [...parts, 'data: [DONE]\n\n'] };
}
