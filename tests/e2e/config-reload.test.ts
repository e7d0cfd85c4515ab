import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readStatus } from '../../src/store/views/status-view.ts';
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
  expect(daemon.lines.filter((line) => line.startsWith('error '))).toHaveLength(3);
  await target.database.query(`select animus.cancel_work(id) from animus.work_items`);
  await daemon.stop();
});
