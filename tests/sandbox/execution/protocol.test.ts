import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { HeldContainer } from '../../../src/sandbox/container-host.ts';
import { openRunner } from '../../../src/sandbox/execution/open-runner.ts';

/** A container whose runner says this. */
function saying(line: string): HeldContainer {
  const stdout = new PassThrough();
  stdout.write(`${line}\n`);
  const held: Partial<HeldContainer> = {
    stdin: new PassThrough(),
    stdout,
    stderr: new PassThrough(),
    exited: new Promise(() => {}),
    destroy: async () => {},
  };
  return held as HeldContainer;
}

const ready = (params?: object) => JSON.stringify({ jsonrpc: '2.0', method: 'ready', params });

test('a runner of another version is refused, and the message says to build the image again', async () => {
  await expect(openRunner(saying(ready({ protocol: 1, python: '3.13.5' })), 'box', 5000)).resolves.toBeDefined();
  await expect(openRunner(saying(ready()), 'box', 5000)).resolves.toBeDefined();
  await expect(openRunner(saying(ready({ protocol: 2 })), 'box', 5000)).rejects.toMatchObject({
    code: 'sandbox.refused',
    message: expect.stringMatching(
      /the runner in the image box speaks protocol 2, but this version of animus speaks 1; build the image again \(animus sandbox build\)/,
    ) as unknown,
  });
});
