/** Describes how code of a faculty's model runs. */
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import type { Config } from '../../core/config/config.ts';
import { duration, grouped } from '../../terminal/view/quantities.ts';

/** How `execute_code` of a faculty runs. */
export interface CodeView {
  readonly image: string;
  readonly memory_mib: number;
  readonly cpus: number;
  readonly timeout_seconds: number;
  readonly reads_workspace: boolean;
  /** Completes the sentence "execute_code runs …". */
  readonly sentence: string;
}

/** Null for a faculty that runs no code. */
export function codeOf({ engage: { codeExecution } }: Faculty, { sandbox }: Config): CodeView | null {
  if (!codeExecution) return null;
  const { image, memoryMib, cpus, timeoutSeconds, mountsWorkspace } = codeExecution;
  const used = image ?? sandbox.image;
  const reads = mountsWorkspace ? ', and may read the workspace' : '';
  return {
    image: used,
    memory_mib: memoryMib,
    cpus,
    timeout_seconds: timeoutSeconds,
    reads_workspace: mountsWorkspace,
    sentence: `in a container of ${used} without a network, with at most ${grouped(memoryMib)} MiB, ${cpus} CPU and ${duration(timeoutSeconds * 1000)}${reads}`,
  };
}
