/** Runs the commands of a focus in a container of its own, which is started with the first of them. */
import { abortable } from '../../core/lifecycle/abortable.ts';
import type { FileRule } from '../../process/file-rules.ts';
import type {
  CommandHost,
  LaunchedProcess,
  LaunchSpec,
  ProcessResult,
  ProcessSpec,
} from '../../process/process-host.ts';
import { captureLaunched } from './capture-launched.ts';
import { containerMounts, type MountPlan } from './container-mounts.ts';
import { type ContainerUse, launchContained } from './launch-contained.ts';
import type { ShellContainer } from './shell-container.ts';

/** The container of one focus. */
export interface FocusContainer extends CommandHost {
  /** Destroys it with everything that runs in it, and starts none any more. Idempotent; never rejects. */
  close(): Promise<void>;
}

/** What a focus's container is made of. */
export interface FocusContainerSetup {
  /** The directories that its commands see, each at its own path; absolute real paths. */
  readonly roots: readonly string[];
  /** Starts a container with these mounts in which commands can run. Rejects with what to do about it. */
  readonly open: (plan: MountPlan, signal: AbortSignal) => Promise<ShellContainer>;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
}

/** A container, and the mounts that it was started with. */
interface Opened {
  readonly key: string;
  readonly container: Promise<ShellContainer>;
  /** Commands that use it or are about to. */
  users: number;
  retired: boolean;
}

/** Starts nothing yet. */
export function createFocusContainer({ roots, open, graceMs }: FocusContainerSetup): FocusContainer {
  const closing = new AbortController();
  const containers = new Set<Opened>();
  let current: Opened | null = null;

  /** The container for a command under these rules: files may have appeared or been replaced that it must not see. */
  const acquire = (rules: readonly FileRule[]): Opened => {
    const plan = containerMounts(roots, rules);
    if (typeof plan === 'string') throw new Error(plan);
    if (current?.key === plan.key) {
      current.users += 1;
      return current;
    }
    if (current !== null) retire(current);
    const opened: Opened = { key: plan.key, container: open(plan, closing.signal), users: 1, retired: false };
    containers.add(opened);
    current = opened;
    opened.container.then(
      ({ exited }) => exited.then(() => forget(opened)),
      () => forget(opened),
    );
    return opened;
  };
  const release = (opened: Opened): void => {
    opened.users -= 1;
    if (opened.retired && opened.users === 0) void destroy(opened);
  };
  /** Commands that run in it go on; others get a new one. */
  const retire = (opened: Opened): void => {
    opened.retired = true;
    if (current === opened) current = null;
    if (opened.users === 0) void destroy(opened);
  };
  const forget = (opened: Opened): void => {
    containers.delete(opened);
    if (current === opened) current = null;
  };
  const destroy = async (opened: Opened): Promise<void> => {
    const container = await opened.container.catch(() => null);
    await container?.destroy();
    forget(opened);
  };

  const use: ContainerUse['use'] = async (spec, stopped, work) => {
    closing.signal.throwIfAborted();
    const opened = acquire(spec.fileRules ?? []);
    try {
      // The container may start slowly, for other commands, too: a command that is stopped does not wait for it.
      return await work(await abortable(opened.container, stopped));
    } finally {
      release(opened);
    }
  };

  const launch = (spec: LaunchSpec, signal: AbortSignal): LaunchedProcess =>
    launchContained(spec, AbortSignal.any([signal, closing.signal]), { use, graceMs });

  return {
    launch,
    run: (spec: ProcessSpec, signal: AbortSignal): Promise<ProcessResult> =>
      captureLaunched(launch({ ...spec, stdin: 'none' }, signal), spec.maxOutputBytes),
    async close() {
      closing.abort(new Error('the focus is over'));
      current = null;
      await Promise.all([...containers].map(destroy));
    },
  };
}
