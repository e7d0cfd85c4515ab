import { expect, it } from 'vitest';
import { makeSite, runAnimus, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, messagesOf, startModelServer } from '../support/model-server/either-wire.ts';

const FACULTY = `
[faculty]
name = "runner"
run_deadline_seconds = 3600
[faculty.engage]
model = "${MODEL}"
system_prompt = "You run."
tools = ["bash"]
bash_isolation = "none"
[faculty.permissions]
bash = "auto"
[faculty.recover]
max_attempts = 9
base_seconds = 600
`;

const pg = testDatabase({ anew: true });

it('the deadline counts the time a focus runs, across waits and kills, and not the time it waits or lies dead', async () => {
  // Turn 1 waits, turn 2 acts and is killed, turn 3 acts and is killed, turn 4 is the end.
  const server = await startModelServer((body) => {
    const turn = messagesOf(body).filter(({ role }) => role === 'assistant').length + 1;
    if (turn === 1) return { content: [toolUse('wait', 'wait_until', { seconds: 36_000, reason: 'the night' })] };
    if (turn > 3) return { content: [text('All is run.')] };
    return { content: [toolUse(`run${turn}`, 'bash', { command: 'sleep 600' })] };
  });
  const site = makeSite({
    modelUrl: server.url,
    databaseUrl: pg.connectionString,
    config: '[daemon]\nlease_seconds = 5\npoll_seconds = 0.2\n',
    faculties: { runner: FACULTY },
  });
  const [row] = await pg.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ('runner', 'Run') returning id`,
  );
  const { id } = row!;
  const item = async () =>
    (await pg.database.query(`select state, error ->> 'code' as code from animus.work_items where id = $1`, [id]))[0]!;
  const startedCall = (callId: string) =>
    eventually(`${callId} runs`, async () => {
      const rows = await pg.database.query(`select from animus.tool_calls where call_id = $1 and state = 'started'`, [
        callId,
      ]);
      return rows.length === 1 ? true : null;
    });
  /** As if the model had taken this long for the turn. */
  const took = (turn: number, minutes: number) =>
    pg.database.query(`update animus.turns set duration_ms = $2 where turn = $1`, [turn, minutes * 60_000]);

  let daemon = await startDaemon(site);
  await eventually('it waits', async () => ((await item())['state'] === 'waiting' ? true : null));
  await took(1, 20);
  await pg.database.query(
    `update animus.tool_calls set started_at = started_at - interval '10 hours' where call_id = 'wait'`,
  );
  await pg.database.query(`update animus.waits set created_at = created_at - interval '10 hours'`);
  await pg.database.query(`select animus.resolve_wait($1, 'wait', '{"due": true}')`, [id]);
  // Neither ten hours of waiting nor twenty minutes of work end it.
  await startedCall('run2');
  await daemon.kill('SIGKILL');
  await took(2, 20);
  daemon = await startDaemon(site);
  await startedCall('run3');
  await daemon.kill('SIGKILL');
  expect(await item()).toMatchObject({ state: 'running' });

  await took(3, 20);
  daemon = await startDaemon(site);
  await eventually('the attempt is over', async () => ((await item())['code'] === 'focus.deadline' ? true : null));
  const { stdout } = await runAnimus(site, ['work', 'show', id]);
  expect(stdout).toContain('not done within run_deadline_seconds (3600 s)');
}, 180_000);
