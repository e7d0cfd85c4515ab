/** Opens what the daemon needs for containers: their host, and the sandbox of code. */
import { join } from 'node:path';
import type { Config } from '../core/config/config.ts';
import type { ProcessLog } from '../process/host/supervised-host.ts';
import { processMark } from '../process/trace/process-mark.ts';
import type { ContainerHost } from '../sandbox/container-host.ts';
import { createHttpTransport } from '../sandbox/endpoint/http-transport.ts';
import { createSandbox } from '../sandbox/execution/contained-sandbox.ts';
import { createContainerHost } from '../sandbox/host/create-container-host.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { sdkSource } from '../sandbox/sdk/sdk-source.ts';

interface ContainerDaemon {
  readonly config: Pick<Config, 'home' | 'sandbox'>;
  readonly daemonId: string;
  readonly log: ProcessLog;
  /** The ids of daemons that are known to be dead. */
  readonly dead: () => Promise<readonly string[]>;
}

/** Creates both; nothing is started, and no engine is asked yet. */
export function openContainers({ config, daemonId, log, dead }: ContainerDaemon): {
  readonly containers: ContainerHost;
  readonly sandbox: Sandbox;
} {
  const containers = createContainerHost({
    address: config.sandbox.endpoint,
    runtime: config.sandbox.runtime,
    marks: { daemon: daemonId, process: processMark(process.pid) },
    marker: join(config.home, 'containers-in-use'),
    log,
    dead,
  });
  const { transport, network, endpoint: engine } = config.sandbox;
  const http = transport === 'http' ? createHttpTransport({ engine, network }) : null;
  return { containers, sandbox: createSandbox({ ...config.sandbox, http, containers, sdkSource, log }) };
}
