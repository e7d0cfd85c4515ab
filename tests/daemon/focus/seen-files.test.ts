/** Promise: what a focus has read or written is known after it was parked and went on, from its record. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startTestDaemon } from '../../support/daemon.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const target = testDatabase();
const call = (tool: string, input: string) => `[[answer.call]]\ntool = "${tool}"\ninput = ${input}\n`;
const write = (path: string, more = '') => call('write_file', `{ path = "${path}", content = "mine"${more} }`);

const SCRIPT = `[[answer]]
${['read', 'theirs', 'part', 'edited'].map((path) => call('read_file', `{ path = "${path}"${path === 'part' ? ', limit = 1' : ''} }`)).join('')}
${write('own')}
[[answer]]
${call('edit_file', '{ path = "edited", old_string = "1", new_string = "2" }')}
[[answer]]
${call('wait_until', '{ seconds = 3600, reason = "somebody else" }')}
[[answer]]
${['read', 'own', 'edited', 'theirs', 'unread', 'part'].map((path) => write(path)).join('')}
[[answer]]
${call('read_file', '{ path = "part", offset = 2 }')}
[[answer]]
${write('part')}
[[answer]]
text = "Done."
`;

test('after a wait, unchanged files are replaced, and others refused with what changed', async () => {
  const tools = 'tools = ["read_file", "write_file", "edit_file"]';
  const daemon = await startTestDaemon({
    databaseUrl: target.connectionString,
    script: SCRIPT,
    config: '[daemon]\npoll_seconds = 0.2\n',
    files: {
      'faculties/clerk.toml': `[faculty]\nname = "clerk"\nworkspace = "../box"\n[faculty.awareness]\nenabled = false\n[faculty.engage]\nmodel = "play/x"\nsystem_prompt = "p"\n${tools}\n`,
      ...Object.fromEntries(
        ['read', 'theirs', 'part', 'edited', 'unread'].map((name) => [`box/${name}`, `1\n${name}\n3\n`]),
      ),
    },
  });
  const [item] = await target.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ('clerk', 'Write') returning id`,
  );
  const inState = (state: string) =>
    eventually(state, async () => {
      const [row] = await target.database.query<{ state: string }>(
        'select state from animus.work_items where id = $1',
        [item!.id],
      );
      return row!.state === state ? true : null;
    });
  await inState('waiting');
  const file = (name: string) => join(daemon.directory, 'box', name);
  writeFileSync(file('theirs'), '1\nchanged by somebody\n3\n');
  await target.database.query('update animus.waits set deadline = animus.now() where work_item_id = $1', [item!.id]);
  await inState('completed');

  const rows = await target.database.query<{ path: string; output: string; is_error: boolean }>(
    `select input ->> 'path' as path, output, is_error from animus.all_tool_calls where name = 'write_file' and turn > 2 order by turn, position`,
  );
  const failed = new Map(rows.filter((row) => row.is_error).map(({ path, output }) => [path, output]));
  expect([...failed.keys()]).toEqual(['theirs', 'unread', 'part']);
  expect(failed.get('theirs')).toContain(
    'has changed since you read it in turn 1: line 2 differs now:\n2\tchanged by somebody\n',
  );
  expect(failed.get('part')).toContain('only lines 1 to 1 of 3');
  const contents = ['read', 'own', 'edited', 'part', 'theirs'].map((name) => readFileSync(file(name), 'utf8'));
  expect(contents).toEqual(['mine', 'mine', 'mine', 'mine', '1\nchanged by somebody\n3\n']);
});
