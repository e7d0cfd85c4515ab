/** What a source of tools is; `source.ts` lists them. */
import type { Faculty } from '../catalog/faculty/faculty.ts';
import type { Tool } from './tool.ts';

/** One origin of tools. Asked once per focus, before its first request: the list is fixed for the focus. */
export interface ToolSource {
  readonly name: string;
  /** True: its tools make sense for a model only. Default false. */
  readonly onlyForModels?: boolean;
  /** The tools that the faculty gets from here. What a source starts for them, `close` ends. */
  open(faculty: Faculty): Promise<OpenTools>;
}

export interface OpenTools {
  readonly tools: readonly Tool[];
  close?(): Promise<void>;
}
