import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeSite, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { sleepingProcesses } from '../support/sleeping-processes.ts';

const FACULTY = `
[faculty]
name = "importer"
[faculty.engage]
mode = "external"
command = "../work.sh"
`;

const pg = testDatabase({ anew: true });

it('a daemon that is killed takes its command with it; the next one runs the command again for the same focus', async () => {
  const nap = `3600.${process.pid}4`;
  const site = makeSite({
    modelUrl: 'http://127.0.0.1:9',
    databaseUrl: pg.connectionString,
    config: '[daemon]\nlease_seconds = 5\npoll_seconds = 1\n',
    faculties: { importer: FACULTY },
  });
  const runs = join(site.directory, 'runs');
  const script = join(site.directory, 'work.sh');
  writeFileSync(
    script,
    `#!/bin/sh
echo "$ANIMUS_FOCUS_ID" >> '${runs}'
if [ "$(wc -l < '${runs}')" -eq 1 ]; then setsid sleep ${nap} & sleep ${nap}; fi
echo '{"outcome": {"runs": '"$(wc -l < '${runs}')"'}}'
`,
  );
  chmodSync(script, 0o755);

  const first = await startDaemon(site);
  const [row] = await pg.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ('importer', 'rows') returning id`,
  );
  await eventually('the command and its own daemon run', () => (sleepingProcesses(nap) >= 2 ? true : null));
  await first.kill('SIGKILL');
  await eventually('nothing of it is left', () => (sleepingProcesses(nap) === 0 ? true : null), 5);

  await startDaemon(site);
  const item = await eventually('the item ends', async () => {
    const [found] = await pg.database.query(
      'select state, attempts, outcome from animus.work_items where id = $1 and resolved_at is not null',
      [row!.id],
    );
    return found ?? null;
  });
  expect(item).toEqual({ state: 'completed', attempts: 0, outcome: { runs: 2 } });
  const ids = readFileSync(runs, 'utf8').trim().split('\n');
  const foci = await pg.database.query<{ id: string }>('select id, resumes, ended_as from animus.foci');
  expect(foci).toEqual([{ id: ids[0], resumes: 1, ended_as: 'completed' }]);
  expect(ids).toEqual([ids[0], ids[0]]);
}, 180_000);
