/** Promise: what was stored as a memory is taken out of the records of ended work that stored or found it, and of nothing else. */
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { redactMemory } from '../../../../src/features/memory/store.ts';
import { forgetMemory, storeMemory } from '../../../../src/store/memory/memories.ts';
import { askPerson } from '../../../../src/store/transcript/approvals.ts';
import { cancelWork } from '../../../../src/store/work/operate.ts';
import { packHistory } from '../../../../src/store/work/retention.ts';
import { beginFocus, recordCalls } from '../../../support/begun-focus.ts';
import { startTestDaemon } from '../../../support/daemon.ts';
import { testDatabase } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';

const target = testDatabase();

const SECRET = 'Ada Lovelace has the "blue" key\\nand lives in room 7';
const KEPT = 'The shop sells tea';

const SCRIPT = `
[[answer]]
when = { task_contains = "learn" }
turn = 1
call = [
  { tool = "memory_store", input = { content = ${JSON.stringify(SECRET.replace('\\n', '\n'))}, layer = "global" } },
  { tool = "memory_store", input = { content = "No. 9z", layer = "global" } },
  { tool = "memory_store", input = { content = "${KEPT}", layer = "global" } },
]
[[answer]]
when = { task_contains = "recall" }
turn = 1
call = [{ tool = "memory_search", input = { query = "Lovelace shop" } }]
[[answer]]
turn = 2
text = "It says: ${SECRET.replaceAll('"', '\\"')}."
`;

