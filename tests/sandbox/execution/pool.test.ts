import { describe, expect, test } from 'vitest';
import type { ContainerEnd } from '../../../src/sandbox/container-host.ts';
import type { OpenRunner } from '../../../src/sandbox/execution/open-runner.ts';
import { createPool } from '../../../src/sandbox/execution/pool.ts';
import { createSlots } from '../../../src/sandbox/execution/slots.ts';
import type { PooledSpec } from '../../../src/sandbox/sandbox.ts';

const SPEC: PooledSpec = { image: 'i', memoryBytes: 1, cpus: 1 };

/** Opens runners that a test can end. */
function opener() {
  const opened: {
    readonly spec: PooledSpec;
    readonly runner: OpenRunner;
    end(): void;
    destroyed: boolean;
    unreachable: boolean;
  }[] = [];
  const open = async (spec: PooledSpec): Promise<OpenRunner> => {
    const exited = Promise.withResolvers<ContainerEnd>();
    let alive = true;
    const entry = {
      spec,
      destroyed: false,
      /** Its engine has died, and its end is not known yet. */
      unreachable: false,
      end() {
        alive = false;
        exited.resolve({ ended: 'exited', exitCode: 0, problem: null });
      },
    };
    const destroy = async (): Promise<void> => {
      full.destroyed = true;
      entry.end();
    };
    const lives = async () => alive && !full.unreachable;
    const held = { exited: exited.promise, destroy, lives } as unknown as OpenRunner['held'];
    const runner: OpenRunner = { held, alive: () => alive, execute: () => Promise.reject(new Error('unused')) };
    const full = Object.assign(entry, { runner });
    opened.push(full);
    return runner;
  };
  return { open, opened };
}

describe('the pool', () => {
  test('is filled in the background, gives each runner once, and keeps kinds apart', async () => {
    const { open, opened } = opener();
    const pool = createPool({ size: 2, open, log: () => {} });
    expect(await pool.take(SPEC)).toBe(null);
    pool.warm(SPEC);
    expect(pool.size()).toBe(2);
    expect(await pool.take({ ...SPEC, memoryBytes: 2 })).toBe(null);
    const [first, second] = [await pool.take(SPEC), await pool.take(SPEC)];
    expect([first, second]).toEqual([opened[0]?.runner, opened[1]?.runner]);
    expect(await pool.take(SPEC)).toBe(null);
    await expect.poll(() => pool.size()).toBe(4);
    await pool.close();
    expect(opened.slice(2).map(({ destroyed }) => destroyed)).toEqual([true, true, true, true]);
    expect(pool.size()).toBe(0);
  });

  test('gives none that has ended while it waited', async () => {
    const { open, opened } = opener();
    const pool = createPool({ size: 2, open, log: () => {} });
    pool.warm(SPEC);
    opened[0]?.end();
    expect(await pool.take(SPEC)).toBe(opened[1]?.runner);
    await pool.close();
  });

  test('gives none of which the engine does not say that it runs', async () => {
    const { open, opened } = opener();
    const pool = createPool({ size: 2, open, log: () => {} });
    pool.warm(SPEC);
    for (const each of opened) each.unreachable = true;
    expect(await pool.take(SPEC)).toBe(null);
    await pool.close();
    expect(opened.map(({ destroyed }) => destroyed)).toContain(true);
    expect(opened.every(({ destroyed }) => destroyed)).toBe(true);
  });

  test('says once why none can be started, and tries again with the next execution', async () => {
    const said: string[] = [];
    let fails = true;
    const { open } = opener();
    const pool = createPool({
      size: 1,
      open: async (spec) => {
        if (fails) throw new Error('no image');
        return open(spec);
      },
      log: (_level, message) => said.push(message),
    });
    pool.warm(SPEC);
    expect(await pool.take(SPEC)).toBe(null);
    expect(said).toEqual(['a container for later executions could not be started']);
    fails = false;
    await expect.poll(() => pool.size()).toBe(1);
    await pool.close();
  });

  test('drops what was not used for long, and the oldest of too many kinds', async () => {
    const { open, opened } = opener();
    const pool = createPool({ size: 1, open, log: () => {}, idleMs: 50 });
    for (let cpus = 1; cpus <= 5; cpus++) pool.warm({ ...SPEC, cpus });
    await expect.poll(() => opened[0]?.destroyed).toBe(true);
    await expect.poll(() => pool.size()).toBe(0);
    await pool.close();
  });

  test('of size 0 starts nothing', async () => {
    const { open, opened } = opener();
    const pool = createPool({ size: 0, open, log: () => {} });
    pool.warm(SPEC);
    expect(await pool.take(SPEC)).toBe(null);
    await pool.close();
    expect(opened).toEqual([]);
  });
});

describe('slots', () => {
  test('are taken in turn, freed once, and left by whoever is aborted', async () => {
    const slots = createSlots(1);
    const never = new AbortController().signal;
    const first = await slots.take(never);
    const abort = new AbortController();
    const second = slots.take(abort.signal);
    const third = slots.take(never);
    abort.abort(new Error('cancelled'));
    await expect(second).rejects.toThrow('cancelled');
    first();
    first();
    const release = await third;
    const fourth = slots.take(never);
    release();
    await fourth;
    await expect(slots.take(AbortSignal.abort(new Error('late')))).rejects.toThrow('late');
  });
});
