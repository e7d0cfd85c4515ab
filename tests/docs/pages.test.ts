/** README.md and the pages of docs/ do what they say: each block runs, in order, in a fresh home (AGENTS.md, "Pages that run"). */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readPage } from './page/read-page.ts';
import { runPage, type ShownBlock } from './run/run-page.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** How many blocks say why they do not run. This number only goes down. */
const MOST_SKIPPED = 26;

const names = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => `docs/${name}`)].filter((name) =>
  name.endsWith('.md'),
);
const pages = names.flatMap((name) => readPage(name, readFileSync(join(ROOT, name), 'utf8')));

const skipped = pages.flatMap(({ name, blocks }) =>
  blocks.flatMap(({ line, hidden, attributes: { skip } }) =>
    skip === undefined || hidden ? [] : [`${name.replace(/:.*/, '')}:${line} ${skip}`],
  ),
);

test('no more blocks than before are skipped', () => {
  expect(skipped.length, `lower MOST_SKIPPED if it is less:\n${skipped.join('\n')}`).toBe(MOST_SKIPPED);
});

const results: (ShownBlock & { readonly page: string })[] = [];
afterAll(() => {
  const told = results.flatMap((block) =>
    block.kind === 'missing' || block.kind === 'skipped'
      ? [`  ${block.kind} ${block.page}:${block.line} ${block.reason}`]
      : [],
  );
  process.stdout.write(
    `${results.filter(({ kind }) => kind === 'ran').length} blocks of ${names.length} pages ran\n${told.join('\n')}\n`,
  );
});

// The longest first.
const ordered = pages.toSorted((a, b) => Number(b.settings.appliance ?? false) - Number(a.settings.appliance ?? false));
test.concurrent.each(ordered)(
  '$name',
  async (page) => {
    for (const block of await runPage(page)) results.push({ ...block, page: page.name.replace(/:.*/, '') });
  },
  400_000,
);
