import { expect, test } from 'vitest';
import { startTestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const target = testDatabase();
const FACULTY = `[faculty]\nname = "clerk"\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"\n[faculty.recover]\nmax_attempts = 1\n`;
const SCRIPT = `
[[answer]]
text = "I note it."
delay_ms = 400
[[answer.call]]
tool = "ledger_append"
input = { type = "finding", content = "noted" }
[[answer]]
when = { task_contains = "fails" }
turn = 2
stop = "refusal"
text = "I will not."
[[answer]]
text = "Done."
`;

test('a pause stops the next model call; the work is released as it is and completes after the resume', async () => {
  const daemon = await startTestDaemon({
    databaseUrl: target.connectionString,
    script: SCRIPT,
    config: '[daemon]\npoll_seconds = 0.2\n',
    files: { 'faculties/clerk.toml': FACULTY },
  });
  const id = await insert('takes two turns');
  await eventually('the first call is on its way', () =>
    daemon.events.some((event) => event.workItemId === id && event.type === 'asked') ? true : null,
  );
  await target.database.query(`select animus.pause('clerk', 'a test')`);
  await stateOf(id, 'queued');
  // The answer in flight is recorded, and its calls were run.
  expect(await target.database.query('select turns, attempts from animus.work_items where id = $1', [id])).toEqual([
    { turns: 1, attempts: 0 },
  ]);
  expect(await target.database.query('select content from animus.work_ledger where work_item_id = $1', [id])).toEqual([
    { content: 'noted' },
  ]);
  await target.database.query(`select animus.resume('clerk')`);
  await stateOf(id, 'completed');
  expect(await target.database.query('select number, resumes from animus.foci where work_item_id = $1', [id])).toEqual([
    { number: 1, resumes: 1 },
  ]);
  await daemon.stop();
});

test('a parent that dies cancels its open children; one that completes does not', async () => {
  const daemon = await startTestDaemon({
    databaseUrl: target.connectionString,
    script: SCRIPT,
    config: '[daemon]\npoll_seconds = 0.2\n',
    files: { 'faculties/clerk.toml': FACULTY },
  });
  const [dying, finishing] = [await insert('fails'), await insert('is done')];
  const children = await Promise.all([dying, finishing].map((parent) => insert('waits', parent, 'nobodys')));
  await stateOf(dying, 'dead');
  await stateOf(finishing, 'completed');
  await stateOf(children[0]!, 'cancelled');
  const [child] = await target.database.query('select error from animus.work_items where id = $1', [children[0]]);
  expect(child).toEqual({ error: { code: 'work.cancelled', message: `its parent ${dying} is dead` } });
  await stateOf(children[1]!, 'queued');
  await target.database.query('select animus.cancel_work($1)', [children[1]]);
  await daemon.stop();
});

async function insert(description: string, parent: string | null = null, faculty = 'clerk'): Promise<string> {
  const [row] = await target.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description, parent_id) values ($1, $2, $3) returning id`,
    [faculty, description, parent],
  );
  return row!.id;
}

function stateOf(id: string, state: string): Promise<true> {
  return eventually(`${id} is ${state}`, async () => {
    const [row] = await target.database.query('select state from animus.work_items where id = $1', [id]);
    return row?.['state'] === state ? true : null;
  });
}
