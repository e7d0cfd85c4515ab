/** The patterns of docs/children.md, as their files in docs/examples/children run them. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { makeSite, runAnimus, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { readTree } from './family-tree.ts';

const EXAMPLES = new URL('../../docs/examples/children/', import.meta.url);
const text = (name: string) => readFileSync(new URL(name, EXAMPLES), 'utf8');
const pg = testDatabase({ anew: true });

test('fan-out and fan-in, fire and forget, progressive delegation', async () => {
  const names = readdirSync(new URL('faculties', EXAMPLES)).map((name) => name.replace('.toml', ''));
  const site = makeSite({
    modelUrl: null,
    config: text('animus.toml'),
    faculties: Object.fromEntries(names.map((name) => [name, text(`faculties/${name}.toml`)])),
    files: { 'script.toml': text('script.toml') },
    databaseUrl: pg.connectionString,
  });
  await startDaemon(site);
  const trees = await Promise.all(['surveyor', 'clerk', 'foreman'].map((faculty) => finished(faculty)));
  const summaries = trees.map(([root, ...children]) => [
    root!.summary,
    root!.waits,
    children.map(({ state }) => state),
  ]);
  expect(summaries).toEqual([
    ['All three say 42.', 1, ['completed', 'completed', 'completed']],
    ['Accepted.', 0, ['completed']],
    // The rest may have ended before it is awaited.
    ['The trail ends at 42.', expect.any(Number), ['completed', 'completed', 'completed']],
  ]);
  const shown = await runAnimus(site, ['work', 'list', '--faculty', 'clerk', '--json']);
  const { id } = (JSON.parse(shown.stdout) as { items: { id: string }[] }).items[0]!;
  expect((await runAnimus(site, ['work', 'show', id])).stdout).toMatch(
    /└─ \w+ {2}completed {2}reader {2}Read the archive some time {2}detached/,
  );
  expect(JSON.parse((await runAnimus(site, ['work', 'list', '--parent', id, '--json'])).stdout)).toMatchObject({
    items: [{ faculty: 'reader' }],
  });
}, 180_000);

async function finished(faculty: string) {
  const [row] = await pg.database.query<{ id: string }>(
    'insert into animus.work_items (faculty) values ($1) returning id',
    [faculty],
  );
  return eventually(`${faculty} and its children have ended`, async () => {
    const tree = await readTree(pg.database, row!.id);
    return tree.every(({ state }) => state === 'completed') ? tree : null;
  });
}
