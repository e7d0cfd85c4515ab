import { expect, test } from 'vitest';
import { startTestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const target = testDatabase();
const CONFIG = `
[daemon]
poll_seconds = 0.5
[providers.spare]
kind = "scripted"
script = "spare.toml"
[models."play/first"]
usd_per_million = { input = 1000, output = 1000 }
[models."spare/second"]
usd_per_million = { input = 10, output = 20 }
`;
const FACULTY = `[faculty]
name = "clerk"
[faculty.engage]
model = "play/first"
fallback_models = ["spare/second"]
system_prompt = "p"
`;
const LOOK = '[[answer.call]]\ntool = "ledger_read"\n';
const USAGE = 'usage = { input = 1_000_000, output = 500_000 }\n';

test('a fallback answers a turn that the first model could not answer, and is recorded and charged at its own price', async () => {
  const daemon = await startTestDaemon({
    databaseUrl: target.connectionString,
    config: CONFIG,
    script: `[[answer]]\ntext = "I look."\nusage = { input = 1000, output = 0 }\n${LOOK}[[answer]]\nfault = { kind = "overloaded" }\n`,
    files: {
      'faculties/clerk.toml': FACULTY,
      'spare.toml': `[[answer]]\nturn = 2\ntext = "done by the spare"\n${USAGE}`,
    },
  });
  const item = await resolved(daemon.lines);
  expect(item).toMatchObject({ state: 'completed', outcome: { text: 'done by the spare' } });
  const said = daemon.events.flatMap((event) => (event.type === 'turn' ? [event.model] : []));
  expect(said).toEqual(['play/scripted (no model)', 'spare/scripted (no model)']);
  const turns = await target.database.query(
    `select turn, provider, cost_usd::float8 as cost from animus.turns join animus.foci f on f.id = focus_id
      where f.work_item_id = $1 order by turn`,
    [item.id],
  );
  expect(turns).toEqual([
    { turn: 1, provider: 'play', cost: 1 },
    { turn: 2, provider: 'spare', cost: 20 },
  ]);
  expect(daemon.lines.filter((line) => line.startsWith('warn a fallback model answered'))).toEqual([
    expect.stringContaining('"failed":"play/first","kind":"overloaded"'),
  ]);
});

test("an invalid request is not sent to a fallback: the work fails with the first model's error", async () => {
  const daemon = await startTestDaemon({
    databaseUrl: target.connectionString,
    config: CONFIG,
    script: '[[answer]]\nfault = { kind = "invalid_request", message = "no such thing" }\n',
    files: {
      'faculties/clerk.toml': `${FACULTY}[faculty.recover]\nmax_attempts = 1\n`,
      'spare.toml': '[[answer]]\ntext = "must not be asked"\n',
    },
  });
  const item = await resolved(daemon.lines);
  expect(item.state).toBe('dead');
  expect(JSON.stringify(item)).toContain('no such thing');
});

interface Item {
  readonly id: string;
  readonly state: string;
  readonly outcome: unknown;
  readonly error: unknown;
}

async function resolved(lines: readonly string[]): Promise<Item> {
  const db = target.database;
  const [work] = await db.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ('clerk', 'do it') returning id`,
  );
  return eventually(`the work has ended\n${lines.join('\n')}`, async () => {
    const [item] = await db.query<Item>(
      `select id, state, outcome, error from animus.work_items where id = $1 and state in ('completed', 'dead')`,
      [work!.id],
    );
    return item ?? null;
  });
}
