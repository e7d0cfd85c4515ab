/** The options of `animus chat` itself. */
import type { CommonOptions } from '../../../terminal/command/command.ts';

export interface ChatOptions extends CommonOptions {
  /** True: the latest conversation. */
  readonly resume?: string | true;
  readonly faculty?: string | undefined;
  readonly workspace: string;
  readonly thoughts?: boolean;
}

/** Who answers in a new conversation if nobody is named. */
export const DEFAULT_FACULTY = 'assistant';

/** The commands of the group, which come before a faculty of the same name. */
export const COMMAND_WORDS = ['send', 'list', 'show', 'edit', 'retry', 'delete', 'invite', 'export', 'import'] as const;

/** What `animus chat export` writes. */
export const EXPORT_FORMATS = ['jsonl', 'markdown'] as const;
