/** Promise: whatever people see of the id of an item names it, in every command. */
import { describe, expect, test } from 'vitest';
import { commandSite } from '../../../cli/work/command-site.ts';
import { testDatabase } from '../../../support/database.ts';

const db = testDatabase();
const { animus, submit } = commandSite(db);

describe('an id', () => {
  test('may be shortened to its end or its beginning if only one item matches', async () => {
    const id = await submit('cut');
    for (const reference of [
      id,
      id.toUpperCase(),
      id.slice(-12),
      id.slice(-12, -3),
      `animus/${id.slice(-12)}`,
      `animus/${id.slice(-12, -3)}…`,
      id.slice(-8),
      id.slice(-17),
      id.replaceAll('-', '').slice(-17),
      id.slice(0, -1),
      id.replaceAll('-', ''),
    ]) {
      const { code, stdout } = await animus(['work', 'show', reference, '--json']);
      expect([reference, code]).toEqual([reference, 0]);
      expect(JSON.parse(stdout).item.id).toBe(id);
    }
  });

  test('that matches several items is refused with the candidates; one that matches none is not found', async () => {
    const id = await submit('twin');
    await submit('twin');
    const ambiguous = await animus(['work', 'show', id.slice(0, 4)]);
    expect(ambiguous.code).toBe(2);
    expect(ambiguous.stderr).toMatch(/matches several work items: \w{12} \(\w+, \w+\), /);
    expect(await animus(['work', 'show', 'ffffffffffff'])).toMatchObject({
      code: 3,
      stderr: 'animus: no work item ffffffffffff; find its id with: animus work list\n',
    });
    expect(await animus(['work', 'show', '12'])).toMatchObject({
      code: 2,
      stderr:
        'animus: "12" is not the id of a work item; give its id as lists show it, or at least 4 digits of its beginning or end\n',
    });
    expect(await animus(['work', 'show', "'; drop table"])).toMatchObject({ code: 2 });
  });
});

test.each([
  ['work', 'show', '<id>'],
  ['work', 'list', '--parent', '<id>'],
  ['work', 'list', '--after', '<id>'],
  ['work', 'say', '<id>', 'Be brief'],
  ['work', 'submit', 'child', 'x', '--parent', '<id>'],
  ['inbox', '<id>'],
  ['ledger', 'append', '<id>', 'note', 'seen'],
  ['ledger', 'show', '<id>'],
  ['memory', 'add', 'Tests are slow', '--item', '<id>'],
  ['memory', 'search', '--item', '<id>', '--task', '<id>', '--source', '<id>'],
  ['budget', 'set', '--item', '<id>', '--tokens', '100000'],
  ['budget', 'remove', '--item', '<id>', '--unit', 'tokens'],
  ['work', 'cancel', '<id>'],
  ['work', 'retry', '<id>'],
  ['work', 'cancel', '<id>'],
  ['work', 'tail', '<id>'],
])('the first digits of its branch name an item in: %s %s %s %s', async (...argv) => {
  const id = (named ??= await submit('named'));
  const { code, stderr } = await animus(argv.map((word) => (word === '<id>' ? `animus/${id.slice(-12, -3)}` : word)));
  // The last one follows a cancelled item to its end.
  expect([code, stderr]).toEqual([argv[1] === 'tail' ? 1 : 0, expect.not.stringMatching(/no work item |not the id/)]);
});
let named: string | undefined;
