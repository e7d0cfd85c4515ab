import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { buildConsole } from '../../scripts/build-console.ts';
import { PAGES } from '../../src/console/pages.ts';

/** Of what a browser loads before it shows something. */
const FIRST_PAGE_BYTES = 200 * 1024;

test('what the first page loads is small, and nothing comes from another host', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'animus-console-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  await buildConsole(directory);
  const html = readFileSync(join(directory, 'index.html'), 'utf8');
  const addresses = [...html.matchAll(/(?:src|href)="([^"]*)"/g)].flatMap(([, address]) => address ?? []);
  expect(addresses.filter((address) => !/^\.\/[\w./-]+$/.test(address))).toEqual([]);
  // A page that is loaded when it is needed may import everything else: as if the first one needed all of it.
  const now = globSync('assets/now-page-*', { cwd: directory });
  const first = [...addresses.map((address) => address.slice(2)), ...now].map((name) =>
    readFileSync(join(directory, name)),
  );
  expect(now.filter((name) => name.endsWith('.js'))).toHaveLength(1);
  // Pages of others load it by this name.
  expect(readFileSync(join(directory, 'agent-gate.js'), 'utf8')).toContain('agent-gate');
  expect(gzipSync(Buffer.concat([Buffer.from(html), ...first])).length).toBeLessThan(FIRST_PAGE_BYTES);
  for (const name of globSync('**/*.{js,css,html}', { cwd: directory })) {
    // Marked says this when it has a bug; nothing opens it.
    const text = readFileSync(join(directory, name), 'utf8').replaceAll('https://github.com/markedjs/marked.', '');
    const foreign = text.match(/(?:https?:)?\/\/[\w-]+\.[\w.-]+/g) ?? [];
    expect(
      foreign.filter((address) => !address.endsWith('w3.org')),
      name,
    ).toEqual([]);
  }
});

test('each page has an address and a key of its own', () => {
  const keys = PAGES.flatMap(({ menu }) => menu?.key ?? []);
  expect(new Set(keys).size).toBe(keys.length);
  expect(new Set(PAGES.map(({ name }) => name)).size).toBe(PAGES.length);
});
