import { expect, test } from 'vitest';
import { patchFiles } from '../../../src/core/text/patch-files.ts';

test('a patch without files has none, whatever is written before the first', () => {
  expect(patchFiles(Buffer.from(''))).toEqual([]);
  const patch = 'From: ada\n@@ -1 +1 @@\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+--- b\n+c\n';
  expect(patchFiles(Buffer.from(patch))).toEqual([{ path: 'x', added: 2, removed: 1 }]);
});

test('a renamed file has its new name, a binary one no counts', () => {
  const patch =
    'diff --git a/one b/two words\nrename from one\nrename to two words\n' +
    'diff --git "a/\\303\\251" "b/\\303\\251"\nBinary files "a/\\303\\251" and "b/\\303\\251" differ\n';
  expect(patchFiles(Buffer.from(patch))).toEqual([
    { path: 'two words', added: 0, removed: 0 },
    { path: 'é', added: null, removed: null },
  ]);
});
