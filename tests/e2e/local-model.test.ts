import { expect, it, onTestFinished } from 'vitest';
import { makeSite, runAnimus, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { type RecordedRequest, type Reply, startServer } from '../support/model-server/server.ts';

const CONFIG = `
[daemon]
http = "off"
[providers.local]
kind = "openai"
base_url = "BASE/v1"
[models."local/qwen3"]
context_window = 32768
usd_per_million = { input = 0, output = 0 }
`;
const FACULTY = `
[faculty]
name = "clerk"
[faculty.engage]
model = "local/qwen3"
system_prompt = "You keep the books."
tools = ["write_file", "list_dir"]
`;

const pg = testDatabase({ anew: true });

it('a local model server without a key and with unusual behaviour is enough', async () => {
  const server = await startServer(asLocalServersDo);
  onTestFinished(() => server.close());
  const site = makeSite({
    modelUrl: null,
    databaseUrl: pg.connectionString,
    config: CONFIG.replace('BASE', server.url),
    faculties: { clerk: FACULTY },
  });
  const doctor = await runAnimus(site, ['doctor', '--provider', 'local/qwen3']);
  expect(doctor.stdout).toMatch(/ok +provider local +answered in .* \(qwen3\)/);

  const daemon = await startDaemon(site);
  expect(daemon.output()).toContain('serving clerk on');
  await pg.database.query(`insert into animus.work_items (faculty, description) values ('clerk', 'Write the book')`);
  const item = await eventually(
    'the item ends',
    async () => {
      const [row] = await pg.database.query(
        'select state, outcome, turns, attempts, cost_usd::float8 as cost from animus.work_items where resolved_at is not null',
      );
      return row ?? null;
    },
    40,
  );
  expect(item).toEqual({ state: 'completed', outcome: { text: 'Both are done.' }, turns: 2, attempts: 0, cost: 0 });
  const calls = await pg.database.query('select name, state from animus.tool_calls order by position');
  expect(calls).toEqual([
    { name: 'write_file', state: 'done' },
    { name: 'list_dir', state: 'done' },
  ]);

  const asked = server.requests.filter(({ path }) => path === '/v1/chat/completions');
  expect(asked.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
  const messages = asked[1]!.json!['messages'] as {
    role: string;
    tool_call_id?: string;
    tool_calls?: { id: string }[];
  }[];
  expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'tool']);
  // The server gave no ids: the generated ones connect calls and results, and are unique.
  const made = messages[2]!.tool_calls!.map(({ id }) => id);
  expect(messages.slice(3).map((message) => message.tool_call_id)).toEqual(made);
  expect(new Set(made).size).toBe(2);
  expect(made).not.toContain('');
}, 180_000);

/**
 * Two calls without ids and without indexes, one with its arguments as an object; reasoning in a field of its own; `stop` beside
 * the calls; no usage and no end marker. Then the end.
 */
function asLocalServersDo({ path, json }: RecordedRequest): Reply {
  const headers = { 'content-type': 'text/event-stream' };
  if (path === '/v1/models') {
    return { status: 200, headers: { 'content-type': 'application/json' }, parts: ['{"data": [{"id": "qwen3"}]}'] };
  }
  const hasResults = (json!['messages'] as { role: string }[]).some(({ role }) => role === 'tool');
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ model: 'qwen3', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const call = (name: string, args: unknown) => ({ id: '', type: 'function', function: { name, arguments: args } });
  const parts = hasResults
    ? [chunk({ role: 'assistant', content: 'Both ' }), chunk({ content: 'are done.' }), chunk({}, 'stop')]
    : [
        chunk({ role: 'assistant', content: '', reasoning: 'I write, and look.' }),
        chunk({ tool_calls: [call('write_file', { path: 'book.txt', content: 'Grüße' })] }),
        chunk({ tool_calls: [call('list_dir', '{"path": "."}')] }),
        chunk({ content: '' }, 'stop'),
      ];
  return { status: 200, headers, parts };
}
