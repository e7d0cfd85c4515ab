import type { FileRule } from '../../process/file-rules.ts';
import type { FileMount } from '../tool.ts';

/** The limits of file tools. The context of a call has them. */
export interface Bounds {
  /** Absolute real path. */
  readonly workspace: string;
  /** Paths that tools may not access, wherever the workspace is. */
  readonly fileRules: readonly FileRule[];
  /** Directories elsewhere that are seen as folders of the workspace, in front of its own; default none. */
  readonly mounts?: readonly FileMount[];
}
