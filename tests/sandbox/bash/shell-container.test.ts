import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { shellContainer } from '../../../src/sandbox/bash/shell-container.ts';

test.each([
  [0, false],
  [1, true],
  [2, true],
])(
  'a command of which %i processes stay after the sweep: the container is destroyed is %s',
  async (left, destroyed) => {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    // The first process, played: it says what a sweep has left.
    stdin.setEncoding('utf8').on('data', (asked: string) => stdout.write(`${asked.split(' ', 1)[0]} ${left} 0 0\n`));
    let isDestroyed = false;
    const held = {
      stdin,
      stdout,
      stderr: new PassThrough(),
      exited: Promise.withResolvers<never>().promise,
      exec: () => ({ stderr: new PassThrough(), exited: Promise.resolve() }),
      outOfMemory: () => false,
      destroy: async () => void (isDestroyed = true),
    };
    const shell = shellContainer(held as never);
    const command = await shell.start(['true'], { env: {}, workdir: '/' });
    expect(shell.running()).toBe(1);
    expect(await command.clear()).toMatchObject({ destroyed, gone: null, refusedForks: false });
    expect([shell.running(), isDestroyed]).toEqual([0, destroyed]);
  },
);
