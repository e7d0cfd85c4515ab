import { mkdirSync, rmSync } from 'node:fs';
import { chmod, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UNLEASED } from '../../../../src/core/lifecycle/lease.ts';
import { makeChanges } from '../../../../src/tools/files/change-files.ts';
import { editFileTool } from '../../../../src/tools/files/edit-file.ts';
import { applyPatchTool } from '../../../../src/tools/files/patch/apply-patch.ts';
import { setUpBench } from '../../tool-context.ts';
import { patchBench } from './patch-bench.ts';
import { change, generator } from './random-change.ts';

const PROGRAM = `import os

class Box:
    def size(self):
        return 1

class Bag:
    def size(self):
        return 2
`;

describe('apply_patch', () => {
  test('adds, changes, moves and deletes files in one call', async () => {
    const files = { 'box.py': PROGRAM, 'old.txt': 'a\nb\n', 'gone.txt': 'x', 'keep/z': '' };
    const { apply, text, names } = await patchBench(files);
    const output = await apply(`
*** Add File: docs/new.md
+# New
+
+*** not a header
*** Update File: box.py
@@ class Bag:
     def size(self):
-        return 2
+        return 3
*** Update File: old.txt
*** Move to: sub/dir/new.txt
@@
 a
-b
+B
*** Delete File: gone.txt`);
    expect(output).toEqual({
      content:
        'added docs/new.md (3 lines)\nchanged box.py (1 hunk)\nmoved old.txt to sub/dir/new.txt (1 hunk)\ndeleted gone.txt',
      details: expect.objectContaining({ files: expect.any(Array) as string[] }),
    });
    expect(await text('docs/new.md')).toBe('# New\n\n*** not a header\n');
    expect(await text('box.py')).toBe(PROGRAM.replace('return 2', 'return 3'));
    expect(await text('sub/dir/new.txt')).toBe('a\nB\n');
    expect((await names()).join(' ')).toBe('box.py docs docs/new.md keep keep/z sub sub/dir sub/dir/new.txt');
  });

  test('changes nothing if anything does not fit, and reports every problem with the nearest place', async () => {
    const { apply, text, names } = await patchBench({ 'a.txt': 'one\ntwo\nthree\n', 'b.txt': 'x\n' });
    const { content, isError } = await apply(`
*** Update File: b.txt
-x
+y
*** Update File: a.txt
 one
-tow
+2
*** Delete File: c.txt
*** Add File: b/../a.txt2
+fine`);
    expect(isError).toBe(true);
    expect(content).toBe(
      'nothing was changed:\n' +
        '- a.txt, hunk 1 (line 6 of the patch): its lines were not found. The most similar place, at line 1:\n1\tone\n2\ttwo\n' +
        '- c.txt: no such file; glob finds files by name',
    );
    expect(await text('b.txt')).toBe('x\n');
    expect(await names()).toEqual(['a.txt', 'b.txt']);
  });

  test.each<[string, string, string]>([
    ['-    def size(self):\n+    def length(self):', 'occur 2 times, at lines 4, 8', ''],
    ['@@ class Bag:\n-    def size(self):\n+    def length(self):', '', 'class Bag:\n    def length(self):'],
    ['@@ class Sack:\n-    def size(self):\n+    x', '@@ class Sack:: no such line. ', ''],
    ['@@ class Bag:\n-class Box:\n+class Tub:', 'its lines are at line 3, before the previous hunk or @@ line', ''],
    ['+import sys', 'it only adds lines, without a position', ''],
    ['@@ import os\n+import sys', '', 'import os\nimport sys\n\nclass Box'],
    ['+# end\n*** End of File', '', 'return 2\n# end\n'],
    ['-    def size(self):\n+    def length(self):\n*** End of File', 'not at the end of the file', ''],
    ['-import os   \n+import sys', '', 'import sys\n\nclass Box'],
    ['@@ -1,3 +1,3 @@\n-import os\n+import sys', '', 'import sys\n\nclass Box'],
  ])('finds a hunk by its context and guesses nothing: %j', async (hunk, problem, expected) => {
    const { apply, text } = await patchBench({ 'box.py': PROGRAM });
    const output = await apply(`*** Update File: box.py\n${hunk}`);
    if (problem !== '') expect(output.content).toContain(problem);
    expect(output.isError ?? false).toBe(problem !== '');
    expect(await text('box.py')).toContain(problem === '' ? expected : PROGRAM);
  });

  test.each([
    ['hello', 'line 1 of the patch: expected "*** Begin Patch", got "hello"'],
    ['*** Begin Patch\n*** Update File: a', 'line 2 of the patch: expected "*** End Patch"'],
    ['*** Begin Patch\n*** End Patch', 'the patch names no file'],
    ['*** Begin Patch\n--- a/x\n*** End Patch', 'line 2 of the patch: expected "*** Add File: PATH"'],
    [
      '*** Begin Patch\n*** Add File: a\nx\n*** End Patch',
      'line 3 of the patch: each line of "*** Add File: a" begins with +',
    ],
    ['*** Begin Patch\n*** Delete File: a\n-x\n*** End Patch', 'line 3 of the patch: nothing may follow'],
    ['*** Begin Patch\n*** Update File: a\n*** End Patch', '"*** Update File: a" has no hunk'],
    ['*** Begin Patch\n*** Update File: a\n x\n*** End Patch', 'this hunk changes nothing'],
    ['*** Begin Patch\n*** Update File: a\n-x\n?y\n*** End Patch', 'line 4 of the patch: a line of a hunk begins with'],
  ])('says which line of a patch is wrong: %j', async (patch, problem) => {
    const { context, call } = await setUpBench();
    await writeFile(join(context.workspace, 'a'), 'x\n');
    const output = await call(applyPatchTool, { patch });
    expect(output).toMatchObject({ isError: true });
    expect(output.content).toContain(problem);
  });

  test.each([
    ['one\r\ntwo\r\nthree\r\n', 'one\r\n2\r\n2½\r\nthree\r\n'],
    ['one\ntwo\r\nthree\n', 'one\n2\r\n2½\r\nthree\n'],
    ['one\ntwo\nthree', 'one\n2\n2½\nthree'],
    ['\uFEFFone\r\ntwo\r\nthree', '\uFEFFone\r\n2\r\n2½\r\nthree'],
  ])('keeps line ends, byte order mark and a missing last newline of %j', async (before, after) => {
    const { apply, text } = await patchBench({ f: before });
    expect(await apply('*** Update File: f\n one\n-two\n+2\n+2½\n three')).toMatchObject({
      content: 'changed f (1 hunk)',
    });
    expect(await text('f')).toBe(after);
  });

  test('keeps the mode, even across a move', async () => {
    const { apply, workspace } = await patchBench({ 'run.sh': '#!/bin/sh\necho a\n' });
    await chmod(join(workspace, 'run.sh'), 0o750);
    await apply('*** Update File: run.sh\n*** Move to: bin/run\n-echo a\n+echo b');
    expect((await stat(join(workspace, 'bin/run'))).mode & 0o777).toBe(0o750);
  });

  test('stays in the workspace, even through links, and refuses files that are not text', async () => {
    const { apply, workspace, outside } = await patchBench({
      'bin.dat': 'a\0b',
      'latin.txt': Buffer.from([0xe4, 0x0a]),
      dir: null,
    });
    await writeFile(join(outside, 'secret'), 'geheim\n');
    await symlink(outside, join(workspace, 'link'));
    const inside = [
      '*** Update File: bin.dat\n-a\n+b',
      '*** Update File: latin.txt\n+x\n*** End of File',
      '*** Delete File: dir',
    ];
    const { content } = await apply(
      [
        '*** Update File: link/secret\n-geheim\n+offen',
        '*** Add File: ../new\n+x',
        `*** Delete File: ${outside}/secret`,
        ...inside,
      ].join('\n'),
    );
    expect(content.match(/is outside the workspace/g)).toHaveLength(3);
    expect(await readFile(join(outside, 'secret'), 'utf8')).toBe('geheim\n');
    const inner = await apply(inside.join('\n'));
    expect(inner.content).toMatch(/bin\.dat: is binary[^]*latin\.txt: is not valid UTF-8[^]*dir: is a directory/);
  });

  test.each([
    ['*** Add File: a\n+x', 'a: already exists; use "*** Update File"'],
    ['*** Update File: a\n*** Move to: b', 'b: already exists, so a cannot be moved there'],
    ['*** Delete File: a\n*** Update File: ./a\n-1\n+2', './a: is listed twice'],
    ['*** Add File: dir/\n+x', 'dir/: names a directory'],
  ])('%j: %s', async (body, problem) => {
    const { apply } = await patchBench({ a: '1\n', b: '2\n', dir: null });
    expect((await apply(body)).content).toContain(problem);
  });

  test('undoes its changes if a later change cannot be made', async () => {
    const { workspace, text, names, staged } = await patchBench({ a: '1\n', b: '2\n', c: '3\n', d: '4\n' });
    const changes = [
      { ...(await staged('a')), content: 'one\n' },
      { ...(await staged('b')), content: null },
      { ...(await staged('new')), content: 'new\n' },
      { ...(await staged('c')), content: 'three\n' },
    ];
    // Something else replaces the last one after it was read.
    await writeFile(join(workspace, 'c2'), 'changed\n');
    await rename(join(workspace, 'c2'), join(workspace, 'c'));
    expect(await makeChanges({ workspace, fileRules: [], lease: UNLEASED }, changes)).toEqual({
      refusal: 'c: was changed by something else in the meantime; read it again',
    });
    expect([await text('a'), await text('b'), await text('c')]).toEqual(['1\n', '2\n', 'changed\n']);
    expect(await names()).toEqual(['a', 'b', 'c', 'd']);
  });

  test('reports what could not be undone, undoes the rest, and keeps the old content', async () => {
    const { workspace, text, staged } = await patchBench({ a: '1\n', b: '2\n', c: '3\n' });
    const last = await staged('c');
    // Checked when all changes but the last are made; then something replaces the second file with a directory.
    Object.defineProperty(last.read!.stats, 'ino', {
      get() {
        rmSync(join(workspace, 'b'));
        mkdirSync(join(workspace, 'b'));
        return 0;
      },
    });
    const changes = [
      { ...(await staged('a')), content: 'one\n' },
      { ...(await staged('b')), content: 'two\n' },
      { ...last, content: 'three\n' },
    ];
    const done = await makeChanges({ workspace, fileRules: [], lease: UNLEASED }, changes);
    expect(done?.refusal).toMatch(
      /^c: was changed by something else .*; b could not be restored \(EISDIR.*\), its old content is in \.animus-[-0-9a-f]+\.old$/,
    );
    expect(done?.partly).toBe(true);
    expect(await text('a')).toBe('1\n');
    expect(await text(/in (\.animus-.*)$/.exec(done!.refusal)![1]!)).toBe('2\n');
  });

  test('takes turns with edits of the same files', async () => {
    const { apply, call, text } = await patchBench({ a: '0\n', b: '0\n' });
    const grow = (name: string, other: string) =>
      apply(
        `*** Update File: ${name}\n+${name}\n*** End of File\n*** Update File: ${other}\n+${name}\n*** End of File`,
      );
    const calls = Array.from({ length: 10 }, (_, n) => [
      grow('a', 'b'),
      grow('b', 'a'),
      call(editFileTool, { path: 'a', old_string: '0\n', new_string: `0\nedit ${n}.\n` }),
    ]).flat();
    expect((await Promise.all(calls)).filter(({ isError }) => isError)).toEqual([]);
    expect((await text('a')).split('\n')).toHaveLength(32);
    expect((await text('b')).split('\n')).toHaveLength(22);
  });
});

test('a patch made from any change of any text makes that change', async () => {
  const random = generator(4711);
  const { workspace, call } = await setUpBench();
  for (let round = 0; round < 150; round++) {
    const end = random(2) === 0 ? '\n' : '\r\n';
    // Unique lines, so that every hunk has exactly one place.
    const before = Array.from({ length: 1 + random(30) }, (_, n) => `line ${n} ${'x'.repeat(random(4))}`);
    const { hunks, after } = change(before, random);
    if (hunks.length === 0) continue;
    await writeFile(join(workspace, 'f'), before.map((line) => line + end).join(''));
    const patch = `*** Begin Patch\n*** Update File: f\n${hunks.join('\n')}\n*** End Patch`;
    expect(await call(applyPatchTool, { patch }), patch).not.toHaveProperty('isError');
    expect(await readFile(join(workspace, 'f'), 'utf8'), patch).toBe(after.map((line) => line + end).join(''));
  }
});
