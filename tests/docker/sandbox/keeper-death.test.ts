/** No container outlives its lease: daemons and keepers are killed and frozen. On a real engine. */
import { randomUUID } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { docker } from '../appliance.ts';
import { catSpec, containersOf, missingEngine, testHost } from './containers.ts';
import { OBEDIENT, playDaemon, STUBBORN } from './played-daemon.ts';

const missing = missingEngine();
const never = new AbortController().signal;

describe.skipIf(missing !== null)(
  `no container outlives its lease${missing === null ? '' : ` (skipped: ${missing})`}`,
  () => {
    const gone = (daemon: string) =>
      eventually('its containers are gone', async () => ((await containersOf(daemon)).length === 0 ? true : null));
    const dead = (pid: number) => eventually('the process is gone', () => (existsSync(`/proc/${pid}`) ? null : true));

    test('when the daemon is SIGKILLed, the keeper removes them and ends', async () => {
      const daemon = playDaemon({ commands: [OBEDIENT, STUBBORN] });
      expect(await daemon.ids).toHaveLength(2);
      const keeper = daemon.keeperPid();
      daemon.child.kill('SIGKILL');
      await gone(daemon.id);
      await dead(keeper);
    });

    test('when the daemon is frozen past the deadline, the keeper removes them, and the daemon learns it', async () => {
      const daemon = playDaemon({ commands: [OBEDIENT, STUBBORN], deadlineMs: 6000 });
      expect(await daemon.ids).toHaveLength(2);
      daemon.child.kill('SIGSTOP');
      await gone(daemon.id);
      daemon.child.kill('SIGCONT');
      const problem = 'the deadline of its owner passed without renewal';
      expect(await daemon.ends).toEqual([0, 1].map(() => ({ ended: 'expired', exitCode: 137, problem })));
    });

    test('when the keeper is SIGKILLed, they read the end of their input; a new keeper removes those that do not', async () => {
      const daemon = playDaemon({ commands: [OBEDIENT, STUBBORN] });
      expect(await daemon.ids).toHaveLength(2);
      process.kill(daemon.keeperPid(), 'SIGKILL');
      expect((await daemon.ends).map(({ ended }) => ended)).toEqual(['lost', 'lost']);
      await gone(daemon.id);
    });

    test('when daemon and keeper are SIGKILLed at once, they read the end of their input; the next daemon removes those that do not', async () => {
      const daemon = playDaemon({ commands: [OBEDIENT, STUBBORN] });
      const [obedient, stubborn] = await daemon.ids;
      const pids = [daemon.keeperPid(), daemon.child.pid ?? 0];
      daemon.child.kill('SIGSTOP');
      for (const pid of pids) process.kill(pid, 'SIGKILL');
      await Promise.all(pids.map(dead));
      await eventually('the obedient one has ended', async () =>
        (await containersOf(daemon.id)).includes(obedient!) ? null : true,
      );
      // Any keeper of this machine that starts now removes the other one, as those of tests at the same time may do.
      expect([[], [stubborn]]).toContainEqual(await containersOf(daemon.id));
      // Its marker says that there may be something.
      expect(existsSync(daemon.marker)).toBe(true);
      playDaemon({ commands: [], marker: daemon.marker });
      await gone(daemon.id);
    });

    test('containers of daemons that live are left alone, and those of dead daemons elsewhere go when they are known to be dead', async () => {
      const living = playDaemon({ commands: [OBEDIENT] });
      const [alive] = await living.ids;
      const elsewhere = await left(randomUUID());
      const known = await left(randomUUID());
      const { host, stop } = testHost({ dead: async () => [known.daemon] });
      onTestFinished(stop);
      await (await host.launch(catSpec(), never)).destroy();
      await gone(known.daemon);
      expect(await containersOf(elsewhere.daemon)).toEqual([elsewhere.id]);
      expect(await containersOf(living.id)).toEqual([alive]);
    });

    /** A container of a daemon on another host. */
    async function left(daemon: string): Promise<{ readonly daemon: string; readonly id: string }> {
      const labels = ['animus.sandbox=1', `animus.daemon=${daemon}`, 'animus.process=other-boot/1/1/1'];
      const options = labels.flatMap((label) => ['--label', label]);
      const id = await docker([
        'run',
        '--detach',
        '--network',
        'none',
        ...options,
        'python:3.13-slim-trixie',
        'sleep',
        '600',
      ]);
      onTestFinished(async () => void (await docker(['rm', '--force', '--volumes', id.trim()]).catch(() => {})));
      return { daemon, id: id.trim() };
    }
  },
);

describe.skipIf(missing !== null)('a keeper that does nothing', () => {
  test('ends after a while, and is started again when it is needed', async () => {
    const daemon = playDaemon({ commands: [] });
    await daemon.ids;
    expect(() => daemon.keeperPid()).toThrow('no child');
    const { host, stop } = testHost({ idleMs: 0 });
    onTestFinished(stop);
    for (const round of [1, 2]) {
      const held = await host.launch(catSpec(), never);
      held.stdin.end();
      expect([round, (await held.exited).ended]).toEqual([round, 'exited']);
    }
    rmSync(daemon.marker, { force: true });
  });
});
