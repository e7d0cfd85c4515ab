/** The limits on what all processes of one focus may use together. */

/** The limits of one owner's processes. */
export interface ProcessLimits {
  /** Resident and swapped memory in bytes. Shared pages are counted once if the kernel reports them. */
  readonly memoryBytes: number;
  /** Number of processes and threads at the same time. */
  readonly processes: number;
}

/**
 * The limits of owners without configured ones. The defaults of `daemon.focus_max_memory_mib` and
 * `focus_max_processes` have the same values.
 */
export const DEFAULT_LIMITS: ProcessLimits = { memoryBytes: 2 * 2 ** 30, processes: 1024 };

/** The limited resources. */
export type Resource = 'memory' | 'processes';

/**
 * Explains to models and people why a run was stopped; completes the message "stopped: …". `alone`: no other run of the
 * owner was active, so this run alone exceeded the limit.
 */
export function excessOf(resource: Resource, limits: ProcessLimits, alone: boolean): string {
  const who = alone ? 'it' : 'the commands of this focus together, and this one most,';
  switch (resource) {
    case 'memory':
      return `${who} used more than ${sizeOf(limits.memoryBytes)} of memory (max_memory_mib)`;
    case 'processes':
      return `${who} reached the limit of ${limits.processes} processes and threads (max_processes)`;
    default:
      return resource satisfies never;
  }
}

/** `2 GiB`, `1.5 GiB`, `300 MiB`. */
function sizeOf(bytes: number): string {
  const mib = Math.round(bytes / 2 ** 20);
  return mib >= 1024 && (mib * 10) % 1024 === 0
    ? `${mib / 1024} GiB`
    : mib >= 10_240
      ? `${Math.round(mib / 1024)} GiB`
      : `${mib} MiB`;
}
