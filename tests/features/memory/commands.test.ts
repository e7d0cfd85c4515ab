/** `animus memory`, without a daemon and without embeddings. */
import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { commandSite } from '../../cli/work/command-site.ts';
import { testDatabase } from '../../support/database.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';

const target = testDatabase();
const { animus, submit } = commandSite(target);

interface Found {
  readonly memories: readonly { readonly id: string; readonly content: string; readonly [key: string]: unknown }[];
  readonly by_vectors: boolean;
  readonly reason: string | null;
}

async function json<T>(...argv: string[]): Promise<T> {
  const { code, stdout, stderr } = await animus([...argv, '--json']);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return JSON.parse(stdout) as T;
}
const add = async (...argv: string[]) => (await json<{ id: string; merged: boolean }>('memory', 'add', ...argv)).id;
const search = (...argv: string[]) => json<Found>('memory', 'search', ...argv);
const contents = ({ memories }: Found) => memories.map(({ content }) => content);

describe('memory add and search', () => {
  test('finds what was stored, by words, and says that it is by words alone', async () => {
    const id = await add('Deployments to staging need a ticket', '--kind', 'procedure', '--tag', 'deploy,Staging');
    const { memories, by_vectors: byVectors, reason } = await search('deployment');
    expect(memories).toMatchObject([
      {
        id,
        kind: 'procedure',
        layer: 'global',
        tags: ['deploy', 'staging'],
        text_rank: 1,
        vector_rank: null,
        sources: 1,
      },
    ]);
    expect({ byVectors, reason }).toEqual({
      byVectors: false,
      reason: 'no embedding model is configured ([embeddings] in animus.toml)',
    });
    const shown = await animus(['memory', 'search', 'staging', '--words-only']);
    expect(shown.stdout).toContain(`${id}  procedure, global`);
    expect(shown.stdout).toContain('   Deployments to staging need a ticket');
    expect(shown.stdout).toMatch(/source: (\w+); belongs to \1\n/);
    expect(shown.stderr).toContain('searched by words alone: as --words-only asks');
  });

  test('stores the same text once, from standard input, too', async () => {
    const first = await animus(['memory', 'add', '-'], { stdin: 'read from a pipe\n' });
    expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36} {2}stored\n$/) });
    const again = await animus(['memory', 'add', 'read  from a pipe']);
    expect(again.stdout).toContain(`${first.stdout.slice(0, 36)}  already stored`);
  });

  test('filters by layer, kind, tags, project, source, time and what a work item may find', async () => {
    const word = `w${randomUUID().slice(0, 8)}`;
    const item = await submit('clerk', '--params', '{"project": "shop"}');
    await add(`${word} global fact`);
    await add(`${word} of the shop`, '--project', 'shop', '--kind', 'lesson', '--tag', 'red,blue');
    await add(`${word} of the mill`, '--project', 'mill', '--tag', 'red');
    await add(`${word} of the task`, '--item', item);
    const found = async (...argv: string[]) => contents(await search(word, ...argv)).toSorted();
    expect(await found()).toHaveLength(4);
    expect(await found('--layer', 'task,project')).toEqual([
      `${word} of the mill`,
      `${word} of the shop`,
      `${word} of the task`,
    ]);
    expect(await found('--kind', 'lesson')).toEqual([`${word} of the shop`]);
    expect(await found('--tag', 'red,blue')).toEqual([`${word} of the shop`]);
    expect(await found('--project', 'mill')).toEqual([`${word} of the mill`]);
    expect(await found('--task', item.slice(-12))).toEqual([`${word} of the task`]);
    expect(await found('--source', item)).toEqual([`${word} of the task`]);
    expect(await found('--item', item)).toEqual([`${word} global fact`, `${word} of the shop`, `${word} of the task`]);
    expect(await found('--until', '1h')).toEqual([]);
    expect(await found('--since', '1h', '--limit', '2')).toHaveLength(2);
    expect(await found('--half-life', '7')).toHaveLength(4);
    expect(await found('--faculty', 'nobody')).toEqual([]);
    // Without a query the newest come first, and nothing is said about words.
    const newest = await search('--limit', '1');
    expect(newest).toMatchObject({ reason: null, memories: [{ content: `${word} of the task` }] });
  });

  test.each([
    [['add', ' '], /a memory needs a text/],
    [['add', 'x', '--layer', 'planet'], /expected one of task, project, global/],
    [['add', 'x', '--layer', 'task'], /layer task needs --item/],
    [['add', 'x', '--layer', 'project'], /layer project needs --project/],
    [['add', 'x', '--metadata', '[1]'], /expected a JSON object/],
    [['add', 'x', '--kind', 'Two words'], /is not a kind of memory/],
    [['search', 'x', '--layer', 'task,planet'], /expected one of task, project, global/],
    [['search', 'x', '--half-life', '0'], /expected a number of days/],
    [['search', 'x', '--limit', '201'], /from 1 to 200/],
    [['search', 'x', '--task', 'ffff'], /no work item/],
    [['forget', 'ffff'], /is not the id of a memory; find it with: animus memory search/],
  ])('refuses %j', async (argv, message) => {
    const { code, stderr } = await animus(['memory', ...argv]);
    expect(code).not.toBe(0);
    expect(stderr).toMatch(message);
  });
});

