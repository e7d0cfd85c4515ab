/** Promise: what needs a person is not tried again, and work that is given back says by a code what caused it. */
import { expect, test } from 'vitest';
import { startTestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const target = testDatabase();

interface Item {
  readonly state: string;
  readonly attempts: number;
  readonly error: { readonly code: string; readonly cause?: string } | null;
}

async function resting(script: string, batch: boolean | null): Promise<Item> {
  await startTestDaemon({
    databaseUrl: target.connectionString,
    config: '[daemon]\npoll_seconds = 0.2\n',
    script,
    files: {
      'faculties/clerk.toml':
        '[faculty]\nname = "clerk"\n[faculty.engage]\nmodel = "play/first"\nsystem_prompt = "p"\n[faculty.recover]\nmax_attempts = 3\nbase_seconds = 60\n',
    },
  });
  const [work] = await target.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, batch) values ('clerk', $1) returning id`,
    [batch],
  );
  return eventually('it ended or waits', async () => {
    const [item] = await target.database.query<Item>(
      'select state, attempts, error from animus.work_items where id = $1',
      [work!.id],
    );
    return item && ['dead', 'completed', 'scheduled'].includes(item.state) ? item : null;
  });
}

test('a batch of a provider that has no batch API is not tried again', async () => {
  expect(await resting('[[answer]]\ntext = "unused"\n', true)).toMatchObject({
    state: 'dead',
    attempts: 1,
    error: { code: 'llm.no_batch' },
  });
});

test('work that is given back because its provider fails names the kind of failure', async () => {
  expect(await resting('[[answer]]\nfault = { kind = "overloaded" }\n', null)).toMatchObject({
    state: 'scheduled',
    attempts: 0,
    error: { code: 'work.released', cause: 'llm.overloaded' },
  });
});
