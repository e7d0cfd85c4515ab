import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

test('the client loads its own files and one package', () => {
  const directory = mkdtempSync(join(tmpdir(), 'animus-client-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const [client, recorder] = ['../../src/client/client.ts', '../support/loaded-modules.mjs'].map(
    (path) => new URL(path, import.meta.url).href,
  );
  const file = join(directory, 'modules');
  const program = `import(${JSON.stringify(client)}).then(({ createClient }) => createClient({ baseUrl: 'http://localhost', token: 'x' }))`;
  execFileSync(process.execPath, ['--import', recorder!, '--eval', program], { env: { LOADED_MODULES: file } });
  const loaded = readFileSync(file, 'utf8')
    .split('\n')
    .filter((url) => !url.startsWith('data:'));
  const places = loaded.map((url) => /\/(src\/client|node_modules\/[^/]+)\/[^?]*$/.exec(url)?.[1] ?? url);
  expect(loaded.length).toBeGreaterThan(5);
  expect(new Set(places)).toEqual(new Set(['src/client', 'node_modules/eventsource-parser']));
});
