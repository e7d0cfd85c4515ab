/** Creates the host of containers from its settings. */

import type { ContainerHost } from '../container-host.ts';
import type { ContainerHostOptions } from './container-host-options.ts';
import { KeptHost } from './kept-host.ts';

/**
 * Creates a container host with one keeper process, which is started with the first container and again if it has died. It
 * keeps the daemon's event loop alive only while it holds a container or a request is open.
 */
export function createContainerHost(options: ContainerHostOptions): ContainerHost {
  return new KeptHost({
    runtime: null,
    log: () => {},
    dead: async () => [],
    reapMs: 60_000,
    idleMs: 60_000,
    watchdogMs: 15_000,
    ...options,
  });
}
