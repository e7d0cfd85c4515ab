import { expect, onTestFinished, test } from 'vitest';
import type { Faculty } from '../../../src/catalog/faculty/faculty.ts';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createSandboxWatch } from '../../../src/daemon/timers/sandbox-watch.ts';
import type { EngineHealth } from '../../../src/sandbox/container-host.ts';

const coder = (name: string, image: string | null) =>
  ({ name, engage: { codeExecution: { image } } }) as unknown as Faculty;

const clock = (rounds: (() => void)[], now: () => number) => ({
  ...systemClock,
  monotonicMs: now,
  sleep: (_ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      rounds.push(resolve);
      signal?.addEventListener('abort', () => resolve(), { once: true });
    }),
});

/** Lets the watch look once more, and waits until it has. */
const oneMore = async (rounds: (() => void)[]): Promise<void> => {
  await expect.poll(() => rounds.length).toBe(1);
  rounds.shift()?.();
  await expect.poll(() => rounds.length).toBe(1);
};

test('status learns what stands in the way of containers, once, and when it is solved', async () => {
  const problems = new Map<string, string>([['animus-sandbox', 'no image']]);
  const asked: string[] = [];
  const told: (readonly string[])[] = [];
  const rounds: (() => void)[] = [];
  let nowMs = 0;
  const look = () => {
    nowMs += 60_000;
    return oneMore(rounds);
  };
  let faculties: readonly Faculty[] = [];
  const watch = createSandboxWatch({
    clock: clock(rounds, () => nowMs),
    codeImage: 'animus-sandbox',
    containers: {
      ping: async () => null,
      async health(image) {
        asked.push(image);
        return { problem: problems.get(image) ?? null } as EngineHealth;
      },
    },
    faculties: () => faculties,
    onProblems: async (all) => void told.push(all),
  });
  await watch.start();
  onTestFinished(() => watch.stop());
  await look();
  expect(asked).toEqual([]);
  faculties = [coder('a', null), coder('b', 'mine'), coder('c', null), { name: 'd', engage: {} } as unknown as Faculty];
  await look();
  await look();
  expect(asked.slice(0, 2)).toEqual(['animus-sandbox', 'mine']);
  expect(told).toEqual([['containers of a, c: no image']]);
  problems.clear();
  await look();
  await expect.poll(() => told).toEqual([['containers of a, c: no image'], []]);
});

test('a faculty of mode code is not a line of status: its engine is asked more often, by a ping', async () => {
  let unanswered: string | null = 'cannot reach the Docker engine';
  let problem: string | null = 'no image';
  let asked = 0;
  let nowMs = 0;
  const told: unknown[] = [];
  const rounds: (() => void)[] = [];
  const runner = { name: 'sandbox', engage: { mode: 'code', codeExecution: { image: null } } } as unknown as Faculty;
  const watch = createSandboxWatch({
    clock: clock(rounds, () => nowMs),
    codeImage: 'animus-sandbox',
    containers: {
      ping: async () => unanswered,
      async health() {
        asked++;
        return { problem } as EngineHealth;
      },
    },
    faculties: () => [runner],
    onProblems: async (lines, ofCode) => void told.push([lines, Object.fromEntries(ofCode)]),
  });
  await watch.start();
  onTestFinished(() => watch.stop());
  const look = (ms = 10_000) => {
    nowMs += ms;
    return oneMore(rounds);
  };
  await look();
  expect(told).toEqual([[[], { sandbox: 'cannot reach the Docker engine' }]]);
  expect(asked).toBe(0);
  unanswered = null;
  await look();
  expect(told.at(-1)).toEqual([[], { sandbox: 'no image' }]);
  problem = null;
  await look();
  // A missing image is found again after a minute only: the ping does not tell.
  expect(asked).toBe(1);
  await look(60_000);
  expect(told.at(-1)).toEqual([[], {}]);
  // Well, and it answers: it is not asked again for ten minutes.
  await look(60_000);
  expect(asked).toBe(2);
  unanswered = 'gone';
  await look();
  expect(told.at(-1)).toEqual([[], { sandbox: 'gone' }]);
  expect(told).toHaveLength(4);
});
