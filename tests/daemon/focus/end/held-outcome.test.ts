/** Promise: whoever gives the outcome, work of a faculty with an `outcome_schema` completes with an object that conforms, or not at all. */
import { expect, test } from 'vitest';
import { startTestDaemon } from '../../../support/daemon.ts';
import { testDatabase } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';

const target = testDatabase();

const SCHEMA = JSON.stringify({ type: 'object', required: ['n'], properties: { n: { type: 'integer' } } });
const ANSWER = '[[answer]]\ntext = "Here it is: {\\"n\\": 1}"\n';
const printing = (json: string) => `#!/bin/sh\ncat >/dev/null\necho '${json}'\n`;

const FACULTIES = {
  conforming: { hook: '{"outcome": {"n": 2}}', ends: { state: 'completed', outcome: { n: 2 } } },
  silent: { hook: '{}', ends: { state: 'completed', outcome: { n: 1 } } },
  wrong: {
    hook: '{"outcome": {"n": "two"}, "memories": [{"content": "stored by a refused hook"}]}',
    ends: { state: 'dead', outcome: null },
  },
  list: { hook: '{"outcome": [1]}', ends: { state: 'dead', outcome: null } },
} as const;

test('the outcome of a consolidate hook is held against outcome_schema, before anything that it prints is stored', async () => {
  const names = Object.keys(FACULTIES) as (keyof typeof FACULTIES)[];
  await startTestDaemon({
    databaseUrl: target.connectionString,
    script: ANSWER,
    files: {
      'faculties/outcome.json': SCHEMA,
      ...Object.fromEntries(
        names.flatMap((name) => [
          [`faculties/${name}.sh`, printing(FACULTIES[name].hook)],
          [`faculties/${name}.toml`, faculty(name)],
        ]),
      ),
    },
  });
  for (const name of names) {
    const [item] = await target.database.query<{ id: string }>('select id from animus.submit_work($1, $2)', [
      name,
      'count',
    ]);
    const ended = await eventually(
      `${name} has ended`,
      async () =>
        (
          await target.database.query<{
            state: string;
            outcome: unknown;
            error: { code: string; phase: string } | null;
          }>(`select state, outcome, error from animus.work_items where id = $1 and state in ('completed', 'dead')`, [
            item!.id,
          ])
        )[0] ?? null,
    );
    expect([name, ended]).toMatchObject([name, FACULTIES[name].ends]);
    if (ended.state === 'dead')
      expect(ended.error).toMatchObject({ code: 'engage.outcome_invalid', phase: 'consolidate' });
  }
  expect(await target.database.query('select content from animus.memories')).toEqual([]);
});

function faculty(name: string): string {
  return `[faculty]
name = "${name}"
[faculty.recover]
max_attempts = 1
[faculty.consolidate]
command = "./${name}.sh"
[faculty.engage]
model = "play/x"
system_prompt = "You count."
outcome_schema = "outcome.json"
`;
}
