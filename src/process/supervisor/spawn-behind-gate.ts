/** Starts the first process of a run, which goes on to its start gate. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { atOrdinaryPriority } from '../limits/precedence.ts';
import type { RunCgroup } from '../limits/run-cgroup.ts';
import { withFirstStep } from '../runners/first-step.ts';
import type { StartLine } from '../runners/runner.ts';
import { tellPlace } from './gate.ts';

interface Start {
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly cgroup: RunCgroup | null;
  /** Its standard input. */
  readonly input: number | 'ignore' | 'pipe';
  /** An open file that it gets as descriptor 5. */
  readonly text?: number;
}

/** In its own session and process group, and in its cgroup. Where the line has a place, the process is told about it and enters it. */
export function spawnBehindGate(line: StartLine, { cwd, environment, cgroup, input, text }: Start): ChildProcess {
  const { command, args } = withFirstStep(line, cgroup && join(cgroup.path, 'cgroup.procs'));
  const files = [line.file, text].filter((file) => file !== undefined);
  const gate = line.gated ? (['pipe', ...files] as const) : [];
  const stdio = [input, 'pipe', 'pipe', ...gate] as const;
  const child = atOrdinaryPriority(() =>
    spawn(command, args, { cwd, env: environment, detached: true, stdio: [...stdio] }),
  );
  const { place } = line;
  if (!place) return child;
  child.once('exit', () => place.entered()).once('error', () => place.entered());
  if (child.pid === undefined) return child;
  void tellPlace(child, place);
  (child.stdio[3] as NodeJS.ReadableStream).once('data', () => place.entered());
  return child;
}
