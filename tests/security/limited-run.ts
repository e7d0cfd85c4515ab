/** Malicious commands, run with small limits: as many processes and as much memory as a test machine can spare. */
import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { createProcessHost } from '../../src/process/host/supervised-host.ts';
import type { Isolation, ProcessResult } from '../../src/process/process-host.ts';
import { isolationModes, startDirectory } from '../process/isolation-modes.ts';

export const LIMITS = { memoryBytes: 200 * 2 ** 20, processes: 120 };

/** Every isolation that this host supports, with and without cgroups. */
export async function limitedModes(): Promise<readonly { readonly isolation: Isolation; readonly cgroups: boolean }[]> {
  const modes = process.platform === 'linux' ? await isolationModes() : [];
  return modes.flatMap((isolation) => [true, false].map((cgroups) => ({ isolation, cgroups })));
}

/** A process host with those limits, and a run in it; every process carries the token in its environment or command. */
export function limitedRun({ isolation, cgroups }: { readonly isolation: Isolation; readonly cgroups: boolean }) {
  const host = createProcessHost({ graceMs: 200, cgroups });
  onTestFinished(() => host.stop());
  host.setLimits('focus', LIMITS);
  const token = randomUUID();
  const cwd = startDirectory(isolation);
  const run = (script: string, signal = new AbortController().signal): Promise<ProcessResult> =>
    host.run(
      {
        owner: 'focus',
        command: 'bash',
        args: ['-c', script, token],
        cwd,
        env: { PATH: '/usr/bin:/bin', TOKEN: token },
        timeoutMs: 20_000,
        maxOutputBytes: 10_000,
        isolation,
      },
      signal,
    );
  return { host, run, token };
}
