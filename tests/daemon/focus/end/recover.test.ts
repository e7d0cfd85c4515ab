import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Database } from '../../../../src/store/sql/database.ts';
import { cancelWork } from '../../../../src/store/work/operate.ts';
import { startTestDaemon } from '../../../support/daemon.ts';
import { testDatabase } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';

const target = testDatabase();

/** The first attempt writes to the ledger and fails; a later one ends with an answer that quotes its context. */
const SCRIPT = `
[[answer]]
when = { contains = "SECOND ATTEMPT" }
text = "recovered"
[[answer]]
turn = 1
[[answer.call]]
tool = "ledger_append"
input = { type = "finding", content = "SECOND ATTEMPT KNOWS THIS" }
[[answer]]
turn = 2
fault = { kind = "invalid_request", message = "refused by the provider" }
`;

test('the hook gets what failed and where, and its decision applies: a retry after its delay, with its ledger entry', async () => {
  const { run, seen } = await setUp(
    `cat > "$ANIMUS_HOOK_OUT"; echo '{"action": "retry", "delay_seconds": 0.01, "ledger": [{"type": "note", "content": "SECOND ATTEMPT"}]}'`,
  );
  const item = await run({ until: 'completed' });
  expect(item).toMatchObject({ state: 'completed', attempts: 1 });
  expect(seen()).toMatchObject({
    phase: 'engage',
    attempt: 1,
    error: { code: 'llm.invalid_request', message: 'provider play: refused by the provider', retryable: false },
    ledger: [{ type: 'finding' }],
    work_item: { description: 'x' },
    readers: [expect.any(String)],
  });
  expect(item.foci).toEqual([
    { number: 1, phase: 'recover', ended_as: 'failed' },
    { number: 2, phase: 'consolidate', ended_as: 'completed' },
  ]);
});

test('dead ends the work at once, even if attempts are left', async () => {
  const { run } = await setUp(`echo '{"action": "dead"}'`);
  const item = await run({ until: 'dead' });
  expect(item).toMatchObject({ attempts: 1, error: { code: 'llm.invalid_request', phase: 'engage' } });
});

test('exit code 2 allows no further attempt, and the ledger says why', async () => {
  const { run, db } = await setUp(`echo "the customer has left" >&2; exit 2`);
  const item = await run({ until: 'dead' });
  const notes = await db.query(
    `select content from animus.work_ledger where work_item_id = $1 and entry_type = 'note'`,
    [item.id],
  );
  expect(notes).toEqual([{ content: 'The recover hook allows no further attempt: the customer has left' }]);
});

test('retry never exceeds max_attempts', async () => {
  const { run } = await setUp(`echo '{"action": "retry", "delay_seconds": 0, "keep": "nothing"}'`, 'max_attempts = 2');
  expect(await run({ until: 'dead' })).toMatchObject({ attempts: 2 });
});

test.each([
  ['exit 3', 'exit code 3', ''],
  [`echo '{"action": "panic"}'`, 'action', ''],
  ['sleep 60', 'within 0.5 s', 'timeout_seconds = 0.5'],
])(
  'a hook that does not decide (%s) leaves it to the default policy, with the reason in the log',
  async (script, reason, timeOut) => {
    const { run, lines } = await setUp(script, `base_seconds = 0\nmax_attempts = 2\n${timeOut}`);
    // The second attempt gets the ledger of the first, which the default policy keeps.
    expect(await run({ until: 'completed' })).toMatchObject({ attempts: 1 });
    expect(lines().find((line) => line.startsWith('warn the recover hook made no decision'))).toContain(reason);
  },
);

