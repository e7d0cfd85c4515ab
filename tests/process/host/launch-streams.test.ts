import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createStreams } from '../../../src/process/host/launch-streams.ts';

test('the supervisor hears of output that was taken, and nothing while there is none', async () => {
  const sent: unknown[] = [];
  const streams = createStreams(7, 'none', (message) => sent.push(message));
  streams.stdout.on('data', () => {});
  await setImmediate();
  expect(sent).toEqual([]);
  streams.receive({ type: 'output', id: 7, stream: 'stdout', data: Buffer.from('hello').toString('base64') });
  await setImmediate();
  expect(sent).toEqual([{ type: 'taken', id: 7, stream: 'stdout', bytes: 5 }]);
});
