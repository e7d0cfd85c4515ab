/** Promise: a process counts as dead only where that is proved. */
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { livesOf, processMark } from '../../../src/process/trace/process-mark.ts';

const MINE = processMark(process.pid);
const PLACE = MINE.split('/').slice(0, 2).join('/');
const MODULE = new URL('../../../src/process/trace/process-mark.ts', import.meta.url).href;
const IMPORT = `const { livesOf } = await import('${MODULE}')`;

describe.skipIf(MINE === '')('the process of a mark', () => {
  test('lives, or is gone, where it can be seen', () => {
    expect(livesOf(MINE)).toBe(true);
    expect(livesOf(`${PLACE}/999999999/1`)).toBe(false);
    // Another process has its pid now.
    expect(livesOf(`${PLACE}/${process.pid}/1`)).toBe(false);
  });

  test('cannot be judged from another boot, pid namespace or host, nor without a mark', () => {
    const [boot, namespace, ...rest] = MINE.split('/');
    expect(livesOf(['other', namespace, ...rest].join('/'))).toBeNull();
    expect(livesOf([boot, '1', ...rest].join('/'))).toBeNull();
    expect(livesOf('')).toBeNull();
  });

  test.skipIf(inHiding(IMPORT) !== '')('of another user is not taken for dead where /proc hides it', () => {
    const judged = [MINE, `${PLACE}/999999999/1`].map((mark) => `livesOf('${mark}')`);
    expect(inHiding(`${IMPORT}; console.log(${judged.join(', ')})`)).toBe('null false\n');
  });
});

/** What a program prints that runs as another user and sees no processes of others; an error, where this host cannot do that. */
function inHiding(program: string): string {
  const hide =
    'mount -t proc -o hidepid=2 proc /proc && exec setpriv --reuid=12345 --regid=12345 --clear-groups -- "$@"';
  const run = ['-m', 'sh', '-c', hide, 'sh', process.execPath, '--input-type=module', '-e', program];
  const { stdout, stderr, status, error } = spawnSync('unshare', run, { encoding: 'utf8', cwd: '/', env: {} });
  return error || status !== 0 ? `not possible here: ${error?.message ?? stderr}` : stdout;
}
