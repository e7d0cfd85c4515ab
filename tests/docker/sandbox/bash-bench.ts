/** A focus's container for tests: its workspace belongs to a user who is not root. */
import { chownSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { FileRule } from '../../../src/process/file-rules.ts';
import type { LaunchedProcess, ProcessResult } from '../../../src/process/process-host.ts';
import { createFocusContainer, type FocusContainer } from '../../../src/sandbox/bash/focus-container.ts';
import { openShell, type ShellSettings } from '../../../src/sandbox/bash/open-shell.ts';
import type { ContainerHost } from '../../../src/sandbox/container-host.ts';
import { IMAGE } from './containers.ts';

/** Nobody has this id. */
const SOMEBODY = 12_345;

export interface BashBench {
  readonly container: FocusContainer;
  readonly workspace: string;
  /** The user and group of its commands. */
  readonly user: number;
  run(line: string, more?: Partial<CommandOptions>): Promise<ProcessResult>;
  /** In the background. */
  launch(line: string): LaunchedProcess;
}

interface CommandOptions {
  readonly timeoutMs: number;
  readonly fileRules: readonly FileRule[];
  readonly signal: AbortSignal;
}

/** Gives a path to the user of the container. */
export function give(path: string): void {
  if (process.getuid?.() === 0) chownSync(path, SOMEBODY, SOMEBODY);
}

/** A new workspace, and a container that is closed with the test. `beforeStart` runs when its mounts have been planned. */
export function bashBench(
  host: ContainerHost,
  settings: Partial<ShellSettings> = {},
  beforeStart: (workspace: string) => void = () => {},
): BashBench {
  const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'animus-bash-')));
  give(workspace);
  const user = process.getuid?.() === 0 ? SOMEBODY : (process.getuid?.() ?? SOMEBODY);
  const shell = {
    owner: `work-${workspace.slice(-6)}`,
    image: IMAGE,
    limits: { memoryBytes: 128 * 2 ** 20, cpus: 1, pids: 100 },
    user: `${user}:${user}`,
    workdir: workspace,
    runtime: null,
    connect: null,
    ...settings,
  };
  const container = createFocusContainer({
    roots: [workspace],
    open(plan, signal) {
      beforeStart(workspace);
      return openShell(host, shell, plan, signal);
    },
    graceMs: 300,
  });
  onTestFinished(async () => {
    await container.close();
    rmSync(workspace, { recursive: true, force: true });
  });
  const spec = (line: string) => ({
    owner: shell.owner,
    command: 'bash',
    args: ['-c', line],
    cwd: workspace,
    env: { HOME: workspace },
    isolation: 'none' as const,
  });
  return {
    container,
    workspace,
    user,
    run: (line, { timeoutMs = 60_000, fileRules = [], signal = new AbortController().signal } = {}) =>
      container.run({ ...spec(line), fileRules, timeoutMs, maxOutputBytes: 16_384 }, signal),
    launch: (line) => container.launch({ ...spec(line), stdin: 'none' }, new AbortController().signal),
  };
}
