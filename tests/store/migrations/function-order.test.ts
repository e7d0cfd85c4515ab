import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { schemaFileNames } from '../../../src/store/migrations/migration-files.ts';

function directoryOf(files: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(join(tmpdir(), 'functions-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    const path = join(directory, 'functions', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return directory;
}

test('the folder of a part comes after the files of its number', async () => {
  const files = { '01_a.sql': '', '02_z.sql': '', '03_b.sql': '', 'walls/paint.sql': '', 'walls/build.sql': '' };
  const directory = directoryOf({ ...files, 'order.txt': '# places\n02 walls\n' });
  const { functions } = await schemaFileNames(directory);
  expect(functions).toEqual(['01_a.sql', '02_z.sql', 'walls/build.sql', 'walls/paint.sql', '03_b.sql']);
});

test('folders of one number come in the order of the list', async () => {
  const directory = directoryOf({ 'doors/open.sql': '', 'walls/paint.sql': '', 'order.txt': '02 walls\n02 doors\n' });
  expect((await schemaFileNames(directory)).functions).toEqual(['walls/paint.sql', 'doors/open.sql']);
});

test('a folder without a place is refused', async () => {
  const directory = directoryOf({ '01_a.sql': '', 'walls/paint.sql': '' });
  await expect(schemaFileNames(directory)).rejects.toThrow('order.txt does not say where it comes');
});
