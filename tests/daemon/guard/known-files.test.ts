/** Which changes of a secret file are harmless, and which ones stop the daemon's work. */
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { knowFiles } from '../../../src/daemon/guard/known-files.ts';

describe.runIf(process.platform === 'linux')('a known file', () => {
  test('that is replaced by a rename is known under its new content', () => {
    const { at, known } = setUp();
    writeFileSync(at('new'), 'second');
    renameSync(at('new'), at('keys/key'));
    expect(known.realPaths()).toEqual([at('keys/key'), at('keys')]);
    expect(known.realPaths()).toEqual([at('keys/key'), at('keys')]);
  });

  test('that is replaced by a link to elsewhere stays hidden at its old path until it is removed there', () => {
    const { at, known } = setUp('volume/..data/key');
    expect(known.realPaths()).toEqual([at('volume/..1/key')]);
    mkdirSync(at('volume/..2'));
    writeFileSync(at('volume/..2/key'), 'second');
    symlinkSync('..2', at('volume/..tmp'));
    renameSync(at('volume/..tmp'), at('volume/..data'));
    expect(known.realPaths()).toEqual([at('volume/..2/key'), at('volume/..1/key')]);
    rmSync(at('volume/..1'), { recursive: true });
    expect(known.realPaths()).toEqual([at('volume/..2/key')]);
  });

  test('that appears later is included', () => {
    const { at, known } = setUp('later');
    expect(known.realPaths()).toEqual([]);
    writeFileSync(at('later'), 'key');
    expect(known.realPaths()).toEqual([at('later')]);
    rmSync(at('later'));
    expect(() => known.realPaths()).toThrow('it is gone');
  });

  test('that is moved away stops everything, even if another file takes its place, until it is back', () => {
    const { at, known } = setUp();
    renameSync(at('keys'), at('x'));
    expect(() => known.realPaths()).toThrow('it is gone');
    mkdirSync(at('keys'));
    writeFileSync(at('keys/key'), 'decoy');
    expect(() => known.realPaths()).toThrow('it was moved away');
    rmSync(at('keys'), { recursive: true });
    renameSync(at('x'), at('keys'));
    expect(known.realPaths()).toEqual([at('keys/key'), at('keys')]);
  });

  test('with a second name stops everything', () => {
    const { at, known } = setUp();
    linkSync(at('keys/key'), at('other'));
    expect(() => known.realPaths()).toThrow('2 names');
    rmSync(at('other'));
    expect(known.realPaths()).toHaveLength(2);
  });

  test('that is a directory is never replaced: a link that leads to another one stops everything', () => {
    const { at } = setUp();
    mkdirSync(at('real'));
    mkdirSync(at('decoy'));
    symlinkSync('real', at('home'));
    const linked = knowFiles([at('home')]);
    onTestFinished(() => linked.close());
    expect(linked.realPaths()).toEqual([at('real')]);
    rmSync(at('home'));
    symlinkSync('decoy', at('home'));
    expect(() => linked.realPaths()).toThrow('another directory has taken its place');
  });

  test('behind a link that now points to a decoy stays hidden where it is', () => {
    const { at, known } = setUp('volume/..data/key');
    mkdirSync(at('decoy'));
    writeFileSync(at('decoy/key'), 'decoy');
    symlinkSync(at('decoy'), at('volume/..tmp'));
    renameSync(at('volume/..tmp'), at('volume/..data'));
    expect(known.realPaths()).toContain(at('volume/..1/key'));
  });
});

function setUp(...named: string[]) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'known-files-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const at = (path: string) => join(root, path);
  for (const directory of ['keys', 'volume/..1']) mkdirSync(at(directory), { recursive: true });
  for (const file of ['keys/key', 'volume/..1/key']) writeFileSync(at(file), 'first');
  symlinkSync('..1', at('volume/..data'));
  const known = knowFiles((named.length > 0 ? named : ['keys/key', 'keys']).map(at));
  onTestFinished(() => known.close());
  return { at, known };
}
