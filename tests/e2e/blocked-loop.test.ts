/** Promise: a daemon whose event loop is blocked says where, gives its work up before the lease ends, and obeys SIGTERM. */
import { resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type LaunchedDaemon, makeSite, runAnimus, type Site, startDaemon } from '../support/daemon-process.ts';
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
tools = ["bash"]
`;
const CONFIG = '[daemon]\nlease_seconds = 10\npoll_seconds = 0.5\n';
const HOOK = resolve(import.meta.dirname, '../support/blocked-loop.mjs');

describe('a daemon whose event loop is blocked', () => {
  const pg = testDatabase({ anew: true });

  async function startWatched(site: Site, env: Record<string, string> = {}): Promise<LaunchedDaemon> {
    const daemon = await startDaemon(site, [], { NODE_OPTIONS: `--import=${HOOK}`, LOG_LEVEL: 'debug', ...env });
    await daemon.says('a thread watches the event loop');
    expect(daemon.output()).toContain('"signals":true');
    return daemon;
  }

  it('gives its work up, with what it ran in the log; another daemon goes on; and it ends', async () => {
    const nap = `3600.${process.pid}${Date.now() % 1000}`;
    const server = await startModelServer([
      { content: [toolUse('nap', 'bash', { command: `sleep ${nap}` })] },
      { content: [text('Done after all.')] },
    ]);
    onTestFinished(() => server.close());
    const config = { modelUrl: server.url, databaseUrl: pg.connectionString, config: CONFIG };
    const site = makeSite({ ...config, faculties: { worker: FACULTY } });
    const first = await startWatched(site);
    const [row] = await pg.database.query<{ id: string }>(
      `insert into animus.work_items (faculty, description) values ('worker', 'nap') returning id`,
    );
    await eventually('the sleep runs', () => (sleepingProcesses(nap) > 0 ? true : null));
    process.kill(first.pid, 'SIGUSR2');
    await first.says('the event loop is blocked');
    expect(first.output()).toContain('blockLoop (');
    expect(Number(/\bseconds\b\W+([\d.]+)/.exec(first.output())?.[1])).toBeLessThan(60);
    await first.says('gave up the work of this daemon');
    const second = await startDaemon(makeSite({ ...config, faculties: { worker: FACULTY } }));
    const item = await eventually('the item ends', async () => {
      const [found] = await pg.database.query<{ state: string; deaths: number }>(
        `select state, attempts, deaths, outcome from animus.work_items where id = $1 and resolved_at is not null`,
        [row!.id],
      );
      return found ?? null;
    });
    expect(item).toEqual({ state: 'completed', attempts: 0, deaths: 1, outcome: { text: 'Done after all.' } });
    expect(sleepingProcesses(nap)).toBe(0);
    expect((await runAnimus(site, ['status'])).stdout).toMatch(/was\s+blocked\s+for/);
    expect(second.output()).toContain('running this work alone');

    // By itself, once nothing that it held is its own.
    expect(await first.exited).toBe('SIGKILL');
    expect(first.output()).toContain('has been blocked for too long');
  }, 180_000);

  it('twice, each time with the same work, alone: the work is dead', async () => {
    const nap = `3600.${process.pid}${Date.now() % 1000}2`;
    const server = await startModelServer(() => ({ content: [toolUse('nap', 'bash', { command: `sleep ${nap}` })] }));
    onTestFinished(() => server.close());
    const site = makeSite({
      modelUrl: server.url,
      databaseUrl: pg.connectionString,
      config: CONFIG,
      faculties: { worker: FACULTY },
    });
    const [row] = await pg.database.query<{ id: string }>(
      `insert into animus.work_items (faculty, description) values ('worker', 'nap') returning id`,
    );
    for (let nth = 1; nth <= 2; nth++) {
      const daemon = await startWatched(site);
      await eventually('the sleep runs', () => (sleepingProcesses(nap) > 0 ? true : null));
      process.kill(daemon.pid, 'SIGUSR2');
      // The second time the process ends before its work is given up, as one does that has run out of memory.
      await daemon.says(nth === 1 ? 'gave up the work of this daemon' : 'the event loop is blocked');
      if (nth === 2)
        await eventually('the database knows', async () => {
          const rows = await pg.database.query(
            `select from animus.daemons where stands_since is not null and pid = $1`,
            [daemon.pid],
          );
          return rows.length > 0 ? true : null;
        });
      await daemon.kill('SIGKILL');
      await daemon.exited;
    }
    const third = await startDaemon(site);
    const error = await eventually('the item ends', async () => {
      const [found] = await pg.database.query<{ error: unknown }>(
        `select error from animus.work_items where id = $1 and state = 'dead'`,
        [row!.id],
      );
      return found?.error ?? null;
    });
    expect(error).toMatchObject({
      code: 'work.poison',
      message: expect.stringContaining('its event loop was blocked'),
    });
    await third.kill('SIGTERM');
  }, 180_000);

  it('gives its work back when it is asked to end', async () => {
    const nap = `3600.${process.pid}${Date.now() % 1000}1`;
    const server = await startModelServer([{ content: [toolUse('nap', 'bash', { command: `sleep ${nap}` })] }]);
    onTestFinished(() => server.close());
    const site = makeSite({
      modelUrl: server.url,
      databaseUrl: pg.connectionString,
      config: '[daemon]\nlease_seconds = 600\n',
      faculties: { worker: FACULTY },
    });
    const daemon = await startWatched(site);
    const [row] = await pg.database.query<{ id: string }>(
      `insert into animus.work_items (faculty, description) values ('worker', 'nap') returning id`,
    );
    await eventually('the sleep runs', () => (sleepingProcesses(nap) > 0 ? true : null));
    process.kill(daemon.pid, 'SIGUSR2');
    await daemon.says('the event loop is blocked');
    await daemon.kill('SIGTERM');
    expect(await daemon.exited).toBe('SIGKILL');
    expect(daemon.output()).toContain('does not handle a signal to end');
    const [item] = await pg.database.query(
      `select state, lease_owner, run_at < now() + interval '9 s' as soon from animus.work_items where id = $1`,
      [row!.id],
    );
    expect(item).toEqual({ state: 'scheduled', lease_owner: null, soon: true });
    await eventually('its commands are gone', () => (sleepingProcesses(nap) === 0 ? true : null));
    await pg.database.query(`select animus.cancel_work($1)`, [row!.id]);
  }, 180_000);

  it('for a moment while it drains is not ended for that', async () => {
    const server = await startModelServer([
      { content: [toolUse('nap', 'bash', { command: 'sleep 14' })] },
      { content: [text('Done.')] },
    ]);
    onTestFinished(() => server.close());
    const site = makeSite({
      modelUrl: server.url,
      databaseUrl: pg.connectionString,
      config: '[daemon]\nshutdown_grace_seconds = 60\n',
      faculties: { worker: FACULTY },
    });
    const daemon = await startWatched(site, { BLOCK_MS: '2500' });
    const [row] = await pg.database.query<{ id: string }>(
      `insert into animus.work_items (faculty, description) values ('worker', 'nap') returning id`,
    );
    await eventually('the command runs', async () => {
      const rows = await pg.database.query(
        `select from animus.tool_calls c join animus.foci f on f.id = c.focus_id
          where f.work_item_id = $1 and c.state = 'started'`,
        [row!.id],
      );
      return rows.length > 0 ? true : null;
    });
    process.kill(daemon.pid, 'SIGTERM');
    // Longer than a loop that is blocked has to handle the signal.
    await new Promise((resolve) => setTimeout(resolve, 6000));
    process.kill(daemon.pid, 'SIGUSR2');
    await daemon.says('the event loop was blocked');
    expect(await daemon.exited).toBe(0);
    await pg.database.query(`select animus.cancel_work(id) from animus.work_items where resolved_at is null`);
  }, 180_000);

  it('goes on when the loop does, keeps its work, and shows it', async () => {
    const server = await startModelServer([{ content: [text('Done.')] }]);
    onTestFinished(() => server.close());
    const site = makeSite({
      modelUrl: server.url,
      databaseUrl: pg.connectionString,
      config: '',
      faculties: { worker: FACULTY },
    });
    const daemon = await startWatched(site, { BLOCK_MS: '2500' });
    process.kill(daemon.pid, 'SIGUSR2');
    await daemon.says('the event loop was blocked');
    await eventually('status shows it', async () =>
      /was\s+blocked\s+for/.test((await runAnimus(site, ['status'])).stdout) ? true : null,
    );
    const [row] = await pg.database.query<{ id: string }>(
      `insert into animus.work_items (faculty, description) values ('worker', 'quick') returning id`,
    );
    await eventually('it works', async () => {
      const [found] = await pg.database.query(`select from animus.work_items where id = $1 and state = 'completed'`, [
        row!.id,
      ]);
      return found ?? null;
    });
    await daemon.kill('SIGTERM');
    expect(await daemon.exited).toBe(0);
  }, 180_000);
});
