import { expect, test } from 'vitest';
import type { LlmClient, LlmRequest } from '../../../src/llm/client.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { readTranscript } from '../../../src/store/transcript/transcript.ts';
import { testDatabase } from '../../support/database.ts';
import { testTool } from '../../support/focus.ts';
import { type HookedFocus, hookedFocus, type Scripted } from './hooked-focus.ts';

const pg = testDatabase();

const SCRIPT = `
[[answer]]
turn = 1
call = [{ tool = "look", input = { n = 1 } }]
[[answer]]
turn = 2
text = "done"
`;

/** Notes its input and adds a message that counts its runs. */
const COUNT = `cat >> "$SEEN.in"; echo >> "$SEEN.in"; echo run >> "$SEEN"
echo "{\\"decision\\": \\"modify\\", \\"patch\\": {\\"append\\": \\"run $(wc -l < "$SEEN")\\"}}"`;

function focusWith(...before_llm_call: readonly Scripted[]): Promise<HookedFocus> {
  const look = testTool('look', async () => ({ content: 'seen' }), true);
  return hookedFocus(pg.database, { script: SCRIPT, hooks: { before_llm_call }, tools: () => [look] });
}

/** Runs it and keeps the requests. */
async function runWatched(
  hooked: HookedFocus,
  requests: LlmRequest[],
  overrides: Parameters<HookedFocus['run']>[0] = {},
) {
  const model = overrides.model ?? hooked.focus.means().model;
  const client: LlmClient = {
    complete: (request, options) => {
      requests.push(structuredClone(request));
      return model.client.complete(request, options);
    },
  };
  return hooked.run({ ...overrides, model: { ...model, client } });
}

test('adds a message to the request of each turn, which is recorded before it is sent, as data', async () => {
  const hooked = await focusWith({ name: 'clock', script: COUNT });
  const requests: LlmRequest[] = [];
  expect(await runWatched(hooked, requests)).toMatchObject({ kind: 'done' });
  const added = (n: number) =>
    `# Context\nWhat the hook clock adds for this turn. It is data.\n~~~~~~\nrun ${n}\n~~~~~~`;
  const { messages } = await readTranscript(pg.database, hooked.focus.key.focusId);
  expect(messages.slice(1)).toEqual([
    { afterTurn: 0, kind: 'hook', content: added(1) },
    { afterTurn: 1, kind: 'hook', content: added(2) },
  ]);
  expect(JSON.stringify(requests[0]!.messages)).toContain('run 1');
  expect(requests[1]!.messages.at(-1)!.content).toEqual([
    expect.objectContaining({ type: 'tool_result' }),
    { type: 'text', text: added(2) },
  ]);
  expect(await hooked.runs()).toMatchObject([
    { event: 'before_llm_call', hook: 'clock', turn: 1, decision: 'modify', call_id: '' },
    { event: 'before_llm_call', hook: 'clock', turn: 2, decision: 'modify' },
  ]);
});

test('gets the turn, the model, the names of the tools and the newest messages', async () => {
  const hooked = await focusWith({ script: 'cat >> "$SEEN"' });
  await hooked.run();
  const inputs = hooked.seen().map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(inputs).toMatchObject([
    {
      event: 'before_llm_call',
      turn: 1,
      model: 'test',
      tools: ['a'],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Do it.' }] }],
      omitted_messages: 0,
    },
    {
      turn: 2,
      messages: [
        { role: 'user' },
        { role: 'assistant', content: [{ type: 'tool_call', name: 'look', input: { n: 1 } }] },
        { role: 'user', content: [{ type: 'tool_result', is_error: false, text: 'seen' }] },
      ],
    },
  ]);
});

test('that blocks ends the attempt with its reason; the model is not asked', async () => {
  const hooked = await focusWith(
    { name: 'quiet', script: 'echo quiet >> "$SEEN"' },
    { name: 'office-hours', script: 'echo "not at night" >&2; exit 2' },
    { name: 'never', script: 'echo never >> "$SEEN"' },
  );
  const requests: LlmRequest[] = [];
  const end = await runWatched(hooked, requests);
  expect(end).toEqual({
    kind: 'failed',
    code: 'hook_blocked',
    message: 'the hook office-hours refused the request of turn 1: not at night',
  });
  expect(requests).toEqual([]);
  expect(hooked.seen()).toEqual(['quiet']);
  // Another attempt in the same focus asks again the one that refused, and no other.
  await runWatched(hooked, requests);
  expect(hooked.seen()).toEqual(['quiet']);
  expect(await hooked.runs()).toMatchObject([
    { hook: 'quiet', decision: 'allow' },
    { hook: 'office-hours', decision: 'block', reason: 'not at night' },
  ]);
});

test('that fails ends the attempt, or is passed over if on_error says so', async () => {
  const broken = { name: 'broken', script: 'echo secret-detail >&2; exit 3' };
  const blocking = await focusWith(broken);
  expect(await blocking.run()).toMatchObject({
    kind: 'failed',
    message: 'the hook broken failed before turn 1 (hook.failed)',
  });
  expect(blocking.log.join()).toContain('secret-detail');
  const allowing = await focusWith({ ...broken, onError: 'allow' });
  expect(await allowing.run()).toMatchObject({ kind: 'done' });
  expect((await allowing.runs()).map(({ decision }) => decision)).toEqual(['failed', 'failed']);
});

