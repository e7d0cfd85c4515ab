/** A login that may only submit sees its own work, and is told what it does not see. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from '../../../cli/run-cli.ts';
import { testDatabase } from '../../../support/database.ts';
import { createLogin, dropLogins } from '../../../support/role-login.ts';

const target = testDatabase();
const logins: string[] = [];
let url: string;
beforeAll(async () => {
  url = await createLogin(target.connectionString, 'animus_submitter', logins);
});
afterAll(() => dropLogins(logins));

const animus = (...argv: string[]) => run(argv, { env: { DATABASE_URL: url } });
const json = async (...argv: string[]) => JSON.parse((await animus(...argv, '--json')).stdout);

test('it lists and shows its own items, and no others', async () => {
  const mine = await json('work', 'submit', 'engineer', 'Fix it', '--params', '{"ticket": 4711}');
  const other = await target.database.query<{ id: string }>(
    `insert into animus.work_items (faculty) values ('engineer') returning id`,
  );
  const child = await json('work', 'submit', 'engineer', 'Look', '--parent', mine.id);
  await animus('work', 'say', mine.id, 'Only in winter');
  await target.database.query(`select animus.append_ledger($1, 'finding', 'It is the time zone')`, [mine.id]);

  const listed = await json('work', 'list');
  expect(listed.items.map(({ id }: { id: string }) => id)).toEqual([child.id, mine.id]);
  expect((await json('work', 'list', '--parent', mine.id)).items).toMatchObject([{ id: child.id }]);
  expect((await json('work', 'list', '--state', 'completed')).items).toEqual([]);
  const first = await json('work', 'list', '--limit', '1');
  expect((await json('work', 'list', '--after', first.next)).items).toMatchObject([{ id: mine.id }]);

  const shown = await json('work', 'show', mine.id.slice(-12));
  expect(shown).toMatchObject({
    item: { id: mine.id, state: 'queued', params: { ticket: 4711 }, root_id: null },
    messages: [{ text: 'Only in winter' }],
    ledger: [{ type: 'finding', content: 'It is the time zone' }],
    children: [{ id: child.id }],
    foci: [],
  });
  const people = await animus('work', 'show', mine.id);
  expect(people.stderr).toContain(
    'this login sees only what it has submitted; its turns, calls and waits need the role animus_reader',
  );
  expect((await animus('ledger', 'show', mine.id)).stdout).toContain('It is the time zone');
  expect(await animus('work', 'show', other[0]!.id)).toMatchObject({ code: 3 });
});

test('what it may not see is refused with the role that would see it, and what it has', async () => {
  expect(await animus('status')).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(
      new RegExp(
        `the login ${logins[0]} has animus_submitter, and this needs animus_reader or animus_operator; .*grant animus_reader to ${logins[0]}`,
      ),
    ),
  });
});

test('it is told that its work merged into that of another submitter, without the id', async () => {
  const [first] = await target.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, dedup_key) values ('engineer', 'k') returning id`,
  );
  const submit = (...more: string[]) => animus('work', 'submit', 'engineer', 'again', '--dedup-key', 'k', ...more);
  const merged = await submit();
  expect(merged).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/ {2}merged into work of another submitter\n$/),
  });
  const id = merged.stdout.slice(0, 36);
  const shown = await animus('work', 'show', id);
  expect(shown.stdout).toContain('merged to work of another submitter');
  const waited = await submit('--wait');
  expect(waited).toMatchObject({ code: 1, stderr: expect.stringContaining('merged into work of another submitter') });
  const diff = await animus('work', 'diff', id);
  expect(diff.stderr).toContain('merged into work of another submitter');
  expect(JSON.stringify([merged, shown, waited, diff])).not.toContain(first!.id);
});
