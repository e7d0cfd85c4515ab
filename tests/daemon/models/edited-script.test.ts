import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const pg = testDatabase();
const FACULTY = '[faculty]\nname = "worker"\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"\n';
const says = (text: string) => `[[answer]]\ntext = "${text}"\n`;

async function submit(): Promise<string> {
  const [row] = await pg.database.query<{ id: string }>(`select id from animus.submit_work('worker', 'do it')`);
  return row!.id;
}

async function ended(id: string): Promise<string> {
  return eventually('the end', async () => {
    const [row] = await pg.database.query<{ said: string | null }>(
      `select outcome_summary as said from animus.work_items where id = $1 and state = 'completed'`,
      [id],
    );
    return row?.said ?? null;
  });
}

test('an edited script plays from the next focus on; while it is broken or gone, the last good one does', async () => {
  const daemon = await startTestDaemon({
    databaseUrl: pg.connectionString,
    script: says('first'),
    files: { 'faculties/worker.toml': FACULTY },
  });
  const broken = () => daemon.lines.filter((line) => line.includes('a script is broken')).length;
  expect(await ended(await submit())).toBe('first');

  daemon.write('script.toml', says('other'));
  expect(await ended(await submit())).toBe('other');

  daemon.write('script.toml', '[[answer]\n');
  expect([await ended(await submit()), await ended(await submit()), broken()]).toEqual(['other', 'other', 1]);
  expect(daemon.lines.find((line) => line.includes('a script is broken'))).toMatch(
    /^error a script is broken; its last good version stays: .*script\.toml: line 1/,
  );

  rmSync(join(daemon.directory, 'script.toml'));
  expect([await ended(await submit()), broken()]).toEqual(['other', 2]);

  daemon.write('script.toml', says('mended'));
  expect(await ended(await submit())).toBe('mended');
});

test('a focus that has begun keeps its script until it continues elsewhere or after a wait', async () => {
  const daemon = await startTestDaemon({
    databaseUrl: pg.connectionString,
    script: `[[answer]]\n[[answer.call]]\ntool = "ask_human"\ninput = { question = "Go on?" }\n${says('as it was')}`,
    files: { 'faculties/worker.toml': FACULTY },
  });
  const id = await submit();
  await eventually('the question', async () => {
    const rows = await pg.database.query(`select from animus.waits where work_item_id = $1 and resolved_at is null`, [
      id,
    ]);
    return rows.length === 1 ? true : null;
  });
  daemon.write('script.toml', `${says('one')}${says('as it is now')}`);
  await pg.database.query(`select animus.answer($1, 'yes')`, [id]);
  expect(await ended(id)).toBe('as it is now');
});
