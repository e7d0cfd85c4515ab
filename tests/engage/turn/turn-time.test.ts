import { expect, it } from 'vitest';
import { createTurnTime } from '../../../src/engage/turn/turn-time.ts';

it('the overhead of a turn is its time without waits for models and tools; parallel waits count once', async () => {
  let nowMs = 0;
  const time = createTurnTime(() => nowMs);
  const model = Promise.withResolvers<void>();
  const tool = Promise.withResolvers<void>();
  nowMs = 3;
  const waits = [time.elsewhere(model.promise), time.elsewhere(tool.promise)];
  nowMs = 103;
  tool.reject(new Error('the tool failed'));
  await expect(waits[1]).rejects.toThrow('the tool failed');
  nowMs = 203;
  model.resolve();
  await waits[0];
  nowMs = 205;
  expect(time.takeOverheadMs()).toBe(5);
  nowMs = 206;
  expect(time.takeOverheadMs()).toBe(1);
});
