import { describe, expect, test } from 'vitest';
import { readPatch } from '../../../src/console/ui/patch.ts';

const PATCH = `diff --git a/src/a.ts b/src/a.ts
index 1..2 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,3 +1,3 @@ function a() {
 one
-- two
+++ three
 four
@@ -10 +10,2 @@
 ten
+eleven
\\ No newline at end of file
diff --git a/old name b/new name
similarity index 90%
rename from old name
rename to new name
diff --git "a/\\303\\244\\t.txt" "b/\\303\\244\\t.txt"
new file mode 100644
--- /dev/null
+++ "b/\\303\\244\\t.txt"
@@ -0,0 +1 @@
+x
diff --git a/gone b/gone
deleted file mode 100644
Binary files a/gone and /dev/null differ
`;

describe('readPatch', () => {
  test('tells what happened to each file', () => {
    const files = readPatch(PATCH);
    expect(files.map(({ path, from, is, binary, added, removed }) => [path, from, is, binary, added, removed])).toEqual(
      [
        ['src/a.ts', null, 'changed', false, 2, 1],
        ['new name', 'old name', 'renamed', false, 0, 0],
        ['ä\t.txt', null, 'added', false, 1, 0],
        ['gone', null, 'removed', true, 0, 0],
      ],
    );
  });

  test('numbers the lines, also those that look like headers', () => {
    const [file] = readPatch(PATCH);
    expect(file?.hunks[0]).toEqual({
      place: 'function a() {',
      lines: [
        { is: 'same', before: 1, after: 1, text: 'one' },
        { is: 'removed', before: 2, after: null, text: '- two' },
        { is: 'added', before: null, after: 2, text: '++ three' },
        { is: 'same', before: 3, after: 3, text: 'four' },
      ],
    });
    expect(file?.hunks[1]?.lines.at(-1)).toEqual({
      is: 'note',
      before: null,
      after: null,
      text: 'No newline at end of file',
    });
  });

  test('reads patches that git did not write', () => {
    const [file, ...others] = readPatch('--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n');
    expect(others).toEqual([]);
    expect([file?.path, file?.added, file?.removed]).toEqual(['x', 1, 1]);
  });

  test('finds nothing in other texts', () => {
    expect(readPatch('')).toEqual([]);
    expect(readPatch('@@ -1 +1 @@\n-a\n+b')).toEqual([]);
  });
});
