import { expect, onTestFinished, test } from 'vitest';
import type { Faculty } from '../../../src/catalog/faculty/faculty.ts';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createSandboxWatch } from '../../../src/daemon/timers/sandbox-watch.ts';
import type { EngineHealth } from '../../../src/sandbox/container-host.ts';

const coder = (name: string, image: string | null) =>
  ({ name, engage: { codeExecution: { image } } }) as unknown as Faculty;

test('status learns what stands in the way of containers, once, and when it is solved', async () => {
  const problems = new Map<string, string>([['animus-sandbox', 'no image']]);
  const asked: string[] = [];
  const told: (readonly string[])[] = [];
  const rounds: (() => void)[] = [];
  const sleep = (_ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      rounds.push(resolve);
      signal?.addEventListener('abort', () => resolve(), { once: true });
    });
  /** Lets it look once more, and waits until it has. */
  const look = async (): Promise<void> => {
    await expect.poll(() => rounds.length).toBe(1);
    rounds.shift()?.();
    await expect.poll(() => rounds.length).toBe(1);
  };
  let faculties: readonly Faculty[] = [];
  const watch = createSandboxWatch({
    clock: { ...systemClock, sleep },
    codeImage: 'animus-sandbox',
    containers: {
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
