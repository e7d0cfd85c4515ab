/** The process host of a focus: it starts a process only if the lease is certainly valid. */
import type { Lease } from '../../../core/lifecycle/lease.ts';
import { neverLaunched } from '../../../process/host/launch-streams.ts';
import type { ProcessHost } from '../../../process/process-host.ts';

/** Hooks, git and whatever else the daemon runs for a focus. `run` rejects with `work.lease_lost`; a launch ends as `interrupted`. */
export function leasedProcesses(processes: ProcessHost, lease: Lease): ProcessHost {
  return {
    start: () => processes.start(),
    stop: () => processes.stop(),
    async run(spec, signal) {
      await lease.sure();
      return processes.run(spec, signal);
    },
    launch: (spec, signal) =>
      lease.holds()
        ? processes.launch(spec, signal)
        : neverLaunched(spec, 'interrupted', 'the lease of its focus may be over'),
    setLimits: (owner, limits) => processes.setLimits(owner, limits),
    setDeadline: (owner, ms) => processes.setDeadline(owner, ms),
    killAll: (owner) => processes.killAll(owner),
  };
}