test('tool calls, answers and messages lose it; packed work, too', async () => {
  const db = target.database;
  await startTestDaemon({
    databaseUrl: target.connectionString,
    script: SCRIPT,
    files: { 'faculties/a.toml': FACULTY },
  });
  const learned = await run('learn');
  const recalled = await run('recall');
  const [secret, year] = await db.query<{ id: string }>(
    `select id from animus.memories where content <> $1 order by content`,
    [KEPT],
  );
  expect(await places('blue')).toEqual([learned, recalled].toSorted());

  const open = await workBelow(recalled);
  const redacted = await redactMemory(db, secret!.id, 'it names a person');
  expect(redacted).toEqual({ records: expect.any(Number), items: 2, still_open: [open] });
  expect(await places('blue')).toEqual([]);
  expect(await places('Lovelace has')).toEqual([]);
  expect(await places(KEPT)).toEqual([learned]);
  expect(await db.query('select content from animus.memories order by content')).toEqual([
    { content: 'No. 9z' },
    { content: KEPT },
  ]);
  const decision = { target: `memory ${secret!.id}`, action: 'erase', note: 'it names a person' };
  expect(await db.query('select target, action, note from animus.decisions')).toEqual([decision]);
  // All records can still be read, and calls have their answers.
  const calls = await db.query(
    `select name, input, output from animus.all_tool_calls where work_item_id = any ($1) order by work_item_id, position`,
    [[learned, recalled]],
  );
  expect(calls).toMatchObject([
    { input: { content: '[redacted]', layer: 'global' }, output: expect.stringContaining('stored as memory') },
    { input: { content: 'No. 9z' } },
    { input: { content: KEPT } },
    { name: 'memory_search', output: expect.stringMatching(/^\[redacted: a memory that was forgotten/) },
  ]);

  // Forgotten by an agent long ago, a text too short to be looked for in sentences, and packed since.
  await forgetMemory(db, year!.id, '', null);
  await db.query(`update animus.work_items set resolved_at = resolved_at - interval '2 days' where id = $1`, [learned]);
  await packHistory(db, 1, 100);
  expect(await places('No. 9z')).toEqual([learned]);
  expect(await redactMemory(db, year!.id, '')).toMatchObject({ items: 1 });
  expect(await places('No. 9z')).toEqual([]);
  expect(
    await db.query(
      'select count(*)::int as n from animus.turns t join animus.foci f on f.id = t.focus_id where f.work_item_id = $1',
      [learned],
    ),
  ).toEqual([{ n: 0 }]);
  await expect(redactMemory(db, randomUUID(), '')).rejects.toMatchObject({ code: 'work.not_found' });
});

test('so do requests to people, events, messages to it, hooks, and what a cancelled answer had said', async () => {
  const db = target.database;
  const text = 'The door code is 4711-0815';
  const work = await beginFocus(db);
  const { id } = await storeMemory(db, { content: text }, { ...work.key, callId: 'c1' });
  await recordCalls(db, work, 1, ['c1'], 'memory_store');
  await db.query(`update animus.tool_calls set input = $2 where focus_id = $1`, [work.key.focusId, { content: text }]);
  await askPerson(db, work.key, 1, 'c1', 'approval', {
    subject: 'tool_call',
    request: { tool: 'memory_store', input: { content: text } },
    seconds: 60,
  });
  await db.query('select animus.approve($1, p_note => $2)', [work.id, `yes, ${text}`]);
  await db.query('select animus.say($1, $2)', [work.id, `Mind that: ${text}.`]);
  await db.query(
    `insert into animus.hook_runs (focus_id, turn, event, hook, run_id, decision, reason, patch, ended_at, duration_ms)
     values ($1, 1, 'after_tool_call', 'h', animus.uuid_v7(), 'modify', $2, json_build_object('output', $2::text), now(), 1)`,
    [work.key.focusId, text],
  );
  const thought = { type: 'thinking', thinking: `so ${text}`, signature: 'abc' };
  const kept = { type: 'thinking', thinking: 'so', signature: 'def' };
  await db.query('update animus.turns set response = $2::json where focus_id = $1', [
    work.key.focusId,
    JSON.stringify([thought, kept, { type: 'text', text }]),
  ]);
  await cancelWork(db, work.id, 'enough');
  await db.query('select animus.end_cancelled($1, $2, 2, $3)', [work.id, work.leaseToken, `It is: ${text}`]);
  expect(await tablesWith(text)).toEqual([
    'decisions',
    'foci',
    'hook_runs',
    'mailbox',
    'memories',
    'tool_calls',
    'turns',
    'waits',
    'work_marks',
  ]);
  expect(await redactMemory(db, id, '')).toMatchObject({ items: 1, still_open: [] });
  // The note of a decision is in a chain that proves that nobody has changed it.
  expect(await tablesWith(text)).toEqual(['decisions']);
  // A provider would refuse a thought with other words under its signature.
  expect(await db.query('select response from animus.turns where focus_id = $1', [work.key.focusId])).toEqual([
    { response: [kept, { type: 'text', text: '[redacted]' }] },
  ]);
});

/** The tables that have rows with the text. */
async function tablesWith(text: string): Promise<string[]> {
  const tables = await target.database.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'animus'::regnamespace and relkind in ('r', 'p') and not relispartition order by 1`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await target.database.query(`select from animus.${name} t where t::text like $1 limit 1`, [
      `%${text}%`,
    ]);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

/** The work whose records contain the text. */
async function places(text: string): Promise<string[]> {
  const rows = await target.database.query<{ id: string }>(
    `select work_item_id as id from animus.all_tool_calls where concat(output, input, final_input, details) like $1
     union select work_item_id from animus.all_turns where response::text like $1
     union select work_item_id from animus.all_messages where content like $1 order by id`,
    [`%${text}%`],
  );
  return rows.map(({ id }) => id);
}

/** Work below this one that nobody serves. */
async function workBelow(parent: string): Promise<string> {
  const [row] = await target.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, parent_id) values ('nobody', $1) returning id`,
    [parent],
  );
  return row!.id;
}

const FACULTY = `[faculty]
name = "a"
[faculty.engage]
model = "play/x"
system_prompt = "p"
tools = ["memory_store", "memory_search"]
`;

async function run(description: string): Promise<string> {
  const [row] = await target.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ('a', $1) returning id`,
    [description],
  );
  await eventually('it has ended', async () => {
    const [item] = await target.database.query<{ state: string }>('select state from animus.work_items where id = $1', [
      row!.id,
    ]);
    return item!.state === 'completed' ? true : null;
  });
  return row!.id;
}
