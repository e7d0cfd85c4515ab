import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readTarGz } from '../../../src/store/migrations/tar.ts';

const archive = createRequire(import.meta.url)
  .resolve('@electric-sql/pglite-pgmq')
  .replace(/[^/\\]+$/, 'pgmq.tar.gz');

test('the SQL of pgmq is found in its package, complete', () => {
  const file = readTarGz(readFileSync(archive), (path) => /pgmq--[\d.]+\.sql$/.test(path));
  expect(file?.path).toMatch(/share\/postgresql\/extension\/pgmq--/);
  expect(file?.text).toContain('pgmq.create(');
  expect(file?.text).not.toContain('\0');
});

test('a missing file is null, and so is an empty archive', () => {
  expect(readTarGz(readFileSync(archive), () => false)).toBeNull();
  expect(readTarGz(gzipSync(Buffer.alloc(1024)), () => true)).toBeNull();
  expect(readTarGz(gzipSync(Buffer.alloc(0)), () => true)).toBeNull();
});

test('invalid gzip data is an error', () => {
  expect(() => readTarGz(Buffer.from('not a gzip'), () => true)).toThrow();
});
