/** Promise: a skill that work writes, by a tool or by its consolidate hook, is rows at once and files as soon as nobody has to be asked any more. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { approveSkill, archiveSkill } from '../../../../src/features/skills/store.ts';
import { versionsOf } from '../../../store/skills/written-skills.ts';
import { startTestDaemon, type TestDaemon } from '../../../support/daemon.ts';
import { testDatabase } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';

const target = testDatabase();

const SCRIPT = `
[[answer]]
when = { task_contains = "learn" }
turn = 1
call = [
  { tool = "ledger_append", input = { type = "finding", content = "one line each is enough" } },
]
[[answer]]
when = { task_contains = "learn" }
turn = 2
call = [
  { tool = "create_skill", input = { name = "notes", description = "Writes notes", instructions = "One line each.", keywords = ["notes"], reason = "seen often" } },
  { tool = "create_skill", input = { name = "../etc", description = "d", instructions = "i" } },
  { tool = "update_skill", input = { name = "nosuch", version = 1, instructions = "i", reason = "r" } },
]
[[answer]]
when = { task_contains = "improve" }
turn = 1
call = [
  { tool = "update_skill", input = { name = "notes", version = 1, diff = "-One line each.\\n+Two lines each.", reason = "r" } },
  { tool = "update_skill", input = { name = "notes", version = 1, instructions = "Three.", reason = "r" } },
]
[[answer]]
when = { task_contains = "learn" }
turn = 3
text = "done"
[[answer]]
when = { task_contains = "improve" }
turn = 2
text = "done"
[[answer]]
turn = 1
text = "done"
`;

const HOOK = `#!/bin/sh
cat >/dev/null
echo '{"skills": [{"name": "by-hook", "description": "d", "instructions": "From the hook."}, {"name": "by-hook", "version": 7, "instructions": "x", "reason": "r"},
  {"name": "bad-file", "description": "d", "instructions": "i", "files": [{"path": "../x", "content": ""}]}, {"name": "no words"}],
  "ledger": [{"type": "rumour", "content": "it rains"}, {"type": "note", "content": "kept"}]}'
`;

const faculty = (name: string, consolidate: string) => `[faculty]
name = "${name}"
[faculty.engage]
model = "play/x"
system_prompt = "p"
[faculty.consolidate]
${consolidate}
[faculty.awareness]
enabled = false
`;

const start = () =>
  startTestDaemon({
    databaseUrl: target.connectionString,
    script: SCRIPT,
    skills: true,
    files: {
      'faculties/asks.toml': faculty('asks', ''),
      'faculties/free.toml': faculty('free', 'skill_creation = true'),
      'faculties/mute.toml': faculty('mute', 'skill_creation = false\ncommand = "./hook.sh"'),
      'faculties/hooked.toml': faculty('hooked', 'skill_creation = true\ncommand = "./hook.sh"'),
      'faculties/hook.sh': HOOK,
    },
  });

describe('a skill that work writes', () => {
  test('waits for a person, becomes files when it is approved, is changed by a diff, and goes when it is archived', async () => {
    const db = target.database;
    const daemon = await start();
    const learned = await run('asks', 'learn');
    expect(await results(learned)).toEqual([
      expect.stringContaining('entry 1'),
      expect.stringContaining('version 1 is proposed, and a person decides'),
      expect.stringContaining('a name has'),
      expect.stringContaining('no work has written a skill nosuch'),
    ]);
    expect(existsSync(join(daemon.directory, 'skills'))).toBe(false);
    const [asked] = await db.query<{ hash: string }>(
      `select hash from animus.inbox where subject = 'skill' and request ->> 'skill' = 'notes'`,
    );
    await approveSkill(db, { name: 'notes', note: 'good', hash: asked!.hash });
    expect(await written(daemon, 'notes', 'One line each.')).toContain('animus.version: "1"');

    const improved = await run('free', 'improve');
    expect(await results(improved)).toEqual([
      expect.stringContaining('skill notes: version 2 is current'),
      expect.stringMatching(
        /^nothing was changed: version 2 of skill notes is current by now, not 1.*Two lines each\./s,
      ),
    ]);
    await written(daemon, 'notes', 'Two lines each.');
    expect(await versionsOf(db, 'notes')).toEqual([
      [1, 'replaced', null],
      [2, 'current', 1],
    ]);
    const names = () => db.query('select name, origin from animus.skill_names');
    await eventually('the daemon has reported it', async () => ((await names()).length === 1 ? true : null));

    await archiveSkill(db, { name: 'notes', note: '' });
    await eventually('its files are gone', async () =>
      existsSync(join(daemon.directory, 'skills/notes')) ? null : true,
    );
  });

  test('may come from a consolidate hook, and what cannot be written does not fail the work', async () => {
    const db = target.database;
    const daemon = await start();
    const hooked = await run('hooked', 'x');
    await written(daemon, 'by-hook', 'From the hook.');
    expect(await versionsOf(db, 'by-hook')).toEqual([[1, 'current', null]]);
    const said = await db.query<{ content: string }>(
      'select content from animus.work_ledger where work_item_id = $1 order by seq',
      [hooked],
    );
    expect(said.map(({ content }) => content)).toEqual([
      expect.stringMatching(/^an entry that a hook printed for the ledger is wrong \(type.*\): \{"type":"rumour"/),
      'kept',
      expect.stringMatching(/^skill bad-file of the consolidate hook was not written: .*cannot be a file of a skill/),
      expect.stringMatching(/^a skill of the consolidate hook was not written \(.*\): \{"name":"no words"\}$/),
    ]);
    const mute = await run('mute', 'learn');
    expect(await results(mute)).toEqual([
      expect.stringContaining('entry 1'),
      ...Array(3).fill(expect.stringContaining('there is no tool named')),
    ]);
    expect(
      await db.query(
        `select 1 from animus.work_ledger where work_item_id = $1 and content like '%may not write skills'`,
        [mute],
      ),
    ).toHaveLength(3);
  });
});

function written(daemon: TestDaemon, name: string, text: string): Promise<string> {
  const file = join(daemon.directory, 'skills', name, 'SKILL.md');
  return eventually(`${name} is written`, async () => {
    const found = existsSync(file) ? readFileSync(file, 'utf8') : '';
    return found.includes(text) ? found : null;
  });
}

async function run(name: string, description: string): Promise<string> {
  const [row] = await target.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ($1, $2) returning id`,
    [name, description],
  );
  await eventually(`${name} has ended`, async () => {
    const [item] = await target.database.query<{ state: string }>(
      'select state, error from animus.work_items where id = $1',
      [row!.id],
    );
    if (item!.state === 'dead') throw new Error(JSON.stringify(item));
    return item!.state === 'completed' ? true : null;
  });
  return row!.id;
}

async function results(workItemId: string): Promise<string[]> {
  const rows = await target.database.query<{ output: string }>(
    `select c.output from animus.tool_calls c join animus.foci f on f.id = c.focus_id where f.work_item_id = $1 order by c.turn, c.position`,
    [workItemId],
  );
  return rows.map(({ output }) => output);
}
