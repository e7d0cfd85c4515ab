/** Promise: a consolidate hook gets the child work of its item, with state and result. */
import { expect, test } from 'vitest';
import { startTestDaemon } from '../../../support/daemon.ts';
import { testDatabase } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';

const target = testDatabase();

const SCRIPT = `
[[answer]]
when = { task_contains = "read it" }
text = "It says 7."
[[answer]]
turn = 1
call = [{ tool = "spawn_child_work", input = { faculty = "reader", description = "read it" } }]
[[answer]]
turn = 2
call = [{ tool = "await_child_work", input = {} }]
[[answer]]
turn = 3
text = "done"
`;

/** Its outcome is what it was given. */
const HOOK = `#!/usr/bin/env node
let text = '';
process.stdin.on('data', (part) => (text += part));
process.stdin.on('end', () => console.log(JSON.stringify({ outcome: { given: JSON.parse(text).children } })));
`;

test('a consolidate hook gets the child work of its item', async () => {
  await startTestDaemon({
    databaseUrl: target.connectionString,
    script: SCRIPT,
    files: {
      'faculties/hook.js': HOOK,
      'faculties/reader.toml': faculty('reader'),
      'faculties/parent.toml': `${faculty('parent')}[faculty.children]\nfaculties = ["reader"]\n[faculty.consolidate]\ncommand = "./hook.js"\n`,
    },
  });
  const [{ id } = { id: '' }] = await target.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ('parent', 'ask') returning id`,
  );
  const outcome = await eventually('the parent is completed', async () => {
    const [row] = await target.database.query<{ outcome: unknown }>(
      `select outcome from animus.work_items where id = $1 and state = 'completed'`,
      [id],
    );
    return row?.outcome ?? null;
  });
  expect(outcome).toEqual({
    given: [
      {
        id: expect.any(String),
        faculty: 'reader',
        state: 'completed',
        merged_into: null,
        detached: false,
        summary: 'It says 7.',
        outcome: 'It says 7.',
        error: null,
      },
    ],
  });
});

function faculty(name: string): string {
  return `[faculty]\nname = "${name}"\ndescription = "x"\n[faculty.awareness]\nenabled = false\n[faculty.engage]\nmodel = "play/script"\nsystem_prompt = "x"\n`;
}
