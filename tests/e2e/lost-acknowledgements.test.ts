import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startTestDaemon } from '../support/daemon.ts';
import { temporaryHome, testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';

/** The server commits, and the answer never arrives. The daemon cannot know this and retries; nothing must happen twice. */
const LOST = [
  { call: 'begin_focus' },
  { call: 'add_message' },
  { call: 'begin_turn' },
  { call: 'record_turn' },
  { call: 'finish_tool_calls' },
  // In the transaction of a ledger entry and the record of its call.
  { call: 'append_ledger, commit' },
  { call: 'park_work' },
  { call: 'complete_batch' },
] as const;

const SCRIPT = `
[[answer]]
text = "I act and tell."
[[answer.call]]
tool = "bash"
input = { command = "echo acted >> ACTS" }
[[answer.call]]
tool = "ledger_append"
input = { type = "finding", content = "acted" }
[[answer]]
text = "I wait."
[[answer.call]]
tool = "wait_until"
input = { seconds = 3, reason = "a test" }
[[answer]]
text = "Done."
usage = { input = 1000, output = 10 }
`;
const target = testDatabase({ anew: true });
const home = temporaryHome();

test.each(LOST)('a lost acknowledgement of $call changes nothing', async ({ call }) => {
  const acts = join(home, crypto.randomUUID());
  const proxy = await startPostgresProxy(target.connectionString);
  const calls = call.split(', ');
  let lost = false;
  proxy.watch((name, moment) => {
    if (moment !== 'after' || name !== calls[0]) return 'pass';
    if (calls.length > 1) {
      calls.shift();
      return 'pass';
    }
    calls[0] = '';
    lost = true;
    return 'end';
  });
  const daemon = await startTestDaemon({
    databaseUrl: proxy.url,
    script: SCRIPT.replace('ACTS', acts),
    config: '[daemon]\npoll_seconds = 0.2\nlease_seconds = 5\n',
    files: {
      'faculties/smith.toml':
        '[faculty]\nname = "smith"\npermissions.bash = "auto"\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"\ntools = ["bash"]\nbash_isolation = "none"\n',
    },
  });
  onTestFinished(async () => {
    await target.database.query(`select animus.cancel_work(id) from animus.work_items where resolved_at is null`);
  });
  const [item] = await target.database.query<{ id: string }>(
    `insert into animus.work_items (faculty) values ('smith') returning id`,
  );
  const id = item!.id;
  await eventually(`the item is over\n${daemon.lines.join('\n')}`, async () => {
    const rows = await target.database.query(
      'select from animus.work_items where id = $1 and resolved_at is not null',
      [id],
    );
    return rows.length > 0 ? true : null;
  });
  expect(lost).toBe(true);

  const [work] = await target.database.query(
    `select state, attempts, turns, outcome, (select count(*)::int from animus.work_ledger l where l.work_item_id = w.id) as ledger,
            (select count(*)::int from animus.foci f where f.work_item_id = w.id) as foci,
            (select count(*)::int from pgmq.a_animus_work a where a.message ->> 'work_item_id' = w.id::text) as archived
       from animus.work_items w where id = $1`,
    [id],
  );
  expect(work).toEqual({
    state: 'completed',
    attempts: 0,
    turns: 3,
    outcome: { text: 'Done.' },
    ledger: 1,
    foci: 1,
    archived: 1,
  });
  const ends = await target.database.query(
    `select t.name, t.state from animus.tool_calls t join animus.foci f on f.id = t.focus_id where f.work_item_id = $1 order by t.turn, t.position`,
    [id],
  );
  // The command may have been cut off, or not have started: then it is in doubt, and was not run again.
  const [bash, ...others] = ends;
  expect(bash).toEqual({ name: 'bash', state: expect.stringMatching(/^(done|in_doubt)$/) as string });
  expect(others).toEqual([
    { name: 'ledger_append', state: 'done' },
    { name: 'wait_until', state: 'done' },
  ]);
  const times = existsSync(acts) ? readFileSync(acts, 'utf8').trim().split('\n').length : 0;
  expect(times).toBeLessThanOrEqual(1);
  if (bash!['state'] === 'done') expect(times).toBe(1);
  const messages = await target.database.query(
    `select m.kind from animus.focus_messages m join animus.foci f on f.id = m.focus_id where f.work_item_id = $1 and m.kind = 'orient'`,
    [id],
  );
  expect(messages).toHaveLength(1);
  await daemon.stop();
});
