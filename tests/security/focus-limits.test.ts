/** Promise: the limits of a faculty apply to its bash and its hooks, and a stopped command gets the reason. */
import { expect, onTestFinished, test } from 'vitest';
import { startTestDaemon } from '../support/daemon.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

const target = testDatabase();
const HOG = '{ head -c 600M /dev/zero; sleep 8; } | tail -n 1 >/dev/null';
const LIMIT = 'it used more than 150 MiB of memory (max_memory_mib)';

test.skipIf(process.platform !== 'linux')(
  'bash is stopped at the memory limit of its faculty, and the model gets the reason',
  async () => {
    const { run, db } = await setUp(`tools = ["bash"]`, '');
    const id = await run('completed');
    const [call] = await db.query(
      'select state, output from animus.tool_calls c join animus.foci f on f.id = c.focus_id where f.work_item_id = $1',
      [id],
    );
    expect(call).toMatchObject({ state: 'failed', output: expect.stringContaining(`stopped: ${LIMIT}`) as string });
  },
);

test.skipIf(process.platform !== 'linux')(
  'a hook is stopped at the limit, too, and fails with the reason',
  async () => {
    const { run, db } = await setUp('', '[faculty.orient]\ncommand = "../hog.sh"');
    const id = await run('dead');
    const [item] = await db.query('select error from animus.work_items where id = $1', [id]);
    expect(item).toMatchObject({
      error: { code: 'hook.failed', message: expect.stringContaining(`it was stopped: ${LIMIT}`) as string },
    });
  },
);

async function setUp(engage: string, tables: string) {
  const name = `f${crypto.randomUUID().slice(0, 8)}`;
  const daemon = await startTestDaemon({
    databaseUrl: target.connectionString,
    script: `[[answer]]
[[answer.call]]
tool = "bash"
input = { command = "${HOG}" }
[[answer]]
text = "I saw it"
`,
    config: '[daemon]\npoll_seconds = 0.2',
    files: {
      [`faculties/${name}.toml`]: `[faculty]
name = "${name}"
max_memory_mib = 150
[faculty.engage]
model = "play/any"
system_prompt = "Work."
${engage}
[faculty.recover]
max_attempts = 1
${tables}`,
      'hog.sh': `#!/bin/sh\n${HOG}\n`,
    },
  });
  onTestFinished(() => daemon.stop());
  const db = target.database;
  const run = async (state: string): Promise<string> => {
    const [row] = await db.query<{ id: string }>(
      `insert into animus.work_items (faculty, description) values ($1, 'eat') returning id`,
      [name],
    );
    return eventually(`${state}\n${daemon.lines.join('\n')}`, async () => {
      const [item] = await db.query<{ state: string }>('select state from animus.work_items where id = $1', [row!.id]);
      return item!.state === state ? row!.id : null;
    });
  };
  return { run, db };
}
