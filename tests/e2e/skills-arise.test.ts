/** How a skill arises, as docs/skills.md tells it and the files of docs/examples/skills run it. */
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeSite, runAnimus, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';

const EXAMPLE = new URL('../../docs/examples/skills/', import.meta.url).pathname;
const PAGE = readFileSync(new URL('../../docs/skills.md', import.meta.url), 'utf8');
const SKILL = 'run-timezone-tests';

/** The example, with a faculty changed. */
function site(databaseUrl: string, change: (text: string) => string = (text) => text): Site {
  const text = (name: string) => readFileSync(join(EXAMPLE, name), 'utf8');
  const made = makeSite({
    modelUrl: null,
    databaseUrl,
    config: text('animus.toml'),
    faculties: { engineer: text('faculties/engineer.toml'), scribe: change(text('faculties/scribe.toml')) },
    files: { 'script.toml': text('script.toml') },
  });
  for (const name of ['hooks', 'skills']) cpSync(join(EXAMPLE, name), join(made.directory, name), { recursive: true });
  return made;
}

describe.each([
  ['a person approves it', (text: string) => text, true],
  ['nobody is asked', (text: string) => text.replace('skill_creation = "ask"', 'skill_creation = true'), false],
])('three foci find the same, a skill is written, and %s', (_name, change, asks) => {
  const pg = testDatabase({ anew: true });

  test('the fourth focus has it', async () => {
    const here = site(pg.connectionString, change);
    await startDaemon(here);
    const first = [];
    for (const subject of ['invoices', 'calendar', 'reports'])
      first.push(await repaired(`Repair the timezone test of the ${subject}`));
    expect(first.map(({ turns }) => turns)).toEqual([2, 2, 2]);

    const proposal = await eventually('the scribe has written', async () => {
      const [item] = await pg.database.query<{ id: string; state: string; description: string }>(
        `select id, state, description from animus.work_items where faculty = 'scribe'`,
      );
      return item?.state === 'completed' ? item : null;
    });
    expect(proposal.description).toMatch(/^3 items of work have found the same/);
    if (asks) {
      expect((await runAnimus(here, ['inbox'])).stdout).toContain(SKILL);
      expect(existsSync(join(here.directory, 'skills', SKILL))).toBe(false);
      const approved = await runAnimus(here, ['skill', 'approve', SKILL, '--note', 'true in all our repositories']);
      expect(approved.exit, approved.stderr).toBe(0);
    }
    await eventually(
      'its files are written',
      () => existsSync(join(here.directory, 'skills', SKILL, 'SKILL.md')) || null,
    );

    // A daemon notices the new files within seconds; until then, work finds it out again.
    const fourth = await eventually('a focus has the skill', async () => {
      const done = await repaired('Repair the timezone test of the letters');
      return done.turns === 1 ? done : null;
    });
    expect(fourth.told).toContain('Set TZ=UTC for the test run');
    expect(
      await pg.database.query('select skill, reason, faculty from animus.skill_activations where work_item_id = $1', [
        fourth.id,
      ]),
    ).toEqual([{ skill: SKILL, reason: 'auto', faculty: 'engineer' }]);

    await expectChain(
      first.map(({ id }) => id),
      proposal.id,
      fourth.id,
    );
    await expectStats(here);
  }, 180_000);

  interface Done {
    readonly id: string;
    readonly turns: number;
    /** The first message. */
    readonly told: string;
  }

  async function repaired(description: string): Promise<Done> {
    const [row] = await pg.database.query<{ id: string }>(
      `insert into animus.work_items (faculty, description) values ('engineer', $1) returning id`,
      [description],
    );
    return eventually(`${description} is done`, async () => {
      const [done] = await pg.database.query<Done>(
        `select w.id, w.turns,
                (select string_agg(m.content, E'\n' order by m.seq) from animus.focus_messages m join animus.foci f on f.id = m.focus_id
                  where f.work_item_id = w.id and m.after_turn = 0) as told
           from animus.work_items w where w.id = $1 and w.state = 'completed'`,
        [row!.id],
      );
      return done ?? null;
    });
  }

  /** The query of the page, from the sentences of the skill to the entries, who wrote and allowed it, and who used it. */
  async function expectChain(found: readonly string[], written: string, used: string): Promise<void> {
    const query = /The whole chain[^]*?```sql[^\n]*\n([^]*?)```/
      .exec(PAGE)?.[1]
      ?.replaceAll('run-timezone-tests', SKILL);
    const rows = await pg.database.query(query!);
    expect(rows.map((row) => [row['found_by'], row['entry'], row['written_by'], row['supports']]).toSorted()).toEqual(
      found.map((id) => [id, 1, written, 'Set TZ=UTC for the test run']).toSorted(),
    );
    for (const row of rows) {
      expect(row['finding']).toContain('TZ=UTC');
      expect(row['proposed_as']).toBe(written);
      expect(row['decided_by'] !== null).toBe(asks);
      expect(row['used_by']).toContain(used);
    }
  }

  /** The one with the skill needed half of the turns of the others. */
  async function expectStats(here: Site): Promise<void> {
    const shown = await runAnimus(here, ['skill', 'stats', SKILL, '--json']);
    const { skills } = JSON.parse(shown.stdout) as { skills: { without: { items: number; turns: number } }[] };
    expect(skills).toMatchObject([{ skill: SKILL, activations: 1, with: { items: 1, completed_share: 1, turns: 1 } }]);
    const { items, turns } = skills[0]!.without;
    expect(items).toBeGreaterThanOrEqual(3);
    expect(turns).toBe(2 * items);
  }
});
