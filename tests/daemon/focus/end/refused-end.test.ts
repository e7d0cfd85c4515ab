/** Promise: work whose end the database refuses is not lost: what was paid for stays, people are told, and it ends once the database takes it. */
import { expect, onTestFinished, test } from 'vitest';
import { readClaimProblems } from '../../../../src/store/work/daemons.ts';
import { emptyQueue } from '../../../store/work/queue-driver.ts';
import { startTestDaemon } from '../../../support/daemon.ts';
import { testDatabase } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';

const target = testDatabase();
const sql = (text: string) => target.database.query(text);

const FACULTY = '[faculty]\nname = "clerk"\n[faculty.engage]\nmodel = "play/first"\nsystem_prompt = "p"\n';

/** How a database refuses an end, the words of its refusal, and what heals it. */
const REFUSALS = [
  {
    name: 'a trigger of an application',
    make: `create function public.refuse() returns trigger language plpgsql as $$ begin raise exception 'not in this month'; end $$;
      create trigger refuse before update on animus.work_items for each row when (new.state = 'completed') execute function public.refuse()`,
    says: 'not in this month',
    heal: 'drop function if exists public.refuse() cascade',
  },
  {
    name: 'a sequence that stands behind its table',
    make: `insert into pgmq.a_animus_work (msg_id, read_ct, enqueued_at, vt, message) select n + 1000000, 0, now(), now(), '{}' from generate_series(1, 50) n;
      alter table pgmq.q_animus_work alter msg_id restart with 1000001`,
    says: 'duplicate key value violates unique constraint "a_animus_work_pkey"',
    heal: 'delete from pgmq.a_animus_work where msg_id > 1000000',
  },
  {
    name: 'a rule on the queue',
    make: 'create rule keep as on delete to pgmq.q_animus_work do instead nothing',
    says: 'cannot perform DELETE RETURNING on relation "q_animus_work"',
    heal: 'drop rule if exists keep on pgmq.q_animus_work',
  },
];

test.each(REFUSALS)('$name', async ({ make, says, heal }) => {
  await emptyQueue(target.database);
  onTestFinished(async () => void (await sql(heal)));
  await sql(make);
  const daemon = await startTestDaemon({
    databaseUrl: target.connectionString,
    config: '[daemon]\npoll_seconds = 0.2\n',
    script: '[[answer]]\ntext = "Paid for."\n',
    files: { 'faculties/clerk.toml': FACULTY },
  });
  const [{ id }] = (await sql(`insert into animus.work_items (faculty) values ('clerk') returning id`)) as [
    { id: string },
  ];
  const item = async () => {
    const [row] = await target.database.query<{ state: string; attempts: number; crashes: number; error: unknown }>(
      'select state, attempts, crashes, error from animus.work_items where id = $1',
      [id],
    );
    return row!;
  };
  await eventually('it is given back', async () => ((await item()).state === 'scheduled' ? true : null));
  expect(await item()).toMatchObject({
    attempts: 0,
    crashes: 0,
    error: {
      code: 'work.released',
      cause: 'work.end_refused',
      message: `the database refuses to record its end: ${says}`,
    },
  });
  const told = `the end of work item ${id} cannot be recorded: ${says}`;
  await eventually('people are told', async () =>
    (await readClaimProblems(target.database)).includes(told) ? 1 : null,
  );
  await sql(heal);
  await target.database.query(`update animus.work_items set state = 'queued', run_at = null where id = $1`, [id]);
  await sql('update pgmq.q_animus_work set vt = now()');
  await eventually('it ends', async () => ((await item()).state === 'completed' ? true : null));
  await eventually('nothing is told', async () => ((await readClaimProblems(target.database)).length === 0 ? 1 : null));
  const asked = await target.database.query(
    `select t.turn, t.usage is not null as answered from animus.turns t join animus.foci f on f.id = t.focus_id where f.work_item_id = $1`,
    [id],
  );
  expect(asked).toEqual([{ turn: 1, answered: true }]);
  expect(daemon.lines.filter((line) => line.includes('the database refuses to record the end'))).toHaveLength(1);
});