test('keep = transcript continues the same focus in its directory; nothing leaves out the ledger so far', async () => {
  const kept = await setUp(
    `if [ -e mark ]; then echo '{"action": "dead"}'; else touch mark; echo '{"action": "retry", "delay_seconds": 0, "keep": "transcript"}'; fi`,
    'max_attempts = 9',
  );
  const item = await kept.run({ until: 'dead' });
  expect(item).toMatchObject({ attempts: 2, foci: [{ number: 1, phase: 'recover', ended_as: 'failed' }] });
  const directories = join(kept.directory, 'home/foci');
  // It holds the file of the hook, which is kept for a while.
  expect(readdirSync(directories)).toHaveLength(1);

  const bare = await setUp(`echo '{"action": "retry", "delay_seconds": 0, "keep": "nothing"}'`, 'max_attempts = 2');
  const forgotten = await bare.run({ until: 'dead' });
  const told = await bare.db.query<{ content: string }>(
    `select m.content from animus.focus_messages m join animus.foci f on f.id = m.focus_id
      where f.work_item_id = $1 and m.kind = 'orient' order by f.number`,
    [forgotten.id],
  );
  expect(told).toHaveLength(2);
  expect(told[1]!.content).not.toContain('SECOND ATTEMPT');
});

test('runs after the deadline of the focus, and is stopped when the work is cancelled', async () => {
  const late = await setUp(
    `cat > "$ANIMUS_HOOK_OUT"; echo '{"action": "dead"}'`,
    '',
    'run_deadline_seconds = 1',
    '[[answer]]\ndelay_ms = 60000\ntext = "never"',
  );
  await late.run({ until: 'dead' });
  expect(late.seen()).toMatchObject({
    error: { code: 'focus.deadline', phase: 'engage', retryable: true },
    phase: 'engage',
  });

  const slow = await setUp(`touch "$ANIMUS_HOOK_OUT"; sleep 60; echo '{"action": "retry"}'`, 'timeout_seconds = 60');
  const id = await slow.submit();
  await eventually('the hook runs', () => (existsSync(slow.out) ? true : null));
  const [focus] = await slow.db.query('select phase from animus.foci where work_item_id = $1', [id]);
  expect(focus).toEqual({ phase: 'recover' });
  await cancelWork(slow.db, id, 'enough');
  expect(await slow.untilState(id, 'cancelled')).toMatchObject({ error: { message: 'enough' } });
});

async function setUp(hook: string, recover = '', faculty = '', script = SCRIPT) {
  const name = `f${crypto.randomUUID().slice(0, 8)}`;
  const text = `[faculty]\nname = "${name}"\n${faculty}\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"
    [faculty.awareness]\nenabled = false\n[faculty.recover]\ncommand = "../hook.sh"\n${recover}`;
  const daemon = await startTestDaemon({
    databaseUrl: target.connectionString,
    script,
    config: '[daemon]\npoll_seconds = 0.2',
    files: { [`faculties/${name}.toml`]: text, 'hook.sh': '#!/bin/sh\n' },
  });
  const out = join(daemon.directory, 'out.json');
  daemon.write('hook.sh', `#!/bin/sh\nANIMUS_HOOK_OUT=${out}\n${hook}\n`);
  const db = target.database;
  const submit = async () => {
    const [row] = await db.query<{ id: string }>(
      `insert into animus.work_items (faculty, description) values ($1, 'x') returning id`,
      [name],
    );
    return row!.id;
  };
  const untilState = (id: string, state: string) =>
    eventually(`${state}\n${daemon.lines.join('\n')}`, async () => {
      const item = await readItem(db, id);
      return item.state === state ? item : null;
    });
  const run = async ({ until }: { until: string }) => untilState(await submit(), until);
  const seen = () => JSON.parse(readFileSync(out, 'utf8')) as unknown;
  return { run, seen, submit, untilState, db, out, directory: daemon.directory, lines: () => daemon.lines };
}

interface Item {
  readonly id: string;
  readonly state: string;
  readonly attempts: number;
  readonly error: unknown;
  readonly foci: readonly object[];
}

async function readItem(db: Database, id: string): Promise<Item> {
  const [item] = await db.query<Item>(
    `select id, state, attempts, error, (select coalesce(jsonb_agg(jsonb_build_object('number', f.number, 'phase', f.phase, 'ended_as', f.ended_as) order by f.number), '[]')
       from animus.foci f where f.work_item_id = w.id) as foci from animus.work_items w where id = $1`,
    [id],
  );
  return item!;
}
