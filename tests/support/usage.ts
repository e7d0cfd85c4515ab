export interface Usage {
  /** Resident memory. */
  readonly bytes: number;
  /** Processor time so far, of all its threads. */
  readonly cpuMs: number;
}

/** Of this process. */
export function usage(): Usage {
  const { user, system } = process.cpuUsage();
  return { bytes: process.memoryUsage.rss(), cpuMs: (user + system) / 1000 };
}
