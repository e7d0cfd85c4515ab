import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readStatus } from '../../src/features/operate/status/status.ts';
import { startTestDaemon } from '../support/daemon.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

const target = testDatabase({ anew: true });
const PROVIDER = '[providers.play]\nkind = "scripted"\nscript = "script.toml"\n';
/** Runs until the end of the test: the answer is delayed. */
const SCRIPT = '[[answer]]\ntext = "done"\ndelay_ms = 600000\n';

test('a daemon applies the settings that can change, lists those that need a restart, and keeps its settings if the file is invalid', async () => {
  const daemon = await startTestDaemon({
    databaseUrl: target.connectionString,
    script: SCRIPT,
    config: '[daemon]\nmax_concurrent = 1\npoll_seconds = 50\nshutdown_grace_seconds = 600\n',
    files: {
      'faculties/clerk.toml': '[faculty]\nname = "clerk"\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"\n',
    },
  });
  const write = (text: string) => daemon.write('animus.toml', `${text}\n${PROVIDER}`);
  const problems = async () =>
    (await readStatus(target.database)).daemons.flatMap((one) => one.problems.map((problem) => String(problem)));
  const running = (count: number) =>
    eventually(`${count} run\n${daemon.lines.join('\n')}`, async () => {
      const rows = await target.database.query(`select from animus.work_items where state = 'running'`);
      return rows.length === count ? true : null;
    });

  await target.database.query(`insert into animus.work_items (faculty) select 'clerk' from generate_series(1, 3)`);
  await running(1);
  write('[daemon]\nmax_concurrent = 2\npoll_seconds = 50\nshutdown_grace_seconds = 600\n');
  await running(2);
  expect((await readStatus(target.database)).daemons.map((one) => one.max_concurrent)).toEqual([2]);
  expect(await problems()).toEqual([]);

  write('[daemon]\nmax_concurrent = 2\npoll_seconds = 50\nlease_seconds = 120\nshutdown_grace_seconds = 600\n');
  await eventually('status says what waits for a restart', async () =>
    (await problems()).some((line) =>
      /animus\.toml: daemon\.lease_seconds was changed; it takes effect when/.test(line),
    )
      ? true
      : null,
  );
  write('[daemon]\nmax_concurrent = "three"\n');
  await eventually('status shows the broken file', async () =>
    (await problems()).some((line) =>
      /animus\.toml:2: daemon\.max_concurrent: .*the previous settings stay in force/.test(line),
    )
      ? true
      : null,
  );
  rmSync(join(daemon.directory, 'animus.toml'));
  await eventually('status says that it is gone', async () =>
    (await problems()).some((line) => /it no longer exists.*the previous settings stay in force/.test(line))
      ? true
      : null,
  );
  await running(2);

  // The newest grace time applies, too: with the old one, the end would take ten minutes.
  write('[daemon]\nmax_concurrent = 3\npoll_seconds = 50\nshutdown_grace_seconds = 0\n');
  await running(3);
  expect(await problems()).toEqual([]);
  const lines = (level: string) => daemon.lines.filter((line) => line.startsWith(`${level} `));
  expect(lines('error')).toHaveLength(2);
  expect(lines('warn').filter((line) => line.includes('lease_seconds'))).toHaveLength(1);
  await target.database.query(`select animus.cancel_work(id) from animus.work_items`);
  await daemon.stop();
});

test('[budget] counts as it is written now: a faculty that it forbids is served once it is taken out, and no longer once it is there again', async () => {
  await target.database.query('delete from animus.work_items where resolved_at is not null');
  const forbids = '[budget]\nmax_usd_per_day = 0.5\n';
  const rest = '[models."play/dear"]\nusd_per_million = { input = 1, output = 1000 }\n';
  const daemon = await startTestDaemon({
    databaseUrl: target.connectionString,
    script: '[[answer]]\ntext = "done"\n',
    config: `${forbids}${rest}`,
    files: {
      'faculties/cheap.toml': faculty('cheap', 'play/x'),
      // 1000 tokens cost one dollar.
      'faculties/dear.toml': faculty('dear', 'play/dear'),
    },
  });
  const write = (text: string) => daemon.write('animus.toml', `${text}${rest}${PROVIDER}`);
  const served = async () => {
    const { daemons } = await readStatus(target.database);
    const live = daemons.filter(({ stopped_at: stopped }) => stopped === null);
    const limits = await target.database.query(`select from animus.budget_limits where scope = 'appliance'`);
    const problems = live.flatMap((one) => one.problems.map(String)).filter((line) => line.includes('[budget]'));
    return { faculties: live.flatMap((one) => one.faculties).toSorted(), limits: limits.length, problems };
  };
  const submit = async () => {
    const [item] = await target.database.query<{ id: string }>(
      `insert into animus.work_items (faculty) values ('dear') returning id`,
    );
    return item!.id;
  };
  const becomes = (expected: Awaited<ReturnType<typeof served>>['faculties'], limits: number, problems: number) =>
    eventually(`it serves ${expected.join()}\n${daemon.lines.join('\n')}`, async () => {
      const now = await served();
      return now.faculties.join() === expected.join() && now.limits === limits && now.problems.length === problems
        ? true
        : null;
    });
  await becomes(['cheap'], 1, 1);
  const item = await submit();

  write('');
  await becomes(['cheap', 'dear'], 0, 0);
  await eventually('its work is done', async () => {
    const [row] = await target.database.query<{ state: string }>('select state from animus.work_items where id = $1', [
      item,
    ]);
    return row!.state === 'completed' ? true : null;
  });

  write(forbids);
  await becomes(['cheap'], 1, 1);
  // It waits, and does not die of a limit that it could never keep.
  const later = await submit();
  write(forbids.replace('0.5', '50'));
  await becomes(['cheap', 'dear'], 1, 0);
  await eventually('its work is done', async () => {
    const [row] = await target.database.query<{ state: string }>('select state from animus.work_items where id = $1', [
      later,
    ]);
    return row!.state === 'completed' ? true : null;
  });
  await daemon.stop();
});

const faculty = (name: string, model: string) =>
  `[faculty]\nname = "${name}"\n[faculty.engage]\nmodel = "${model}"\nsystem_prompt = "p"\nmax_tokens = 1000\n`;
