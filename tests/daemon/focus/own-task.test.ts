/** Promise: an answer of a script for one's own task is not given to work that only reads of that task in the digest. */
import { expect, test } from 'vitest';
import { startTestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const target = testDatabase();

const SCRIPT = `
[[answer]]
when = { own_task_contains = "apples" }
text = "12 apples"
[[answer]]
when = { own_task_contains = "pears" }
text = "7 pears"
`;

test('each of two siblings gets the answer for its own task', async () => {
  const start = () =>
    startTestDaemon({
      databaseUrl: target.connectionString,
      script: SCRIPT,
      files: {
        'faculties/clerk.toml':
          '[faculty]\nname = "clerk"\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "You count."\n',
      },
    });
  const first = await start();
  const apples = await ended('Count the apples', {});
  expect(apples.outcome).toEqual({ text: '12 apples' });
  // A daemon looks at what others do every few seconds; a new one does so at once.
  await first.stop();
  await start();
  const pears = await ended('Count what params say', { fruit: 'pears' });
  expect(pears.outcome).toEqual({ text: '7 pears' });
  const [message] = await target.database.query<{ content: string }>(
    `select m.content from animus.focus_messages m join animus.foci f on f.id = m.focus_id where f.work_item_id = $1 and m.kind = 'orient'`,
    [pears.id],
  );
  expect(message!.content).toContain('apples');
});

async function ended(description: string, params: object) {
  const [row] = await target.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description, params) values ('clerk', $1, $2) returning id`,
    [description, JSON.stringify(params)],
  );
  return eventually(`the end of ${description}`, async () => {
    const [item] = await target.database.query<{ id: string; outcome: unknown }>(
      `select id, outcome from animus.work_items where id = $1 and resolved_at is not null`,
      [row!.id],
    );
    return item ?? null;
  });
}
