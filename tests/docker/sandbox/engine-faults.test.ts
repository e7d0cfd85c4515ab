/** The engine is down, restarted, frozen, and has no disk space: errors say what to do, and nothing is left. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parseEngineAddress } from '../../../src/core/config/sections/engine-address.ts';
import { eventually } from '../../support/eventually.ts';
import { catSpec, missingEngine, type TestHost, testHost } from './containers.ts';
import { missingOwnEngine, type OwnEngine, prepareEngine, SMALL_IMAGE } from './own-engine.ts';
import { STUBBORN } from './played-daemon.ts';

const missing = missingEngine() ?? missingOwnEngine();
const never = new AbortController().signal;

describe.skipIf(missing !== null)(`a faulty engine${missing === null ? '' : ` (skipped: ${missing})`}`, () => {
  let engine: OwnEngine;
  beforeAll(async () => {
    // Containers outlive an engine that is restarted with this option: the harder case.
    engine = await prepareEngine(['--live-restore']);
  });
  afterAll(() => engine?.remove());

  const open = (): TestHost => {
    const address = parseEngineAddress(engine.address);
    if (address === null) throw new Error('unreachable');
    const opened = testHost({ address });
    onTestFinished(opened.stop);
    return opened;
  };
  const spec = catSpec({ image: SMALL_IMAGE });
  const stubborn = catSpec({ image: SMALL_IMAGE, command: STUBBORN });
  const left = async (): Promise<number> => (await engine.docker('ps', '--all', '--quiet')).split('\n').length - 1;

  test('that is killed loses the containers; when it is back, they are removed', async () => {
    const { host } = open();
    const held = [await host.launch(spec, never), await host.launch(stubborn, never)];
    for (const { stdout, stderr } of held) {
      stdout.resume();
      stderr.resume();
    }
    expect(await Promise.all(held.map((one) => one.lives()))).toEqual([true, true]);
    engine.signal('SIGKILL');
    await engine.ended();
    // Asked at once, while their ends may not be known yet: whoever gets code from the pool must not get one of these.
    expect(await Promise.all(held.map((one) => one.lives()))).toEqual([false, false]);
    expect(await Promise.all(held.map(async ({ exited }) => (await exited).ended))).toEqual(['lost', 'lost']);
    const refused = host.launch(spec, never);
    await expect(refused).rejects.toMatchObject({ code: 'sandbox.unreachable' });
    await expect(refused).rejects.toThrow('start the Docker engine, or set its address as endpoint in [sandbox]');
    expect((await host.health(SMALL_IMAGE)).problem).toContain('start the Docker engine');
    await engine.start();
    await eventually('nothing is left', async () => ((await left()) === 0 ? true : null));
    const again = await host.launch(spec, never);
    await again.destroy();
  });

  test('that is frozen delays nobody who cancels, and loses nothing when it goes on', async () => {
    const { host } = open();
    const held = await host.launch(stubborn, never);
    engine.signal('SIGSTOP');
    const abort = new AbortController();
    const starting = host.launch(spec, abort.signal);
    abort.abort(new Error('cancelled'));
    await expect(starting).rejects.toThrow('cancelled');
    host.setDeadline('owner', 0);
    engine.signal('SIGCONT');
    expect((await held.exited).ended).toBe('expired');
    await eventually('nothing is left', async () => ((await left()) === 0 ? true : null));
    await expect(host.launch(spec, never)).rejects.toThrow('the deadline of its owner has passed');
    host.setDeadline('owner', 60_000);
    await (await host.launch(spec, never)).destroy();
  });

  test('without disk space says so, and works again when there is some', async () => {
    const { host } = open();
    engine.fillDisk();
    const refused = host.launch(spec, never);
    await expect(refused).rejects.toMatchObject({ code: 'sandbox.no_space' });
    await expect(refused).rejects.toThrow('free some there');
    engine.freeDisk();
    await (await host.launch(spec, never)).destroy();
    expect(await left()).toBe(0);
  });

  test('without the image says how to get it', async () => {
    const { host } = open();
    const health = await host.health('animus-sandbox:latest');
    expect(health.problem).toContain('animus sandbox build');
    expect(health.image).toEqual({ name: 'animus-sandbox:latest', present: false });
    expect((await host.health(SMALL_IMAGE)).problem).toBe(null);
  });
});
