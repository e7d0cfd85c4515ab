/** Promise: write_file replaces only what the focus has seen, so that nothing of another writer is lost silently. */
import { readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeChanges } from '../../../src/tools/files/change-files.ts';
import { editFileTool } from '../../../src/tools/files/edit-file.ts';
import { applyPatchTool } from '../../../src/tools/files/patch/apply-patch.ts';
import { readFileTool } from '../../../src/tools/files/read-file.ts';
import { createSeenFiles, hashOf } from '../../../src/tools/files/seen-files.ts';
import { writeFileTool } from '../../../src/tools/files/write-file.ts';
import { contextIn, setUpBench } from '../tool-context.ts';

/** A workspace with a file `a`. */
async function benchWith(content: string | Buffer) {
  const bench = await setUpBench();
  const file = join(bench.workspace, 'a');
  await writeFile(file, content);
  return {
    ...bench,
    put: (text: string) => writeFile(file, text),
    text: () => readFile(file, 'utf8'),
    read: (turn: number, range: object = {}) => bench.callIn(turn, readFileTool, { path: 'a', ...range }),
    write: (turn: number, input: object = {}) =>
      bench.callIn(turn, writeFileTool, { path: 'a', content: 'mine\n', ...input }),
  };
}

test('a file that was not read is refused, and replaced with overwrite', async () => {
  const { write, text } = await benchWith('theirs\n');
  const refused = await write(1);
  expect(refused).toMatchObject({
    isError: true,
    content: expect.stringContaining('a: exists, and you have not read it'),
  });
  expect(refused.content).toMatch(
    /It has 7 bytes, written 20.*Z\. Read it first, or replace it all the same with overwrite=true/,
  );
  expect(await text()).toBe('theirs\n');
  expect(await write(2, { overwrite: true })).toMatchObject({ content: 'Replaced a (5 bytes)' });
  expect(await text()).toBe('mine\n');
});

test('a file that was read is replaced, from the next turn on: the call beside the read was made without it', async () => {
  const { read, write, text } = await benchWith('theirs\n');
  await read(1);
  expect(await write(1)).toMatchObject({ isError: true });
  expect(await write(2)).toMatchObject({ content: 'Replaced a (5 bytes)' });
  expect(await text()).toBe('mine\n');
});

test('a file that has changed since is refused until it is read again, also where size and time are the same', async () => {
  const { read, write, put, text, workspace } = await benchWith('theirs\n');
  const { atime, mtime } = await stat(join(workspace, 'a'));
  await read(1);
  await put('THEIRS\n');
  await utimes(join(workspace, 'a'), atime, mtime);
  const refused = await write(2);
  expect(refused.content).toMatch(/^a: has changed since you read it in turn 1\. It has 7 bytes, /);
  expect(await text()).toBe('THEIRS\n');
  await read(2);
  expect(await write(3)).not.toHaveProperty('isError');
});

const edit = { path: 'a', old_string: 'mine', new_string: 'two' };
const patch = { patch: '*** Begin Patch\n*** Update File: a\n-mine\n+three\n*** End Patch' };

test('what the focus wrote, edited or patched itself is known at once, and not what came after', async () => {
  const { call, write, put } = await benchWith('');
  for (const change of [
    () => write(1, { content: 'one\n' }),
    () => call(editFileTool, edit),
    () => call(applyPatchTool, patch),
  ]) {
    expect(await change()).not.toHaveProperty('isError');
    expect(await write(1)).toMatchObject({ content: 'Replaced a (5 bytes)' });
  }
  await put('theirs\n');
  expect((await write(2)).content).toMatch(/^a: has changed since you wrote it in turn 1\./);
});

test.each([
  ['edit_file', editFileTool, edit, /^Edited a at line 1\. It had changed since turn 1, .*: read it again$/],
  ['apply_patch', applyPatchTool, patch, /^changed a \(1 hunk\)$/],
])(
  'an edit by %s of a file that somebody else has changed does not make their lines known',
  async (_name, tool, input, says) => {
    const { callIn, read, write, put, text } = await benchWith('mine\nold\n');
    await read(1);
    await put('mine\ntheirs\n');
    expect((await callIn(2, tool, input)).content).toMatch(says);
    expect(await write(3)).toMatchObject({
      isError: true,
      content: expect.stringContaining('has changed since you read it'),
    });
    expect(await text()).toContain('theirs');
    await read(3);
    expect(await write(4)).not.toHaveProperty('isError');
  },
);

test('an edit of a file that was not read does not make it known', async () => {
  const { callIn, write } = await benchWith('mine\ntheirs\n');
  await callIn(1, editFileTool, edit);
  expect((await write(2)).content).toContain('you have not read it');
});

