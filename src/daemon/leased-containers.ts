/** Containers end with the lease, as processes do: their deadlines are renewed together. */
import type { ProcessHost } from '../process/process-host.ts';
import type { ContainerHost } from '../sandbox/container-host.ts';

/** The same process host, which passes deadlines and ends of its owners on to the containers. */
export function withContainers(processes: ProcessHost, containers: ContainerHost): ProcessHost {
  return {
    start: async () => void (await Promise.all([processes.start(), containers.start()])),
    stop: async () => void (await Promise.all([processes.stop(), containers.stop()])),
    run: (spec, signal) => processes.run(spec, signal),
    launch: (spec, signal) => processes.launch(spec, signal),
    setLimits: (owner, limits) => processes.setLimits(owner, limits),
    setDeadline(owner, ms) {
      processes.setDeadline(owner, ms);
      containers.setDeadline(owner, ms);
    },
    killAll: async (owner) => void (await Promise.all([processes.killAll(owner), containers.killAll(owner)])),
  };
}
