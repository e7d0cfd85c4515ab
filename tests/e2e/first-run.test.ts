import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { makeSite, runAnimus, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, startModelServer } from '../support/model-server/either-wire.ts';

const FACULTY = `
[faculty]
name = "clerk"
description = "Keeps the books"
[faculty.engage]
model = "${MODEL}"
system_prompt = "You keep the books."
tools = ["read_file", "write_file", "list_dir", "bash"]
max_turns = 10
[faculty.consolidate]
command = "./check.sh"
`;

/** Four turns: parallel calls, a failing call, an unknown tool, the end. */
const answers = [
  {
    content: [
      text('I begin.'),
      toolUse('t1', 'ledger_append', { type: 'plan', content: 'write, read, end' }),
      toolUse('t2', 'write_file', { path: 'book.txt', content: 'Grüße, 世界\n' }),
      toolUse('t3', 'bash', { command: 'echo out; echo err >&2; exit 3' }),
    ],
  },
  {
    content: [
      toolUse('t4', 'read_file', { path: 'book.txt' }),
      toolUse('t5', 'no_such_tool', {}),
      toolUse('t6', 'read_file', { path: 42 }),
    ],
  },
  { content: [toolUse('t7', 'ledger_append', { type: 'step', content: 'the book is written' })] },
  { content: [text('The book is written.')] },
];

describe('an SQL insert becomes a completed work item', () => {
  const pg = testDatabase({ empty: true });

  it('on a real PostgreSQL with an empty database', async () => {
    const server = await startModelServer(answers);
    onTestFinished(() => server.close());
    const site = clerkSite(server.url, pg.connectionString);
    await startDaemon(site);

    const item = await insertAndAwait(pg.database);

    await expectWholeStory(pg.database, item);
    expect(server.requests.map((request) => request.refused)).toEqual([null, null, null, null]);
    await expectCommandsShowIt(site, item.id);
  });

  it('on the embedded database, inserted from outside through its port', async () => {
    const server = await startModelServer(answers);
    onTestFinished(() => server.close());
    const site = clerkSite(server.url);
    await startDaemon(site);
    const { port, password } = JSON.parse(readFileSync(join(site.home, 'embedded.json'), 'utf8')) as {
      port: number;
      password: string;
    };
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres?sslmode=disable`;
    const database = openPostgres(url, { poolSize: 1, kind: 'embedded' });
    onTestFinished(() => database.close());

    const item = await insertAndAwait(database);

    await expectWholeStory(database, item);
    expect(server.requests.map((request) => request.refused)).toEqual([null, null, null, null]);
    await expectCommandsShowIt(site, item.id);
  });
});

function clerkSite(modelUrl: string, databaseUrl?: string): Site {
  const site = makeSite({
    modelUrl,
    faculties: { clerk: FACULTY },
    firstStart: true,
    ...(databaseUrl !== undefined && { databaseUrl }),
  });
  // The hook gets the final text and makes it the outcome.
  writeFileSync(
    join(site.directory, 'faculties', 'check.sh'),
    `#!/bin/sh\ngrep -q '"final_text":"The book is written."' || { echo 'not the expected text' >&2; exit 2; }\n` +
      `echo '{"outcome": {"checked": true}, "summary": "checked", "ledger": [{"type": "note", "content": "checked by the hook"}]}'\n`,
    { mode: 0o755 },
  );
  return site;
}

interface Ended {
  readonly id: string;
  readonly state: string;
}

async function insertAndAwait(database: Database): Promise<Ended> {
  const [row] = await database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description, params) values ('clerk', 'Write the book', '{"year": 2026}') returning id`,
  );
  return eventually('the work item ends', async () => {
    const [item] = await database.query<Ended>(
      `select id, state from animus.work_items where id = $1 and resolved_at is not null`,
      [row!.id],
    );
    return item ?? null;
  });
}

async function expectWholeStory(database: Database, { id, state }: Ended): Promise<void> {
  expect(state).toBe('completed');
  const [item] = await database.query(
    `select outcome, outcome_summary, turns, attempts, input_tokens::int as input_tokens, cost_usd::float8 > 0 as priced from animus.work_items where id = $1`,
    [id],
  );
  expect(item).toEqual({
    outcome: { checked: true },
    outcome_summary: 'checked',
    turns: 4,
    attempts: 0,
    input_tokens: 400,
    priced: true,
  });
  const ledger = await database.query(
    `select seq, entry_type, content from animus.work_ledger where work_item_id = $1 order by seq`,
    [id],
  );
  expect(ledger.map((entry) => [entry['seq'], entry['entry_type']])).toEqual([
    [1, 'plan'],
    [2, 'step'],
    [3, 'note'],
  ]);
  const calls = await database.query<{ call_id: string; state: string; output: string }>(
    `select call_id, t.state, output from animus.tool_calls t join animus.foci f on f.id = t.focus_id where f.work_item_id = $1 order by turn, position`,
    [id],
  );
  expect(calls.map((call) => [call.call_id, call.state])).toEqual([
    ['t1', 'done'],
    ['t2', 'done'],
    ['t3', 'failed'],
    ['t4', 'done'],
    ['t5', 'failed'],
    ['t6', 'failed'],
    ['t7', 'done'],
  ]);
  expect(calls[2]!.output).toContain('exit code 3');
  expect(calls[3]!.output).toContain('Grüße, 世界');
  expect(calls[4]!.output).toContain('no tool named "no_such_tool"');
  expect(calls[5]!.output).toContain('path');
  const [focus] = await database.query(
    `select ended_as, phase, (select count(*)::int from pgmq.q_animus_work) as waiting, (select count(*)::int from pgmq.a_animus_work) as archived
       from animus.foci where work_item_id = $1`,
    [id],
  );
  expect(focus).toEqual({ ended_as: 'completed', phase: 'consolidate', waiting: 0, archived: 1 });
}

async function expectCommandsShowIt(site: Site, id: string): Promise<void> {
  const show = await runAnimus(site, ['work', 'show', id.slice(-12)]);
  expect(show).toMatchObject({ exit: 0 });
  expect(show.stdout).toContain('checked by the hook');
  const list = await runAnimus(site, ['work', 'list', '--json']);
  expect(JSON.stringify(JSON.parse(list.stdout))).toContain(id);
}