describe('memory forget', () => {
  test('deletes all or none, and records who and why', async () => {
    const [one, two] = [await add('first to go'), await add('second to go')];
    const absent = randomUUID();
    const refused = await animus(['memory', 'forget', one, absent]);
    expect(refused).toMatchObject({ code: expect.any(Number), stderr: expect.stringContaining(`no memory ${absent}`) });
    expect(refused.code).not.toBe(0);
    expect(contents(await search('"first to go"'))).toContain('first to go');
    const gone = await animus(['memory', 'forget', one.toUpperCase(), two, '--reason', 'it was wrong']);
    expect(gone).toMatchObject({ code: 0, stdout: `${one}  forgotten\n${two}  forgotten\n` });
    expect(contents(await search('"to go"'))).toEqual([]);
    const decisions = await target.database.query(
      `select target, action, note from animus.decisions where target = any ($1) order by id`,
      [[`memory ${one}`, `memory ${two}`]],
    );
    expect(decisions).toEqual([
      { target: `memory ${one}`, action: 'erase', note: 'it was wrong' },
      { target: `memory ${two}`, action: 'erase', note: 'it was wrong' },
    ]);
  });
});

test('memory merge, merges and unmerge: all or none, listed with both texts, and undone by one command', async () => {
  const [into, one, other] = [
    await add('a door is green'),
    await add('doors are green'),
    await add('green is the door'),
  ];
  expect((await animus(['memory', 'merge', into, one, randomUUID()])).code).not.toBe(0);
  expect((await animus(['memory', 'merges'])).stderr).toContain('no memory was merged into another');
  const merged = await animus(['memory', 'merge', into, one, other]);
  expect(merged.stdout).toContain(`${one}  is part of ${into} now; to undo: animus memory unmerge ${one}`);
  expect(contents(await search('door'))).toEqual(['a door is green']);
  const { stdout } = await animus(['memory', 'merges']);
  expect(stdout).toContain('was:   doors are green');
  expect(stdout).toContain('found: a door is green');
  expect(await animus(['memory', 'unmerge', one, other])).toMatchObject({ code: 0 });
  expect(contents(await search('door')).length).toBe(3);
});

describe('a submitter', () => {
  const logins: string[] = [];
  afterAll(() => dropLogins(logins));

  test('stores and finds its own memories and those of everybody, and no others', async () => {
    const url = await createLogin(target.connectionString, 'animus_submitter', logins);
    const as = (...argv: string[]) => animus(['memory', ...argv], { env: { DATABASE_URL: url } });
    const mine = `mine ${randomUUID().slice(0, 8)}`;
    expect(await as('add', mine)).toMatchObject({ code: 0 });
    await add('everybody may know this secretive thing', '--everybody');
    const others = await add('only the operator may know this secretive thing');
    const found = await as('search', 'secretive', '--json');
    expect(contents(JSON.parse(found.stdout) as Found)).toEqual(['everybody may know this secretive thing']);
    expect(await as('add', 'x', '--everybody')).toMatchObject({ code: 5 });
    expect((await as('forget', others)).stderr).toContain('no memory');
    expect((await as('search', mine)).stdout).toContain(mine);
  });
});

test('memory stats shows the layers, and why memories are searched by words alone', async () => {
  await add('counted');
  const { layers, embeddings } = await json<{
    layers: Record<string, { memories: number; limit: number }>;
    embeddings: { vector: boolean; current: null };
  }>('memory', 'stats');
  expect(Object.keys(layers).toSorted()).toEqual(['global', 'project', 'task']);
  expect(layers['global']!.memories).toBeGreaterThan(0);
  expect(embeddings).toMatchObject({ vector: false, current: null });
  const { stdout } = await animus(['memory', 'stats']);
  expect(stdout).toMatch(/^LAYER +MEMORIES/);
  expect(stdout).toMatch(/global +\d+ /);
  expect(stdout).toContain('memories are searched by words alone: ');
});