test('a change of the same size at the same time is noticed right before the rename', async () => {
  const { context, workspace, put, text } = await benchWith('theirs\n');
  const real = join(workspace, 'a');
  const at = new Date(1_700_000_000_000);
  await utimes(real, at, at);
  const read = { stats: await stat(real), hash: hashOf('theirs\n') };
  await put('THEIRS\n');
  await utimes(real, at, at);
  const changes = [{ path: { real, exists: true, shown: 'a' }, content: 'mine', read }];
  expect(await makeChanges(context, changes)).toMatchObject({ refusal: expect.stringContaining('was changed') });
  expect(await text()).toBe('THEIRS\n');
});

test('a file that was read in parts is known when no line is missing', async () => {
  const { read, write } = await benchWith('1\n2\n3\n4\n5\n');
  await read(1, { limit: 2 });
  await read(1, { offset: 4 });
  const refused = await write(2);
  expect(refused.content).toMatch(
    /^a: you have read only lines 1 to 2 of 5\. Read the rest, use edit_file, or replace/,
  );
  await read(2, { offset: 2 });
  expect(await write(3)).not.toHaveProperty('isError');
});

test('a line that was cut does not count as read', async () => {
  const { read, write } = await benchWith(`${'x'.repeat(5000)}\n`);
  await read(1);
  expect(await write(2)).toMatchObject({ isError: true });
});

test('an empty file, and one that has the content already, are not lost', async () => {
  const { write, put } = await benchWith('');
  expect(await write(1)).not.toHaveProperty('isError');
  await put('again\n');
  expect(await write(1, { content: 'again\n' })).not.toHaveProperty('isError');
});

test('a binary or large file is not replaced unless it is said', async () => {
  const { write } = await benchWith(Buffer.from([0, 1, 2]));
  expect(await write(1)).toMatchObject({ isError: true });
  const large = await benchWith(Buffer.alloc(11 * 1024 * 1024));
  expect((await large.write(1)).content).toContain('too large to be read');
  expect(await large.write(1, { overwrite: true })).not.toHaveProperty('isError');
});

test('what code read is known to code, and not to the model', async () => {
  const { context, workspace } = await setUpBench();
  await writeFile(join(workspace, 'a'), 'theirs\n');
  const byCode = { ...context, codeBytes: 1e6 };
  await readFileTool.run({ path: 'a' }, byCode);
  expect(await writeFileTool.run({ path: 'a', content: 'x' }, { ...context, turn: 2 })).toMatchObject({
    isError: true,
  });
  expect(await writeFileTool.run({ path: 'a', content: 'x' }, byCode)).not.toHaveProperty('isError');
});

test('what changed is shown where the record has what was read or written', async () => {
  const lines = ['1\tone', '2\ttwo', '3\tthree', '[no newline at the end of the file]'];
  const before = 'one\ntwo\nthree';
  const record = { hash: hashOf(before), turn: 4, byCode: false };
  const read = { first: 1, last: 3, lines: 3 };
  for (const recorded of [
    { ...record, read, text: lines.join('\n') },
    { ...record, read: null, text: before },
  ]) {
    const { callIn, workspace } = await setUpBench({ seenFiles: createSeenFiles(async () => [recorded]) });
    const after = async (text: string) => {
      await writeFile(join(workspace, 'a'), text);
      return (await callIn(9, writeFileTool, { path: 'a', content: 'x' })).content;
    };
    const changed = `a: has changed since you ${recorded.read === null ? 'wrote' : 'read'} it in turn 4: `;
    expect(await after('one\nTWO\n2b\nthree')).toContain(
      `${changed}lines 2 to 3 differ now:\n2\tTWO\n3\t2b\nRead it again, or`,
    );
    expect(await after('one\nthree')).toContain(`${changed}1 line after line 1 is gone. Read it again`);
    expect(await after('one\ntwo\n3')).toContain(`${changed}line 3 differs now:\n3\t3\nRead it again`);
    // Unchanged, the record is as good as the read itself.
    expect(await after(before)).toContain('Replaced');
  }
});

test('a file that somebody creates at the same moment is kept', async () => {
  const { context, workspace } = await setUpBench();
  const path = { real: join(workspace, 'new'), exists: false, shown: 'new' };
  let asked = 0;
  const lease = {
    sure: async () => {
      await writeFile(join(workspace, 'new'), 'theirs');
    },
    // Asked right before the change.
    holds: () => asked++ > 0,
  };
  const refused = await makeChanges({ ...context, lease }, [{ path, content: 'mine', read: null }]);
  expect(refused).toMatchObject({ refusal: expect.stringContaining('was changed by something else') });
  expect(await readFile(join(workspace, 'new'), 'utf8')).toBe('theirs');
});

test('of two agents that write one new file at once, one is refused', async () => {
  const { context, workspace } = await setUpBench();
  const other = { ...contextIn(workspace, context), focusId: 'focus-2', seenFiles: createSeenFiles(async () => []) };
  const outputs = await Promise.all(
    [context, other].map((one, index) => writeFileTool.run({ path: 'a', content: `${index}` }, one)),
  );
  const made = outputs.flatMap(({ isError }, index) => (isError ? [] : [`${index}`]));
  expect(made).toHaveLength(1);
  expect(await readFile(join(workspace, 'a'), 'utf8')).toBe(made[0]);
});
