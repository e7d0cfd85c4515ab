/** What all tool calls of a focus share. */
import type { FileRule } from '../../process/file-rules.ts';
import type { ToolContext } from '../../tools/tool.ts';

/** The parts of a tool's context that all calls of a focus share; turn, call and signal complete it. */
export type CallScope = Omit<
  ToolContext,
  'turn' | 'callId' | 'signal' | 'fileRules' | 'permissionFor' | 'nested' | 'tellOutput' | 'codeBytes'
> & {
  /** Makes the focus's own directory, before the first call that may use files. Idempotent. */
  readonly makeDirectory: () => Promise<void>;
  /** Asked for at each call: key files may be replaced meanwhile. Errors: `files.displaced`. */
  readonly fileRules: () => readonly FileRule[];
};
