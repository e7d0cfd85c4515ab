// Also on the wires openai, responses.
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeSite, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, startModelServer } from '../support/model-server/either-wire.ts';
import { sleepingProcesses } from '../support/sleeping-processes.ts';

const FACULTY = `
[faculty]
name = "worker"
description = "Works"
[faculty.engage]
model = "${MODEL}"
system_prompt = "You work."
tools = ["bash", "list_dir"]
`;
const CONFIG = '[daemon]\nlease_seconds = 5\npoll_seconds = 1\n';

describe('a daemon that is killed in the middle of a run', () => {
  const pg = testDatabase({ anew: true });

  it('leaves no process, and the next one continues where it stopped, without paying or acting twice', async () => {
    // A sleep length that no other process on the machine uses.
    const nap = `3600.${process.pid}${Date.now() % 1000}`;
    const server = await startModelServer([
      {
        content: [
          toolUse('list', 'list_dir', { path: '.' }),
          toolUse('note', 'ledger_append', { type: 'finding', content: 'before the kill' }),
          toolUse('nap', 'bash', { command: `setsid sleep ${nap} & sleep ${nap}` }),
        ],
      },
      { content: [text('Done after all.')] },
    ]);
    onTestFinished(() => server.close());
    const site = makeSite({
      modelUrl: server.url,
      databaseUrl: pg.connectionString,
      config: CONFIG,
      faculties: { worker: FACULTY },
    });
    const first = await startDaemon(site);
    const [row] = await pg.database.query<{ id: string }>(
      `insert into animus.work_items (faculty, description) values ('worker', 'nap') returning id`,
    );
    await eventually('both sleeps run', () => (sleepingProcesses(nap) >= 2 ? true : null));
    await eventually('the other calls are recorded', async () => {
      const [done] = await pg.database.query(`select from animus.tool_calls where state = 'done' having count(*) = 2`);
      return done ?? null;
    });

    await first.kill('SIGKILL');
    await eventually(
      'every process of the killed daemon is gone',
      () => (sleepingProcesses(nap) === 0 ? true : null),
      5,
    );

    await startDaemon(site);
    const item = await eventually('the item ends', async () => {
      const [found] = await pg.database.query<{ state: string; attempts: number; outcome: unknown }>(
        `select state, attempts, outcome from animus.work_items where id = $1 and resolved_at is not null`,
        [row!.id],
      );
      return found ?? null;
    });
    // The end of a daemon is not an attempt.
    expect(item).toEqual({ state: 'completed', attempts: 0, outcome: { text: 'Done after all.' } });

    // Two requests in total: the recorded answer was not requested again.
    expect(server.requests).toHaveLength(2);
    const calls = await pg.database.query(`select call_id, state, output from animus.tool_calls order by position`);
    expect(calls.map((call) => [call['call_id'], call['state']])).toEqual([
      ['list', 'done'],
      ['note', 'done'],
      ['nap', 'in_doubt'],
    ]);
    expect(calls[2]!['output']).toMatch(/^interrupted: .* may or may not have happened/);
    const ledger = await pg.database.query(`select content from animus.work_ledger`);
    expect(ledger).toEqual([{ content: 'before the kill' }]);
    const foci = await pg.database.query(`select number, resumes, ended_as from animus.foci`);
    expect(foci).toEqual([{ number: 1, resumes: 1, ended_as: 'completed' }]);
  }, 180_000);

  it('SIGTERM lets a running focus finish, then the daemon exits', async () => {
    const server = await startModelServer([
      { content: [toolUse('wait', 'bash', { command: 'sleep 1; echo waited' })] },
      { content: [text('Finished in the grace time.')] },
    ]);
    onTestFinished(() => server.close());
    const site = makeSite({
      modelUrl: server.url,
      databaseUrl: pg.connectionString,
      config: CONFIG,
      faculties: { worker: FACULTY },
    });
    const daemon = await startDaemon(site);
    const [row] = await pg.database.query<{ id: string }>(
      `insert into animus.work_items (faculty, description) values ('worker', 'wait') returning id`,
    );
    await server.received(1);
    await daemon.kill('SIGTERM');

    const [item] = await pg.database.query(`select state, outcome, attempts from animus.work_items where id = $1`, [
      row!.id,
    ]);
    expect(item).toEqual({ state: 'completed', outcome: { text: 'Finished in the grace time.' }, attempts: 0 });
    expect(await daemon.exited).toBe(0);
  });

  it('a second SIGTERM stops at once and releases the work without using up an attempt', async () => {
    const nap = `3600.${process.pid}${Date.now() % 1000}7`;
    const server = await startModelServer([{ content: [toolUse('nap', 'bash', { command: `sleep ${nap}` })] }]);
    onTestFinished(() => server.close());
    const site = makeSite({
      modelUrl: server.url,
      databaseUrl: pg.connectionString,
      config: CONFIG,
      faculties: { worker: FACULTY },
    });
    const daemon = await startDaemon(site);
    const [row] = await pg.database.query<{ id: string }>(
      `insert into animus.work_items (faculty, description) values ('worker', 'long nap') returning id`,
    );
    await eventually('the sleep runs', () => (sleepingProcesses(nap) > 0 ? true : null));
    void daemon.kill('SIGTERM');
    await eventually('it says that it is ending', () => (daemon.output().includes('shutting down') ? true : null));
    await new Promise((resolve) => setTimeout(resolve, 300)); // two of a kind within 250 ms count as one
    await daemon.kill('SIGTERM');

    expect(await daemon.exited).toBe(143);
    expect(sleepingProcesses(nap)).toBe(0);
    const [item] = await pg.database.query(`select state, attempts from animus.work_items where id = $1`, [row!.id]);
    expect(item).toEqual({ state: 'queued', attempts: 0 });
    await pg.database.query(`select animus.cancel_work($1)`, [row!.id]);
  });
});
