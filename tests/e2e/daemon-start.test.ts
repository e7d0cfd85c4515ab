/** The start of a daemon is a list of steps, and a connection lost in any of them is retried. */
import { expect, test } from 'vitest';
import { AnimusError } from '../../src/core/errors/errors.ts';
import { type Clock, systemClock } from '../../src/core/lifecycle/clock.ts';
import { takeSteps } from '../../src/daemon/presence/await-database.ts';
import { silentLog } from '../../src/telemetry/silent-log.ts';
import { startTestDaemon } from '../support/daemon.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';

const target = testDatabase();

/** Shortens pauses between retries, because there are dozens of them; deadlines are unchanged. */
const hurried: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(ms > 60_000 ? ms : Math.min(ms, 50), signal),
};

const FILES = {
  'faculties/smith.toml':
    '[faculty]\nname = "smith"\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"\ntools = []\n',
};

test('a connection lost at any statement only delays the start and the first work', async () => {
  const proxy = await startPostgresProxy(target.connectionString);
  const cut: string[] = [];
  proxy.watchStatements((sql) => {
    const kind = sql.replace(/\s+/g, ' ').slice(0, 80);
    if (cut.includes(kind)) return 'pass';
    cut.push(kind);
    return 'end';
  });
  const daemon = await startTestDaemon({
    databaseUrl: proxy.url,
    script: '[[answer]]\ntext = "Done."\n',
    config: '[daemon]\npoll_seconds = 0.2\nlease_seconds = 20\n',
    files: FILES,
    clock: hurried,
  });
  const ofTheStart = cut.filter((kind) => /^listen|register_daemon|schema_migrations|from animus\.foci/.test(kind));
  expect(ofTheStart.length, cut.join('\n')).toBeGreaterThanOrEqual(6);

  const [item] = await target.database.query<{ id: string }>(
    `insert into animus.work_items (faculty) values ('smith') returning id`,
  );
  const ended = await eventually(`the item is over`, async () => {
    const [row] = await target.database.query(
      'select state, attempts, turns from animus.work_items where id = $1 and resolved_at is not null',
      [item!.id],
    );
    return row ?? null;
  });
  expect(ended).toEqual({ state: 'completed', attempts: 0, turns: 1 });
  await daemon.stop();
});

const unreachable = () => new AnimusError('db.unreachable', { where: 'x', detail: 'gone', hint: '' });

test('completed steps are not repeated, and an error that waiting cannot fix ends the start', async () => {
  const done: string[] = [];
  let losses = 2;
  const steps = [
    async () => void done.push('one'),
    async () => {
      done.push('two');
      if (losses-- > 0) throw unreachable();
    },
    async () => {
      throw new AnimusError('db.refused', { where: 'x', detail: 'wrong password', hint: '' });
    },
    async () => void done.push('never'),
  ];
  const ending = new AbortController();
  const means = { clock: hurried, log: silentLog, ending: ending.signal };
  await expect(takeSteps(steps, means)).rejects.toMatchObject({ code: 'db.refused' });
  expect(done).toEqual(['one', 'two', 'two', 'two']);
});

test('waiting for the database can be aborted', async () => {
  const ending = new AbortController();
  const means = { clock: hurried, log: silentLog, ending: ending.signal };
  const waiting = takeSteps([() => Promise.reject(unreachable())], means);
  ending.abort();
  expect(await waiting).toBe(false);
});
