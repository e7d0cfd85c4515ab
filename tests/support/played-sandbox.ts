/**
 * A sandbox that is played by the test, in the place of the daemon's:
 * `vi.mock('…/src/daemon/open-containers.ts', async () => (await import('…/support/played-sandbox.ts')).playedContainers)`.
 */
import type { openContainers } from '../../src/daemon/open-containers.ts';
import type { ContainerHost } from '../../src/sandbox/container-host.ts';
import type { ExecutionSpec } from '../../src/sandbox/sandbox.ts';
import { type FakeCode, fakeSandbox } from '../tools/code/fake-sandbox.ts';

/** What code does, and what has been run. */
export const played: { code: FakeCode; specs: ExecutionSpec[] } = { code: async () => ({}), specs: [] };

const nothing = async () => {};

/** The module in place of open-containers.ts. */
export const playedContainers = {
  openContainers: (() => {
    const containers = {
      start: nothing,
      stop: nothing,
      killAll: nothing,
      setDeadline: () => {},
      ping: async () => null,
      health: async () => ({ problem: null }),
    } as unknown as ContainerHost;
    const sandbox = fakeSandbox((call, spec, signal) => {
      played.specs.push(spec);
      return played.code(call, spec, signal);
    });
    return { containers, sandbox };
  }) satisfies typeof openContainers,
};
