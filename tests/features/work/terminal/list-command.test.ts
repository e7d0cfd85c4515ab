import { expect, test } from 'vitest';
import { commandSite } from '../../../cli/work/command-site.ts';
import { testDatabase } from '../../../support/database.ts';

const { animus, submit } = commandSite(testDatabase());

test('work list selects and sorts by more, and says how to get the next page', async () => {
  const ids: string[] = [];
  for (const priority of [3, 9, 5]) ids.push(await submit('ranked', '--priority', String(priority)));
  const select = [
    '--faculty',
    'ranked',
    '--faculty',
    'other',
    '--state',
    'queued,scheduled',
    '--search',
    'x',
    '--since',
    '2020-01-01T00:00:00Z',
  ];
  const first = await animus(['work', 'list', ...select, '--sort', 'priority', '--limit', '2', '--root', ids[1]!]);
  expect(first.stdout.split('\n')).toHaveLength(3);
  const list = ['work', 'list', ...select, '--sort', 'priority', '--limit', '2'];
  const { stdout, stderr } = await animus([...list, '--json']);
  const page = JSON.parse(stdout);
  expect(page.items.map((item: { id: string }) => item.id)).toEqual([ids[1], ids[2]]);
  expect(stderr).toBe('');
  const more = (await animus(list)).stderr.trim();
  expect(more).toBe(
    'animus: there are more; the next page: animus work list --state queued,scheduled --faculty ranked --faculty other --since 2020-01-01T00:00:00.000Z ' +
      `--search x --sort priority --limit 2 --after ${page.next}`,
  );
  const next = await animus([
    ...more.split('animus work list ')[1]!.split(' ').toSpliced(0, 0, 'work', 'list'),
    '--json',
  ]);
  expect(JSON.parse(next.stdout)).toMatchObject({ items: [{ id: ids[0] }], next: null });
  expect((await animus(['work', 'count', ...select])).stdout).toMatch(/queued +3/);
  expect(JSON.parse((await animus(['work', 'count', ...select, '--json'])).stdout)).toMatchObject({
    items: 3,
    more: false,
  });
  expect(await animus(['work', 'list', '--sort', 'priority', '--after', ids[0]!])).toMatchObject({ code: 2 });
});
