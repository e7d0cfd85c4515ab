import { expect, test } from 'vitest';
import { fileChanges } from '../../../../src/console/ui/ask/file-changes.ts';

const shown = (tool: string, input: unknown) =>
  fileChanges(tool, input)?.map(({ path, from, is, added, removed, hunks }) => ({
    path,
    from,
    is,
    counts: [added, removed],
    lines: hunks.map(({ lines }) => lines.map((line) => `${line.is} ${line.text}`)),
  }));

test('a new file is all of its lines', () => {
  expect(shown('write_file', { path: 'a', content: 'x\ny\n' })).toEqual([
    { path: 'a', from: null, is: 'added', counts: [2, 0], lines: [['added x', 'added y']] },
  ]);
});

test('replacements are shown one below the other, without numbers that are not known', () => {
  const one = { path: 'a', old_string: 'x\ny', new_string: 'x\nz' };
  expect(shown('edit_file', one)).toEqual([
    { path: 'a', from: null, is: 'changed', counts: [1, 1], lines: [['same x', 'removed y', 'added z']] },
  ]);
  expect(fileChanges('edit_file', one)?.[0]?.hunks[0]?.lines[0]).toMatchObject({ before: null, after: null });
  const several = {
    path: 'a',
    edits: [
      { old_string: 'a', new_string: 'b' },
      { old_string: 'c', new_string: '' },
    ],
  };
  expect(shown('edit_file', several)?.[0]).toMatchObject({
    counts: [1, 2],
    lines: [['removed a', 'added b'], ['removed c']],
  });
});

const PATCH = `*** Begin Patch
*** Add File: new.md
+# New
*** Update File: box.py
*** Move to: boxes/box.py
@@ class Box:
     def size(self):
-        return 1
+        return 2
*** End of File
*** Delete File: old.py
*** End Patch`;

test('reads a patch', () => {
  expect(shown('apply_patch', { patch: PATCH })).toEqual([
    { path: 'new.md', from: null, is: 'added', counts: [1, 0], lines: [['added # New']] },
    {
      path: 'boxes/box.py',
      from: 'box.py',
      is: 'renamed',
      counts: [1, 1],
      lines: [['same     def size(self):', 'removed         return 1', 'added         return 2']],
    },
    { path: 'old.py', from: null, is: 'removed', counts: [0, 0], lines: [] },
  ]);
});

test.each([
  ['bash', { command: 'ls' }],
  ['write_file', { path: 'a' }],
  ['write_file', null],
  ['edit_file', { path: 'a', edits: [{ old_string: 'a' }] }],
  ['edit_file', { path: 'a', edits: [null] }],
  ['apply_patch', { patch: 'no patch' }],
  ['apply_patch', { patch: '*** Begin Patch\n+x\n*** End Patch' }],
  ['apply_patch', { patch: '*** Begin Patch\n*** Add File: a\n?x\n*** End Patch' }],
])('%s with %j is shown as it stands', (tool, input) => {
  expect(fileChanges(tool, input)).toBeNull();
});