class Killed extends Error {}

/** The process dies at the n-th call of a function, before it or after it has committed. */
function killedAt(name: string, when: 'before' | 'after', nth = 1): Database {
  let times = 0;
  return {
    ...pg.database,
    async query(sql, params) {
      const here = sql.includes(`animus.${name}(`) && ++times === nth;
      if (here && when === 'before') throw new Killed();
      const rows = await pg.database.query(sql, params);
      if (here) throw new Killed();
      return rows as never;
    },
  };
}

test.each([
  ['record_hook_run', 'before', 1, 3],
  ['record_hook_run', 'after', 1, 2],
  ['record_hook_run', 'before', 2, 3],
  ['record_hook_run', 'after', 2, 2],
  ['begin_turn', 'before', 2, 2],
  ['begin_turn', 'after', 2, 2],
  ['record_turn', 'before', 2, 2],
] as const)(
  'killed %s %s (%i): runs %i times in all, and requests repeat byte for byte',
  async (name, when, nth, runs) => {
    const requests: LlmRequest[] = [];
    const hooked = await focusWith({ name: 'clock', script: COUNT });
    await expect(runWatched(hooked, requests, { db: killedAt(name, when, nth) })).rejects.toThrow(Killed);
    expect(await runWatched(hooked, requests)).toMatchObject({ kind: 'done' });
    expect(hooked.seen()).toHaveLength(runs);
    const ofTurn = Map.groupBy(requests, ({ turn }) => turn);
    for (const [first, ...again] of ofTurn.values()) {
      for (const request of again) expect(JSON.stringify(request)).toBe(JSON.stringify(first));
    }
    const { messages } = await readTranscript(pg.database, hooked.focus.key.focusId);
    expect(messages.filter(({ kind }) => kind === 'hook')).toHaveLength(2);
  },
);

test('does not run again for a turn to which a person has said something, and both messages are sent', async () => {
  const hooked = await focusWith({ name: 'clock', script: COUNT });
  const { focusId, workItemId } = hooked.focus.key;
  let said = false;
  const db: Database = {
    ...pg.database,
    async query(sql, params) {
      if (sql.includes('animus.begin_turn(') && !said) {
        said = true;
        await pg.database.query(`select animus.say($1, 'use the blue one')`, [workItemId]);
      }
      return pg.database.query(sql, params);
    },
  };
  const requests: LlmRequest[] = [];
  expect(await runWatched(hooked, requests, { db, journal: hooked.journal(db) })).toMatchObject({ kind: 'done' });
  expect(hooked.seen()).toHaveLength(2);
  expect(requests).toHaveLength(2);
  const [first] = requests[0]!.messages;
  expect(first!.content.map((block) => JSON.stringify(block))).toEqual([
    expect.stringContaining('Do it.'),
    expect.stringContaining('run 1'),
    expect.stringContaining('use the blue one'),
  ]);
  const { messages } = await readTranscript(pg.database, focusId);
  expect(messages.map(({ kind }) => kind)).toEqual(['orient', 'hook', 'operator', 'hook']);
});

// The model calls that write a summary have no turn.
test('adds to the request even where the context is compacted before it; what it added earlier goes with its block', async () => {
  const look = testTool('look', async ({ n }) => ({ content: `${String(n)} `.padEnd(4000, 'lorem ipsum ') }), true);
  const turns = Array.from(
    { length: 12 },
    (_, n) => `[[answer]]\nturn = ${n + 1}\ncall = [{ tool = "look", input = { n = ${n} } }]`,
  );
  const hooked = await hookedFocus(pg.database, {
    script: [...turns, '[[answer]]\nturn = 13\ntext = "done"'].join('\n'),
    hooks: { before_llm_call: [{ name: 'clock', script: COUNT }] },
    tools: () => [look],
  });
  const requests: LlmRequest[] = [];
  const { model, bounds } = hooked.focus.means();
  const small = { model: { ...model, contextWindow: 8000 }, bounds: { ...bounds, compactKeepRecent: 0 } };
  await runWatched(hooked, requests, small);
  const { messages } = await readTranscript(pg.database, hooked.focus.key.focusId);
  expect(messages.some(({ kind }) => kind === 'summary')).toBe(true);
  for (const { turn, messages: sent } of requests.filter((each) => each.turn! > 0)) {
    expect(JSON.stringify(sent.at(-1))).toMatch(new RegExp(`run ${turn}\\\\n`));
  }
  expect(JSON.stringify(requests.at(-1)!.messages)).not.toContain('run 2\\n');
});

test('without hooks, nothing of this is read or written', async () => {
  const statements: string[] = [];
  const db: Database = {
    ...pg.database,
    query(sql, params) {
      statements.push(sql);
      return pg.database.query(sql, params);
    },
  };
  const hooked = await focusWith();
  await hooked.run({ db });
  await hooked.run({ db });
  expect(statements.join()).not.toContain('hook');
});
