import { expect, test } from 'vitest';
import { startTestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { skillText } from '../../support/skill-tree.ts';

const pg = testDatabase();

async function problems(): Promise<string[]> {
  const rows = await pg.database.query<{ problems: string[] }>(
    'select problems from animus.daemons where stopped_at is null',
  );
  return rows.flatMap((row) => row.problems).filter((line) => line.includes('skill'));
}

test('status shows the skills that a daemon has left out, until they are repaired', async () => {
  const daemon = await startTestDaemon({
    databaseUrl: pg.connectionString,
    script: '[[answer]]\ntext = "Done."\n',
    files: {
      'faculties/worker.toml': '[faculty]\nname = "worker"\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"\n',
      'skills/bad/SKILL.md': '---\nname: bad\n',
      'skills/good/SKILL.md': skillText('good'),
    },
    skills: true,
  });

  const shown = await eventually('the problem', async () => (await problems())[0] ?? null);
  expect(shown).toMatch(/^a skill is left out: .*skills\/bad\/SKILL\.md:1: its front matter has no end/);

  daemon.write('skills/bad/SKILL.md', skillText('bad'));
  await eventually('no problem', async () => ((await problems()).length === 0 ? true : null));

  daemon.write('skills/good/SKILL.md', '---\nname: good\n');
  const kept = await eventually('the problem of a skill that was good', async () => (await problems())[0] ?? null);
  expect(kept).toMatch(/^a skill is broken, its last good version stays: .*skills\/good\/SKILL\.md:1: /);
});
