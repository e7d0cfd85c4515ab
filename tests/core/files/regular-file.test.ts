import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { placeFile, readRegularFile } from '../../../src/core/files/regular-file.ts';
import { loadScript } from '../../../src/llm/scripted/script.ts';

test('reads a file up to its limit, through a link only if that is permitted', () => {
  const path = scratch();
  writeFileSync(join(path, 'a'), 'text');
  symlinkSync('a', join(path, 'link'));
  expect(readRegularFile(join(path, 'a')).toString()).toBe('text');
  expect(readRegularFile(join(path, 'link')).toString()).toBe('text');
  expect(() => readRegularFile(join(path, 'link'), { followLink: false })).toThrow('ELOOP');
  expect(() => readRegularFile(join(path, 'a'), { maxBytes: 3 })).toThrow('has 4 bytes; at most 3 are read');
  appendFileSync(join(path, 'big'), Buffer.alloc(2 * 1024 * 1024));
  expect(() => readRegularFile(join(path, 'big'))).toThrow('at most 1048576');
});

test('never waits for a pipe, and reads no device or directory', () => {
  const path = scratch();
  execFileSync('mkfifo', [join(path, 'pipe')]);
  symlinkSync('/dev/zero', join(path, 'endless'));
  for (const name of ['pipe', 'endless']) {
    expect(() => readRegularFile(join(path, name))).toThrow('is not a regular file');
    expect(() => loadScript(join(path, name))).toThrow(expect.objectContaining({ code: 'config.unreadable' }));
  }
  expect(() => readRegularFile(path)).toThrow('is a directory');
  expect(() => readRegularFile('/proc/self/environ', { maxBytes: 1 })).toThrow('more than 1 bytes');
});

test('replaces whatever exists with a file, and does not write through a link', async () => {
  const path = scratch();
  writeFileSync(join(path, 'outside'), 'as it was');
  mkdirSync(join(path, 'dir', 'name'), { recursive: true });
  await placeFile(join(path, 'dir'), 'name', 'one');
  rmSync(join(path, 'dir', 'name'));
  symlinkSync(join(path, 'outside'), join(path, 'dir', 'name'));
  await placeFile(join(path, 'dir'), 'name', 'two');
  expect(readFileSync(join(path, 'dir', 'name'), 'utf8')).toBe('two');
  expect(readFileSync(join(path, 'outside'), 'utf8')).toBe('as it was');
  symlinkSync('dir', join(path, 'other'));
  await expect(placeFile(join(path, 'other'), 'name', 'three')).rejects.toThrow(/ELOOP|ENOTDIR/);
});

function scratch(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'animus-files-')));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}
