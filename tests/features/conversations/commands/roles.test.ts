/** Promise: `animus chat invite` gives roles, keeps the last owner, and says so where it invites somebody who is not known. */
import { expect, test } from 'vitest';
import { commandSite } from '../../../cli/work/command-site.ts';
import { newTalk } from '../../../store/conversations/begun.ts';
import { testDatabase } from '../../../support/database.ts';

const target = testDatabase();
const { animus } = commandSite(target);

test('invites members and owners, and removes them', async () => {
  const { id } = await newTalk(target.database);
  const invite = async (...argv: string[]) => {
    const { code, stdout, stderr } = await animus(['chat', 'invite', id, ...argv, '--json']);
    return { code, ...(stdout === '' ? {} : JSON.parse(stdout)), stderr };
  };
  expect(await invite('person:alice')).toMatchObject({ code: 0, takes_part: true, changed: true, known: false });
  expect((await animus(['chat', 'invite', id, 'person:alice'])).stderr).toContain(
    'nobody has used animus as person:alice yet',
  );
  const [{ actor }] = (await target.database.query('select animus.actor() as actor')) as [{ actor: string }];
  const only = await invite(actor, '--remove');
  expect([only.code === 0, only.stderr.includes('is the only owner')], only.stderr).toEqual([false, true]);
  expect(await invite('person:alice', '--role', 'owner')).toMatchObject({ code: 0, changed: true });
  expect((await invite('person:alice', '--role', 'boss')).code).not.toBe(0);
  expect(await invite(actor, '--remove')).toMatchObject({ code: 0, takes_part: false, changed: true });
  expect(
    await target.database.query('select actor, role from animus.conversation_people where file_id = $1', [id]),
  ).toEqual([{ actor: 'person:alice', role: 'owner' }]);
});
